"""Players as small TOML files that people can read, share and edit."""

from __future__ import annotations

import tomllib
import typing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from sparring.entries import TypeMismatch, coerce, describe_type
from sparring.games import GAMES
from sparring.records.ranks import parse_rank, rank_order

DEFAULT_RATING: dict[str, int | str | None] = {"chess": 1500, "go": "5d", "shogi": None}
"""The games with a network of people's moves, and who it plays like unless asked; in shogi as it learned."""


class BadPlayerConfig(Exception):
    """A description of a player that cannot be used; the message says why."""


@dataclass(frozen=True)
class PlayerConfig:
    """Everything that makes a player: the entries of its TOML file."""

    game: str
    name: str = "Sparring"
    model: str = "blend"
    """What it would like to play: a model's name, a network's file, or a policy's TOML."""
    rating: int | str | None = None
    """Who it plays like; in Go a rank such as 3d."""
    opponent_rating: int | str | None = None
    """Who it thinks sits opposite; without it, its equal."""
    temperature: float = 1.0
    """Of its choice: 0 always plays the move it likes most, 1 draws by the policy's probabilities (by the
    visits of its search)."""
    nodes: int = 0
    """Positions that it looks at before it moves; 0 plays from the policy alone."""
    seconds: float | None = None
    """The most time for a move, where it searches."""
    evaluator: str = ""
    """A network that searches in place of the model."""
    rule: Literal["visits", "kl"] = "visits"
    """How a search chooses: by visits, or by prior * exp(value / kl_weight)."""
    kl_weight: float = 0.1
    c_puct: float = 1.5
    c_base: float = 0.0
    c_factor: float = 0.0
    prior_temperature: float = 1.0
    fpu_reduction: float = 0.3
    fpu_absolute: bool = False
    draw_value: float = 0.0
    """What a draw is worth to it, from -1 to 1."""
    batch: int = 16
    memory: int = 512
    """Megabytes of its search tree."""
    threads: int = 1
    resign_below: float = 0.0
    """It resigns when it expects less than this share of the points; 0 for never."""
    resign_after: int = 3
    """So many of its moves running."""
    draw_within: float = 0.0
    """It offers and accepts a draw when it expects half of the points to within this; 0 for never."""
    draw_after: int = 60
    """Not before this ply."""
    book: str = ""
    """Games or a Polyglot book to open from; beside the TOML file, or a whole path."""
    book_plies: int = 16
    seed: int | None = None
    """The same seed and the same opponent's moves give the same game."""

    def rating_number(self, which: Literal["rating", "opponent_rating"]) -> int | None:
        """A rating as policies are told it: ranks are numbers. Raises BadPlayerConfig."""
        value = getattr(self, which)
        if value is None or isinstance(value, int):
            return value
        rank = parse_rank(value)
        if self.game != "go" or rank is None:
            kind = "a rank such as 3d" if self.game == "go" else "a number"
            raise BadPlayerConfig(f"{which} is {kind}, not '{value}'")
        return rank_order(rank)


def load_player_config(path: Path) -> PlayerConfig:
    """A player's TOML file. Raises BadPlayerConfig or OSError."""
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
        return parse_player_config({"name": path.stem, **entries}, path.parent)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, BadPlayerConfig) as error:
        raise BadPlayerConfig(f"{path}: {error}") from None


def parse_player_config(entries: dict[str, Any], folder: Path = Path()) -> PlayerConfig:
    """A description from its entries; files are looked for in the folder too. Raises BadPlayerConfig."""
    kinds = typing.get_type_hints(PlayerConfig)
    values: dict[str, Any] = {}
    for key, value in entries.items():
        if key not in kinds:
            raise BadPlayerConfig(f"a player has no entry '{key}'; it has {', '.join(kinds)}")
        try:
            if value is None:  # what is not known is left out
                raise TypeMismatch(describe_type(kinds[key]), value)
            values[key] = coerce(kinds[key], value)
        except TypeMismatch as error:
            raise BadPlayerConfig(f"{key} {error}") from None
    if entries.get("game") not in GAMES:
        raise BadPlayerConfig(f"game is one of {', '.join(GAMES)}, not {entries.get('game')!r}")
    for key in ("model", "evaluator", "book"):
        if values.get(key) and (folder / values[key]).is_file():
            values[key] = str(folder / values[key])
    player_config = PlayerConfig(**values)
    player_config.rating_number("rating")
    player_config.rating_number("opponent_rating")
    _check_ranges(player_config)
    return player_config


_LEAST = {
    "temperature": 0, "nodes": 0, "kl_weight": 0, "c_puct": 0, "resign_below": 0, "resign_after": 1,
    "draw_within": 0, "draw_after": 0, "book_plies": 0, "batch": 1, "memory": 1, "threads": 1,
}  # fmt: skip


def _check_ranges(player_config: PlayerConfig) -> None:
    for key, least in _LEAST.items():
        if not getattr(player_config, key) >= least:
            raise BadPlayerConfig(f"{key} is at least {least}, not {getattr(player_config, key)}")
    if not player_config.prior_temperature > 0:
        raise BadPlayerConfig(f"prior_temperature is above 0, not {player_config.prior_temperature}")
    if player_config.seconds is not None and not player_config.seconds > 0:
        raise BadPlayerConfig(f"seconds are above 0, not {player_config.seconds}")
