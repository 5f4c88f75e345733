"""Players as small TOML files that people can read, share and edit."""

from __future__ import annotations

import tomllib
import typing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from sparring.entries import WrongKind, fitting, in_words
from sparring.games import GAMES
from sparring.records.ranks import normal_rank, rank_order

USUAL_RATING: dict[str, int | str | None] = {"chess": 1500, "go": "5d", "shogi": None}
"""The games with a network of people's moves, and who it plays like unless asked; in shogi as it learned."""


class BadDescription(Exception):
    """A description of a player that cannot be used; the message says why."""


@dataclass(frozen=True)
class Description:
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
    judge: str = ""
    """A network that searches in place of the model."""
    rule: Literal["visits", "kl"] = "visits"
    """How a search chooses: by visits, or by prior * exp(value / kl_weight)."""
    kl_weight: float = 0.1
    c_puct: float = 1.5
    c_base: float = 0.0
    c_factor: float = 0.0
    prior_temperature: float = 1.0
    unvisited: float = 0.3
    unvisited_absolute: bool = False
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

    def number(self, which: Literal["rating", "opponent_rating"]) -> int | None:
        """A rating as policies are told it: ranks are numbers. Raises BadDescription."""
        value = getattr(self, which)
        if value is None or isinstance(value, int):
            return value
        rank = normal_rank(value)
        if self.game != "go" or rank is None:
            kind = "a rank such as 3d" if self.game == "go" else "a number"
            raise BadDescription(f"{which} is {kind}, not '{value}'")
        return rank_order(rank)


def load_description(path: Path) -> Description:
    """A player's TOML file. Raises BadDescription or OSError."""
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
        return parse_description({"name": path.stem, **entries}, path.parent)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, BadDescription) as error:
        raise BadDescription(f"{path}: {error}") from None


def parse_description(entries: dict[str, Any], folder: Path = Path()) -> Description:
    """A description from its entries; files are looked for in the folder too. Raises BadDescription."""
    kinds = typing.get_type_hints(Description)
    values: dict[str, Any] = {}
    for key, value in entries.items():
        if key not in kinds:
            raise BadDescription(f"a player has no entry '{key}'; it has {', '.join(kinds)}")
        try:
            if value is None:  # what is not known is left out
                raise WrongKind(in_words(kinds[key]), value)
            values[key] = fitting(kinds[key], value)
        except WrongKind as error:
            raise BadDescription(f"{key} {error}") from None
    if entries.get("game") not in GAMES:
        raise BadDescription(f"game is one of {', '.join(GAMES)}, not {entries.get('game')!r}")
    for key in ("model", "judge", "book"):
        if values.get(key) and (folder / values[key]).is_file():
            values[key] = str(folder / values[key])
    description = Description(**values)
    description.number("rating")
    description.number("opponent_rating")
    _check_ranges(description)
    return description


_LEAST = {
    "temperature": 0, "nodes": 0, "kl_weight": 0, "c_puct": 0, "resign_below": 0, "resign_after": 1,
    "draw_within": 0, "draw_after": 0, "book_plies": 0, "batch": 1, "memory": 1, "threads": 1,
}  # fmt: skip


def _check_ranges(description: Description) -> None:
    for key, least in _LEAST.items():
        if not getattr(description, key) >= least:
            raise BadDescription(f"{key} is at least {least}, not {getattr(description, key)}")
    if not description.prior_temperature > 0:
        raise BadDescription(f"prior_temperature is above 0, not {description.prior_temperature}")
    if description.seconds is not None and not description.seconds > 0:
        raise BadDescription(f"seconds are above 0, not {description.seconds}")
