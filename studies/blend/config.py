"""The configuration of a blend study, and the samples of people's moves that it fits and measures on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sparring.measure.matching import TaskProgressCallback
from sparring.measure.metrics import PolicyMetrics, Resamples
from sparring.measure.samples import GameSelection, Sample, read_sample
from sparring.measure.scores import CachedPolicy, ChoiceData, gather_choice_data
from sparring.players.engines import EngineConfig
from sparring.policies.policy import Array
from sparring.records import Split
from studies.blend.weights import score_logs


@dataclass(frozen=True)
class SearchComparisonConfig:
    """The comparison with KL-regularised search (figure 6 of the paper), on all positions of the study."""

    policies: tuple[str, ...]
    """The names of the human-like policies to search with."""
    nodes: int = 50
    """Visits of a search."""
    c_pucts: tuple[float, ...] = (0.5, 1.0, 2.0, 5.0, 10.0)
    """Candidates, chosen by group on the validation split; infinity (the policy itself) is added."""


@dataclass(frozen=True)
class EngineAnalysisConfig:
    """The analysis of blunders by an engine (section VI-C of the paper)."""

    entry: EngineConfig
    positions: int
    """Positions of the highest groups that are analysed."""
    blunder_loss: int
    """A move that loses at least this much is a blunder: centipawns, in Go hundredths of a point."""
    decided: int
    """Positions whose best move is worth at least this for either side are left out."""


@dataclass(frozen=True)
class BlendStudyConfig:
    """The data, the policies and the sizes of a blend study."""

    game: str
    records: tuple[Path, ...]
    humans: tuple[tuple[str, str], ...]
    """(name, source) of the human-like policies; slow comparisons use only the first ones."""
    strong: tuple[str, str]
    """(name, source) of the strong policy."""
    cache: Path
    """The folder of cached predictions and engine analyses."""
    training: tuple[tuple[str, Path], ...] = ()
    """(name, table) of human-like policies whose training games are reported."""
    baselines: tuple[tuple[str, str], ...] = ()
    """(name, source) of policies that the first blend is compared with."""
    groups: tuple[str, ...] = ()
    """Rating groups; empty for all."""
    validation: int | None = None
    """The maximum number of positions of each group to fit on."""
    test: int | None = None
    """The maximum number of positions of each group to measure on."""
    every: int = 1
    """Take one position in so many of each game."""
    trial: int = 0
    """The seed of the split."""
    trials: int = 10
    """Random divisions of the held-out games into a fitting and a measuring part (appendix A)."""
    upper: int = 3
    """The number of highest groups whose mean is reported too."""
    search: SearchComparisonConfig | None = None
    engine: EngineAnalysisConfig | None = None
    threads: int = 1
    """Threads of a network's session."""
    backend: str = "onnxruntime"
    """The backend of the networks."""
    batch: int = 64
    """The batch size of a network's session."""
    resamples: int = 1000
    """Bootstrap resamples of games."""
    refits: int = 200
    """Resamples in which weights by likelihood are fitted anew, for the intervals of gains."""

    def selection(
        self, split: Split | None, positions: int | None, groups: tuple[str, ...] = ()
    ) -> GameSelection:
        """The selection of a split's games (None for all), with at most `positions` of each group."""
        return GameSelection(
            self.game, self.records, split, self.trial, groups or self.groups, positions, self.every
        )


@dataclass(frozen=True)
class PredictedSample:
    """A sample of positions with the predictions of several policies."""

    sample: Sample
    choices: ChoiceData
    names: tuple[str, ...]
    """The policies, in the order of the rows of `choices.log_probabilities`."""

    @property
    def groups(self) -> NDArray[np.int64]:
        """The group index of each position, [positions]."""
        found: NDArray[np.int64] = self.sample.group_of_game[self.sample.metadata["game"]]
        return found

    def of(self, *names: str) -> ChoiceData:
        """The choice data of the named policies, in that order."""
        rows = [self.names.index(name) for name in names]
        return ChoiceData.of(self.choices.log_probabilities[rows], self.sample.metadata)


@dataclass(frozen=True)
class HeldOutSample:
    """The test sample, with bootstrap resamples that all policies share."""

    part: PredictedSample
    resamples: Resamples

    def metrics(self, logs: Array) -> PolicyMetrics:
        """Metrics of a policy with these log-probabilities, [moves of all positions]."""
        return PolicyMetrics(self.part.sample, score_logs(self.part.choices, logs), self.resamples)

    def metrics_of(self, name: str) -> PolicyMetrics:
        """Metrics of one of the policies."""
        return self.metrics(self.part.of(name).log_probabilities[0].astype(np.float64))


def open_experts(plan: BlendStudyConfig, policies: Sequence[tuple[str, str]]) -> list[CachedPolicy]:
    """Opens policies from (name, source) pairs. Raises BadConfig, BadFile or OSError."""
    return [
        CachedPolicy.open(
            name, source, plan.game, backend=plan.backend, threads=plan.threads, batch=plan.batch
        )
        for name, source in policies
    ]


def predict_sample(
    experts: list[CachedPolicy],
    selection: GameSelection,
    plan: BlendStudyConfig,
    on_progress: TaskProgressCallback,
) -> PredictedSample:
    """Reads the selected games and predicts every position with every policy; predictions are cached."""
    sample = read_sample(selection)
    total = len(experts) * len(sample)
    choices = gather_choice_data(
        experts,
        sample,
        plan.cache,
        lambda done: on_progress(f"predicting {selection.split} games", done, total),
    )
    return PredictedSample(sample, choices, tuple(expert.name for expert in experts))
