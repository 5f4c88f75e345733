"""Matches of a network against fixed opponents, in lockstep: how strong it is over time."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sparring.games import Game
from sparring.games.states import State
from sparring.measure.calibration import EngineMover, PolicyMover
from sparring.measure.ratings import wilson_interval
from sparring.play.match import LockstepGame, Mover, play_together
from sparring.players.player_config import PlayerConfig
from sparring.players.small_players import RandomPlayer, make_strength_player
from sparring.policies import Policy


def network_mover(policy: Policy, visits: int) -> Mover:
    """Plays the most visited move of a search leaf by leaf; the likeliest without visits."""
    return PolicyMover(PlayerConfig(policy.game, nodes=visits, temperature=0.0, batch=1), policy)


def fixed_opponent(name: str, rules: Game[State], seed: int) -> Mover:
    """The player `random` or `strength-N`."""
    if name == "random":
        return EngineMover(RandomPlayer, rules, seed)
    strength = int(name.removeprefix("strength-"))
    return EngineMover(lambda: make_strength_player(rules.spec.name, strength), rules, seed)


_TOGETHER = 64
"""Games at once."""


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
    rules: Game[State],
    first: Mover,
    second: Mover,
    numbers: range,
    *,
    seed: int,
    opening_plies: int,
    max_plies: int,
) -> MatchScore:
    """Plays the games with these numbers and returns the scores of `first`.

    Games 2k and 2k + 1 begin with the same random plies; `first` is player 0 in the even ones. A game of more
    than `max_plies` plies is a draw.
    """
    games = [
        LockstepGame(
            number,
            (second, first) if number % 2 else (first, second),
            np.random.default_rng([seed, number]),
            _opening(rules, opening_plies, [seed, number // 2]),
        )
        for number in numbers
    ]
    scores = {
        game.number: game.result.score(game.number % 2) or 0.0
        for game in play_together(games, max_plies=max_plies, together=_TOGETHER)
    }
    return MatchScore(tuple(scores[number] for number in numbers))


def _opening(rules: Game[State], plies: int, seed: list[int]) -> State:
    """The initial state after random moves, of which none ends the game."""
    rng, state = np.random.default_rng(seed), rules.initial()
    for _ in range(plies):
        after = state.play(int(rng.choice(state.legal_moves())))
        if after.outcome is not None:
            return state
        state = after
    return state
