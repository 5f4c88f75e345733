"""Matches of a network against fixed opponents, in lockstep: how strong it is over time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from sparring._core import PuctConfig
from sparring.games import Game, Move, describe
from sparring.measure.ratings import wilson_interval
from sparring.networks import Position
from sparring.players.player import GameStart, Player, Turn
from sparring.players.small_players import RandomPlayer, make_strength_player
from sparring.policies import Policy
from sparring.search import search_together

_TOGETHER = 16
"""Games at once against players with a table of their own."""


class Side(Protocol):
    """One side of all games of a match."""

    def choose(self, games: Sequence[int], states: Sequence[Any]) -> list[Move]:
        """The moves in these games, whose positions are `states`."""


class NetworkSide:
    """Plays the most visited move of a search, of all games together."""

    def __init__(self, policy: Policy, visits: int) -> None:
        search = describe(policy.game).search
        self._policy, self._visits = policy, max(visits, 1)
        self._config = PuctConfig(
            batch=1,
            find_immediate_wins=search.find_immediate_wins,
            repetition_draws=search.repetition_draws,
        )

    def choose(self, games: Sequence[int], states: Sequence[Any]) -> list[Move]:
        """The best moves of the searches."""
        positions = [Position(state) for state in states]
        results = search_together(self._policy, positions, self._config, self._visits)
        return [int(result.moves[result.ranked()[0]]) for result in results]


class PlayerSide:
    """A player of its own in each game."""

    def __init__(self, opponent: str, rules: Game[Any], seed: int) -> None:
        """`opponent` is `random` or `strength-N`."""
        self._opponent, self._rules, self._seed = opponent, rules, seed
        self._players: dict[int, Player] = {}

    def choose(self, games: Sequence[int], states: Sequence[Any]) -> list[Move]:
        """The players' choices."""
        return [
            self._player(number).choose(Turn.of(state)).move
            for number, state in zip(games, states, strict=True)
        ]

    def _player(self, number: int) -> Player:
        if number not in self._players:
            name = self._rules.spec.name
            player: Player = (
                RandomPlayer()
                if self._opponent == "random"
                else make_strength_player(name, int(self._opponent.removeprefix("strength-")))
            )
            player.new_game(GameStart(self._rules, seed=[self._seed, number]))
            self._players[number] = player
        return self._players[number]


@dataclass(frozen=True)
class MatchScore:
    """The scores of a side in the games of a match: 1, 0.5 or 0."""

    scores: tuple[float, ...]

    @property
    def share(self) -> float:
        """The share of the points."""
        return sum(self.scores) / len(self.scores)

    @property
    def elo(self) -> float:
        """The difference in Elo, with half a win and half a loss before the first game."""
        points, games = sum(self.scores) + 0.5, len(self.scores) + 1
        return 400 * math.log10(points / (games - points))

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share."""
        return wilson_interval(self.share, len(self.scores))

    def __add__(self, other: MatchScore) -> MatchScore:
        return MatchScore(self.scores + other.scores)


def play_match(
    rules: Game[Any],
    first: Side,
    second: Side,
    games: range,
    *,
    seed: int,
    opening_plies: int,
    max_plies: int,
) -> MatchScore:
    """Plays the games with these numbers and returns the scores of `first`.

    Games 2k and 2k + 1 begin with the same random plies; `first` is player 0 in the even ones. A game of more
    than `max_plies` plies is a draw.
    """
    scores: dict[int, float] = {}
    for start in range(games.start, games.stop, _TOGETHER):
        together = range(start, min(start + _TOGETHER, games.stop))
        states = {number: _opening(rules, opening_plies, [seed, number // 2]) for number in together}
        while states:
            for side, player in ((first, 0), (second, 1)):
                turns = [n for n, state in states.items() if state.to_move == (player + n) % 2]
                if not turns:
                    continue
                for n, move in zip(turns, side.choose(turns, [states[n] for n in turns]), strict=True):
                    states[n] = states[n].play(move)
                    if states[n].outcome is not None or states[n].ply >= max_plies:
                        scores[n] = _score(states.pop(n), n % 2)
    return MatchScore(tuple(scores[number] for number in games))


def _opening(rules: Game[Any], plies: int, seed: list[int]) -> Any:
    """The initial state after random moves, of which none ends the game."""
    rng, state = np.random.default_rng(seed), rules.initial()
    for _ in range(plies):
        after = state.play(int(rng.choice(state.legal_moves())))
        if after.outcome is not None:
            return state
        state = after
    return state


def _score(state: Any, player: int) -> float:
    outcome = state.outcome
    return 0.5 if outcome is None else float(outcome.score(player))
