"""Theta: the parameters of a search that are tuned on people's moves (ACE, section 3)."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sparring.base.config import native_option
from sparring.measure.samples import GameSelection, Sample, read_sample
from sparring.measure.scores import best_beta
from sparring.networks import Position, Prediction
from sparring.networks.codec import PositionBatch, PredictionBatch
from sparring.policies import Policy
from sparring.policies.policy import (
    Array,
    Offsets,
    WrappedPolicy,
    predict_batch,
    segment_log_softmax,
    segment_offsets,
    segment_repeat,
    segment_sum,
)
from sparring.records import Split
from sparring.search.lockstep import LockstepSearch
from sparring.search.puct import PuctConfig


@dataclass(frozen=True)
class Theta:
    """Theta = (tau, t, c_puct) of the paper, and the share of people's moves that the search does not visit.

    A move is chosen with probability N^(1 / tau) / Z after a search with c_puct and the priors
    P = p^(1 / t) / Z. `backoff` is epsilon.
    """

    temperature: float = 1.0
    """tau"""
    policy_temperature: float = native_option(PuctConfig, "policy_temperature")
    """t"""
    c_puct: float = native_option(PuctConfig, "c_puct")
    backoff: float = 0.1
    """epsilon"""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"{name} = {value}: expected a number above 0")

    @property
    def searched(self) -> Array:
        """log(t, c_puct) [2]: what needs a search for every value."""
        return np.log([self.policy_temperature, self.c_puct])

    def with_searched(self, logs: Array) -> Self:
        """The same with other log(t, c_puct) [2]."""
        t, c_puct = np.exp(logs).tolist()
        return replace(self, policy_temperature=t, c_puct=c_puct)

    def with_choice(self, temperature: float, backoff: float) -> Self:
        """The same with another tau and epsilon."""
        return replace(self, temperature=temperature, backoff=backoff)

    def puct_config(self) -> PuctConfig:
        """The search: one leaf at a time, as in the textbook, so that a smaller search is the beginning of a
        larger one."""
        return PuctConfig(c_puct=self.c_puct, policy_temperature=self.policy_temperature, batch=1)


# Visit counts of many searches in lockstep, at several sizes of one search.


@dataclass(frozen=True)
class PlayedPositions:
    """Positions in which people moved."""

    positions: Sequence[Position]
    played: NDArray[np.int64]
    """[positions]: index of the move played among the legal moves in ascending order."""
    game: NDArray[np.int64]
    """[positions]: index of the game, the unit of resampling."""
    phase: NDArray[np.int64]
    """[positions]: index in `samples.PHASES`."""

    def __len__(self) -> int:
        return len(self.positions)

    def take(self, rows: NDArray[np.int64]) -> Self:
        """The positions with these indices."""
        chosen = [self.positions[row] for row in rows.tolist()]
        return type(self)(chosen, self.played[rows], self.game[rows], self.phase[rows])


@dataclass(frozen=True)
class VisitData:
    """The root moves of many searches, and the moves that people played."""

    log_policy: Array
    """[moves]: log-probabilities of the policy, at temperature 1."""
    visits: dict[int, Array]
    """By size of the search in nodes: the visits [moves]."""
    values: Array
    """[moves]: values for the side to move after the largest search; the root's value for moves without
    visits."""
    offsets: Offsets
    """[positions + 1]: position i has the moves offsets[i] to offsets[i + 1]."""
    played: NDArray[np.int64]
    """[positions]: the index of the move played, among all moves."""

    def __len__(self) -> int:
        return len(self.played)

    @property
    def nodes(self) -> int:
        """The size of the largest search."""
        return max(self.visits)

    def priors(self, policy_temperature: float) -> Array:
        """The priors of a search at temperature t [moves]: p^(1 / t) / Z."""
        return np.exp(segment_log_softmax(self.log_policy / policy_temperature, self.offsets))

    def rows(self, wanted: NDArray[np.bool_]) -> Self:
        """The positions of a mask [positions]."""
        kept = segment_repeat(wanted, self.offsets)
        sizes = np.diff(self.offsets)
        offsets = segment_offsets(sizes[wanted])
        return type(self)(
            self.log_policy[kept],
            {nodes: counts[kept] for nodes, counts in self.visits.items()},
            self.values[kept],
            offsets,
            (self.played - self.offsets[:-1])[wanted] + offsets[:-1],
        )

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """The searches of all parts, in order."""
        shifts = np.cumsum([0, *(part.offsets[-1] for part in parts)])
        return cls(
            np.concatenate([part.log_policy for part in parts]),
            {nodes: np.concatenate([part.visits[nodes] for part in parts]) for nodes in parts[0].visits},
            np.concatenate([part.values for part in parts]),
            segment_offsets(np.concatenate([np.diff(part.offsets) for part in parts])),
            np.concatenate([part.played + shift for part, shift in zip(parts, shifts, strict=False)]),
        )


def snapshot_sizes(nodes: int) -> list[int]:
    """The sizes at which a search of `nodes` nodes is looked at: powers of two, and `nodes` itself."""
    sizes = [2**k for k in range(nodes.bit_length()) if 2**k < nodes]
    return [*sizes, nodes]


def search_visits(
    policy: Policy, data: PlayedPositions, theta: Theta, sizes: Sequence[int], *, trees: int = 1024
) -> VisitData:
    """Searches all positions, `trees` at a time in lockstep, and returns the visits at all sizes.

    One search gives every size exactly: the visits of a search of 8 nodes are those of a search of 64 nodes
    after its eighth. Raises ValueError if the policy gives no values.
    """
    if len(data) > trees:
        parts = np.split(np.arange(len(data)), range(trees, len(data), trees))
        return VisitData.join(
            [search_visits(policy, data.take(rows), theta, sizes, trees=trees) for rows in parts]
        )
    search = LockstepSearch(policy, data.positions, theta.puct_config())
    visits = {}
    for nodes in sorted(sizes):
        search.run(nodes)
        _, _, counts, values, _, offsets = search.forest.root_moves()
        visits[nodes] = counts.astype(np.float64)
    assert search.root is not None
    logs = np.log(np.maximum(search.root.probabilities.astype(np.float64), 1e-12))
    roots = segment_repeat(search.forest.values, offsets)
    return VisitData(
        segment_log_softmax(logs, offsets),
        visits,
        np.where(np.isnan(values), roots, values),
        offsets,
        data.played + offsets[:-1],
    )


# The cross-entropy between people's moves and a search's move distribution, and its exact minimum in tau.
#
# A share 1 - epsilon of people's moves is expected among the moves that the search visited, where p(move) =
# N^(1 / tau) / Z (ACE, section 3). The share epsilon backs off to the policy over the moves without visits,
# as
# language models do for words that they have not seen (Katz 1987): otherwise one such move would cost an
# infinite loss. Both parts are fitted exactly from stored visits. epsilon is the share of people's moves
# without visits. With beta = 1 / tau the rest is log Z(beta) - beta log N, convex in beta: Newton's method
# finds its one minimum. The player of a class plays both parts (`search.move_selection.by_visits`).


_LEAST_BACKOFF = 1e-4


@dataclass(frozen=True)
class Choices:
    """A search's weights of moves at one size, cut into visited moves and the others."""

    weights: Array
    """[moves]: visits; the priors where a position has none, as a player without search has it."""
    log_policy: Array
    """[moves]"""
    offsets: Offsets
    played: NDArray[np.int64]

    @classmethod
    def of(cls, data: VisitData, policy_temperature: float, nodes: int | None = None) -> Choices:
        """The weights after `nodes` nodes (default: all)."""
        visits = data.visits[data.nodes if nodes is None else nodes]
        unsearched = segment_repeat(segment_sum(visits, data.offsets) == 0, data.offsets)
        weights = np.where(unsearched, data.priors(policy_temperature), visits)
        return cls(weights, data.log_policy, data.offsets, data.played)

    @property
    def hits(self) -> NDArray[np.bool_]:
        """[positions]: whether the move played has visits."""
        return self.weights[self.played] > 0

    @property
    def open(self) -> NDArray[np.bool_]:
        """[positions]: whether some legal move has no visits."""
        return segment_sum((self.weights == 0).astype(np.float64), self.offsets) > 0

    def visited(self) -> tuple[Array, Offsets, NDArray[np.int64]]:
        """The logarithms of the weights of visited moves, in the positions whose move was visited; their
        offsets; and the moves played."""
        hits = self.hits
        kept = (self.weights > 0) & segment_repeat(hits, self.offsets)
        places = np.cumsum(kept) - 1
        counts = segment_sum(kept.astype(np.float64), self.offsets)[hits]
        return np.log(self.weights[kept]), segment_offsets(counts.astype(np.int64)), places[self.played[hits]]

    def losses(self, temperature: float, backoff: float) -> Array:
        """-log p(move played) in nats [positions]."""
        hits, some_open = self.hits, self.open
        values = np.zeros(len(self.played))
        logs, offsets, played = self.visited()
        if len(played):
            values[hits] = -segment_log_softmax(logs / temperature, offsets)[played]
        values[hits & some_open] -= np.log1p(-backoff)
        others = np.where(self.weights == 0, self.log_policy, -1e9)
        values[~hits] = -segment_log_softmax(others, self.offsets)[self.played[~hits]] - np.log(backoff)
        return values


@dataclass(frozen=True)
class ChoiceFit:
    """The best tau and epsilon for some searches."""

    temperature: float
    backoff: float
    loss: float
    """Mean loss in nats."""


def cross_entropy(data: VisitData, theta: Theta, nodes: int | None = None) -> Array:
    """The loss -log p(move played) in nats [positions], after `nodes` nodes (default: all)."""
    return Choices.of(data, theta.policy_temperature, nodes).losses(theta.temperature, theta.backoff)


def fit_choice(data: VisitData, policy_temperature: float, nodes: int | None = None) -> ChoiceFit:
    """The tau and epsilon that minimise the mean loss, exactly."""
    choices = Choices.of(data, policy_temperature, nodes)
    missed, possible = float((~choices.hits).sum()), float(choices.open.sum())
    backoff = float(np.clip(missed / max(possible, 1), _LEAST_BACKOFF, 1 - _LEAST_BACKOFF))
    logs, offsets, played = choices.visited()
    temperature = 1 / best_beta(logs, offsets, played) if len(played) else 1.0
    return ChoiceFit(temperature, backoff, float(choices.losses(temperature, backoff).mean()))


# The gradient of the loss in x = log(t, c_puct) by finite differences (the paper's line 7): the same
# positions are searched at x + d and x - d. The search has no randomness of its own, so both sides share
# everything but the step: common random numbers. Visits are integers, and d must be large enough to
# move some of them: d = 0.2 changes t or c_puct by 22 %.


STEP = 0.2
"""Half of the distance of finite differences, in log t and log c_puct."""
Searcher = Callable[[Theta], VisitData]


@dataclass(frozen=True)
class Differences:
    """Losses on both sides of Theta, in log t and in log c_puct, with the best tau and epsilon of each."""

    above: Array
    """[positions, 2]"""
    below: Array
    """[positions, 2]"""
    step: float

    @property
    def gradient(self) -> Array:
        """Central differences of each position's loss [positions, 2]."""
        slopes: Array = (self.above - self.below) / (2 * self.step)
        return slopes

    def curvature(self, losses: Array) -> Array:
        """Second differences of the mean loss [2]; `losses` [positions] are those at Theta."""
        curvatures: Array = (self.above + self.below - 2 * losses[:, None]).mean(axis=0) / self.step**2
        return curvatures


def search_differences(search: Searcher, theta: Theta, step: float = STEP) -> Differences:
    """The losses at log t and log c_puct plus and minus `step`: four searches."""

    def losses(axis: Array) -> Array:
        moved = theta.with_searched(theta.searched + step * axis)
        visits = search(moved)
        choice = fit_choice(visits, moved.policy_temperature)
        return cross_entropy(visits, moved.with_choice(choice.temperature, choice.backoff))

    above, below = (np.stack([losses(sign * axis) for axis in np.eye(2)], axis=1) for sign in (1, -1))
    return Differences(above, below, step)


# Algorithm 1 of the ACE paper: Theta of a class of players by stochastic gradient descent.
#
# The paper's slips, which are not copied: the update must descend (Theta -= step * gradient, line 8 adds it);
# the parameters are tau, t and c_puct only (the list in the text also has alpha and epsilon). Beyond the
# paper:
# tau is minimised exactly in every step, from the visits of the one search that the step needs anyway
# (`fit_choice`); t and c_puct descend in their logarithms.


_WINDOW = 6
"""Steps over which the convergence test averages."""


@dataclass(frozen=True)
class DescentConfig:
    """How Theta is tuned."""

    nodes: int = 32
    """Visits of each search."""
    batch: int = 256
    """Positions of a mini-batch, searched in lockstep."""
    learning_rate: float = 0.25
    """First step in log t and log c_puct, per unit of normalised gradient (Adam)."""
    steps: int = 40
    """Most steps."""
    tolerance: float = 0.05
    """Converged if the mean of the last steps' log t and log c_puct moved less than this."""
    seed: int = 0
    """Order of the positions."""


@dataclass(frozen=True)
class DescentStep:
    """One step: what the journal keeps, and all that the next step needs."""

    step: int
    searched: tuple[float, float]
    """log(t, c_puct) at which the step searched."""
    temperature: float
    """The best tau of the mini-batch."""
    loss: float
    """Mean loss of the mini-batch in nats."""
    gradient: tuple[float, float]
    """Mean gradient of the mini-batch in log(t, c_puct)."""
    error: tuple[float, float]
    """Its standard error."""
    first: tuple[float, float] = (0.0, 0.0)
    """Adam's running mean of the gradients."""
    second: tuple[float, float] = (0.0, 0.0)
    """Adam's running mean of their squares."""
    following: tuple[float, float] = (0.0, 0.0)
    """log(t, c_puct) of the next step."""

    @classmethod
    def of(cls, entry: dict[str, Any]) -> DescentStep:
        """The step of a journal's line."""
        arguments: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()
        }
        return cls(**arguments)


@dataclass
class Descent:
    """The run of one class. Step n depends on the seed, n and the step before: a resumed run is the same."""

    policy: Policy
    data: PlayedPositions
    config: DescentConfig
    start: Theta
    history: list[DescentStep] = field(default_factory=list)

    def run(self, on_step: Callable[[DescentStep], None] = lambda _: None) -> Theta:
        """Takes steps until it converged or has taken all; returns the mean of the last steps' Theta."""
        while len(self.history) < self.config.steps and not has_converged(
            self.history, self.config.tolerance
        ):
            step = self._take_step()
            self.history.append(step)
            on_step(step)
        return averaged(self.history, self.start)

    def _take_step(self) -> DescentStep:
        number = len(self.history)
        last = self.history[-1] if self.history else None
        searched = np.array(last.following) if last else self.start.searched
        data = self.data.take(batch_rows(len(self.data), self.config, number))

        def search(theta: Theta) -> VisitData:
            return search_visits(self.policy, data, theta, [self.config.nodes])

        visits = search(self.start.with_searched(searched))
        choice = fit_choice(visits, float(np.exp(searched[0])))
        theta = self.start.with_searched(searched).with_choice(choice.temperature, choice.backoff)
        gradients = search_differences(search, theta).gradient
        mean, error = gradients.mean(axis=0), gradients.std(axis=0) / np.sqrt(len(gradients))
        first, second, change = _adam(last, mean, number, self.config.learning_rate)
        return DescentStep(
            number,
            _pair(searched),
            choice.temperature,
            choice.loss,
            _pair(mean),
            _pair(error),
            _pair(first),
            _pair(second),
            _pair(np.clip(searched - change, np.log([0.1, 0.02]), np.log([20, 100]))),  # minus: it descends
        )


def batch_rows(size: int, config: DescentConfig, number: int) -> NDArray[np.int64]:
    """The positions of mini-batch `number` [batch]: all positions in a new random order each epoch."""
    batch = min(config.batch, size)
    batches = size // batch
    order = np.random.default_rng([config.seed, number // batches]).permutation(size)
    begin = number % batches * batch
    return order[begin : begin + batch]


def averaged(history: Sequence[DescentStep], start: Theta) -> Theta:
    """Polyak's average: the mean of log Theta over the last half of the steps, at least `_WINDOW`."""
    if not history:
        return start
    last = history[-max(len(history) // 2, min(_WINDOW, len(history))) :]
    searched = np.mean([step.searched for step in last], axis=0)
    temperature = float(np.exp(np.mean([np.log(step.temperature) for step in last])))
    return start.with_searched(searched).with_choice(temperature, start.backoff)


def has_converged(history: Sequence[DescentStep], tolerance: float) -> bool:
    """Whether the mean gradient of the last steps is within two standard errors of zero, and their mean
    log(t, c_puct) has moved less than the tolerance from that of the steps before."""
    if len(history) < 2 * _WINDOW:
        return False
    last, before = history[-_WINDOW:], history[-2 * _WINDOW : -_WINDOW]
    gradient = np.mean([step.gradient for step in last], axis=0)
    error = np.sqrt(np.sum(np.square([step.error for step in last]), axis=0)) / _WINDOW
    moved = np.mean([s.searched for s in last], axis=0) - np.mean([s.searched for s in before], axis=0)
    return bool(np.all(np.abs(gradient) <= 2 * error) and np.all(np.abs(moved) < tolerance))


def _adam(last: DescentStep | None, gradient: Array, number: int, rate: float) -> tuple[Array, Array, Array]:
    """Adam with a step that shrinks as 1 / sqrt(1 + n / 4)."""
    keep_first, keep_second = 0.6, 0.9
    first = keep_first * np.array(last.first if last else (0.0, 0.0)) + (1 - keep_first) * gradient
    second = keep_second * np.array(last.second if last else (0.0, 0.0)) + (1 - keep_second) * gradient**2
    mean = first / (1 - keep_first ** (number + 1))
    square = second / (1 - keep_second ** (number + 1))
    return first, second, rate / np.sqrt(1 + number / 4) * mean / (np.sqrt(square) + 1e-6)


def _pair(values: Array) -> tuple[float, float]:
    first, second = np.asarray(values).tolist()
    return first, second


# A policy that remembers its predictions: searches at neighbouring Theta meet mostly the same positions.


class MemoizedPolicy(WrappedPolicy):
    """A policy whose predictions for batches are kept, up to `limit` positions.

    A position is known by its state, the state before it, the ply, ratings and clock. Networks with a longer
    history may see two lines to one position as the same.
    """

    def __init__(self, policy: Policy, limit: int = 1_000_000) -> None:
        self.policy, self._limit = policy, limit
        self._known: dict[Hashable, tuple[NDArray[np.float32], float]] = {}
        self.hits = self.misses = 0

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        """The policy's predictions, not remembered."""
        return self.policy.predict(positions)

    def predict_batch(self, batch: PositionBatch) -> PredictionBatch:
        """The predictions for a batch; only unknown positions are evaluated."""
        keys = _keys(batch)
        new = np.array([row for row, key in enumerate(keys) if key not in self._known], np.int64)
        self.hits, self.misses = self.hits + len(keys) - len(new), self.misses + len(new)
        fresh: dict[int, tuple[NDArray[np.float32], float]] = {}
        if len(new):
            predicted = predict_batch(self.policy, batch.take(new))
            for i, row in enumerate(new.tolist()):
                shares = predicted.probabilities[predicted.offsets[i] : predicted.offsets[i + 1]]
                fresh[row] = shares.copy(), float(predicted.values[i])
        parts = [fresh[row] if row in fresh else self._known[key] for row, key in enumerate(keys)]
        for row, entry in fresh.items():
            if len(self._known) < self._limit:
                self._known[keys[row]] = entry
        return PredictionBatch(
            np.concatenate([part[0] for part in parts]),
            segment_offsets([len(part[0]) for part in parts]),
            np.array([part[1] for part in parts], np.float32),
        )


def _keys(batch: PositionBatch) -> list[Hashable]:
    context = np.column_stack([batch.ratings, batch.clocks]).astype(np.float32)
    plies = batch.states.plies.tolist()
    keys: list[Hashable] = []
    for row, (ply, near) in enumerate(zip(plies, context, strict=True)):
        state = batch.states[row]
        before = state.previous
        keys.append((hash(state), 0 if before is None else hash(before), ply, near.tobytes()))
    return keys


# D_kappa: the moves of people whose rating is within half a class width of kappa (ACE, section 3).


HALF_WIDTH = 50
"""Delta e: class 1250 is 1200 to 1300, as in the paper."""


def class_positions(
    game: str,
    records: Sequence[Path],
    rating: float,
    positions: int,
    *,
    half_width: float = HALF_WIDTH,
    split: Split | None = Split.TRAIN,
    every: int = 8,
) -> PlayedPositions:
    """Up to `positions` positions in which players of a class moved; the opponent may have any rating.

    One position in `every` of a game is taken: positions of one game are alike. Positions with one legal move
    are left out. The positions have no ratings: the policy is one, and Theta makes the class.
    Raises NotFound, BadFile or OSError.
    """
    selection = GameSelection(
        game,
        tuple(records),
        split,
        positions=positions + positions // 10,
        every=every,
        mover_rating=(rating - half_width, rating + half_width),
    )
    return played_positions(read_sample(selection), positions)


def played_positions(sample: Sample, limit: int | None = None) -> PlayedPositions:
    """The positions of a sample in which there was a choice, without ratings and clocks."""
    rows = np.flatnonzero(sample.metadata["legal"] > 1)[:limit]
    wanted = set(rows.tolist())
    positions: list[Position] = []
    for begin, batch in sample.batches(0, 1024):
        positions += [
            replace(position, rating=None, opponent_rating=None, clock=None)
            for i, position in enumerate(batch, begin)
            if i in wanted
        ]
    metadata = sample.metadata[rows]
    return PlayedPositions(
        positions,
        metadata["played"].astype(np.int64),
        metadata["game"].astype(np.int64),
        metadata["phase"].astype(np.int64),
    )
