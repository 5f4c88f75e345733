"""Positions with players and seeds, and the native players' moves in them, to compare with a tab's."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sparring.games import load_game
from sparring.play.opponent import LoadedPolicies, Opponent
from sparring.players import GameStart, Turn
from sparring.policies import Policy

Row = tuple[str, dict[str, Any], dict[str, Any], int, int, list[str]]
"""Game, options, opponent, seed, side to move, moves."""


@dataclass(frozen=True)
class NativeMove:
    """What the native player does in a position."""

    row: Row
    move: str
    resigns: bool
    seconds: float
    """Processor time of its decision."""


class SharedPolicies(LoadedPolicies):
    """Loads each policy once."""

    def __init__(self) -> None:
        self._loaded: dict[tuple[str, str], Policy] = {}

    def policy(self, game: str, name: str, version: int = 0) -> Policy:
        """The policy of a name."""
        if (game, name) not in self._loaded:
            self._loaded[game, name] = super().policy(game, name)
        return self._loaded[game, name]


def rows(
    game: str, options: dict[str, Any], opponents: list[dict[str, Any]], count: int, policies: SharedPolicies
) -> Iterator[NativeMove]:
    """`count` rows. Positions come from games in which the opponents play both sides, from a different seed
    each; in a hidden game a player has one seed for all of its turns."""
    if load_game(game).spec.hidden:
        yield from itertools.islice(hidden_rows(game, opponents, policies), count)
        return
    rules, rng, made = load_game(game, **options), random.Random(game), 0
    players = [
        Opponent(game, **{"think_time": "human", **keys}).completed().make(policies) for keys in opponents
    ]
    while made < count:
        state, moves = rules.initial(), list[str]()
        while rules.outcome(state) is None and len(moves) < 240 and made < count:
            number = rng.randrange(len(players))
            seed = rng.randrange(2**53)
            row = (game, options, opponents[number], seed, state.to_move, list(moves))
            players[number].new_game(
                GameStart(rules, state.to_move, state, [seed, state.to_move, len(moves)])
            )
            began = time.process_time()
            decision = players[number].choose(Turn.of(state))
            seconds = time.process_time() - began
            text = rules.move_text(state, decision.move)
            yield NativeMove(row, text, decision.resign, seconds)
            made += 1
            moves.append(text)
            state = rules.play(state, decision.move)


def hidden_rows(game: str, opponents: list[dict[str, Any]], policies: SharedPolicies) -> Iterator[NativeMove]:
    """Rows of whole games of hidden information, one game after the other. A decision's time has that of the
    observations since the player's last one."""
    rules: Any = load_game(game)
    rng = random.Random(game)
    while True:
        chosen = [rng.choice(opponents) for _ in rules.spec.players]
        seeds = [rng.randrange(2**53) for _ in chosen]
        players = [Opponent(game, **keys).completed().make(policies) for keys in chosen]
        state, moves, observing = rules.initial(), list[str](), [0.0, 0.0]
        for side, player in enumerate(players):
            player.new_game(GameStart(rules, side, None, [seeds[side], side, 0]))
        while rules.outcome(state) is None and len(moves) < 240:
            side = state.to_move
            row = (game, dict[str, Any](), chosen[side], seeds[side], side, list(moves))
            began = time.process_time()
            decision = players[side].choose(Turn(None, rules.legal_moves(state)))
            seconds = time.process_time() - began + observing[side]
            observing[side] = 0.0
            text = rules.move_text(state, decision.move)
            yield NativeMove(row, text, decision.resign, seconds)
            moves.append(text)
            before, state = state, rules.play(state, decision.move)
            for observer, player in enumerate(players if rules.outcome(state) is None else ()):
                began = time.process_time()
                player.observe(rules.observe(before, observer, decision.move))
                observing[observer] += time.process_time() - began
