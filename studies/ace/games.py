"""Experiment 1: games between searches with different Theta, all games of a pair in lockstep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from sparring.arena.results import GameResult
from sparring.calibration.lockstep_games import LockstepGame, PolicyMover, play_together
from sparring.games import load_game
from sparring.players.player_config import PlayerConfig
from sparring.policies import Policy, load_policy

MAX_PLIES = 400
"""A longer game is drawn."""


@dataclass(frozen=True)
class PairTask:
    """Some games between two players."""

    first: str
    second: str
    numbers: tuple[int, ...]
    """Numbers of the games; with an odd number the second player has White."""


@dataclass(frozen=True)
class MatchSetting:
    """What all games share."""

    players: Mapping[str, PlayerConfig]
    network: str
    backend: str
    batch: int
    seed: int


class PairPlayer:
    """A worker that plays the games of a task."""

    def __init__(self, setting: MatchSetting) -> None:
        self._setting = setting
        self._policy = load_policy(setting.network, "chess", backend=setting.backend, batch=setting.batch)

    def work(self, task: PairTask) -> list[GameResult]:
        """The results in the order of the numbers."""
        found = play_games(self._policy, self._setting.players, task, self._setting.seed)
        return sorted(found, key=lambda each: each.number)

    def close(self) -> None:
        """Nothing stays open."""

    def terminate(self) -> None:
        """There are no child processes."""


def play_games(
    policy: Policy,
    players: Mapping[str, PlayerConfig],
    task: PairTask,
    seed: int,
    *,
    max_plies: int = MAX_PLIES,
) -> Iterator[GameResult]:
    """Plays the games of a task and yields results as games end.

    Draws by repetition and by the 50-move rule end a game. Moves are drawn as `SearchPlayer` draws them. The
    seed makes the same games.
    """
    game = load_game("chess", claim_draws=True)
    pair = (task.first, task.second)
    place = [sorted(players).index(name) for name in pair]
    movers = [PolicyMover(players[name], policy) for name in pair]
    games = [
        LockstepGame(
            n,
            (movers[1], movers[0]) if n % 2 else (movers[0], movers[1]),
            np.random.default_rng([seed, *place, n]),
            game.initial(),
        )
        for n in task.numbers
    ]
    for ended in play_together(games, max_plies=max_plies):
        first, second = pair[::-1] if ended.number % 2 else pair
        score, reason = ended.result
        yield GameResult(ended.number, first, second, 0, score, reason, "", ended.plies, 0.0)
