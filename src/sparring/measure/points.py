"""Leads of positions in points by a policy with a score head, with a small search, for many games at once.

The search is PUCT whose values are leads: each leaf is worth the policy's expected lead, and the lead of a
position is the mean over its visits. All positions of a batch of games are searched in lockstep, and several
threads share the network, so that one encodes while another evaluates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.base.errors import BadConfig
from sparring.games import describe
from sparring.measure.samples import Sample
from sparring.networks import Position
from sparring.networks.codec import PositionBatch, Prediction, PredictionBatch
from sparring.policies import Policy, load_policy
from sparring.policies.policy import WrappedPolicy, predict_batch
from sparring.records.readers import RecordedGame
from sparring.search.lockstep import LockstepSearch
from sparring.search.puct import PuctConfig

Array = NDArray[np.float64]

_MOST_POINTS = 361.0
"""The lead that is a value of 1 in the search."""
_UNIT = 12.0 / _MOST_POINTS
"""The value that weighs as much in this search as a certain win in place of a draw in one for the result: one
point is about 4 % of expected score in an even game."""
_SEARCH = PuctConfig(
    c_puct=1.1 * _UNIT, fpu_reduction=0.2 * _UNIT, batch=1,
    solver=False, find_immediate_wins=False, repetition_draws=False,
)  # fmt: skip
_FINISHED = 0.05
"""Probability of a pass above which a position is not searched: there is nothing left to find, and a search
would count stones on the board as alive where two passes end the game."""
_TREES = 2048
"""Positions that a thread searches together."""


@dataclass(frozen=True)
class PointsConfig:
    """Who judges points, and how."""

    game: str
    policy: str
    """Name or file of a policy that predicts leads."""
    visits: int = 16
    """Visits of the search of a position; 1 is the network alone."""
    backend: str = "onnxruntime"
    threads: int = 1
    """Threads that search at the same time."""
    batch: int = 64
    """Positions per batch of the network."""

    def header(self) -> dict[str, Any]:
        """What decides the values, as plain values."""
        return {"policy": self.policy, "visits": self.visits, "unit": "points"}


@dataclass(frozen=True)
class JudgedPoints:
    """Leads in points for the side that moved, [positions] of a sample. `after` is NaN where the move ended
    the game."""

    before: Array
    after: Array
    raw_before: Array
    """The same without search."""
    raw_after: Array


def judge_points(
    sample: Sample, config: PointsConfig, on_progress: Callable[[str, int, int], None] = lambda *_: None
) -> JudgedPoints:
    """The leads before and after each move of a sample. Raises BadConfig or BadFile."""
    policy = load_policy(config.policy, config.game, backend=config.backend, batch=config.batch)
    leads = np.full((4, len(sample)), np.nan)
    done = 0
    with ThreadPoolExecutor(config.threads, "judge") as threads:
        parts = threads.map(lambda part: _judge(sample, part, policy, config.visits), _parts(sample))
        for games, rows, values in parts:
            leads[:, rows] = values
            done += games
            on_progress("judging the games", done, len(sample.games))
    return JudgedPoints(*leads)


def search_leads(policy: Policy, states: Sequence[Any], visits: int) -> tuple[Array, Array]:
    """The leads of positions for the side to move, [states] each: by search, and by the policy alone.

    Raises BadConfig if the policy predicts no leads, and ValueError if a game is over.
    """
    positions = [Position(state) for state in states]
    unknown = np.full(len(states), np.nan)
    batch = PositionBatch(
        describe(policy.game).states_class(list(states)), np.stack([unknown, unknown], axis=1), unknown
    )
    predicted = predict_batch(policy, batch)
    if predicted.leads is None:
        raise BadConfig(f"{policy.name} predicts no lead in points: name a network with a score head")
    raw = predicted.leads.astype(np.float64)
    leads = raw.copy()
    open_ = np.arange(len(states))
    if describe(policy.game).passes:
        open_ = np.flatnonzero(predicted.probabilities[predicted.offsets[1:] - 1] < _FINISHED)
    if visits > 1 and len(open_):
        search = LockstepSearch(_LeadValues(policy), [positions[i] for i in open_], _SEARCH)
        search.run(visits)
        leads[open_] = search.forest.values * _MOST_POINTS
    return leads, raw


@dataclass(frozen=True)
class _LeadValues(WrappedPolicy):
    """A policy whose values are its leads. It passes only where nothing else is legal: by area a stone in
    one's own area costs nothing, and two passes would end the game with all stones alive."""

    policy: Policy

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        """The predictions with leads as values; the pass as the policy has it."""
        return [
            replace(prediction, value=None if prediction.lead is None else prediction.lead / _MOST_POINTS)
            for prediction in self.policy.predict(positions)
        ]

    def predict_batch(self, batch: PositionBatch) -> PredictionBatch:
        """The predictions with leads as values."""
        predicted = predict_batch(self.policy, batch)
        assert predicted.leads is not None, "checked in search_leads"
        shares = predicted.probabilities.copy()
        if describe(self.policy.game).passes:
            shares[predicted.offsets[1:][np.diff(predicted.offsets) > 1] - 1] = 0
        values = np.clip(predicted.leads / _MOST_POINTS, -1, 1).astype(np.float32)
        return replace(predicted, probabilities=shares, values=values)


def _parts(sample: Sample) -> Iterator[tuple[int, int]]:
    """Ranges of games with about `_TREES` positions each."""
    bounds = np.searchsorted(sample.metadata["game"], np.arange(len(sample.games) + 1))
    begin = 0
    while begin < len(sample.games):
        end = max(begin + 1, int(np.searchsorted(bounds, bounds[begin] + _TREES // 2, side="right")) - 1)
        yield begin, end
        begin = end


def _judge(
    sample: Sample, part: tuple[int, int], policy: Policy, visits: int
) -> tuple[int, slice, NDArray[np.float64]]:
    """Judges a range of games: its length, its positions in the sample, and the leads [4, positions]."""
    rows = slice(*np.searchsorted(sample.metadata["game"], part).tolist())
    states: list[Any] = []
    places: dict[tuple[int, int], int] = {}
    movers = []
    loaded, game_states = -1, []
    for number, ply in zip(sample.metadata["game"][rows], sample.metadata["ply"][rows], strict=True):
        if number != loaded:
            loaded, game_states = number, RecordedGame(sample.game, sample.games[number].record).states
        for at in (int(ply), int(ply) + 1):
            if (number, at) not in places and game_states[at].outcome is None:
                places[number, at] = len(states)
                states.append(game_states[at])
        movers.append((game_states[ply].to_move, game_states[ply + 1].to_move))
    searched = np.stack(search_leads(policy, states, visits))
    leads = np.full((4, len(movers)), np.nan)
    numbers = zip(sample.metadata["game"][rows], sample.metadata["ply"][rows], movers, strict=True)
    for row, (number, ply, (mover, next_mover)) in enumerate(numbers):
        leads[0::2, row] = searched[:, places[number, ply]]
        if (after := places.get((number, ply + 1))) is not None:
            leads[1::2, row] = searched[:, after] * (1 if mover == next_mover else -1)
    return part[1] - part[0], rows, leads
