"""Search: evaluations per second of PUCT against its network alone, and against Lc0's eigen backend.

All use the same batch size and one thread. Times are processor times, which a loaded machine does not change.
The network is Maia-1500 of SPARRING_NETS; without it the shipped one, and Lc0 is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from time import process_time
from typing import Any

from bench.inputs import network_file, random_games
from bench.lc0_backend import lc0_evaluator
from bench.network_speed import throughput
from bench.result import BenchmarkResult
from sparring import networks
from sparring.chess.game import Chess
from sparring.networks.store import find
from sparring.search import Puct, PuctConfig, SearchLimits

BATCHES = (1, 16, 64)
VISITS = 2000


def search_throughput(network: networks.Network, batch: int) -> float:
    """Network evaluations per processor second of a search from the initial position."""
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


def measure() -> list[BenchmarkResult]:
    """Rows of search against the network alone, and against Lc0 if its network is there."""
    moves, states = random_games(max(BATCHES))
    maia = network_file("lc0", "maia-1500.pb.gz")
    network = networks.load_network(maia or find("human", "chess"))
    lc0 = None if maia is None else lc0_evaluator(maia, moves)
    rows = []
    for batch in BATCHES:
        ours = search_throughput(network, batch)
        alone = throughput(partial(network.predict, states[:batch]), batch)
        label = f"PUCT, {network.card.name}, batch {batch}"
        rows.append(BenchmarkResult(label, "the network alone", ours, alone, "positions/s", min_ratio=0.9))
        if lc0 is not None:
            theirs = throughput(partial(lc0, batch), batch)
            rows.append(
                BenchmarkResult(
                    f"{label}, Lc0", "Lc0's backend, eigen", ours, theirs, "positions/s", min_ratio=1.5
                )
            )
    return rows
