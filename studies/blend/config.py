"""What a study of blends is told, and the people's choices that all of it is measured on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sparring.arena.tournament import EngineConfig
from sparring.matching import CachedPolicy, ChoiceData, GameSelection, Sample, gather_choice_data, read_sample
from sparring.matching.bootstrap import Resamples
from sparring.matching.metrics import PolicyMetrics
from sparring.policies.segments import Array
from sparring.records import Split

TaskProgressCallback = Callable[[str, int, int], None]
"""Hears what is being done, how much of it is done, and how much there is."""


@dataclass(frozen=True)
class SearchComparisonConfig:
    """The comparison with KL-regularised search, the paper's figure 6."""

    groups: tuple[str, ...] = ()
    """Empty for the first and the last."""
    positions: int = 0
    """Of each group and split; 0 leaves it out."""
    nodes: int = 30
    c_pucts: tuple[float, ...] = (0.5, 1.0, 2.0, 5.0)
    """Infinity, which is the policy itself, is always among them."""


@dataclass(frozen=True)
class EngineAnalysisConfig:
    """The mechanism, the paper's section VI-C: an engine says what moves lose."""

    entry: EngineConfig
    positions: int
    bad: int
    """A loss from which a move is bad: centipawns, in Go hundredths of a point."""
    decided: int
    """A position in which the best move is worth more than this for either side is left out."""


@dataclass(frozen=True)
class BlendStudyConfig:
    """A study."""

    game: str
    records: tuple[Path, ...]
    humans: tuple[tuple[str, str], ...]
    """Names and sources of human-like policies; what takes long is done with the first ones."""
    strong: tuple[str, str]
    cache: Path
    baselines: tuple[tuple[str, str], ...] = ()
    """Policies that are not blended, for the first blend to be compared with."""
    groups: tuple[str, ...] = ()
    validation: int | None = None
    """At most so many positions of each group to fit on, ..."""
    test: int | None = None
    """... and to measure on."""
    every: int = 1
    trial: int = 0
    trials: int = 10
    """How often the games are divided anew into those to fit on and those to measure on."""
    upper: int = 3
    """So many of the highest groups are also counted together."""
    search: SearchComparisonConfig = SearchComparisonConfig()
    engine: EngineAnalysisConfig | None = None
    threads: int = 1
    resamples: int = 1000

    def selection(self, split: Split, positions: int | None, groups: tuple[str, ...] = ()) -> GameSelection:
        """The games of a split."""
        return GameSelection(
            self.game, self.records, split, self.trial, groups or self.groups, positions, self.every
        )


@dataclass(frozen=True)
class PredictedSample:
    """A sample with what some policies say of it."""

    sample: Sample
    choices: ChoiceData
    names: tuple[str, ...]
    """Of the policies, as the choices have them."""

    @property
    def groups(self) -> NDArray[np.int64]:
        """[positions]: the number of each one's group."""
        found: NDArray[np.int64] = self.sample.group_of_game[self.sample.metadata["game"]]
        return found

    def of(self, *names: str) -> ChoiceData:
        """The choices of some policies alone."""
        rows = [self.names.index(name) for name in names]
        return ChoiceData.of(self.choices.log_probabilities[rows], self.sample.metadata)


@dataclass(frozen=True)
class HeldOutSample:
    """The part to measure on, with the resamples that all policies share."""

    part: PredictedSample
    resamples: Resamples

    def matching(self, logs: Array) -> PolicyMetrics:
        """A policy with these logarithms [moves] against people."""
        return PolicyMetrics(self.part.sample, self.part.choices.scores(logs), self.resamples)

    def alone(self, name: str) -> PolicyMetrics:
        """One of the policies as it is."""
        return self.matching(self.part.of(name).log_probabilities[0].astype(np.float64))


def open_experts(plan: BlendStudyConfig, policies: Sequence[tuple[str, str]]) -> list[CachedPolicy]:
    """Policies by name and source. Raises BadPolicy, BadNetwork or OSError."""
    return [CachedPolicy.open(name, source, plan.game, threads=plan.threads) for name, source in policies]


def predict_sample(
    experts: list[CachedPolicy],
    selection: GameSelection,
    plan: BlendStudyConfig,
    on_progress: TaskProgressCallback,
) -> PredictedSample:
    """Reads games and asks every policy about them, or its file."""
    sample = read_sample(selection)
    total = len(experts) * len(sample)
    choices = gather_choice_data(
        experts, sample, plan.cache, lambda done: on_progress(f"asking, {selection.split} games", done, total)
    )
    return PredictedSample(sample, choices, tuple(expert.name for expert in experts))
