"""Evaluations that are linear in a game's features: the alpha-beta search with them, and their files.

A file is JSON that people can read: for each stage the features by name and their weights; what is left out
weighs nothing. The package has two for each game: `start`, picked by hand, and `learned`.
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
from sparring.games import DESCRIPTIONS, Move
from sparring.storage import atomic_write

FeatureWeights = NDArray[np.float64]
"""[stages, features]"""


class BadEvaluation(Exception):
    """An evaluation that cannot be used; the message says why."""


class AlphaBetaSearcher(Protocol):
    """What `sparring._core` has for every game with features: see ExpendibotsSearch."""

    def set_weights(self, weights: FeatureWeights) -> None:
        """Other weights; what was remembered is gone."""
        ...

    def evaluate(self, state: Any) -> float:
        """The value for the side to move without looking ahead."""
        ...

    def candidate_moves(self, state: Any) -> list[Move]:
        """The moves that a search would try."""
        ...

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
        """Searches until the first limit is reached."""
        ...

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
        """A search, and what it teaches: the summed gradient, positions, their squared error."""
        ...

    def extract_features(self, state: Any) -> tuple[int, NDArray[np.float64]]:
        """The stage and the features of a state."""
        ...

    def stop(self) -> None:
        """Ends the search that another thread is in."""
        ...

    def clear(self) -> None:
        """Forgets what earlier searches found."""
        ...


SEARCHERS: dict[str, type[Any]] = {
    each.name: each.search_class for each in DESCRIPTIONS if each.has_native("Search")
}
"""The games that offer features, each with its native search."""


@dataclass(frozen=True, eq=False)
class LinearEvaluation:
    """Weights of a game's features, and where they came from."""

    game: str
    weights: FeatureWeights
    """[stages, features]"""
    origin: Mapping[str, Any] = field(default_factory=dict)
    """How they were made: whatever helps to make them again."""

    def searcher(self, megabytes: int = 16) -> AlphaBetaSearcher:
        """A search with this evaluation."""
        made: AlphaBetaSearcher = SEARCHERS[self.game](self.weights, megabytes)
        return made


def stage_names(game: str) -> list[str]:
    """What the rows of a game's weights mean."""
    names: list[str] = SEARCHERS[game].stage_names()
    return names


def feature_names(game: str) -> list[str]:
    """What the columns of a game's weights mean."""
    names: list[str] = SEARCHERS[game].feature_names()
    return names


def open_evaluation(game: str, source: str | Path = "learned") -> LinearEvaluation:
    """The evaluation of a file, or one that the package has: `start` or `learned`. Raises BadEvaluation."""
    if game not in SEARCHERS:
        raise BadEvaluation(f"{game} offers no features; {', '.join(SEARCHERS)} do")
    shipped = data.path("evaluations", f"{game}-{source}")
    path = shipped if str(source) in ("start", "learned") and shipped.is_file() else Path(source)
    try:
        return read_evaluation(path.read_text(encoding="utf-8"), game)
    except OSError:
        raise BadEvaluation(f"there is no evaluation {source}: give a file, start or learned") from None
    except BadEvaluation as error:
        raise BadEvaluation(f"{path}: {error}") from None


def read_evaluation(text: str, game: str) -> LinearEvaluation:
    """The evaluation that a text describes. Raises BadEvaluation."""
    try:
        content = json.loads(text)
    except ValueError as error:
        raise BadEvaluation(f"is not JSON ({error})") from None
    if not isinstance(content, dict) or not isinstance(content.get("stages"), dict):
        raise BadEvaluation("has no entry 'stages' with features and weights")
    if content.get("game") != game:
        raise BadEvaluation(f"is for {content.get('game')}, not {game}")
    stages, features = stage_names(game), feature_names(game)
    weights = np.zeros((len(stages), len(features)))
    for stage, entries in content["stages"].items():
        if stage not in stages or not isinstance(entries, dict):
            raise BadEvaluation(
                f"{game} has the stages {', '.join(stages)}, each with features, not {stage!r}"
            )
        for name, weight in entries.items():
            if name not in features:
                raise BadEvaluation(f"{game} has no feature {name!r}")
            if not isinstance(weight, int | float) or not np.isfinite(weight):
                raise BadEvaluation(f"the weight of {name!r} is a number, not {weight!r}")
            weights[stages.index(stage), features.index(name)] = weight
    return LinearEvaluation(game, weights, content.get("origin", {}))


def write_evaluation(evaluation: LinearEvaluation, path: Path) -> None:
    """Writes a file that `open_evaluation` reads, whole or not at all."""
    features = feature_names(evaluation.game)
    stages = {
        stage: {name: round(float(w), 6) for name, w in zip(features, row, strict=True) if w}
        for stage, row in zip(stage_names(evaluation.game), evaluation.weights, strict=True)
    }
    content = {"game": evaluation.game, "origin": dict(evaluation.origin), "stages": stages}
    atomic_write(path, json.dumps(content, indent=1) + "\n")
