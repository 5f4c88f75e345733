"""How many threads a configured number stands for."""

from __future__ import annotations

import os


def usable_threads(wanted: int) -> int:
    """`wanted` threads, but at most one for each core that this process may use; 0 for all of them.

    A file that was written for a large machine then works on a small one: more threads than cores only take
    time from each other.
    """
    has_affinity = hasattr(os, "sched_getaffinity")  # not on macOS and Windows
    cores = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    return min(wanted or cores, cores)
