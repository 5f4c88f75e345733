"""Files of problems: what a game supplies to `sparring problems rate`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol


class ProblemRating(Protocol):
    """How hard a problem is, on the game's scale."""

    @property
    def rating(self) -> float:
        """The prediction as a number."""

    @property
    def interval(self) -> tuple[float, float]:
        """The range that the true value is in with a probability of 80 %."""

    def chance(self, rating: int, /) -> float:
        """The chance that a person of a rating, or of a rank as a number, solves the problem."""


@dataclass(frozen=True)
class RatedProblem:
    """A problem of a file with its rating."""

    name: str
    rating: ProblemRating
    facts: Mapping[str, object] = field(default_factory=dict)
    """What JSON says besides."""


@dataclass(frozen=True)
class ProblemFiles:
    """The files of a game's problems."""

    recognises: Callable[[str], bool]
    """Whether a file is of the game, by its first line that is not empty."""
    rated: Callable[[Path], Iterator[RatedProblem]]
    """The problems of a file with their ratings. Raises BadFile."""
    scale: str
    """The scale's name, such as "puzzle rating"."""
    show: Callable[[float], str | int]
    """A value on the scale as people write it."""
