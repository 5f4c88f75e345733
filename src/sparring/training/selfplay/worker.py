"""The worker of self-play: plays blocks of games and matches with the networks that its tasks name.

A task holds all that it needs, so that a worker may be this process, another one or an actor of a Ray cluster
without a common disk. What it returns is written by the learner's process.
"""

from __future__ import annotations

import tempfile
import time
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from sparring.base.storage import atomic_write
from sparring.base.workers import Worker
from sparring.policies import Policy, load_policy
from sparring.training.selfplay.config import SelfPlayConfig
from sparring.training.selfplay.games import SelfPlayer
from sparring.training.selfplay.matches import MatchScore, fixed_opponent, network_mover, play_match

_LOADED = 3
"""Networks that a worker keeps."""


@dataclass(frozen=True)
class NetworkFile:
    """A network of the run."""

    name: str
    content: bytes


@dataclass(frozen=True)
class PlayTask:
    """A block of games of a generation."""

    network: NetworkFile
    generation: int
    first: int
    last: int

    def __str__(self) -> str:
        return f"games {self.first} to {self.last} of generation {self.generation}"


@dataclass(frozen=True)
class MatchTask:
    """Games `first` to `last` - 1 of a match of a network."""

    network: NetworkFile
    opponent: NetworkFile | str
    """A network, `random` or `strength-N`."""
    first: int
    last: int
    seed: int
    visits: int

    def __str__(self) -> str:
        opponent = self.opponent if isinstance(self.opponent, str) else self.opponent.name
        return f"match of {self.network.name} against {opponent}"


@dataclass(frozen=True)
class PlayedBlock:
    """A finished block."""

    task: PlayTask
    content: bytes
    """The file."""
    positions: int
    evaluations: int
    """Positions that the network evaluated."""
    seconds: float


@dataclass(frozen=True)
class PlayedMatch:
    """Finished games of a match."""

    task: MatchTask
    score: MatchScore


SelfPlayTaskKind: TypeAlias = PlayTask | MatchTask
SelfPlayResult: TypeAlias = PlayedBlock | PlayedMatch


class SelfPlayActor(Worker[SelfPlayTaskKind, SelfPlayResult]):
    """Plays with networks on this machine. `backend` and `threads` are those of the networks."""

    def __init__(self, config: SelfPlayConfig, backend: str, threads: int) -> None:
        self._config, self._backend, self._threads = config, backend, threads
        self._leash = self._load(config.play.leash) if config.play.leash else None
        self._networks: OrderedDict[str, Policy] = OrderedDict()

    def work(self, task: SelfPlayTaskKind) -> SelfPlayResult:
        """Plays the games of a task."""
        return self._play(task) if isinstance(task, PlayTask) else self._match(task)

    def _play(self, task: PlayTask) -> PlayedBlock:
        began = time.perf_counter()
        player = SelfPlayer(self._config, self._policy(task.network), self._leash)
        block = player.play_block(task.generation, task.first, task.last)
        seconds = time.perf_counter() - began
        return PlayedBlock(task, block.content(), len(block.values), player.evaluations, seconds)

    def _match(self, task: MatchTask) -> PlayedMatch:
        config, rules, visits = self._config, self._config.load_game(), task.visits
        score = play_match(
            rules,
            network_mover(self._policy(task.network), visits),
            fixed_opponent(task.opponent, rules, task.seed)
            if isinstance(task.opponent, str)
            else network_mover(self._policy(task.opponent), visits),
            range(task.first, task.last),
            seed=task.seed,
            opening_plies=config.evaluation.opening_plies,
            max_plies=config.play.max_plies,
        )
        return PlayedMatch(task, score)

    def _policy(self, network: NetworkFile) -> Policy:
        if network.name not in self._networks:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / network.name
                atomic_write(path, network.content)
                self._networks[network.name] = self._load(str(path))
            while len(self._networks) > _LOADED:
                self._networks.popitem(last=False)
        self._networks.move_to_end(network.name)
        return self._networks[network.name]

    def _load(self, source: str) -> Policy:
        return load_policy(
            source,
            self._config.game,
            backend=self._backend,
            threads=self._threads,
            batch=self._config.play.parallel,
        )
