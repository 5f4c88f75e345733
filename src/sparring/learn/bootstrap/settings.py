"""What a run of learning is made of."""

from __future__ import annotations

from dataclasses import dataclass

from sparring.search.evaluations import SEARCHERS


class BadSettings(Exception):
    """Settings that cannot be used; the message says why."""


@dataclass(frozen=True)
class Algorithm:
    """One of the ways to learn from a search, and what suits it."""

    about: str
    tree: bool
    """Whether every inner node learns; else the root, or the principal leaf."""
    full: bool
    """Whether the search is plain minimax."""
    rate: float
    """A step that suits it: who learns from a sum over many positions takes smaller ones."""
    depth: int
    decay: float = 0.5
    """lambda."""


ALGORITHMS = {
    "rootstrap": Algorithm(
        "the root moves towards its search's value", tree=False, full=False, rate=2e-3, depth=4
    ),
    "treestrap": Algorithm(
        "every node of a minimax search moves towards its value", tree=True, full=True, rate=1e-5, depth=2
    ),
    "treestrap-ab": Algorithm(
        "every node of an alpha-beta search moves towards its bounds",
        tree=True,
        full=False,
        rate=1e-4,
        depth=4,
    ),
    "tdleaf": Algorithm(
        "each search's principal leaf moves towards those that follow it",
        tree=False,
        full=False,
        rate=2e-3,
        depth=4,
        decay=0.7,
    ),
}
"""By name; `Settings` describes the rest."""


@dataclass(frozen=True)
class Settings:
    """Everything that a run depends on: the same settings give the same weights."""

    game: str
    algorithm: str = "treestrap-ab"
    depth: int | None = None
    """Of the searches; None for the algorithm's own."""
    games: int = 5000
    rate: float | None = None
    """alpha; None for the algorithm's own."""
    decay: float | None = None
    """lambda: a node at depth d of a tree counts lambda^d; with TDLeaf, a change d moves on does. None for
    the algorithm's own."""
    most_change: float = 0.05
    """M: no weight changes by more in one move."""
    warm_up: int = 200
    """So many games learn with RootStrap at depth two before."""
    random_plies: int = 32
    """Half of the games begin after so many random plies, a quarter after half as many, and so on."""
    longest: int = 200
    """After so many more plies a game is given up: without tables few long endings teach anything."""
    book_share: float = 0.25
    """How likely each side is to open from the book, where there is one."""
    staged: bool = False
    """Whether searches end with the stage, which then is won by whoever is ahead."""
    skip_draws: bool = False
    """Whether positions whose value is exactly 0 teach nothing."""
    start: str = "start"
    """The weights to begin with: a file, or a name of `sparring.search.evaluations`."""
    block: int = 50
    """Games between one measurement and the next."""
    workers: int = 1
    """Games at a time. They begin with the same weights, and what they learn is added up."""
    seed: int = 0

    def __post_init__(self) -> None:
        if self.game not in SEARCHERS:
            raise BadSettings(f"{self.game} offers no features to learn from; {', '.join(SEARCHERS)} do")
        if self.algorithm not in ALGORITHMS:
            raise BadSettings(f"the algorithms are {', '.join(ALGORITHMS)}, not '{self.algorithm}'")
        for name, least in (
            ("games", 1),
            ("warm_up", 0),
            ("random_plies", 0),
            ("longest", 1),
            ("block", 1),
            ("workers", 1),
        ):
            if getattr(self, name) < least:
                raise BadSettings(f"{name} is at least {least}, not {getattr(self, name)}")
        if self.depth is not None and not 1 <= self.depth <= 20:
            raise BadSettings(f"depth is from 1 to 20, not {self.depth}")
        if not (self.rate is None or self.rate > 0) or not self.most_change > 0:
            raise BadSettings("rate and most_change are above 0")
        if not 0 <= (self.decay or 0) <= 1 or not 0 <= self.book_share <= 1:
            raise BadSettings("decay and book_share are from 0 to 1")

    def teaching(self, number: int) -> tuple[str, int, float, float]:
        """The algorithm, depth, rate and lambda of a game."""
        if number < self.warm_up:
            root = ALGORITHMS["rootstrap"]
            return "rootstrap", 2, root.rate, root.decay
        own = ALGORITHMS[self.algorithm]
        decay = own.decay if self.decay is None else self.decay
        return self.algorithm, self.depth or own.depth, self.rate or own.rate, decay
