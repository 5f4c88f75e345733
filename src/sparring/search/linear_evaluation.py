"""Linear evaluations for alpha-beta search, and their files.

A file is JSON: for each stage of the game the weights of the features by name. Missing features have weight
0. The package ships two per game: `start`, chosen by hand, and `learned`, trained by TreeStrap.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sparring import data
from sparring._core import Analysis
from sparring.base.errors import BadFile
from sparring.base.storage import atomic_write
from sparring.games import GAMES, Game, Move

FeatureWeights = NDArray[np.float64]
"""[stages, features]"""
WIN_VALUE = 100.0
"""Value of a won game; evaluations stay below it."""


class AlphaBetaSearcher(Protocol):
    """The native alpha-beta search of a game with features, such as `ExpendibotsSearch`.

    Values: 100 is a win.
    """

    def set_weights(self, weights: FeatureWeights) -> None:
        """Sets the weights, [stages, features], and clears the transposition table."""

    def evaluate(self, state: Any) -> float:
        """The static evaluation for the side to move."""

    def candidate_moves(self, state: Any) -> list[Move]:
        """The moves that the search considers."""

    def analyse(
        self,
        state: Any,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        seconds: float | None = None,
        threads: int = 1,
        margin: float = 0.0,
        reduce: bool = True,
    ) -> Analysis:
        """Searches until the first limit is reached. At least one limit is needed.

        `margin` keeps the exact scores of moves within this distance of the best; `reduce` allows late move
        reductions.
        """

    def treestrap(
        self,
        state: Any,
        *,
        depth: int,
        all_nodes: bool,
        minimax: bool,
        min_depth: int,
        decay: float,
        max_error: float,
        skip_draws: bool,
        staged: bool,
    ) -> tuple[Analysis, FeatureWeights, int, float]:
        """Searches and sums the TreeStrap gradient, see `training.treestrap.algorithms`.

        Returns the analysis, the sum [stages, features], the number of positions and their squared error.
        """

    def extract_features(self, state: Any) -> tuple[int, NDArray[np.float64]]:
        """The stage and the features, [features], of a state."""

    def stop(self) -> None:
        """Ends the search that runs in another thread."""

    def clear(self) -> None:
        """Clears the transposition table."""


_LARGEST_WEIGHT = 1e6
SEARCHERS: dict[str, type[Any]] = {
    name: game.search_class for name, game in GAMES.items() if game.has_native("Search")
}
"""Native search classes of the games with features."""


@dataclass(frozen=True, eq=False)
class LinearEvaluation:
    """Weights of a game's features, with their origin."""

    game: str
    weights: FeatureWeights
    """[stages, features]"""
    origin: Mapping[str, Any] = field(default_factory=dict)
    """Options of the run that trained them."""

    def searcher(self, megabytes: int = 16) -> AlphaBetaSearcher:
        """A search with this evaluation and a transposition table of `megabytes`."""
        made: AlphaBetaSearcher = SEARCHERS[self.game](self.weights, megabytes)
        return made


def stage_names(game: str) -> list[str]:
    """Returns the names of the rows of a game's weights."""
    names: list[str] = SEARCHERS[game].stage_names()
    return names


def feature_names(game: str) -> list[str]:
    """Returns the names of the columns of a game's weights."""
    names: list[str] = SEARCHERS[game].feature_names()
    return names


def open_evaluation(game: str | None, source: str | Path = "learned") -> LinearEvaluation:
    """Reads an evaluation: a file, or `start` or `learned` for the package's.

    `game` None takes the game that the file names. Raises BadFile.
    """
    if game is not None:
        _check_features(game)
    shipped = data.path("evaluations", f"{game}-{source}")
    path = shipped if str(source) in ("start", "learned") and shipped.is_file() else Path(source)
    try:
        return read_evaluation(path.read_text(encoding="utf-8"), game)
    except OSError:
        raise BadFile(f"there is no evaluation {source}: give a file, start or learned") from None
    except UnicodeDecodeError:
        raise BadFile(f"{path}: is not UTF-8 text") from None
    except BadFile as error:
        raise BadFile(f"{path}: {error}") from None


def _check_features(game: object) -> None:
    if game not in SEARCHERS:
        raise BadFile(f"{game} has no features; games with features: {', '.join(SEARCHERS)}")


def read_evaluation(text: str, game: str | None = None) -> LinearEvaluation:
    """Parses the text of a file, by default of the game that it names. Raises BadFile."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadFile(f"is not JSON ({error})") from None
    if not isinstance(content, dict) or not isinstance(content.get("stages"), dict):
        raise BadFile("has no entry 'stages' with features and weights")
    if game is None:
        game = str(content.get("game"))
        _check_features(game)
    if content.get("game") != game:
        raise BadFile(f"is for {str(content.get('game'))[:40]}, not {game}")
    stages, features = stage_names(game), feature_names(game)
    weights = np.zeros((len(stages), len(features)))
    for stage, entries in content["stages"].items():
        if stage not in stages or not isinstance(entries, dict):
            raise BadFile(f"{game} has the stages {', '.join(stages)}, each with features, not {stage!r}")
        for name, weight in entries.items():
            if name not in features:
                raise BadFile(f"{game} has no feature {name!r}")
            if not isinstance(weight, int | float) or not abs(weight) <= _LARGEST_WEIGHT:
                raise BadFile(f"the weight of {name!r} is a number, not {str(weight)[:40]}")
            weights[stages.index(stage), features.index(name)] = weight
    origin = content.get("origin", {})
    return LinearEvaluation(game, weights, origin if isinstance(origin, dict) else {})


def write_evaluation(evaluation: LinearEvaluation, path: Path) -> None:
    """Writes a file for `open_evaluation`, atomically."""
    features = feature_names(evaluation.game)
    stages = {
        stage: {name: round(float(w), 6) for name, w in zip(features, row, strict=True) if w}
        for stage, row in zip(stage_names(evaluation.game), evaluation.weights, strict=True)
    }
    content = {"game": evaluation.game, "origin": dict(evaluation.origin), "stages": stages}
    atomic_write(path, json.dumps(content, indent=1) + "\n")


# Random openings for self-play and matches.


def random_opening(
    state: Any, searcher: AlphaBetaSearcher, plies: int, rng: np.random.Generator
) -> Any | None:
    """The state after `plies` random candidate moves of the searcher; None if the game ended before."""
    for _ in range(plies):
        moves = searcher.candidate_moves(state)
        state = state.play(moves[int(rng.integers(len(moves)))])
        if state.outcome is not None:
            return None
    return state


def random_start(
    game: Game[Any], searcher: AlphaBetaSearcher, max_plies: int, rng: np.random.Generator
) -> Any:
    """Returns a start of the report's distribution (section 4.1): `max_plies` random plies with probability
    1/2, half as many with 1/4, and so on. A game that ends on the way is started again."""
    while True:
        plies = max_plies
        while plies and rng.random() >= 0.5:
            plies //= 2
        if (state := random_opening(game.initial(), searcher, plies, rng)) is not None:
            return state
