"""Compares the CPU time of network files on one core.

    python -m studies.student.time_networks FIRST.onnx OTHERS.onnx... [--out FILE.json]

The process stays on one core. Rounds are interleaved, and every second one has the opposite order. Times are
medians of process time, so other work on the machine disturbs little. Ratios are to the first network, with
95 % intervals of the median by bootstrap over rounds. `predict` is the whole way of `Network.predict` with
positions of a random game: encoding, network and decoding.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from sparring.games import describe, load_game
from sparring.networks import Position, load_network
from sparring.networks.formats import read_network
from studies.options import write_measurement

_BATCHES = ((1, 80, 4), (16, 24, 1), (64, 12, 1))
"""Batch size, rounds, and runs per round."""
_WARM_UP = 2


def pin() -> None:
    """Keeps the process on one core."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def _session(path: Path) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(read_network(path)[0].SerializeToString(), options)


def _positions(game: str, rating: int | None, n: int) -> list[Position]:
    """Positions of a random game."""
    rules = load_game(game)
    rng, state, positions = np.random.default_rng(0), rules.initial(), list[Position]()
    while len(positions) < n:
        positions.append(Position(state, rating, rating))
        legal = rules.legal_moves(state)
        state = rules.play(state, int(rng.choice(legal))) if len(legal) else rules.initial()
    return positions


def timed(functions: list[Callable[[], object]], rounds: int, runs: int) -> NDArray[np.float64]:
    """Process seconds of one run, [rounds, functions]; each round runs all of them."""
    times = np.zeros((rounds + _WARM_UP, len(functions)))
    for number, row in enumerate(times):
        order = range(len(functions)) if number % 2 else range(len(functions) - 1, -1, -1)
        for i in order:
            begun = time.process_time()
            for _ in range(runs):
                functions[i]()
            row[i] = (time.process_time() - begun) / runs
    return times[_WARM_UP:]


def summary(times: NDArray[np.float64], n: int) -> list[dict[str, Any]]:
    """Milliseconds a position and the ratio to the first function with its interval, of each function."""
    ratios = times / times[:, :1]
    draws = np.random.default_rng(0).integers(len(times), size=(1000, len(times)))
    found = []
    for i in range(times.shape[1]):
        low, high = np.percentile(np.median(ratios[draws, i], axis=1), [2.5, 97.5])
        found.append(
            {
                "ms": round(float(np.median(times[:, i])) / n * 1e3, 3),
                "ratio": [round(float(x), 3) for x in (np.median(ratios[:, i]), low, high)],
            }
        )
    return found


def main() -> None:
    """Prints the time a position of every network and batch size."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("networks", type=Path, nargs="+")
    parser.add_argument("--out", type=Path)
    o = parser.parse_args()
    pin()
    sessions = [_session(path) for path in o.networks]
    networks = [load_network(str(path)) for path in o.networks]
    (game,) = {network.codec.game for network in networks}
    people = describe(game).people
    rating = None if people is None else describe(game).ratings.number(people.rating)
    result: dict[str, Any] = {}
    for n, rounds, runs in _BATCHES:
        positions = _positions(game, rating, n)
        inputs = [network.codec.encode(positions) for network in networks]
        ways: dict[str, list[Callable[[], object]]] = {
            "network": [partial(s.run, None, feed) for s, feed in zip(sessions, inputs, strict=True)],
            "predict": [partial(network.predict, positions) for network in networks],
        }
        for way, functions in ways.items():
            rows = summary(timed(functions, rounds, runs), n)
            result[f"{way}, batch {n}"] = {path.stem: row for path, row in zip(o.networks, rows, strict=True)}
            for path, row in zip(o.networks, rows, strict=True):
                middle, low, high = row["ratio"]
                ratio = f"{middle:.3f} ({low:.3f}-{high:.3f})"
                print(f"{way} batch {n:2d} {row['ms']:7.3f} ms  {ratio}  {path.stem}")
    if o.out:
        write_measurement(result, o.out, "studies.student.time_networks")


if __name__ == "__main__":
    main()
