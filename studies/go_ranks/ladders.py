"""Ladders in people's games: what people of a rank play there, and what our policy at that rank does.

Lost: the player to move has a chain in atari that no ladder saves, and could extend it. Won: the opponent has
a chain with two liberties that a ladder captures. Only the first turn at which a move is there counts. The
core's ladder search, which is KataGo's, finds both. The length of a ladder is its extensions if both play on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sparring._core import GoState, katago_encode
from sparring.games.ratings import rank_order, rank_text
from sparring.go.counting import chains, neighbours_on
from sparring.go.game import Go
from sparring.networks import Position
from sparring.policies import Policy
from studies.go_ranks.people import FoxGame

Kind = Literal["lost", "won"]
BANDS = {"5k-1k": (-5, -1), "1d-4d": (1, 4), "5d-9d": (5, 9)}
"""Ranks that are counted together, from the first to the second."""
LONG = 3
"""Extensions from which on a ladder is long."""
_LADDERED, _WORKING = 14, 17
_SIZE = 19
_MOST = 100
_BATCH = 64


@dataclass(frozen=True)
class LadderPosition:
    """A position of a game with a ladder."""

    kind: Kind
    game: int
    rank: str
    state: GoState
    moves: frozenset[int]
    """Extensions of a lost chain, or the moves that begin a ladder that works."""
    length: int
    played: int
    """The person's move."""


def find_ladders(games: Sequence[FoxGame]) -> Iterator[LadderPosition]:
    """The ladders of games on 19x19, at most one of a kind a position."""
    start = Go.by_rules("chinese").initial().text()
    for number, game in enumerate(games):
        states: Any = game.record._replace(start=start).states("go")
        planes, _ = katago_encode(states, _SIZE)
        before: dict[tuple[Kind, int], frozenset[int]] = {}
        """The moves at the last turn of each player."""
        for state, after, plane in zip(states, states[1:], planes, strict=False):
            side: int = state.to_move
            of_kind: dict[Kind, frozenset[int]] = {
                "lost": _lost(state, _points(plane[_LADDERED])),
                "won": frozenset(_points(plane[_WORKING])),
            }
            for kind, moves in of_kind.items():
                fresh = moves - before.get((kind, side), frozenset())
                before[kind, side] = moves
                lengths = {
                    move: _length(state, move, kind == "won") for move in fresh & {*state.legal_moves()}
                }
                if running := frozenset(move for move, length in lengths.items() if length):
                    length = min(lengths[move] for move in running)
                    yield LadderPosition(kind, number, game.rank, state, running, length, after.last_move)


def _points(plane: NDArray[np.float32]) -> set[int]:
    """The points of a plane, whose rows are from the top."""
    rows, columns = np.nonzero(plane)
    return {int((_SIZE - 1 - row) * _SIZE + column) for row, column in zip(rows, columns, strict=True)}


def _liberties(state: GoState, chain: Sequence[int]) -> set[int]:
    stones = {point for points in state.stones for point in points}
    neighbours = neighbours_on(state.size)
    return {near for point in chain for near in neighbours[point]} - stones


def _chain_at(state: GoState, point: int) -> list[int]:
    return next(chain for _, chain in chains(state) if point in chain)


def _lost(state: GoState, laddered: set[int]) -> frozenset[int]:
    """Extensions that give a chain in atari two liberties, which do not save it."""
    found = set()
    if laddered & set(state.stones[state.to_move]):
        for owner, chain in chains(state):
            if owner == state.to_move and chain[0] in laddered and len(last := _liberties(state, chain)) == 1:
                (move,) = last
                if move in state.legal_moves():
                    after = state.play(move)
                    if len(_liberties(after, _chain_at(after, move))) == 2:
                        found.add(move)
    return frozenset(found)


def _length(state: GoState, move: int, attacking: bool) -> int:
    """Extensions of a ladder that begins with a move of the attacker or an extension, if both play on."""
    extensions = 0
    if not attacking:
        state, extensions = state.play(move), 1
    while extensions < _MOST:
        if attacking:
            state = state.play(move)
            target = _target(state, move)
            if target is None or target not in state.legal_moves():
                return extensions
            state = state.play(target)
            extensions += 1
        attacking = True
        planes, _ = katago_encode([state], _SIZE)
        moves = _points(planes[0][_WORKING]) & set(state.legal_moves())
        last = state.last_move
        assert last is not None, "the extension"
        chain = _chain_at(state, last)
        near = moves & _liberties(state, chain)
        if not near:
            return extensions
        move = min(near)
    return extensions


def _target(state: GoState, attack: int) -> int | None:
    """The last liberty of the chain that an attack has put into atari."""
    neighbours = neighbours_on(state.size)
    for owner, chain in chains(state):
        touches = owner == state.to_move and any(attack in neighbours[point] for point in chain)
        if touches and len(last := _liberties(state, chain)) == 1:
            return last.pop()
    return None


def policy_shares(positions: Sequence[LadderPosition], policy: Policy) -> list[float]:
    """The probability of the ladder's moves by the policy at the player's rank, for each position."""
    shares = []
    for begin in range(0, len(positions), _BATCH):
        part = positions[begin : begin + _BATCH]
        ranks = [rank_order(position.rank) for position in part]
        asked = [Position(p.state, rank, rank) for p, rank in zip(part, ranks, strict=True)]
        for position, answer in zip(part, policy.predict(asked), strict=True):
            chances = dict(zip(answer.moves, answer.probabilities.tolist(), strict=True))
            shares.append(float(sum(chances.get(move, 0.0) for move in position.moves)))
    return shares


def table(
    positions: Sequence[LadderPosition], shares: Mapping[str, Sequence[float]], seed: int = 0
) -> list[dict[str, Any]]:
    """By kind, length and rank or band: how often people played the ladder, and the policies' probability.

    Intervals (95 %) are of a bootstrap over games.
    """
    rows = []
    orders = sorted({rank_order(position.rank) for position in positions})
    ranks = {"all": (-50, 50), **BANDS, **{rank_text(order): (order, order) for order in orders}}
    lengths = (("short", 1, LONG - 1), ("long", LONG, _MOST))
    for kind, (name, low, high), (rank, (first, last)) in product(("lost", "won"), lengths, ranks.items()):
        chosen = [
            i
            for i, position in enumerate(positions)
            if position.kind == kind
            and low <= position.length <= high
            and first <= rank_order(position.rank) <= last
        ]
        if chosen:
            row = _row(
                [positions[i] for i in chosen], {m: [v[i] for i in chosen] for m, v in shares.items()}, seed
            )
            rows.append({"kind": kind, "length": name, "rank": rank} | row)
    return rows


def _row(
    positions: Sequence[LadderPosition], shares: Mapping[str, Sequence[float]], seed: int
) -> dict[str, Any]:
    people = [float(position.played in position.moves) for position in positions]
    games = np.unique([position.game for position in positions], return_inverse=True)[1]
    row: dict[str, Any] = {"positions": len(positions), "games": int(games.max()) + 1}
    for name, values in {"people": people, **shares}.items():
        row[name], row[f"{name}_interval"] = _mean(np.array(values), games, seed)
    return row


def _mean(values: NDArray[np.float64], games: NDArray[np.int64], seed: int) -> tuple[float, list[float]]:
    sums = np.bincount(games, values)
    counts = np.bincount(games)
    rng = np.random.default_rng(seed)
    drawn = rng.integers(len(sums), size=(1000, len(sums)))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    return float(values.mean()), [float(q) for q in np.quantile(means, (0.025, 0.975))]
