"""What the moves of a game say about the strength of each player.

The evidence of a player's moves is the log-likelihood sum log p(move | r) under a policy of people's moves,
as a function of the rating r that the policy is told, and features of the moves by a strong network. The
opponent's rating is told as r, too: the true one would give the answer away, since people play their equals.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.games import describe
from sparring.networks.batches import PositionBatch, PredictionBatch
from sparring.policies import Policy
from sparring.policies.policy import clipped_log, predict_batch
from sparring.policies.segments import Array, segment_argmax
from sparring.records.recorded_game import RecordedGame

FEATURES = ("loss", "blunders", "surprise", "agreement")
"""Means over a player's moves by the strong network: expected points lost, share of moves that lose more than
0.1, log-probability of its best move less that of the move (at most 5), share of its best moves."""
_BLUNDER = 0.1
_MOST_SURPRISE = 5.0
_GAMES = 100
"""Games that are evaluated together."""


@dataclass(frozen=True)
class GameEvidence:
    """The moves of one player in one game."""

    curve: Array
    """[ratings]: sum of log p(move | r)."""
    features: Array
    """[features]: sums over the moves; divide by `moves` for means."""
    moves: int


@dataclass(frozen=True)
class _Line:
    """The plies of a game in which there was a choice."""

    states: list[Any]
    played: list[int]
    after: list[Any]
    movers: NDArray[np.int64]


def collect_evidence(
    human: Policy, strong: Policy | None, games: Sequence[RecordedGame], ratings: Sequence[float]
) -> Iterator[tuple[GameEvidence | None, GameEvidence | None]]:
    """Yields the evidence of the first and of the second player of each game; None without moves.

    `human` is conditioned on ratings, `strong` gives values; without it all features are 0. Raises BadTable
    if a move is not legal.
    """
    for start in range(0, len(games), _GAMES):
        lines = [_line(game) for game in games[start : start + _GAMES]]
        curves = _curves(human, lines, ratings)
        features = _features(strong, lines)
        begin = 0
        for line in lines:
            part = slice(begin, begin + len(line.states))
            begin = part.stop
            yield (
                _evidence(curves[part], features[part], line.movers == 0),
                _evidence(curves[part], features[part], line.movers == 1),
            )


def _evidence(curves: Array, features: Array, mine: NDArray[np.bool_]) -> GameEvidence | None:
    if not mine.any():
        return None
    return GameEvidence(curves[mine].sum(axis=0), features[mine].sum(axis=0), int(mine.sum()))


def _line(game: RecordedGame) -> _Line:
    states, played, after = [], [], []
    for state, following in pairwise(game.states):
        legal = state.legal_moves()
        if len(legal) > 1 and following.last_move in legal:
            states.append(state)
            played.append(legal.index(following.last_move))
            after.append(following)
    return _Line(states, played, after, np.array([state.to_move for state in states], np.int64))


def _predict(policy: Policy, states: list[Any], rating: float) -> PredictionBatch:
    count = len(states)
    batch = PositionBatch(
        describe(policy.game).states_class(states), np.full((count, 2), rating), np.full(count, np.nan)
    )
    return predict_batch(policy, batch)


def _curves(human: Policy, lines: Sequence[_Line], ratings: Sequence[float]) -> Array:
    """log p(move played | r) [plies, ratings]."""
    states = [state for line in lines for state in line.states]
    played = np.array([move for line in lines for move in line.played], np.int64)
    if not states:
        return np.zeros((0, len(ratings)))
    columns = []
    for rating in ratings:
        found = _predict(human, states, rating)
        columns.append(clipped_log(found.probabilities[found.offsets[:-1] + played]))
    return np.stack(columns, axis=1)


def _features(strong: Policy | None, lines: Sequence[_Line]) -> Array:
    """[plies, features] of `FEATURES`."""
    states = [state for line in lines for state in line.states]
    played = np.array([move for line in lines for move in line.played], np.int64)
    after = [state for line in lines for state in line.after]
    if strong is None or not states:
        return np.zeros((len(states), len(FEATURES)))
    found = _predict(strong, states, np.nan)
    logs = clipped_log(found.probabilities)
    best = segment_argmax(logs, found.offsets)
    chosen = found.offsets[:-1] + played
    loss = np.clip(found.values + _values(strong, after), 0, 2) / 2
    surprise = np.minimum(logs[best] - logs[chosen], _MOST_SURPRISE)
    return np.stack([loss, loss > _BLUNDER, surprise, best == chosen], axis=1).astype(np.float64)


def _values(strong: Policy, states: list[Any]) -> Array:
    """The values of states for the side to move; of ended games, the result."""
    values = np.zeros(len(states))
    going = [i for i, state in enumerate(states) if state.outcome is None]
    for i, state in enumerate(states):
        if state.outcome is not None and state.outcome.winner is not None:
            values[i] = 1.0 if state.outcome.winner == state.to_move else -1.0
    if going:
        values[going] = _predict(strong, [states[i] for i in going], np.nan).values
    return values
