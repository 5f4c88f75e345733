"""Experiment 1: games between searches with different Theta, all games of a pair in lockstep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparring.arena.results import GameResult
from sparring.games import Move, load_game
from sparring.players.lockstep_distributions import lockstep_distributions
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


@dataclass
class _Game:
    number: int
    players: tuple[str, str]
    rng: np.random.Generator
    state: Any
    plies: int = 0

    @property
    def mover(self) -> str:
        return self.players[self.state.to_move]


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
    running = [
        _Game(n, pair[::-1] if n % 2 else pair, np.random.default_rng([seed, *place, n]), game.initial())
        for n in task.numbers
    ]
    while running:
        for name in pair:  # after its first move each player is on move in all games at once
            turns = [each for each in running if each.mover == name]
            for each, move in zip(turns, _choose(policy, players[name], turns), strict=True):
                each.state = each.state.play(move)
                each.plies += 1
            ended = [each for each in running if each.state.outcome is not None or each.plies >= max_plies]
            yield from map(_result, ended)
            running = [each for each in running if each not in ended]


def _choose(policy: Policy, config: PlayerConfig, turns: Sequence[_Game]) -> list[Move]:
    distributions = lockstep_distributions(policy, config, [each.state for each in turns])
    return [each.draw(turn.rng).move for turn, each in zip(turns, distributions, strict=True)]


def _result(game: _Game) -> GameResult:
    outcome, (first, second) = game.state.outcome, game.players
    score, reason = 0.5, "length limit"
    if outcome is not None:
        score, reason = 0.5 if outcome.winner is None else float(outcome.winner == 0), outcome.reason
    return GameResult(game.number, first, second, 0, score, reason, "", game.plies, 0.0)
