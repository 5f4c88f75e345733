"""Matches between searches of one policy: all games are played at once, in lockstep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sparring.arena.results import GameResult
from sparring.games import Move, load_game
from sparring.players.lockstep_distributions import lockstep_distributions
from sparring.players.player_config import PlayerConfig
from sparring.policies import Policy


@dataclass(frozen=True)
class Contestant:
    """A player that searches with the policy; 0 nodes plays from the policy itself."""

    nodes: int
    batch: int | None = None
    """Most leaves that are evaluated together; None for the default."""

    @property
    def name(self) -> str:
        """Its name in the results."""
        return f"{self.nodes} nodes" + ("" if self.batch is None else f", batch {self.batch}")

    @classmethod
    def parse(cls, text: str) -> Contestant:
        """Reads "32", or "32:1" with a batch. Raises ValueError."""
        nodes, _, batch = text.partition(":")
        return cls(int(nodes), int(batch) if batch else None)

    def player_config(self, game: str) -> PlayerConfig:
        """The player's configuration: the defaults but for nodes and batch."""
        config = PlayerConfig(game, nodes=self.nodes)
        return config if self.batch is None else PlayerConfig(game, nodes=self.nodes, batch=self.batch)


@dataclass
class _Game:
    number: int
    players: tuple[Contestant, Contestant]
    rng: np.random.Generator
    state: Any
    plies: int = 0

    @property
    def mover(self) -> Contestant:
        return self.players[self.state.to_move]


def play_match(
    policy: Policy,
    pairing: tuple[Contestant, Contestant],
    games: int,
    *,
    rating: int | None,
    seed: int = 0,
    max_plies: int = 1000,
) -> Iterator[GameResult]:
    """Plays games between two contestants from the initial position and yields results as games end.

    Moves are drawn as `SearchPlayer` draws them, at temperature 1; unlike its tree, trees are not kept from
    move to move. Colours alternate. A game of `max_plies` plies is drawn. The seed makes the same games.
    """
    game, (a, b) = load_game(policy.game), pairing
    running = [
        _Game(n, (b, a) if n % 2 else (a, b), np.random.default_rng([seed, n]), game.initial())
        for n in range(games)
    ]
    while running:
        for contestant in pairing:  # after its first move each contestant is on move in all games at once
            turns = [each for each in running if each.mover == contestant]
            for each, move in zip(turns, _choose(policy, contestant, turns, rating), strict=True):
                each.state = each.state.play(move)
                each.plies += 1
            ended = [each for each in running if each.state.outcome is not None or each.plies >= max_plies]
            yield from map(_result, ended)
            running = [each for each in running if each.state.outcome is None and each.plies < max_plies]


def _choose(policy: Policy, contestant: Contestant, turns: Sequence[_Game], rating: int | None) -> list[Move]:
    config = replace(contestant.player_config(policy.game), rating=rating)
    distributions = lockstep_distributions(policy, config, [each.state for each in turns])
    return [each.draw(turn.rng).move for turn, each in zip(turns, distributions, strict=True)]


def _result(game: _Game) -> GameResult:
    outcome, (first, second) = game.state.outcome, game.players
    score, reason = 0.5, "length limit"
    if outcome is not None:
        score, reason = 0.5 if outcome.winner is None else float(outcome.winner == 0), outcome.reason
    return GameResult(game.number, first.name, second.name, 0, score, reason, "", game.plies, 0.0)
