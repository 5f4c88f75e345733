"""Games of programs against themselves, for the Turing test, the judge and conversion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sparring.games import Move, load_game
from sparring.games.history import states_to
from sparring.players import GameStart, Player, PlayerConfig, Turn
from sparring.players.lockstep_distributions import lockstep_distributions
from sparring.policies import Policy
from sparring.records import GameRecord, RecordedGame, Termination

MAX_PLIES = 300
"""Length at which a game ends as a draw."""
_PACKED = 1


@dataclass
class _Board:
    state: Any
    rng: np.random.Generator
    plies: int = 0


def self_play(
    policy: Policy,
    config: PlayerConfig,
    starts: Sequence[Any],
    *,
    seed: int,
    max_plies: int = MAX_PLIES,
    opening: tuple[Policy, int] | None = None,
) -> list[RecordedGame]:
    """Plays a game from each start, the player against itself, all games at once. Nobody resigns.

    `opening` is a policy and a number of plies that it plays first. Moves are drawn as `SearchPlayer` draws
    them, except that trees are not kept from move to move.
    """
    boards = [_Board(state, np.random.default_rng([seed, n])) for n, state in enumerate(starts)]
    running = boards
    while running := [b for b in running if b.state.outcome is None and b.plies < max_plies]:
        if opening is not None and running[0].plies < opening[1]:
            moves = choose_together(opening[0], replace(config, nodes=0, temperature=1.0), running)
        else:
            moves = choose_together(policy, config, running)
        for board, move in zip(running, moves, strict=True):
            board.state = board.state.play(move)
            board.plies += 1
    return [recorded(board.state, config.name, config.rating_number("rating")) for board in boards]


def choose_together(policy: Policy, config: PlayerConfig, boards: Sequence[_Board]) -> list[Move]:
    """The player's moves in all games."""
    distributions = lockstep_distributions(policy, config, [each.state for each in boards])
    return [each.draw(board.rng).move for board, each in zip(boards, distributions, strict=True)]


def play_out(player: Player, start: Any, rating: int | None, *, seed: int, max_plies: int = MAX_PLIES) -> Any:
    """One game of a player against itself from a state; returns the record."""
    state, plies = start, 0
    player.new_game(GameStart(load_game("chess"), None, start, seed))
    while state.outcome is None and plies < max_plies:
        state = state.play(player.choose(Turn.of(state)).move)
        plies += 1
    return recorded(state, player.name, rating)


def recorded(state: Any, name: str, rating: int | None) -> RecordedGame:
    """The game that led to a state. A game without end is a draw of unknown ending."""
    first = states_to(state)[0]
    outcome = state.outcome
    score = 0.5 if outcome is None or outcome.winner is None else float(outcome.winner == 0)
    record = GameRecord(
        moves=state.pack_moves(_PACKED),
        result=score,
        start=None if first == type(first).initial() else first.text(),
        ending=Termination.UNKNOWN if outcome is None else Termination.NORMAL,
        first=name,
        second=name,
        first_rating=rating,
        second_rating=rating,
    )
    return RecordedGame("chess", record)
