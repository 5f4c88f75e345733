"""Matches between searches of one policy: all games are played at once, in lockstep."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from sparring.arena.results import ArenaGame
from sparring.games import load_game
from sparring.measure.calibration import PolicyMover
from sparring.play.match import LockstepGame, play_together
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


def play_match(
    policy: Policy,
    pairing: tuple[Contestant, Contestant],
    games: int,
    *,
    rating: int | None,
    seed: int = 0,
    max_plies: int = 1000,
) -> Iterator[ArenaGame]:
    """Plays games between two contestants from the initial position and yields results as games end.

    Moves are drawn as `SearchPlayer` draws them, at temperature 1; unlike its tree, trees are not kept from
    move to move. Colours alternate. A game of `max_plies` plies is drawn. The seed makes the same games.
    """
    game = load_game(policy.game)
    movers = [
        PolicyMover(replace(each.player_config(policy.game), rating=rating), policy) for each in pairing
    ]
    running = [
        LockstepGame(
            n,
            (movers[1], movers[0]) if n % 2 else (movers[0], movers[1]),
            np.random.default_rng([seed, n]),
            game.initial(),
        )
        for n in range(games)
    ]
    for ended in play_together(running, max_plies=max_plies):
        first, second = pairing[::-1] if ended.number % 2 else pairing
        end = ended.result
        yield ArenaGame(
            ended.number, first.name, second.name, 0, end.first_score, end.reason, "", ended.plies, 0.0
        )
