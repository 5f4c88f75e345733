"""Networks: positions per second with encoding and decoding, against Lc0's eigen backend.

Network files are in SPARRING_NETS; without it only the encoding is measured. Both run in turns in this
process with one thread. Times are processor times, which a loaded machine does not change.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time

from bench.inputs import network_file, random_games
from bench.lc0_backend import lc0_evaluator
from bench.result import BenchmarkResult
from sparring import networks
from sparring._core import ChessState, lc0_encode

BATCHES = (1, 16, 64, 256)
NETWORKS = {
    "Maia": "maia-1500.pb.gz",
    "T1": "t1-256x10-distilled-swa-2432500.pb.gz",
}
SECONDS = 1.0


def throughput(work: Callable[[], object], size: int) -> float:
    """Positions per processor second of `work`, which handles `size` positions a call."""
    work()
    start, done = process_time(), 0
    while process_time() - start < SECONDS:
        work()
        done += size
    return done / (process_time() - start)


def encoding_row(states: list[ChessState]) -> BenchmarkResult:
    """Encoding of Lc0's input planes, against the project's target."""
    ours = throughput(lambda: lc0_encode(states), len(states))
    return BenchmarkResult(
        "Lc0's 112 planes: encoding alone", "the promise", ours, 400_000, "positions/s", min_ratio=1
    )


def network_rows(
    name: str, path: Path, moves: list[list[str]], states: list[ChessState]
) -> list[BenchmarkResult]:
    """A Lc0 network in ONNX Runtime against Lc0, and in OpenVINO (if installed) against ONNX Runtime."""
    ours = networks.load_network(path, batch=max(BATCHES))
    extra = _openvino(path)
    theirs = lc0_evaluator(path, moves)
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
    """The shipped human-like network against Maia-3, its teacher."""
    maia3, human = (
        networks.load_network(path, batch=max(BATCHES)),
        networks.load_network("human-chess", batch=max(BATCHES)),
    )
    positions = [networks.Position(state, 1500, 1500) for state in states]
    return [
        BenchmarkResult(
            f"human, batch {batch}",
            "Maia-3 5M",
            throughput(partial(human.predict, positions[:batch]), batch),
            throughput(partial(maia3.predict, positions[:batch]), batch),
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
    """Rows of encoding, of Lc0 networks and of the shipped human-like network."""
    moves, states = random_games(max(BATCHES))
    rows = [encoding_row(states)]
    for name, file in NETWORKS.items():
        if (path := network_file("lc0", file)) is not None:
            rows += network_rows(name, path, moves, states)
    if (path := network_file("maia3", "maia3-5m.onnx")) is not None:
        rows += human_rows(path, states)
    return rows
