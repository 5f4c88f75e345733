"""Training examples of one game: each decision of a player with the synopsis of its possible boards.

A game is replayed to a tracker of each player. Before each sense and each move of the player, `draws`
synopses are computed, each from a new sample of the boards. "Previous" planes are those of the same draw at
the player's last move.

Two things are removed. A bot that died passes to the end: the game is cut where that begins, and its result
is unknown. With `clean`, a game whose loser could have captured the king for certain ends there and is won by
that player (section 5.4).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sparring._core import RbcBoardSet, RbcState
from sparring.belief import (
    Contradiction,
    Tracker,
    TrackerOptions,
    compute_synopsis,
    winning_request,
    winning_senses,
)
from sparring.belief.synopsis import SynopsisWords
from sparring.games import Rbc
from sparring.games.history import states_to
from sparring.games.rbc import DESCRIPTION, PASS, OpponentSense
from sparring.networks.synopsis import action_index
from sparring.records import GameRecord
from sparring.records.record import Termination
from sparring.training.rbc.config import ExampleConfig

NO_ACTION = -1
"""The policy has no target: no sense, a random move of a generator, or an overlooked win."""
UNKNOWN_RESULT = 2
PIECE_TYPES = "pnbrqk"
NAME_BYTES = 24
_DEAD_AFTER = 3
"""Passes in a row up to the end of the game by which a bot is known to be dead."""


@dataclass(frozen=True)
class ExampleSet:
    """n examples, one a row."""

    synopses: NDArray[np.uint64]
    """[n, 104]."""
    actions: NDArray[np.int16]
    """[n]: the action taken (`networks.synopsis`), or NO_ACTION."""
    results: NDArray[np.int8]
    """[n]: 1, 0 or -1 for the player to act, or UNKNOWN_RESULT."""
    soon: NDArray[np.bool_]
    """[n, 2]: the player wins soon, loses soon."""
    pieces: NDArray[np.uint8]
    """[n, 6]: numbers of the opponent's pawns, knights, bishops, rooks, queens and kings."""
    boards: NDArray[np.int32]
    """[n]: number of tracked boards."""
    players: NDArray[np.bytes_]
    """[n]: name of the player to act in UTF-8, at most NAME_BYTES bytes of it."""
    games: NDArray[np.uint64]
    """[n]: identity of the game."""

    def __len__(self) -> int:
        return len(self.actions)

    @classmethod
    def concatenate(cls, parts: list[Self]) -> Self:
        """Returns all examples of several sets."""
        columns = {each.name: np.concatenate([getattr(p, each.name) for p in parts]) for each in fields(cls)}
        return cls(**columns)


@dataclass
class _Decision:
    """A decision of a player before the end of the game is known."""

    player: int
    ply: int
    synopses: list[SynopsisWords]
    action: int
    pieces: tuple[int, ...]
    boards: int


@dataclass(frozen=True)
class _Ending:
    """Where a game ends for training: the first ply that does not count, and who won."""

    plies: int
    winner: int | None
    known: bool
    overlooked: int | None = None
    """The ply at which the winner overlooked its win."""


def make_examples(
    record: GameRecord, config: ExampleConfig, seed: int = 0, random_turns: int = 0
) -> ExampleSet | None:
    """Returns the examples of both players, or None if there are none.

    The first `random_turns` turns of each side were random: they are examples without an action.
    """
    final = RbcState.initial().unpack_moves(record.moves, DESCRIPTION.packed_move_bytes)
    states = states_to(final)
    ending = _recorded_ending(record, states)
    decisions: list[_Decision] = []
    wins: list[tuple[int, int]] = []
    for player in (0, 1):
        found, win = _follow(states[: ending.plies + 1], player, config, seed)
        decisions += found
        if win is not None and not (ending.known and ending.winner == player):
            wins.append((win, player))
    if config.clean and wins:
        ply, winner = min(wins)
        ending = _Ending(ply + 1 + states[ply].sensing, winner, known=True, overlooked=ply)
    identity = record.identity(DESCRIPTION.name)
    rows = [
        _rows(each, ending, record, identity, config, random_turns)
        for each in decisions
        if each.ply < ending.plies and not (ending.overlooked is not None and each.ply > ending.overlooked)
    ]
    return ExampleSet.concatenate(rows) if rows else None


def _recorded_ending(record: GameRecord, states: list[RbcState]) -> _Ending:
    """The end as recorded, or the ply where a bot that died began to pass."""
    plies = len(states) - 1
    dead = min(_dead_from(states, player) for player in (0, 1))
    if dead < plies:
        return _Ending(dead, None, known=False)
    known = record.result is not None and record.ending is not Termination.TIME
    winner = {1.0: 0, 0.0: 1}.get(-1.0 if record.result is None else record.result)
    return _Ending(plies, winner, known)


def _dead_from(states: list[RbcState], player: int) -> int:
    """The ply from which on a player passes, at least three times; the number of plies if it does not."""
    plies = len(states) - 1
    begin, passes = plies, 0
    for before, after in reversed(list(pairwise(states))):
        if before.to_move == player and not before.sensing:
            if after.last_move != PASS:
                break
            passes, begin = passes + 1, before.ply
    return begin if passes >= _DEAD_AFTER else plies


def _follow(
    states: list[RbcState], player: int, config: ExampleConfig, seed: int
) -> tuple[list[_Decision], int | None]:
    """The decisions of a player, and the ply of its first forced win. Ends at a contradiction, which a sample
    of the boards may lead to."""
    rules = Rbc()
    options = TrackerOptions(limit=config.boards, threads=1, seed=seed)
    tracker = Tracker(player, options, states[0])
    previous: list[SynopsisWords | None] = [None] * config.draws
    decisions: list[_Decision] = []
    win: int | None = None
    for ply, (before, after) in enumerate(pairwise(states)):
        move = after.last_move
        assert move is not None
        if before.to_move == player:
            boards, context = tracker.boards, tracker.synopsis_context
            seeds = [_draw_seed(seed, ply, draw) for draw in range(config.draws)]
            synopses = [
                compute_synopsis(boards, context, last, count=config.sampled, seed=each)
                for each, last in zip(seeds, previous, strict=True)
            ]
            if not before.sensing:
                previous = list(synopses)
            index = action_index(move, player)
            decisions.append(
                _Decision(
                    player,
                    ply,
                    synopses,
                    NO_ACTION if index is None else index,
                    _opposing_pieces(before, player),
                    len(boards),
                )
            )
            if win is None and config.clean and tracker.exact and _wins(boards, before.sensing, config):
                win = ply
        observation = rules.observe(before, player, move)
        if not isinstance(observation, OpponentSense):
            try:
                tracker.observe(observation)
            except Contradiction:
                break
    return decisions, win


def _draw_seed(seed: int, ply: int, draw: int) -> int:
    return (seed * 1_000_003 + ply * 1009 + draw) % 2**64


def _wins(boards: RbcBoardSet, sensing: bool, config: ExampleConfig) -> bool:
    if not sensing:
        return winning_request(boards) is not None
    few = len(boards) <= config.clean_boards
    return few and bool(boards.king_captures()) and bool(winning_senses(boards))


def _opposing_pieces(state: RbcState, player: int) -> tuple[int, ...]:
    placement = state.text().split(" ", 1)[0]
    letters = PIECE_TYPES if player == 0 else PIECE_TYPES.upper()
    return tuple(placement.count(letter) for letter in letters)


def _rows(
    decision: _Decision,
    ending: _Ending,
    record: GameRecord,
    identity: int,
    config: ExampleConfig,
    random_turns: int,
) -> ExampleSet:
    n, player = len(decision.synopses), decision.player
    result = UNKNOWN_RESULT
    if ending.known:
        result = 0 if ending.winner is None else 1 if ending.winner == player else -1
    near = ending.known and ending.plies - decision.ply <= config.soon
    random = decision.ply < 4 * random_turns
    action = NO_ACTION if random or decision.ply == ending.overlooked else decision.action
    name = (record.first, record.second)[player] or ""
    return ExampleSet(
        synopses=np.stack(decision.synopses),
        actions=np.full(n, action, np.int16),
        results=np.full(n, result, np.int8),
        soon=np.tile(np.array([near and result == 1, near and result == -1]), (n, 1)),
        pieces=np.tile(np.array(decision.pieces, np.uint8), (n, 1)),
        boards=np.full(n, decision.boards, np.int32),
        players=np.full(n, name.encode()[:NAME_BYTES], f"S{NAME_BYTES}"),
        games=np.full(n, identity, np.uint64),
    )
