"""Compares the CPU time of network files on one thread.

    python -m studies.student.time_networks FIRST.onnx OTHERS.onnx...

Rounds are interleaved. Times are medians of process time, so other work on the machine disturbs little.
Ratios are to the first network.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from sparring.networks.formats import read_network

_BATCHES = ((1, 40, 4), (16, 12, 1), (64, 6, 1))
"""Batch size, rounds, and runs per round."""


def _session(path: Path) -> Any:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(read_network(path)[0].SerializeToString(), options)


def _inputs(session: Any, n: int) -> dict[str, NDArray[Any]]:
    """Random inputs of a Maia-3 network or of one of ours."""
    rng = np.random.default_rng(0)
    if any(each.name == "tokens" for each in session.get_inputs()):
        tokens, ratings = (rng.random((n, 64, 96)) < 0.06).astype(np.float32), np.full(n, 1500)
        return {"tokens": tokens, "self_elo": ratings, "oppo_elo": ratings}
    context = np.tile(np.array([0.5, 1, 0.5, 1, 0, 0], np.float32), (n, 1))
    return {"planes": (rng.random((n, 112, 8, 8)) < 0.1).astype(np.uint8), "context": context}


def main(paths: list[Path]) -> None:
    """Prints the time a position of every network and batch size."""
    sessions = [_session(path) for path in paths]
    for n, rounds, runs in _BATCHES:
        inputs = [_inputs(session, n) for session in sessions]
        times = np.zeros((rounds + 2, len(paths)))
        for row in times:
            for i, session in enumerate(sessions):
                begun = time.process_time()
                for _ in range(runs):
                    session.run(None, inputs[i])
                row[i] = (time.process_time() - begun) / runs / n * 1e3
        kept = times[2:]
        ratios = kept / kept[:, :1]
        for i, path in enumerate(paths):
            low, middle, high = np.quantile(ratios[:, i], (0.25, 0.5, 0.75))
            ratio = f"{middle:.3f} ({low:.3f}-{high:.3f})"
            print(f"batch {n:2d} {np.median(kept[:, i]):7.3f} ms  {ratio}  {path.stem}")


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])
