"""The games of a Turing test (ACE paper, experiment 3) and their key.

At each level a kit has games of people, of an engine and of ours in equal numbers, shuffled, without names.
The file of the games tells nothing of who played; the key is a file of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from sparring import data
from sparring.base.errors import BadFile
from sparring.measure.ratings import wilson_interval

Source: TypeAlias = Literal["people", "engine", "ours"]
SOURCES: tuple[Source, ...] = get_args(Source)
RESULTS = ("1-0", "0-1", "1/2-1/2")
ENDINGS = ("checkmate", "resignation", "stalemate", "draw")


@dataclass(frozen=True)
class TuringGame:
    """A game to judge."""

    id: str
    """Its name in the kit, such as 1650-07."""
    level: int
    """The rating that both players have in common, within 100 points."""
    moves: tuple[str, ...]
    """In UCI's notation, from the initial position."""
    result: str
    """One of `RESULTS`."""
    ending: str
    """One of `ENDINGS`."""

    def __post_init__(self) -> None:
        if self.result not in RESULTS or self.ending not in ENDINGS or not self.moves:
            raise BadFile(f"game {self.id}: result {self.result}, ending {self.ending}")


@dataclass(frozen=True)
class TuringKit:
    """The games, ordered by level and shuffled within a level, and who played them."""

    games: tuple[TuringGame, ...]
    key: Mapping[str, Source]
    """By id of the game."""

    def __post_init__(self) -> None:
        ids = [game.id for game in self.games]
        if len(set(ids)) < len(ids) or set(ids) != set(self.key) or not set(self.key.values()) <= {*SOURCES}:
            raise BadFile("the key does not fit the games")

    @property
    def levels(self) -> list[int]:
        """The levels, ascending."""
        return sorted({game.level for game in self.games})


def read_kit(games: Path, key: Path) -> TuringKit:
    """The kit of two files. Raises BadFile or OSError."""
    try:
        rows = [json.loads(line) for line in games.read_text(encoding="utf-8").splitlines()]
        sources = [json.loads(line) for line in key.read_text(encoding="utf-8").splitlines()]
        played = tuple(TuringGame(**{**row, "moves": tuple(row["moves"].split())}) for row in rows)
        return TuringKit(played, {row["id"]: row["source"] for row in sources})
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BadFile(f"{games} and {key} are no Turing kit: {error}") from None


@cache
def shipped_kit(game: str) -> TuringKit:
    """The kit that ships with the package. Raises BadFile if a game has none."""
    if game not in data.names("turing"):
        raise BadFile(f"there is no Turing kit of {game}")
    return read_kit(data.path("turing", game), data.path("turing", f"{game}-key"))


# The score of a Turing test: how often games of each source were called human.


VERDICTS = ("human", "computer")


def score_verdicts(kit: TuringKit, verdicts: Mapping[str, str]) -> dict[str, Any]:
    """How often games of each source were called human, and how often the judge was right.

    `verdicts` has `human` or `computer` by id; games without one do not count. Shares have 95 % intervals.
    `p_value` is that of a permutation test of whether ours were called human as often as people; None without
    verdicts on both. The result is plain data for JSON. Raises ValueError for an unknown id or verdict.
    """
    levels = {game.id: game.level for game in kit.games}
    for name, verdict in verdicts.items():
        if name not in levels:
            raise ValueError(f"no game '{name}' in the kit")
        if verdict not in VERDICTS:
            raise ValueError(f"game {name}: '{verdict}' is not human or computer")
    judged = [(levels[name], kit.key[name], verdict == "human") for name, verdict in verdicts.items()]

    def called(source: str, level: int | None = None) -> list[bool]:
        return [human for at, who, human in judged if who == source and level in (None, at)]

    right = [human == (who == "people") for _, who, human in judged]
    return {
        "games": len(judged),
        "right": share_with_interval(right),
        "called_human": {source: share_with_interval(called(source)) for source in SOURCES},
        "by_level": {
            level: {source: share_with_interval(called(source, level)) for source in SOURCES}
            for level in sorted({at for at, *_ in judged})
        },
        "p_value": permutation_test(called("ours"), called("people")),
    }


def share_with_interval(values: Sequence[bool]) -> dict[str, float] | None:
    """The share of true values with Wilson's 95 % interval; None without values."""
    if not values:
        return None
    share = sum(values) / len(values)
    low, high = wilson_interval(share, len(values))
    return {"value": share, "low": low, "high": high, "games": len(values)}


def permutation_test(first: Sequence[bool], second: Sequence[bool], draws: int = 10_000) -> float | None:
    """The chance of a difference of shares at least as large if both had one share; None without values."""
    if not first or not second:
        return None
    both, rng = np.array([*first, *second], float), np.random.default_rng(0)
    seen = abs(np.mean(first) - np.mean(second))
    drawn = rng.permuted(np.tile(both, (draws, 1)), axis=1)
    gaps = np.abs(drawn[:, : len(first)].mean(axis=1) - drawn[:, len(first) :].mean(axis=1))
    return float(((gaps >= seen - 1e-12).sum() + 1) / (draws + 1))
