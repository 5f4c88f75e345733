"""Benchmarks that run on machines without the tests."""

from __future__ import annotations

import subprocess
import sys


def test_the_benchmark_of_the_planner_needs_no_tests() -> None:
    code = "import sys; sys.modules['tests'] = None; import bench.rbc_planner"
    subprocess.run([sys.executable, "-c", code], check=True)
