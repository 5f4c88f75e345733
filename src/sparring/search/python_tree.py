"""PUCT trees of games in Python: the search of `core/search/puct.hpp`, with the native classes' members.

The same rules give the same visits: PUCT with first-play urgency, collisions that end a batch, the MCTS
solver, immediate wins, draws by repetition, and sequential halving at the root (`core/search/gumbel.hpp`).
`advance` begins a new tree: nothing is kept from move to move.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring._core import PuctConfig
from sparring.games import Move
from sparring.games.python_batches import PythonStates
from sparring.games.states import State

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
_BYTES = 2048
"""About the size of a node."""


class _Node:
    """A node. Values are for the side to move here."""

    __slots__ = (
        "children", "evaluating", "forced", "in_flight", "moves", "parent", "priors", "state", "terminal",
        "total", "visits",
    )  # fmt: skip

    def __init__(self, state: State, parent: _Node | None) -> None:
        self.state, self.parent = state, parent
        self.moves: list[Move] = []
        self.priors: list[float] = []
        self.children: dict[Move, _Node] = {}
        self.visits = self.in_flight = self.forced = 0
        self.total = 0.0
        self.terminal: float | None = None
        self.evaluating = False

    def seen_from(self, parent: _Node) -> int:
        """1 if the same side moves in the parent, else -1: the sign of values from its view."""
        return 1 if self.state.to_move == parent.state.to_move else -1


class _Halving:
    """Sequential halving at the root."""

    def __init__(self, scores: list[float], turns: list[int], c_visit: float, c_scale: float) -> None:
        self.scores, self.turns, self.c_visit, self.c_scale = scores, turns, c_visit, c_scale


class PythonTree:
    """A PUCT tree that asks for evaluations of leaves in batches."""

    def __init__(self, root: State, config: PuctConfig) -> None:
        self._config = config
        self._moves_searched: list[Move] = []
        self._reset(root)

    def _reset(self, root: State) -> None:
        self._root = _Node(root, None)
        self._pending: list[_Node] = []
        self._halving: _Halving | None = None
        self._wins_found = False
        self._size, self.max_depth = 1, 0
        self._end(self._root)

    # ---- Search ----

    def select(self, count: int, visits: int) -> list[State]:
        """Up to `count` leaves to evaluate, with at most `visits` visits of the root."""
        if self._pending:
            raise RuntimeError("the leaves that were asked for are not evaluated yet")
        if self._config.find_immediate_wins and not self._wins_found and self._root.moves:
            self._wins_found = True
            visits -= min(visits, self._find_immediate_wins())
        if self._solved() or (self._halving is not None and self._forced_at(self._root) > 0):
            return []
        while len(self._pending) < count and visits > 0:
            leaf = self._select_leaf()
            if leaf is None:
                break
            if leaf.evaluating:
                self._undo(leaf)
                break
            visits -= 1
            if leaf.terminal is not None:
                if self._config.solver and leaf.visits == 0 and leaf.forced:
                    self._prove(leaf)
                self._backpropagate(leaf, leaf.terminal)
            else:
                leaf.evaluating = True
                self._pending.append(leaf)
        return [leaf.state for leaf in self._pending]

    def evaluate(self, priors: NDArray[np.float32], values: NDArray[np.float32]) -> None:
        """Evaluates the leaves of the last `select`. Raises ValueError; the leaves then still wait."""
        moves = [leaf.state.legal_moves() for leaf in self._pending]
        if len(values) != len(moves):
            raise ValueError("one value for each leaf expected")
        if len(priors) != sum(map(len, moves)):
            raise ValueError("one prior for each legal move expected")
        if not (np.isfinite(priors).all() and (priors >= 0).all() and np.isfinite(values).all()):
            raise ValueError("values and priors must be finite numbers, priors of at least 0")
        start = 0
        for leaf, legal, value in zip(self._pending, moves, values.tolist(), strict=True):
            leaf.moves, leaf.evaluating = legal, False
            leaf.priors = self._normalised(priors[start : start + len(legal)].tolist())
            start += len(legal)
            self._backpropagate(leaf, min(max(value, -1.0), 1.0))
        self._pending = []

    def cancel(self) -> None:
        """Drops the leaves of the last `select`."""
        for leaf in self._pending:
            leaf.evaluating = False
            self._undo(leaf)
        self._pending = []

    def add_noise(self, noise: NDArray[np.float32], share: float) -> None:
        """Mixes noise into the root's priors. Raises ValueError."""
        self._check_noise(noise)
        pairs = zip(self._root.priors, noise.tolist(), strict=True)
        self._root.priors = [float(np.float32((1 - share) * prior + share * part)) for prior, part in pairs]

    def begin_halving(
        self, noise: NDArray[np.float32], visits: int, considered: int, c_visit: float, c_scale: float
    ) -> None:
        """Searches the root by sequential halving. Raises ValueError and RuntimeError."""
        self._check_noise(noise)
        if sum(self._counts()):
            raise RuntimeError("moves of the root were visited before")
        logits = [math.log(max(prior, 1e-12)) for prior in self._root.priors]
        scores = [part + logit for part, logit in zip(noise.tolist(), logits, strict=True)]
        turns = _halving_turns(min(considered, len(scores)), visits)
        self._halving = _Halving(scores, turns, c_visit, c_scale)

    def halving_choice(self) -> int:
        """The place of the move that sequential halving plays. Raises RuntimeError."""
        if self._halving is None:
            raise RuntimeError("the root is not searched by sequential halving")
        counts, most = self._counts(), max(self._counts(), default=0)

        def rank(place: int) -> tuple[int, float, float]:
            forced, score = self._forced_by(self._root, self._root.moves[place]), self._score(place, most)
            return (0, counts[place], score) if not forced else (1 if forced > 0 else -1, -forced, score)

        return max(range(len(counts)), key=rank)

    def restrict(self, moves: Sequence[Move]) -> None:
        """Restricts the search to these moves of the root; none for all."""
        self._moves_searched, self._wins_found = list(moves), False

    def advance(self, move: Move) -> None:
        """Plays a move at the root and begins a new tree. Raises IllegalMove."""
        self._moves_searched = []
        self._reset(self._root.state.play(move))

    # ---- Results ----

    @property
    def root(self) -> State:
        """The state at the root."""
        return self._root.state

    @property
    def visits(self) -> int:
        """The visits of the root."""
        return self._root.visits

    @property
    def value(self) -> float:
        """The root's value for its side to move; exact if proven, NaN before the first visit."""
        forced = self._forced_at(self._root)
        if forced:
            return math.copysign(1.0, forced)
        return self._root.total / self._root.visits if self._root.visits else math.nan

    @property
    def bytes(self) -> int:
        """The approximate size of the tree in bytes."""
        return self._size * _BYTES

    @property
    def full(self) -> bool:
        """Whether the memory limit is reached."""
        return self.bytes >= self._config.memory << 20

    @property
    def lead(self) -> int:
        """By how many visits the most visited move of the root leads the next."""
        pairs = zip(self._root.moves, self._counts(False), strict=True)
        first, second, *_ = sorted([0, 0, *(n for move, n in pairs if self._searched(move))], reverse=True)
        return first - second

    def __len__(self) -> int:
        return self._size

    def root_moves(self) -> tuple[Integers, Floats, Integers, Floats, Integers]:
        """Moves, priors, visits, values and forced of the root, empty before its evaluation."""
        root = self._root
        children = [root.children.get(move) for move in root.moves]
        seen = [None if child is None or not child.visits else child for child in children]
        values = [math.nan if c is None else c.seen_from(root) * c.total / c.visits for c in seen]
        return (
            np.array(root.moves, np.int64),
            np.array(root.priors, np.float64),
            np.array([0 if child is None else child.visits for child in children], np.int64),
            np.array(values, np.float64),
            np.array([self._forced_by(root, move) for move in root.moves], np.int64),
        )

    def pv(self, first: Move) -> list[Move]:
        """The principal variation that begins with a move of the root."""
        line, node = [first], self._root.children.get(first)
        while node is not None:
            after = node.forced - (node.forced > 0) + (node.forced < 0)
            places = [
                (child.visits, prior, move, child)
                for move, prior in zip(node.moves, node.priors, strict=True)
                if (child := node.children.get(move)) is not None
                and child.visits
                and self._forced_by(node, move) == after
            ]
            if not places:
                break
            _, _, move, node = max(places, key=lambda row: row[:2])
            line.append(move)
        return line

    # ---- Selection ----

    def _select_leaf(self) -> _Node | None:
        node, depth = self._root, 0
        node.in_flight += 1
        while node.moves and node.terminal is None:
            halving = node is self._root and self._halving is not None
            move = self._by_halving() if halving else self._by_puct(node)
            child = node.children.get(move)
            if child is None:
                if self.full:
                    self._undo(node)
                    return None
                child = self._add(node, move)
            node, depth = child, depth + 1
            node.in_flight += 1
            self.max_depth = max(self.max_depth, depth)
        return node

    def _by_puct(self, node: _Node) -> Move:
        """Q + c(N) P sqrt(N) / (1 + N(a)): see `core/search/puct_selection.hpp`."""
        config, total, visited = self._config, 0, 0.0
        for move, prior in zip(node.moves, node.priors, strict=True):
            if (child := node.children.get(move)) is not None and child.visits + child.in_flight:
                total += child.visits + child.in_flight
                visited += prior
        exploration = config.c_puct
        if config.c_base > 0:
            exploration += config.c_factor * math.log((total + config.c_base + 1) / config.c_base)
        by_prior = math.isinf(exploration)
        scale = (1.0 if by_prior else exploration) * math.sqrt(total)
        mean = node.total / node.visits if node.visits else 0.0
        fpu = (
            config.fpu_reduction if config.fpu_absolute else mean - config.fpu_reduction * math.sqrt(visited)
        )
        best, best_key = node.moves[0], (-math.inf, -1.0)
        for move, prior in zip(node.moves, node.priors, strict=True):
            if node is self._root and not self._searched(move):
                continue
            count, q = 0, fpu
            if (child := node.children.get(move)) is not None:
                lost = config.virtual_loss * child.in_flight
                if child.visits + lost > 0:
                    q = (child.seen_from(node) * child.total - lost) / (child.visits + lost)
                count = child.visits + child.in_flight
            key = ((0.0 if by_prior else q) + scale * prior / (1 + count), prior)
            if key > best_key:
                best, best_key = move, key
        return best

    def _by_halving(self) -> Move:
        assert self._halving is not None
        counts, turns = self._counts(), self._halving.turns
        made, most = sum(counts), max(counts)
        turn = turns[made] if made < len(turns) else most
        places = [place for place, count in enumerate(counts) if count == turn]
        return self._root.moves[max(places, key=lambda place: self._score(place, most))]

    def _score(self, place: int, most: int) -> float:
        """g + logit + sigma(Q) of a move of the root; one without visits has the root's Q."""
        assert self._halving is not None
        root, child = self._root, self._root.children.get(self._root.moves[place])
        q = root.total / root.visits
        if child is not None and child.visits:
            q = child.seen_from(root) * child.total / child.visits
        return self._halving.scores[place] + (self._halving.c_visit + most) * self._halving.c_scale * q

    def _counts(self, in_flight: bool = True) -> list[int]:
        children = [self._root.children.get(move) for move in self._root.moves]
        return [0 if c is None else c.visits + c.in_flight * in_flight for c in children]

    def _searched(self, move: Move) -> bool:
        return not self._moves_searched or move in self._moves_searched

    # ---- Expansion and backpropagation ----

    def _add(self, node: _Node, move: Move) -> _Node:
        child = node.children[move] = _Node(node.state.play(move), node)
        self._size += 1
        self._end(child)
        return child

    def _end(self, node: _Node) -> None:
        """Makes a node terminal if the game is over, or drawn by repetition within the search."""
        state = node.state
        draw = self._config.draw_value * (1 if state.to_move == self._root.state.to_move else -1)
        if (outcome := state.outcome) is not None:
            if outcome.winner is not None:
                node.forced = 1 if outcome.winner == state.to_move else -1
            node.terminal = float(node.forced) if node.forced else draw
        elif self._config.repetition_draws and node is not self._root and self._is_repetition(state):
            node.terminal = draw

    def _is_repetition(self, state: State) -> bool:
        """Whether the position occurred before since the root, or twice before in the game."""
        since = twice = 0
        before, plies, key = state.previous, 1, state.key
        while before is not None:
            if before.key == key:
                twice += 1
                since += plies <= state.ply - self._root.state.ply
            before, plies = before.previous, plies + 1
        return since > 0 or twice > 1

    def _normalised(self, priors: list[float]) -> list[float]:
        temperature = self._config.policy_temperature
        weights = [prior if temperature == 1 else prior ** (1 / temperature) for prior in priors]
        total = sum(weights)
        shares = [weight / total if total > 0 else 1 / len(weights) for weight in weights]
        return [float(np.float32(share)) for share in shares]

    def _backpropagate(self, node: _Node, value: float) -> None:
        at: _Node | None = node
        side = node.state.to_move
        while at is not None:
            if at.state.to_move != side:
                value, side = -value, at.state.to_move
            if at.terminal is not None:
                value = at.terminal
            at.visits += 1
            at.in_flight -= 1
            at.total += value
            at = at.parent

    def _undo(self, node: _Node) -> None:
        at: _Node | None = node
        while at is not None:
            at.in_flight -= 1
            at = at.parent

    def _check_noise(self, noise: NDArray[np.float32]) -> None:
        if len(noise) != len(self._root.moves):
            raise ValueError("noise for each legal move expected")

    # ---- The solver ----

    def _forced_by(self, node: _Node, move: Move) -> int:
        child = node.children.get(move)
        return 0 if child is None else child.seen_from(node) * child.forced

    def _forced_at(self, node: _Node) -> int:
        forced = [self._forced_by(node, move) for move in node.moves]
        if wins := [plies for plies in forced if plies > 0]:
            return min(wins)
        return min(forced) if forced and max(forced) < 0 else 0

    def _prove(self, leaf: _Node) -> None:
        at = leaf.parent
        while at is not None and at.parent is not None and (forced := self._forced_at(at)):
            at.forced, at.terminal = forced + (1 if forced > 0 else -1), math.copysign(1.0, forced)
            change, up = at.terminal * at.visits - at.total, at
            at.total += change
            while up.parent is not None:
                change *= up.seen_from(up.parent)
                up = up.parent
                up.total += change
            at = at.parent

    def _solved(self) -> bool:
        moves = [move for move in self._root.moves if self._searched(move)]
        return bool(self._root.moves) and all(self._forced_by(self._root, move) for move in moves)

    def _find_immediate_wins(self) -> int:
        wins, root = 0, self._root
        for move in root.moves:
            if move in root.children or not self._searched(move):
                continue
            outcome = root.state.play(move).outcome
            if outcome is not None and outcome.winner == root.state.to_move:
                child, wins = self._add(root, move), wins + 1
                root.in_flight += 1
                child.in_flight += 1
                self._backpropagate(child, child.terminal or 0.0)
                self.max_depth = max(self.max_depth, 1)
        return wins


def _halving_turns(considered: int, visits: int) -> list[int]:
    """`halving_schedule` of `core/search/gumbel.hpp`."""
    rounds = max(1, (considered - 1).bit_length())
    turns: list[int] = []
    left, made = max(considered, 1), 0
    while len(turns) < visits:
        for _ in range(max(1, visits // (rounds * left))):
            turns += [made] * left
            made += 1
        left = max(2, left // 2) if considered > 1 else 1
    return turns[:visits]


class PythonForest:
    """Many trees that are searched in lockstep."""

    def __init__(self, roots: Sequence[State], config: PuctConfig) -> None:
        self._config = config
        self._trees = [PythonTree(root, config) for root in roots]
        self._pending: list[tuple[PythonTree, int]] = []

    def __len__(self) -> int:
        return len(self._trees)

    def select(self, visits: int | NDArray[np.int64]) -> tuple[PythonStates, NDArray[np.int64]]:
        """The next leaves of every tree with fewer visits, and the index of each one's tree."""
        if self._pending:
            raise RuntimeError("the leaves that were asked for are not evaluated yet")
        leaves, whose = list[State](), list[int]()
        for i, (tree, limit) in enumerate(zip(self._trees, np.broadcast_to(visits, len(self)), strict=True)):
            if selected := self._select_in(tree, int(limit)):
                self._pending.append((tree, len(selected)))
                leaves += selected
                whose += [i] * len(selected)
        return PythonStates(leaves), np.array(whose, np.int64)

    def _select_in(self, tree: PythonTree, visits: int) -> list[State]:
        while tree.visits < visits:
            before = tree.visits
            count = min(self._config.batch_size(before), visits - before)
            leaves = tree.select(count, count)
            if leaves or tree.visits == before:
                return leaves
        return []

    def evaluate(self, priors: NDArray[np.float32], values: NDArray[np.float32]) -> None:
        """Evaluates the leaves of the last `select`. Raises ValueError."""
        if len(values) != sum(count for _, count in self._pending):
            raise ValueError("one value for each leaf expected")
        start = at = 0
        for tree, count in self._pending:
            moves = sum(len(leaf.state.legal_moves()) for leaf in tree._pending)
            tree.evaluate(priors[start : start + moves], values[at : at + count])
            start, at = start + moves, at + count
        self._pending = []

    def cancel(self) -> None:
        """Drops the leaves of the last `select`."""
        for tree, _ in self._pending:
            tree.cancel()
        self._pending = []

    def add_noise(self, noise: NDArray[np.float32], share: float) -> None:
        """Mixes noise into the priors of all roots."""
        self._for_trees(noise, lambda tree, i, own: tree.add_noise(own, share))

    def begin_halving(
        self,
        noise: NDArray[np.float32],
        visits: NDArray[np.int64],
        considered: int,
        c_visit: float,
        c_scale: float,
    ) -> None:
        """Searches all roots by sequential halving."""
        self._for_trees(
            noise,
            lambda tree, i, own: tree.begin_halving(own, int(visits[i]), considered, c_visit, c_scale),
        )

    def _for_trees(
        self, noise: NDArray[np.float32], work: Callable[[PythonTree, int, NDArray[np.float32]], None]
    ) -> None:
        sizes = [len(tree.root_moves()[0]) for tree in self._trees]
        if len(noise) != sum(sizes):
            raise ValueError("a number for each root move expected")
        for i, (tree, end) in enumerate(zip(self._trees, np.cumsum(sizes), strict=True)):
            work(tree, i, noise[end - sizes[i] : end])

    def halving_choices(self) -> NDArray[np.int64]:
        """The place of each tree's choice among its root moves."""
        return np.array([tree.halving_choice() for tree in self._trees], np.int64)

    def advance(self, moves: NDArray[np.int64]) -> None:
        """Plays a move in every tree."""
        for tree, move in zip(self._trees, moves.tolist(), strict=True):
            tree.advance(move)

    def restart(self, tree: int, root: State) -> None:
        """Replaces a tree by a new one."""
        self._trees[tree] = PythonTree(root, self._config)

    @property
    def visits(self) -> NDArray[np.int64]:
        """[trees]: the visits of each root."""
        return np.array([tree.visits for tree in self._trees], np.int64)

    @property
    def values(self) -> NDArray[np.float64]:
        """[trees]: the value of each root for its side to move."""
        return np.array([tree.value for tree in self._trees], np.float64)

    @property
    def max_depths(self) -> NDArray[np.int64]:
        """[trees]: the length of the longest line of each tree."""
        return np.array([tree.max_depth for tree in self._trees], np.int64)

    def pv(self, tree: int, first: Move) -> list[Move]:
        """The principal variation of a tree."""
        return self._trees[tree].pv(first)

    def root_moves(self) -> tuple[Integers, Floats, Integers, Floats, Integers, Integers]:
        """The statistics of the root moves of all trees, and the offsets of each tree's."""
        parts = [tree.root_moves() for tree in self._trees]
        moves, priors, visits, values, forced = (
            np.concatenate([part[i] for part in parts]) for i in range(5)
        )
        offsets = np.concatenate([[0], np.cumsum([len(part[0]) for part in parts], dtype=np.int64)])
        return (
            moves.astype(np.int64), priors.astype(np.float64), visits.astype(np.int64),
            values.astype(np.float64), forced.astype(np.int64), offsets,
        )  # fmt: skip
