"""Human expectation: the score that a move brings if both sides go on as people of their ratings do.

An engine's value of a move supposes that the best moves follow. People follow it up with moves of their own,
so another move may bring them more: the safer move. Below each candidate a tree of likely continuations
grows, the likeliest first, with a policy of people's moves at all nodes:

    E(node) = sum over the children c in the tree of p(c) E(c) + (1 - sum of p(c)) L(node)

p is the policy of people at the rating of the player to move and L the calibrated value of a leaf: the score
that people of these ratings get from the position, fitted to results of their games (`LeafCalibration`).

`safer_moves` compares the moves that people consider with an engine's first choice. `results/safer` measures
whether the recommendation holds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from heapq import heappop, heappush
from typing import Any

import numpy as np

from sparring import data
from sparring._core import PuctConfig
from sparring.base.config import Source, from_table, read_toml
from sparring.games import Move, describe, load_game, move_name
from sparring.networks import Position, Prediction
from sparring.play.result import GameResult
from sparring.policies import Policy
from sparring.policies.policy import Curve
from sparring.search.lockstep import search_together
from sparring.search.puct import SearchResult

_CLIP = 0.005
"""Scores are clipped to this distance from 0 and 1 before logarithms are taken."""
_LEAST_BRANCH = 0.01
"""Moves that people play less often are not followed."""
_DECIDED = 0.5
"""Size of a value, from -1 to 1, above which a position counts as decided."""


@dataclass(frozen=True)
class ExpectationConfig:
    """Which moves are compared, and how far their continuations are followed."""

    candidates: int = 4
    """Most moves that are candidates because people play them."""
    least_share: float = 0.05
    """Least probability of such a move."""
    engine_candidates: int = 2
    """Moves that are candidates because the engine's search likes them best."""
    tree_nodes: int = 12
    """Positions of the tree of continuations below each candidate; 1 takes the leaf's value alone."""
    engine_nodes: int = 64
    """Visits of the engine's search for its first choice."""
    check_nodes: int = 16
    """Visits with which the engine judges each candidate; what its search for the first choice has visited
    less often is searched again."""
    least_gain: float = 0.03
    """Expected score by which a move must exceed the engine's first choice to be called safer."""
    most_loss: float = 0.1
    """A move that gives away more than this by the engine is never called safer."""
    trap_share: float = 0.1
    """Least probability of a trap."""
    trap_loss: float = 0.1
    """Least loss of a trap, in expected score by the engine."""
    mistake_nodes: int = 40
    """Positions of the tree below the engine's move in which a mistake is looked for."""
    mistake_loss: float = 0.05
    """Least loss of a move that is shown as the one by which people go wrong."""


# Values of leaves.


_ONE = Curve.constant(1)


@dataclass(frozen=True)
class LeafCalibration:
    """The score that people get from a position: logit L = weight(r) logit h.

    h is the expected score by the value of the policy of people, and r the mean of both players' ratings. A
    weight above 1 says that results are surer than the policy's values.
    """

    weight: Curve = _ONE

    def score(self, expected: float, rating: float | None) -> float:
        """The score from 0 to 1, by the score h for the same player."""
        clipped = min(max(expected, _CLIP), 1 - _CLIP)
        logit = self.weight.at(rating) * math.log(clipped / (1 - clipped))
        return 1 / (1 + math.exp(-logit))


@dataclass(frozen=True)
class CalibrationFile:
    """The keys of a shipped calibration."""

    weight: Mapping[str, float]
    """Weights by rating, in Go by rank."""


@cache
def shipped_calibration(game: str) -> LeafCalibration:
    """The calibration that ships for a game; without one, the values of the policy of people as they are."""
    if game not in data.names("expectation"):
        return LeafCalibration()
    path, system = data.path("expectation", game), describe(game).ratings
    file = from_table(CalibrationFile, read_toml(path), Source(path))
    knots = ((system.parse(text), weight) for text, weight in file.weight.items())
    return LeafCalibration(Curve.through({rating: weight for rating, weight in knots if rating is not None}))


def values_are_usable(policy: Policy) -> bool:
    """Whether a network's values can be used: one that calls the initial position decided errs too much."""
    hashable: Any = policy
    return _values_are_usable(hashable)


@cache
def _values_are_usable(policy: Any) -> bool:
    (prediction,) = policy.predict([Position(load_game(policy.game).initial(), None, None)])
    return prediction.value is not None and abs(prediction.value) <= _DECIDED


# Trees of continuations.


@dataclass
class TreeNode:
    """A position of a tree. Scores are those of player 0."""

    state: Any
    parent: int
    """Index of the node before; -1 at the root."""
    move: Move | None
    """The move that led here."""
    share: float
    """Probability of that move."""
    reach: float
    """Probability of the line from the root to here."""
    leaf: float = 0.5
    """The calibrated value, or the result."""
    children: list[int] = field(default_factory=list)


class ExpectationTree:
    """Likely continuations of a position between people of given ratings."""

    def __init__(self, state: Any, ratings: tuple[float | None, float | None]) -> None:
        """`ratings`: those of player 0 and of player 1."""
        self.nodes: list[TreeNode] = []
        self._ratings = ratings
        self._serial = 0
        self._frontier: list[tuple[float, int, TreeNode]] = []
        self._push(TreeNode(state, -1, None, 1.0, 1.0))

    def _push(self, node: TreeNode) -> None:
        self._serial += 1
        heappush(self._frontier, (-node.reach, self._serial, node))

    def take(self, size: int) -> list[TreeNode]:
        """The likeliest positions that are not in the tree yet. The tree grows to `size` in several steps."""
        count = min(size - len(self.nodes), 1 + len(self.nodes) // 2, len(self._frontier))
        return [heappop(self._frontier)[2] for _ in range(count)]

    def position(self, node: TreeNode) -> Position:
        """What the policies predict for."""
        mover = node.state.to_move
        mine, theirs = self._ratings[mover], self._ratings[1 - mover]
        return Position(
            node.state, None if mine is None else round(mine), None if theirs is None else round(theirs)
        )

    @property
    def rating(self) -> float | None:
        """The mean of the ratings that are known."""
        known = [rating for rating in self._ratings if rating is not None]
        return sum(known) / len(known) if known else None

    def add(self, node: TreeNode, prediction: Prediction | None, leaf: float) -> None:
        """Adds a position with its score. `prediction` is that of people's moves, None at the end of the
        game."""
        node.leaf = leaf
        index = len(self.nodes)
        self.nodes.append(node)
        if node.parent >= 0:
            self.nodes[node.parent].children.append(index)
        if prediction is None:
            return
        for move, share in zip(prediction.moves, prediction.probabilities.tolist(), strict=True):
            if share >= _LEAST_BRANCH:
                after = node.state.play(move)
                self._push(TreeNode(after, index, move, share, node.reach * share))

    def expectation(self, player: int) -> float:
        """The expected score of a player at the root."""
        scores = [node.leaf for node in self.nodes]
        for index in reversed(range(len(self.nodes))):
            children = [self.nodes[child] for child in self.nodes[index].children]
            rest = 1 - sum(child.share for child in children)
            followed = zip(self.nodes[index].children, children, strict=True)
            scores[index] = rest * scores[index] + sum(scores[at] * child.share for at, child in followed)
        return scores[0] if player == 0 else 1 - scores[0]

    def line(self, node: TreeNode) -> list[Move]:
        """The moves from the root to a node."""
        moves: list[Move] = []
        while node.move is not None:
            moves.append(node.move)
            node = self.nodes[node.parent]
        return moves[::-1]


def result_score(state: Any) -> float | None:
    """The score of player 0 by the rules; None while the game is not over."""
    return None if state.outcome is None else GameResult.by_rules(state.outcome).score(0)


def grow(
    trees: Sequence[ExpectationTree], size: int, human: Policy, leaf: LeafCalibration | None = None
) -> None:
    """Grows trees to `size` positions, all together, so that the network sees full batches.

    `leaf` is by default the shipped calibration of the game. Raises ValueError if `human` gives no values.
    """
    leaf = leaf or shipped_calibration(human.game)
    while taken := [(tree, node) for tree in trees for node in tree.take(size)]:
        ended = [result_score(node.state) for _, node in taken]
        predicted = iter(
            human.predict(
                [
                    tree.position(node)
                    for (tree, node), score in zip(taken, ended, strict=True)
                    if score is None
                ]
            )
        )
        for (tree, node), score in zip(taken, ended, strict=True):
            if score is not None:
                tree.add(node, None, score)
                continue
            prediction = next(predicted)
            expected = leaf.score(_score_of(human, prediction), tree.rating)
            tree.add(node, prediction, expected if node.state.to_move == 0 else 1 - expected)


def _score_of(policy: Policy, prediction: Prediction) -> float:
    """The expected score of the player to move. Raises ValueError if there is no value."""
    if prediction.value is None:
        raise ValueError(f"{policy.name} gives no value (who is winning): nothing can be expected")
    return (1 + prediction.value) / 2


# The safer move.


@dataclass(frozen=True)
class ComparedMove:
    """A move that is compared."""

    move: Move
    text: str
    name: str
    share: float
    """Probability that people of the rating play it."""
    engine: float
    """Expected score with the best moves of both sides, by the engine."""
    expectation: float
    """Expected score if both sides go on as people do."""
    tree: ExpectationTree = field(repr=False, compare=False)


@dataclass(frozen=True)
class LikelyMistake:
    """Where people go wrong after the engine's first choice."""

    moves: tuple[Move, ...]
    """The line, from the engine's move to the mistake."""
    names: tuple[str, ...]
    probability: float
    """Probability of the line after the engine's move."""
    loss: float
    """Expected score that its last move gives away, by the engine."""


@dataclass(frozen=True)
class SaferMove:
    """The engine's first choice in a position, and the move that is best between people."""

    engine: ComparedMove
    safer: ComparedMove
    """The sound candidate with the best expectation; the engine's own unless that is better by the least
    gain."""
    mistake: LikelyMistake | None
    """Where people go wrong after the engine's move; None if the tree has no such place or both moves are
    one."""
    traps: tuple[ComparedMove, ...]
    """Moves that many play and that lose, the likeliest first."""
    candidates: tuple[ComparedMove, ...]
    """All moves that were compared, the best expectation first."""

    @property
    def gain(self) -> float:
        """Expected score between people that the safer move gains."""
        return self.safer.expectation - self.engine.expectation

    def loss(self, move: ComparedMove) -> float:
        """Expected score with best play that a move gives away, against the engine's first choice."""
        return _loss(self.engine, move)


def _loss(engine: ComparedMove, move: ComparedMove) -> float:
    return max(0.0, engine.engine - move.engine)


def safer_moves(
    positions: Sequence[Position],
    human: Policy,
    strong: Policy,
    config: ExpectationConfig | None = None,
    leaf: LeafCalibration | None = None,
) -> list[SaferMove]:
    """The engine's first choice and the safer move in each position, all computed together.

    `human` predicts people's moves and values positions, `strong` is the engine: the network of its search.
    Positions have the ratings of the players to move; without an opponent's rating it is the same. `leaf` is
    by default the shipped calibration of the game. Raises ValueError if a game is over or a policy gives no
    values.
    """
    if not positions:
        return []
    config = config or ExpectationConfig()
    settings = describe(human.game).search
    puct = PuctConfig(
        batch=1,
        find_immediate_wins=settings.find_immediate_wins,
        repetition_draws=settings.repetition_draws,
    )
    searched = search_together(strong, [Position(p.state) for p in positions], puct, config.engine_nodes)
    predicted = human.predict(positions)
    moves = [
        _candidates(prediction, search, config)
        for prediction, search in zip(predicted, searched, strict=True)
    ]
    after = [
        (row, move, positions[row].state.play(move))
        for row, row_moves in enumerate(moves)
        for move in row_moves
    ]
    engine_scores = _engine_scores(strong, after, searched, puct, config.check_nodes)
    trees = [ExpectationTree(state, _by_player(positions[row])) for row, _, state in after]
    grow(trees, config.tree_nodes, human, leaf)
    compared: list[list[ComparedMove]] = [[] for _ in positions]
    for (row, move, _), tree, engine in zip(after, trees, engine_scores, strict=True):
        state, prediction = positions[row].state, predicted[row]
        player = state.to_move
        compared[row].append(
            ComparedMove(
                move,
                state.move_text(move),
                move_name(state, move),
                float(prediction.probabilities[prediction.moves.index(move)]),
                engine,
                tree.expectation(player),
                tree,
            )
        )
    results = [_compare(first[0], some, config) for first, some in zip(moves, compared, strict=True)]
    doubtful = [row for row, result in enumerate(results) if result.safer is not result.engine]
    grow([results[row].engine.tree for row in doubtful], config.mistake_nodes, human, leaf)
    for row in doubtful:
        mistake = _mistake(positions[row].state, results[row].engine, strong, config)
        results[row] = replace(results[row], mistake=mistake)
    return results


def _candidates(prediction: Prediction, search: SearchResult, config: ExpectationConfig) -> list[Move]:
    """The moves to compare, the engine's first choice first."""
    engine = [int(search.moves[i]) for i in search.ranked()[: max(1, config.engine_candidates)]]
    people = [
        ranked_move.move
        for ranked_move in prediction.top(config.candidates)
        if ranked_move.probability >= config.least_share
    ]
    return list(dict.fromkeys([*engine, *people]))


def _by_player(position: Position) -> tuple[float | None, float | None]:
    """The ratings of player 0 and of player 1."""
    mine = position.rating
    theirs = mine if position.opponent_rating is None else position.opponent_rating
    return (mine, theirs) if position.state.to_move == 0 else (theirs, mine)


def _engine_scores(
    strong: Policy,
    after: Sequence[tuple[int, Move, Any]],
    searched: Sequence[SearchResult],
    config: PuctConfig,
    nodes: int,
) -> list[float]:
    """The mover's scores with best play after (position, move, state): by the search of the position where
    that has visited the move at least `nodes` times, else by a search of the state."""
    scores: list[float | None] = []
    for row, move, state in after:
        search, ended = searched[row], result_score(state)
        at = int(np.searchsorted(search.moves, move))
        if ended is not None:
            scores.append(ended if state.previous.to_move == 0 else 1 - ended)
        elif search.visits[at] >= nodes:
            scores.append((1 + float(search.values[at])) / 2)
        else:
            scores.append(None)
    left = [place for place, score in enumerate(scores) if score is None]
    results = search_together(strong, [Position(after[place][2]) for place in left], config, nodes)
    for place, result in zip(left, results, strict=True):
        state = after[place][2]
        sign = 1 if state.to_move == state.previous.to_move else -1
        scores[place] = (1 + sign * result.value) / 2
    return [0.0 if score is None else score for score in scores]


def _compare(first_choice: Move, candidates: list[ComparedMove], config: ExpectationConfig) -> SaferMove:
    """The result without the mistake, for which the tree has to grow."""
    ranked = sorted(candidates, key=lambda candidate: -candidate.expectation)
    engine = next(candidate for candidate in ranked if candidate.move == first_choice)
    sound = (candidate for candidate in ranked if _loss(engine, candidate) <= config.most_loss)
    favourite = next(sound)
    is_better = favourite.expectation - engine.expectation >= config.least_gain
    traps = [
        candidate
        for candidate in ranked
        if candidate.share >= config.trap_share and _loss(engine, candidate) >= config.trap_loss
    ]
    return SaferMove(
        engine,
        favourite if is_better else engine,
        None,
        tuple(sorted(traps, key=lambda candidate: -candidate.share)),
        tuple(ranked),
    )


def _mistake(
    state: Any, engine: ComparedMove, strong: Policy, config: ExpectationConfig
) -> LikelyMistake | None:
    """The mover's later move in the engine's line that costs most, by its probability times its loss."""
    tree, player = engine.tree, state.to_move
    scores = _mover_scores(tree.nodes, strong, player)
    worst: tuple[float, int, float] | None = None
    for index, node in enumerate(tree.nodes):
        if node.parent < 0 or tree.nodes[node.parent].state.to_move != player:
            continue
        loss = scores[node.parent] - scores[index]
        if loss >= config.mistake_loss and (worst is None or node.reach * loss > worst[0]):
            worst = node.reach * loss, index, loss
    if worst is None:
        return None
    node, loss = tree.nodes[worst[1]], worst[2]
    moves, names = (engine.move, *tree.line(node)), []
    for move in moves:
        names.append(move_name(state, move))
        state = state.play(move)
    return LikelyMistake(moves, tuple(names), node.reach, loss)


def _mover_scores(nodes: Sequence[TreeNode], strong: Policy, player: int) -> list[float]:
    """The scores of a player in these positions by the engine's network."""
    going = [node for node in nodes if result_score(node.state) is None]
    predicted = strong.predict([Position(node.state) for node in going])
    by_node = {
        id(node): (1 if node.state.to_move == player else -1) * (prediction.value or 0.0)
        for node, prediction in zip(going, predicted, strict=True)
    }
    scores = []
    for node in nodes:
        ended = result_score(node.state)
        first = None if ended is None else ended if player == 0 else 1 - ended
        scores.append((1 + by_node[id(node)]) / 2 if first is None else first)
    return scores
