"""Start of the command line, against a start that imports every command (as before lazy commands)."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable

from bench.result import BenchmarkResult

_RUN = [sys.executable, "-c", "from sparring.cli import main; main()"]
_EAGER = """
import importlib, pkgutil, sparring
for module in pkgutil.walk_packages(sparring.__path__, "sparring."):
    if module.name.startswith("sparring.cli.") or module.name.endswith("commands"):
        importlib.import_module(module.name)
"""
_REPEATS = 3


def measure() -> list[BenchmarkResult]:
    """Starts per minute of processor time: `--version`, `--help`, and an engine until its `uciok`."""
    eager = _per_minute(lambda: _finish([sys.executable, "-c", _EAGER]))
    runs: dict[str, tuple[Callable[[], None], float]] = {
        "sparring --version": (lambda: _finish([*_RUN, "--version"]), 4.0),
        "sparring --help": (lambda: _finish([*_RUN, "--help"]), 2.5),
        "sparring engine uci, to uciok": (_to_uciok, 1.2),
    }
    return [
        BenchmarkResult(label, "all commands imported", _per_minute(run), eager, "starts a CPU minute", least)
        for label, (run, least) in runs.items()
    ]


def _per_minute(run: Callable[[], None]) -> float:
    """Starts per minute of processor time: other work on the machine does not count."""
    begin = _cpu_seconds()
    for _ in range(_REPEATS):
        run()
    return 60 * _REPEATS / (_cpu_seconds() - begin)


def _cpu_seconds() -> float:
    """Processor time of all child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _finish(command: list[str]) -> None:
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)


def _to_uciok() -> None:
    """Starts an engine, waits for `uciok` and kills it."""
    with subprocess.Popen(
        [*_RUN, "engine", "uci"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as engine:
        assert engine.stdin is not None
        assert engine.stdout is not None
        engine.stdin.write("uci\n")
        engine.stdin.flush()
        for line in engine.stdout:
            if line == "uciok\n":
                break
        engine.kill()
