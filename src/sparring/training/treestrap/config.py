"""Options of a TreeStrap training run."""

from __future__ import annotations

from dataclasses import dataclass

from sparring.config import BadConfig
from sparring.search.linear_evaluation import SEARCHERS
from sparring.training.treestrap.algorithms import ALGORITHMS

_RENAMED_ALGORITHMS = {"treestrap": "treestrap-minimax"}


class BadTreeStrapConfig(BadConfig):
    """Options that cannot be used; the message says why."""


@dataclass(frozen=True)
class TreeStrapRunConfig:
    """All options of a run. The same options give the same weights. Raises BadTreeStrapConfig."""

    game: str
    """A game with features: a key of `SEARCHERS`."""
    algorithm: str = "treestrap-ab"
    """A key of `ALGORITHMS`."""
    depth: int | None = None
    """Search depth in plies, 1 to 20; None for the algorithm's default."""
    games: int = 5000
    """Games to play."""
    learning_rate: float | None = None
    """alpha; None for the algorithm's default."""
    decay: float | None = None
    """lambda, 0 to 1; None for the algorithm's default."""
    max_update: float = 0.05
    """M: the largest change of a weight in one update."""
    max_error: float = 10.0
    """Larger errors |V - H| are clipped to this value; 100 is a win. Most large errors are wins that the
    search found, and say little about the features that led to them."""
    rate_halving_games: int = 300
    """The learning rate is alpha / (1 + n / N) in game n; this is N."""
    warmup_games: int = 50
    """Games that train with RootStrap at depth two first."""
    random_plies: int = 32
    """Random plies at the start of half of the games; half as many in a quarter of them, and so on."""
    max_plies: int = 200
    """Searched plies after which a game is stopped without an outcome."""
    book_probability: float = 0.25
    """Probability that a side opens from the book."""
    staged: bool = False
    """Ends searches at the next stage of the game; the side with more material wins the stage."""
    skip_draws: bool = False
    """Skips positions whose value is exactly 0."""
    book: str = ""
    """Name of the opening book; empty without one."""
    start: str = "start"
    """Initial weights: a file, or `start` or `learned` for those of the package."""
    block: int = 50
    """Games between two lines of the journal."""
    workers: int = 1
    """Games played in parallel. They start from the same weights, and their updates are added."""
    seed: int = 0

    def __post_init__(self) -> None:
        if self.game not in SEARCHERS:
            raise BadTreeStrapConfig(
                f"{self.game} has no features to train; games with features: {', '.join(SEARCHERS)}"
            )
        if self.algorithm not in ALGORITHMS:
            now = _RENAMED_ALGORITHMS.get(self.algorithm)
            raise BadTreeStrapConfig(
                f"'{self.algorithm}' is now '{now}'"
                if now
                else f"there is no algorithm '{self.algorithm}': expected one of {', '.join(ALGORITHMS)}"
            )
        for name in ("games", "max_plies", "rate_halving_games", "block", "workers"):
            if getattr(self, name) < 1:
                raise BadTreeStrapConfig(f"{name} = {getattr(self, name)}: expected an integer >= 1")
        for name in ("warmup_games", "random_plies", "seed"):
            if getattr(self, name) < 0:
                raise BadTreeStrapConfig(f"{name} = {getattr(self, name)}: expected an integer >= 0")
        if self.depth is not None and not 1 <= self.depth <= 20:
            raise BadTreeStrapConfig(f"depth = {self.depth}: expected 1 to 20")
        for name in ("learning_rate", "max_update", "max_error"):
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise BadTreeStrapConfig(f"{name} = {value}: expected a number > 0")
        for name in ("decay", "book_probability"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise BadTreeStrapConfig(f"{name} = {value}: expected a number from 0 to 1")
