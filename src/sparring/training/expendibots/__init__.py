"""Training of Expendibots' value networks by self-play.

`train_value_network` alternates self-play and training; each generation plays with the network of the last
one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sparring.search.expendibots.value_network_files import write_network
from sparring.search.linear_evaluation import LinearEvaluation
from sparring.training.expendibots.model import Epoch, ValueNetwork, ValueNetworkConfig, train
from sparring.training.expendibots.selfplay import generate_games, read_positions

__all__ = ["Epoch", "ValueNetworkConfig", "train_value_network"]


def train_value_network(
    folder: Path,
    evaluation: LinearEvaluation,
    config: ValueNetworkConfig,
    *,
    generations: int,
    games: int,
    nodes: int,
    origin: dict[str, Any],
    played: Callable[[int, int, int], None],
    learned: Callable[[int, Epoch], None],
    workers: int = 1,
) -> Path:
    """Trains `generations` networks in a folder and returns the file of the last one.

    Games and networks that the folder already has are kept, so that an interrupted run resumes. The first
    generation plays with `evaluation`, the others with the network before them, `nodes` per move, in
    `workers` processes. `played` is called with generation, games and positions; `learned` with generation
    and epoch. `origin` is stored in the files.
    """
    network: Path | None = None
    for generation in range(generations):
        path = folder / f"network-{generation}.npz"
        if not path.exists():
            found = generate_games(
                folder / f"games-{generation}",
                evaluation,
                games=games,
                nodes=nodes,
                seed=config.seed + generation,
                network=network,
                workers=workers,
            )
            for number, count in found:
                played(generation, number, count)
            positions = read_positions([folder / f"games-{each}" for each in range(generation + 1)])
            evaluator, journal = ValueNetwork.initialised(config, positions), []
            for epoch in train(evaluator, positions, config):
                journal.append(asdict(epoch))
                learned(generation, epoch)
            about = {**origin, "generation": generation, "positions": len(positions), "epochs": journal}
            write_network(evaluator.layers(), about, path)
        network = path
    assert network is not None  # there is at least one generation
    return network
