"""Builds of the native core against each other: `python -m bench.core_builds NAME=FILE...`.

A file is a `_core*.so`; the first build is the baseline. Each build runs in processes of its own, in turns,
and the least processor time of all rounds counts, so that other work on the machine disturbs little. A build
for other processors is a wheel with another `-march` in CMakeLists.txt.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time
from typing import Any

from sparring.base.provenance import provenance
from sparring.measure.reports import write_json

RESULTS = Path(__file__).parent.parent / "results" / "bench" / "core_builds.json"
ROUNDS = 5
TIMES = 5


def load_core(file: str) -> Any:
    """The native module of a file, without the package around it."""
    spec = importlib.util.spec_from_file_location("_core", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def possible_boards(core: Any) -> Any:
    """The boards of blind chess that are possible after five quiet turns; Black is to move."""
    state = core.RbcState.initial()
    boards = core.RbcBoardSet.of([state], player=0)
    for request in ("e2e4", "g1f3", "f1c4", "d2d3", "c1g5"):
        move = state.parse_move(request)
        boards = (boards if boards.to_move == 0 else boards.after_opponent(None)).after_move(move, move, None)
    return boards


def works(core: Any) -> dict[str, Callable[[], object]]:
    """What is measured: rules, playouts, sets of boards, planes of networks."""
    chess, go, shogi, tokens = (
        state.initial() for state in (core.ChessState, core.GoState, core.ShogiState, core.ExpendibotsState)
    )
    boards = possible_boards(core)
    children = boards.after_opponent(None).subsample(100_000, seed=1)
    return {
        "chess perft 5": lambda: chess.perft(5),
        "chess playouts": lambda: [chess.playout(seed, 400) for seed in range(300)],
        "shogi perft 4": lambda: shogi.perft(4),
        "Expendibots perft 4": lambda: tokens.perft(4),
        "Go playouts": lambda: [go.playout(seed, 800) for seed in range(200)],
        "RBC successors": lambda: boards.after_opponent(None),
        "RBC senses": children.sense_values,
        "Maia-3's planes": lambda: core.maia3_encode([chess] * 512),
        "KataGo's planes": lambda: core.katago_encode([go] * 512, 19),
    }


def measure(core: Any) -> dict[str, float]:
    """Milliseconds of processor time of each work, the least of some times."""
    row = {}
    for name, work in works(core).items():
        work()
        seconds = []
        for _ in range(TIMES):
            start = process_time()
            work()
            seconds.append(process_time() - start)
        row[name] = round(min(seconds) * 1000, 3)
    return row


def main(arguments: Sequence[str] | None = None) -> None:
    """Compares builds, or measures one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("builds", nargs="+", help="NAME=FILE; the first is the baseline")
    parser.add_argument("--one", action="store_true", help="print the times of the only build, a file")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    if options.one:
        print(json.dumps(measure(load_core(options.builds[0]))))
        return
    builds = dict(build.split("=", 1) for build in options.builds)
    least: dict[str, dict[str, float]] = {}
    for _ in range(ROUNDS):
        for name, file in builds.items():
            command = [sys.executable, "-m", "bench.core_builds", "--one", file]
            times = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            for work, milliseconds in times.items():
                known = least.setdefault(work, {})
                known[name] = min(milliseconds, known.get(name, milliseconds))
    first = next(iter(builds))
    rows = [
        {
            "what": work,
            "milliseconds": times,
            "ratio": {name: round(times[name] / times[first], 3) for name in times},
        }
        for work, times in least.items()
    ]
    for row in rows:
        print(row["what"], row["ratio"])
    names = " ".join(f"{name}=FILE" for name in builds)
    interval = (
        f"least of {ROUNDS} processes of {TIMES} times each, in turns; ratio is to the first build's time"
    )
    write_json(
        {**provenance(f"python -m bench.core_builds {names}"), "interval": interval, "rows": rows},
        options.out,
    )


if __name__ == "__main__":
    main()
