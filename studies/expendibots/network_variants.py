"""Recipes of value networks compared: each changes one thing of the base recipe and plays against it.

All networks learn from the games of one run of `sparring train evaluator`. The base is the recipe of the
network that was shipped before the step `trades` of the ladder.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from sparring.base.provenance import provenance
from sparring.base.storage import atomic_write
from sparring.base.workers import Worker, open_pool
from sparring.expendibots.agent import AgentComponents, ExpendibotsAgent, open_network
from sparring.expendibots.tables import shipped_tables
from sparring.expendibots.training import Epoch, ValueNetworkConfig, read_positions, train
from sparring.measure.reports import write_json
from sparring.players import SearchLimits
from sparring.search.linear_evaluation import open_evaluation
from sparring.search.value_network import network_file
from studies.expendibots.acceptance import MatchSummary, NamedPlayer, play_match, summarise_match

REPORT = "variants.json"
BASE = "base"
_BASE_CONFIG = ValueNetworkConfig(late_weight=1.0, seed=1)
VARIANTS = {
    BASE: _BASE_CONFIG,
    "24 epochs": replace(_BASE_CONFIG, epochs=24),
    "64 units": replace(_BASE_CONFIG, hidden=(64, 16)),
    "outcome 0.1": replace(_BASE_CONFIG, outcome_weight=0.1),
    "outcome 0.5": replace(_BASE_CONFIG, outcome_weight=0.5),
    "draws 0": replace(_BASE_CONFIG, draw_value=0.0),
    "late weight 0": replace(_BASE_CONFIG, late_weight=0.0),
}
"""Recipes by name."""


@dataclass(frozen=True)
class VariantConfig:
    """The plan of a comparison of recipes."""

    run: Path
    """Folder of a run of `sparring train evaluator`; the games of all its generations are used."""
    games: int = 200
    """Games of each variant against the base."""
    nodes: int = 5_000
    """Nodes of a search for a move."""
    seed: int = 0


def compare_variants(
    out: Path,
    config: VariantConfig,
    *,
    command: str,
    workers: int = 1,
    callback: Callable[[MatchSummary], None] = lambda _: None,
) -> dict[str, Any]:
    """Trains the networks, in `workers` processes, and plays each against the base; writes `variants.json`.

    Networks and games are kept in `out`, so that a stopped run resumes. `callback` is called after each
    match. Returns the report. Raises WorkerError.
    """
    out.mkdir(parents=True, exist_ok=True)
    spawn = partial(_VariantWorker, out, config)
    pool = open_pool(spawn, workers, lambda task: task.name)
    matches = []
    with pool:
        for _ in pool.run(_Task(name, plays=False) for name in VARIANTS):
            pass
        for summary in pool.run(_Task(name, plays=True) for name in VARIANTS if name != BASE):
            assert summary is not None
            matches.append(summary)
            callback(summary)
    report = {
        **provenance(command),
        "games": config.games,
        "nodes_a_move": config.nodes,
        "seed": config.seed,
        "recipes": {name: asdict(each) for name, each in VARIANTS.items()},
        "matches": [asdict(each) for each in sorted(matches, key=lambda match: -match.score)],
    }
    write_json(report, out / REPORT)
    return report


@dataclass(frozen=True)
class _Task:
    """A variant to train, or to play against the base."""

    name: str
    plays: bool


class _VariantWorker(Worker[_Task, MatchSummary | None]):
    def __init__(self, out: Path, config: VariantConfig) -> None:
        self._out, self._config = out, config

    def work(self, task: _Task) -> MatchSummary | None:
        """Trains a network, or returns the summary of its match."""
        if task.plays:
            return self._play(task.name)
        if not self._network(task.name).exists():
            positions = read_positions(sorted(self._config.run.glob("games-*")))
            recipe, epochs = VARIANTS[task.name], list[Epoch]()
            run = self._network(task.name).with_suffix("")
            network = train(positions, recipe, run, epochs.append)
            origin = {
                "recipe": asdict(recipe),
                "positions": len(positions),
                "epochs": [asdict(epoch) for epoch in epochs],
            }
            atomic_write(self._network(task.name), network_file(network.layers(), origin))
        return None

    def _play(self, name: str) -> MatchSummary:
        config = self._config
        sides = [NamedPlayer(each, self._agent(each)) for each in (name, BASE)]
        journal = self._out / "games" / f"{name}-{BASE}-{config.nodes}-{config.seed}.jsonl".replace(" ", "-")
        played = play_match("expendibots", *sides, games=config.games, seed=config.seed, journal=journal)
        return summarise_match(name, BASE, list(played))

    def _agent(self, name: str) -> ExpendibotsAgent:
        evaluation, network = open_evaluation("expendibots"), open_network(self._network(name))
        components = AgentComponents(evaluation, network=network, tables=shipped_tables())
        return ExpendibotsAgent(components, SearchLimits(nodes=self._config.nodes), megabytes=4)

    def _network(self, name: str) -> Path:
        return self._out / f"{name.replace(' ', '-')}.npz"
