"""Experiment 1: games between searches with different Theta, all pairs in lockstep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sparring.arena.results import GameResult
from sparring.calibration.lockstep_games import LockstepGame, PolicyMover, play_together
from sparring.games import load_game
from sparring.players.player_config import PlayerConfig
from sparring.policies import Policy

MAX_PLIES = 400
"""A longer game is drawn."""


@dataclass(frozen=True)
class Pairing:
    """A game of a pair that is to be played."""

    first: str
    second: str
    number: int
    """Number among the games of the pair; with an odd number the second player has White."""

    @property
    def sides(self) -> tuple[str, str]:
        """The players of White and Black."""
        return (self.second, self.first) if self.number % 2 else (self.first, self.second)


def play_pairings(
    policy: Policy,
    players: Mapping[str, PlayerConfig],
    pairings: Sequence[Pairing],
    seed: int,
    *,
    max_plies: int = MAX_PLIES,
) -> Iterator[GameResult]:
    """Plays games at the same time and yields results as games end.

    A player's searches of all its games share network batches. Draws by repetition and by the 50-move rule
    end a game. Moves are drawn as `SearchPlayer` draws them. The seed makes the same games, whichever are
    played together.
    """
    game = load_game("chess", claim_draws=True)
    places = {name: place for place, name in enumerate(sorted(players))}
    movers = {name: PolicyMover(config, policy) for name, config in players.items()}
    games = [
        LockstepGame(
            index,
            (movers[each.sides[0]], movers[each.sides[1]]),
            np.random.default_rng([seed, places[each.first], places[each.second], each.number]),
            game.initial(),
        )
        for index, each in enumerate(pairings)
    ]
    for ended in play_together(games, max_plies=max_plies):
        pairing = pairings[ended.number]
        score, reason = ended.result
        yield GameResult(pairing.number, *pairing.sides, 0, score, reason, "", ended.plies, 0.0)
