"""Rules for passing in Go.

A policy learned from people passes when people agree on dead stones. By the rules here two passes end the
game and every stone on the board counts as alive, while people and servers take dead stones off. A player
passes where it wins by both counts. Where it agrees on dead stones with a person, nobody has to capture them:
it then answers a pass as people do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring._core import GoState
from sparring.base.sentences import Sentence
from sparring.games import ParseError, game_of
from sparring.games.diagrams import Diagram, Piece
from sparring.games.ratings import GO_RANKS
from sparring.networks import Position, Prediction
from sparring.play.result import GameResult, ScoreEstimate
from sparring.players import DEFAULT_RATING, Decision
from sparring.policies import Policy, load_policy

# Dead stones in Go: which stones people would take off the board at the end of the game.


Chain: TypeAlias = tuple[int, list[int]]
"""The owner and the points of a chain."""
_DEAD_STONE_PLAYOUTS = 400


def dead_stones(
    state: GoState, ownership: NDArray[np.float32] | None = None, playouts: int = _DEAD_STONE_PLAYOUTS
) -> list[int]:
    """The points of all stones that are dead, ascending: those that the opponent will rather own.

    `ownership` is that of a network ([points], 1 for the player to move); without it random playouts
    estimate it. Stones in seki are alive: playouts fill the shared liberties until one side captures the
    other, and networks give the points to one side. The same state gives the same stones.
    """
    if ownership is None:
        black = np.array(state.playout_ownership(playouts, state.key), np.float32)
    else:
        black = ownership if state.to_move == 0 else -ownership
    alive: list[Chain] = []
    dead: list[Chain] = []
    for owner, chain in chains(state):
        own = float(black[chain].mean()) * (1 if owner == 0 else -1)
        (dead if own < 0 else alive).append((owner, chain))
    if dead:
        around = {chain[0]: _adjacent(state, (owner, chain)) for owner, chain in (*alive, *dead)}
        dead = [candidate for candidate in dead if not _in_seki(state, candidate, alive, dead, around)]
    return sorted(point for _, chain in dead for point in chain)


def _in_seki(
    state: GoState, own: Chain, alive: list[Chain], dead: list[Chain], around: Mapping[int, set[int]]
) -> bool:
    """Whether a chain and one of the opponent share liberties that neither can fill.

    This is Müller's simplest case of a capturing race (1999, "Race to capture"): both have no eye and at
    least two shared liberties, or one eye of a point each and at least one; neither has other liberties. The
    opponent's chain has others if a shared one connects it to a chain with other liberties, or if it touches
    another dead chain that it can capture. The opponent's chain must touch a living chain of the owner, or it
    could be the inside of a dead shape. `around` has the points next to each chain, by its first point.
    """
    stones = {point for points in state.stones for point in points}
    ours = around[own[1][0]] - stones
    for enemy in (*alive, *dead):  # either may win half of the playouts
        if enemy[0] == own[0] or ours.isdisjoint(around[enemy[1][0]]):
            continue
        if all(around[enemy[1][0]].isdisjoint(chain) for owner, chain in alive if owner == own[0]):
            continue
        theirs = around[enemy[1][0]] - stones
        shared = ours & theirs
        friends = [
            around[chain[0]] - stones for owner, chain in alive if owner == enemy[0] and chain != enemy[1]
        ]
        if any(not shared.isdisjoint(liberties) and liberties - shared for liberties in friends):
            continue
        prey = [around[chain[0]] for owner, chain in dead if owner == own[0] and chain != own[1]]
        if any(not points.isdisjoint(enemy[1]) and points - stones - shared for points in prey):
            continue
        eyes = [
            _are_eyes(state, liberties - shared, chain)
            for liberties, chain in ((ours, own[1]), (theirs, enemy[1]))
        ]
        if None not in eyes and eyes[0] == eyes[1] and len(shared) >= 2 - (eyes[0] or 0) > 0:
            return True
    return False


def _are_eyes(state: GoState, points: set[int], chain: list[int]) -> int | None:
    """The number of points if each is an eye of one point inside the chain; None if not."""
    inside = all(set(neighbours_on(state.size)[point]) <= set(chain) for point in points)
    return len(points) if inside else None


def _adjacent(state: GoState, chain: Chain) -> set[int]:
    neighbours = neighbours_on(state.size)
    return {near for point in chain[1] for near in neighbours[point]} - set(chain[1])


def ownership_of(state: GoState, prediction: Prediction | None) -> NDArray[np.float32] | None:
    """The ownership of a prediction for the player to move, if it was made with the same stones."""
    if prediction is None or prediction.ownership is None or prediction.state.stones != state.stones:
        return None
    same_side = prediction.state.to_move == state.to_move
    return prediction.ownership if same_side else -prediction.ownership


def chains(state: GoState) -> list[Chain]:
    """Every chain."""
    owners = {point: owner for owner, stones in enumerate(state.stones) for point in stones}
    neighbours = neighbours_on(state.size)
    all_chains: list[Chain] = []
    seen: set[int] = set()
    for first, owner in owners.items():
        if first in seen:
            continue
        chain = [first]
        seen.add(first)
        for point in chain:  # grows
            for near in neighbours[point]:
                if near not in seen and owners.get(near) == owner:
                    seen.add(near)
                    chain.append(near)
        all_chains.append((owner, chain))
    return all_chains


def wins_without_dead_stones(state: GoState, player: int, playouts: int = _DEAD_STONE_PLAYOUTS) -> bool:
    """Whether a player's score is the higher one after dead stones are taken off."""
    points = state.score(dead_stones(state, playouts=playouts))
    return points[player] > points[1 - player]


_EMPTY, _EDGE = -1, -2
_RARE = 0.001
"""Probability below which a pass is not considered."""
_PASSING_PLAYOUTS = 100
_LEAST_SHARE = 0.2
"""Share of the board that a player's stones have at least when all of it is safe."""


def apply_passing_rules(state: GoState, prediction: Prediction) -> NDArray[np.float64]:
    """Corrects the probabilities [moves] of a player's choice. The last move is the pass.

    - Own eyes are not filled. If nothing else is left, it passes. It also passes once the game is twice as
      long as the board has points, so that every game ends.
    - It plays no stone inside its own safe area, unless it loses by the stones on the board because dead
      stones of the opponent stand there, which it then captures. It passes when no other legal move is left.
    - It does not pass while more than half of the board is empty. Later it passes only if the score already
      wins, both with all stones and without those that people would call dead, or if the score without dead
      stones loses and it gives up: the pass is the policy's likeliest move, and its value is not positive, or
      after a pass every legal point is decided. In these cases it answers a pass with a pass.
    """
    shares: NDArray[np.float64] = prediction.probabilities.astype(np.float64)
    shares[np.isin(prediction.moves, [*own_eyes(state), *_idle_points(state)])] = 0
    # Where a pass is out of the question, dead stones need not be looked for.
    content = bool(state.passes or shares[-1] >= _RARE) and _is_content(state, prediction)
    if not shares[:-1].any() or state.ply >= 2 * state.size**2 or (state.passes and content):
        shares[:-1], shares[-1] = 0, 1
    elif not content:
        shares[-1] = 0
    shares /= shares.sum()
    return shares


def _idle_points(state: GoState) -> set[int]:
    """The own safe area, in which no stone is needed; empty where the opponent's dead stones in it have to be
    captured, because the player does not win by the stones on the board."""
    me = state.to_move
    if _LEAST_SHARE * state.size**2 > len(state.stones[me]):  # as quick as can be: it is asked at every move
        return set()
    safe = safe_area(state, me)
    score = state.score()
    return safe if safe.isdisjoint(state.stones[1 - me]) or score[me] > score[1 - me] else set()


def _is_content(state: GoState, prediction: Prediction) -> bool:
    """Whether ending the game here is good enough for the player to move."""
    if 2 * sum(map(len, state.stones)) < state.size**2:
        return False
    points, me = state.score(), state.to_move
    ahead = points[me] > points[1 - me]
    likeliest = int(np.argmax(prediction.probabilities)) == len(prediction.moves) - 1
    hopeless = prediction.value is None or prediction.value <= 0
    gives_up = likeliest and (
        hopeless or (state.passes == 1 and _is_decided(state, _owners(state, None, _PASSING_PLAYOUTS)))
    )
    if not ahead and not gives_up:
        return False
    if wins_without_dead_stones(state, me, _PASSING_PLAYOUTS):
        return ahead  # if not, dead stones of the opponent are still to be captured
    return gives_up


_LIKELY_PASS, _USUAL_PASS = 0.5, 0.1
"""Probabilities of a pass where people surely pass, and where they often do. It is near 0 while there is
something to play for."""
_OWNED = 0.5
"""Size of a point's ownership, from -1 to 1, above which the point is decided."""


def people_would_pass(state: GoState, prediction: Prediction, value: float | None) -> bool:
    """Whether the player to move answers a pass with a pass, if dead stones are agreed on afterwards.

    It does where people very likely pass, by the `prediction` of a network. It also does where they often
    pass, or where every legal point is decided, if the score without dead stones and the expected one have
    the same winner, and the player is that winner or its `value` is not positive. Playouts instead of the
    network's ownership decide points on a full board only; ownership needs no `value` beside it.
    """
    share = float(prediction.probabilities[-1])
    owned = ownership_of(state, prediction) is not None
    full = 2 * sum(map(len, state.stones)) >= state.size**2
    if state.passes != 1 or (share < _USUAL_PASS and not (full or owned)):
        return False
    if share >= _LIKELY_PASS:
        return True
    owners = _owners(state, prediction, _DEAD_STONE_PLAYOUTS)
    if share < _USUAL_PASS and not _is_decided(state, owners):
        return False
    sign = 1 if state.to_move == 0 else -1
    black, white = state.score(dead_stones(state, ownership_of(state, prediction)))
    lead, expected = sign * (black - white), sign * (float(owners.sum()) - state.komi)
    if lead > 0:
        return expected > 0
    return expected <= 0 and (owned or value is None or value <= 0)


@cache
def _people() -> Policy:
    """The shipped network of people's moves, for players without a network."""
    return load_policy("human", "go")


def resumed(state: GoState) -> GoState:
    """The position with play resumed after two passes, as servers allow."""
    if state.outcome is None:
        return state
    words = state.text().split()
    return GoState.parse(" ".join([*words[:5], "0", *words[6:]]))


def people_prediction(state: GoState, rank: int | str | None = None) -> Prediction | None:
    """What the shipped network of people's moves predicts for people of a rank, also after two passes; None
    in a package without it."""
    if "go" not in DEFAULT_RATING:
        return None
    number = GO_RANKS.number(rank)
    return _people().predict([Position(resumed(state), number, number)])[0]


def _owners(state: GoState, prediction: Prediction | None, playouts: int) -> NDArray[np.float32]:
    """[points]: the expected owner, 1 for Black and -1 for White."""
    owners = ownership_of(state, prediction)
    if owners is None:
        return np.array(state.playout_ownership(playouts, state.key), np.float32)
    return owners if state.to_move == 0 else -owners


def _is_decided(state: GoState, owners: NDArray[np.float32]) -> bool:
    """Whether one side will surely own every point on which there is a legal move."""
    points = [move for move in state.legal_moves() if move < len(owners)]
    return bool((np.abs(owners[points]) > _OWNED).all())


def own_eyes(state: GoState) -> list[int]:
    """Eyes of the player to move: empty points with own stones on all sides, and with at most one opponent's
    stone on the diagonals, none at the edge."""
    size, me = state.size, state.to_move
    board = np.full((size + 2, size + 2), _EDGE)
    board[1:-1, 1:-1] = _EMPTY
    for owner, stones in enumerate(state.stones):
        board[np.array(stones, int) // size + 1, np.array(stones, int) % size + 1] = owner
    sides = _around(board, ((-1, 0), (1, 0), (0, -1), (0, 1)))
    corners = _around(board, ((-1, -1), (-1, 1), (1, -1), (1, 1)))
    walled = ((sides == me) | (sides == _EDGE)).all(axis=0)
    at_edge = (corners == _EDGE).any(axis=0)
    real = (corners == 1 - me).sum(axis=0) <= np.where(at_edge, 0, 1)
    return [int(p) for p in np.flatnonzero((board[1:-1, 1:-1] == _EMPTY) & walled & real)]


def _around(board: NDArray[np.int64], steps: Sequence[tuple[int, int]]) -> NDArray[np.int64]:
    """[steps, rows, columns]: the content of the point one step away from each point."""
    size = len(board) - 2
    return np.stack([board[1 + y : 1 + y + size, 1 + x : 1 + x + size] for y, x in steps])


# The end of a game of Go against a person: dead stones are agreed on, then points are counted.


class GoCounting:
    """The score of a finished game, by its dead stones."""

    @staticmethod
    def reply_to_pass(state: GoState, decision: Decision) -> Decision:
        """A player's decision, or a pass in its place if people would end the game after the last pass."""
        if state.passes != 1 or decision.resign:
            return decision
        prediction = decision.prediction
        if prediction is None:
            prediction = people_prediction(state, DEFAULT_RATING.get("go"))
        if prediction is None or not people_would_pass(state, prediction, decision.value):
            return decision
        return replace(decision, move=state.size**2, distribution={state.size**2: 1.0}, reason="")

    @staticmethod
    def propose(state: GoState, prediction: Prediction | None) -> set[int]:
        """The points of the stones that are proposed as dead, by a network's ownership where there is one.
        `prediction` is the opponent's last one."""
        ownership = ownership_of(state, prediction)
        if ownership is None:
            ownership = ownership_of(state, people_prediction(state))
        return set(dead_stones(state, ownership))

    @classmethod
    def estimate(
        cls, state: GoState, dead: Collection[int] | None = None, person: int | None = None
    ) -> ScoreEstimate:
        """Who is ahead and who will own each point; after two passes the score with the `dead` stones, or
        with those that are proposed."""
        if state.outcome is None:
            return _estimate(state)
        taken = cls.propose(state, None) if dead is None else set(dead)
        text, _ = cls.result(state, taken, -1 if person is None else person)
        black, white = state.score(sorted(taken))
        return ScoreEstimate(black - white, _rows(state, _area(state, taken)), text, counted=True)

    @staticmethod
    def territory(state: GoState, estimate: ScoreEstimate) -> Diagram:
        """The board with a mark on empty points that a side will likely own, and likely dead stones as small
        letters."""
        diagram = game_of(state).diagram(state)
        cells = [list(row) for row in diagram.cells]
        for (row, column), owner in np.ndenumerate(estimate.owners):
            piece = cells[row][column]
            if piece is None and abs(owner) > _OWNED:
                cells[row][column] = Piece("bw"[int(owner < 0)], int(owner < 0), glyph="▪")
            elif piece is not None and (owner if piece.owner == 0 else -owner) < 0:
                cells[row][column] = replace(piece, symbol=piece.symbol.lower(), glyph="")
        return replace(diagram, cells=tuple(map(tuple, cells)))

    @staticmethod
    def stones_at(state: GoState, points: Iterable[str]) -> set[int]:
        """The stones of the chains at some points. Raises ParseError if there is none on a point."""
        stones: set[int] = set()
        for text in points:
            point = state.parse_move(text.upper())
            chain = next((set(chain) for _, chain in chains(state) if point in chain), None)
            if chain is None:
                raise ParseError(Sentence("there is no stone on {point}", point=text.upper()[:8]))
            stones |= chain
        return stones

    @staticmethod
    def result(state: GoState, dead: set[int], person: int) -> tuple[str, GameResult]:
        """The score in a sentence, and the end of the game with these dead stones."""
        black, white = state.score(sorted(dead))
        counted = Sentence(
            "Black has {black} points, White {white} (komi {komi})",
            black=float(black),
            white=float(white),
            komi=float(state.komi),
        )
        if black == white:
            return Sentence("{counted}: a draw.", counted=counted), GameResult(0.5, "score", margin=0.0)
        winner, margin = int(white > black), float(abs(black - white))
        side = ("Black", "White")[winner]
        text = Sentence("{counted}: {side} wins by {margin}.", counted=counted, side=side, margin=margin)
        if winner == person:
            text = Sentence("{counted}: you win by {margin}.", counted=counted, margin=margin)
        return text, GameResult(float(winner == 0), "score", margin=margin)

    @staticmethod
    def diagram(state: GoState, dead: set[int]) -> Diagram:
        """The board with dead stones as small letters."""
        diagram = game_of(state).diagram(state)
        cells = [list(row) for row in diagram.cells]
        for point in dead:
            row, column = state.size - 1 - point // state.size, point % state.size
            piece = cells[row][column]
            assert piece is not None, "only stones are dead"
            cells[row][column] = replace(piece, symbol=piece.symbol.lower(), glyph="")
        return replace(diagram, cells=tuple(map(tuple, cells)))


_BY_NETWORK = Sentence("An estimate by a network that knows people's games: it can be wrong.")
_BY_PLAYOUTS = Sentence(
    "A rough estimate by random games, often 10 points off: "
    "this package has no network that knows people's games."
)


_MISSED, _OPEN_POINTS = ((9, 13, 19), (5.7, 3.5, 0.0)), 20
"""(board sizes, points): what the side to move gains on small boards and the network, which knows few games
on them, does not see (results/go-counting); less where fewer points are open."""


def _estimate(state: GoState) -> ScoreEstimate:
    """That of the shipped network; that of playouts in a package without it."""
    prediction = people_prediction(state)
    if prediction is None or prediction.lead is None or prediction.ownership is None:
        return playout_estimate(state)
    open_points = float((1 - np.abs(prediction.ownership)).sum())
    missed = float(np.interp(state.size, *_MISSED)) * min(1, open_points / _OPEN_POINTS)
    lead = prediction.lead + missed if state.to_move == 0 else -prediction.lead - missed
    return ScoreEstimate(lead, _rows(state, _owners(state, prediction, 0)), _lead_text(lead), _BY_NETWORK)


def playout_estimate(state: GoState) -> ScoreEstimate:
    """The score by random playouts."""
    owners = _owners(state, None, _DEAD_STONE_PLAYOUTS)
    lead = float(owners.sum()) - _area_komi(state)
    return ScoreEstimate(lead, _rows(state, owners), _lead_text(lead), _BY_PLAYOUTS)


def _area_komi(state: GoState) -> float:
    """Komi for a count by area: where territory is counted, every stone that was played costs a point."""
    if state.scoring == "area":
        return float(state.komi)
    (black, white), (by_black, by_white) = map(len, state.stones), state.prisoners
    return float(state.komi) + black - white + by_white - by_black


def _lead_text(lead: float) -> Sentence:
    """A lead of Black in a sentence, to half a point."""
    points, side = abs(round(2 * lead) / 2), ("Black", "White")[lead < 0]
    if not points:
        return Sentence("The score is about even.")
    if points == 1:
        return Sentence("{side} leads by about 1 point.", side=side)
    return Sentence("{side} leads by about {points} points.", side=side, points=points)


def _area(state: GoState, dead: Collection[int]) -> NDArray[np.float32]:
    """[points]: the owner by area without the dead stones, 1 for Black, -1 for White, 0 for nobody."""
    owners, neighbours = np.zeros(state.size**2, np.float32), neighbours_on(state.size)
    for sign, stones in zip((1, -1), state.stones, strict=True):
        owners[stones] = sign
    owners[list(dead)] = 0
    for region in _parts({int(point) for point in np.flatnonzero(owners == 0)}, neighbours):
        around = {float(owners[near]) for point in region for near in neighbours[point]} - {0.0}
        if len(around) == 1:
            owners[list(region)] = around.pop()
    return owners


def _rows(state: GoState, owners: NDArray[np.float32]) -> NDArray[np.float32]:
    """[rows, columns] of values by point, rows from the top."""
    return owners.reshape(state.size, state.size)[::-1]


# Stones and points that are safe even if their owner always passes (Benson 1976, "Life in the game of Go").


def safe_area(state: GoState, player: int) -> set[int]:
    """The points of a player's unconditionally alive chains, and of the regions that are vital to them and
    that they alone enclose. The opponent cannot live there."""
    size, own = state.size, set(state.stones[player])
    empty = set(range(size * size)) - own - set(state.stones[1 - player])
    neighbours = neighbours_on(size)
    chains = _parts(own, neighbours)
    regions = _parts(set(range(size * size)) - own, neighbours)
    chain_of = {point: number for number, chain in enumerate(chains) for point in chain}
    around = [
        {chain_of[near] for point in region for near in neighbours[point] if near in own}
        for region in regions
    ]
    vital_to = [_vital_to(region & empty, chain_of, neighbours) for region in regions]
    alive, healthy = set(range(len(chains))), set(range(len(regions)))
    while True:
        healthy = {number for number in healthy if around[number] <= alive}
        kept = {chain for chain in alive if sum(chain in vital_to[number] for number in healthy) >= 2}
        if kept == alive:
            break
        alive = kept
    safe = {point for chain in alive for point in chains[chain]}
    for number in healthy:
        if vital_to[number] & alive:
            safe |= regions[number]
    return safe


def _vital_to(empty: set[int], chain_of: dict[int, int], neighbours: Sequence[Sequence[int]]) -> set[int]:
    """The chains of which all empty points of a region are liberties."""
    touching = [{chain_of[near] for near in neighbours[point] if near in chain_of} for point in empty]
    return set.intersection(*touching) if touching else set()


def _parts(points: set[int], neighbours: Sequence[Sequence[int]]) -> list[set[int]]:
    """The connected parts of a set of points."""
    parts, left = [], set(points)
    while left:
        part, border = set[int](), [left.pop()]
        while border:
            point = border.pop()
            part.add(point)
            for near in neighbours[point]:
                if near in left:
                    left.remove(near)
                    border.append(near)
        parts.append(part)
    return parts


@cache
def neighbours_on(size: int) -> tuple[tuple[int, ...], ...]:
    """The points next to each point of a board."""
    return tuple(_neighbours(point, size) for point in range(size * size))


def _neighbours(point: int, size: int) -> tuple[int, ...]:
    x, y = point % size, point // size
    near = ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
    return tuple(v * size + u for u, v in near if 0 <= u < size and 0 <= v < size)
