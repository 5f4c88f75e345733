"""What a run of learning is made of."""

from __future__ import annotations

from dataclasses import dataclass

from sparring.search.evaluations import SEARCHERS


class BadTreeStrapConfig(Exception):
    """Settings that cannot be used; the message says why."""


@dataclass(frozen=True)
class Algorithm:
    """One of the ways to learn from a search, and what suits it."""

    about: str
    all_nodes: bool
    """Whether every inner node learns; else the root, or the principal leaf."""
    minimax: bool
    """Whether the search is plain minimax."""
    rate: float
    """A step that suits it: who learns from a sum over many positions takes smaller ones."""
    depth: int
    decay: float = 0.5
    """lambda."""


ALGORITHMS = {
    "rootstrap": Algorithm(
        "the root moves towards its search's value", all_nodes=False, minimax=False, rate=5e-3, depth=4
    ),
    "treestrap": Algorithm(
        "every node of a minimax search moves towards its value",
        all_nodes=True,
        minimax=True,
        rate=3e-5,
        depth=2,
    ),
    "treestrap-ab": Algorithm(
        "every node of an alpha-beta search moves towards its bounds",
        all_nodes=True,
        minimax=False,
        rate=3e-4,
        depth=4,
    ),
    "tdleaf": Algorithm(
        "each search's principal leaf moves towards those that follow it",
        all_nodes=False,
        minimax=False,
        rate=2e-3,
        depth=4,
        decay=0.7,
    ),
}
"""By name; `TreeStrapRunConfig` describes the rest."""

_WARM_UP = ("rootstrap", 2, 2e-3, 0.5)
"""The algorithm, depth, rate and lambda of the first games."""


@dataclass(frozen=True)
class TreeStrapRunConfig:
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
    max_update: float = 0.05
    """M: no weight changes by more in one move."""
    max_error: float = 10.0
    """Larger errors of a position count as this much, where 100 is a win: most of them are wins that a search
    found, which say little of the features that led to them."""
    rate_halving_games: int = 300
    """After so many games the rate is half of what it was, after twice as many a third, and so on."""
    warm_up: int = 50
    """So many games learn with RootStrap at depth two before."""
    random_plies: int = 32
    """Half of the games begin after so many random plies, a quarter after half as many, and so on."""
    max_plies: int = 200
    """After so many more plies a game is given up: without tables few long endings teach anything."""
    book_probability: float = 0.25
    """How likely each side is to open from the book, where there is one."""
    staged: bool = False
    """Whether searches end with the stage, which then is won by whoever is ahead."""
    skip_draws: bool = False
    """Whether positions whose value is exactly 0 teach nothing."""
    book: str = ""
    """The name of the book, where there is one: other games open otherwise."""
    start: str = "start"
    """The weights to begin with: a file, or a name of `sparring.search.evaluations`."""
    block: int = 50
    """Games between one measurement and the next."""
    workers: int = 1
    """Games at a time. They begin with the same weights, and what they learn is added up."""
    seed: int = 0

    def __post_init__(self) -> None:
        if self.game not in SEARCHERS:
            raise BadTreeStrapConfig(
                f"{self.game} offers no features to learn from; {', '.join(SEARCHERS)} do"
            )
        if self.algorithm not in ALGORITHMS:
            raise BadTreeStrapConfig(f"the algorithms are {', '.join(ALGORITHMS)}, not '{self.algorithm}'")
        for name in ("games", "max_plies", "rate_halving_games", "block", "workers"):
            if getattr(self, name) < 1:
                raise BadTreeStrapConfig(f"{name} is at least 1, not {getattr(self, name)}")
        if min(self.warm_up, self.random_plies, self.seed) < 0:
            raise BadTreeStrapConfig("warm_up, random_plies and seed are not below 0")
        if self.depth is not None and not 1 <= self.depth <= 20:
            raise BadTreeStrapConfig(f"depth is from 1 to 20, not {self.depth}")
        if not (self.rate is None or self.rate > 0) or min(self.max_update, self.max_error) <= 0:
            raise BadTreeStrapConfig("rate, max_update and max_error are above 0")
        if not 0 <= (self.decay or 0) <= 1 or not 0 <= self.book_probability <= 1:
            raise BadTreeStrapConfig("decay and book_probability are from 0 to 1")

    def schedule(self, number: int) -> tuple[str, int, float, float]:
        """The algorithm, depth, rate and lambda of a game."""
        if number < self.warm_up:
            return _WARM_UP
        own = ALGORITHMS[self.algorithm]
        decay = own.decay if self.decay is None else self.decay
        rate = (self.rate or own.rate) / (1 + number / self.rate_halving_games)
        return self.algorithm, self.depth or own.depth, rate, decay
