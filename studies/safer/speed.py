"""The time of one safer move, by the clock and of the processor: others may use the machine meanwhile."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from sparring.measure import safer_moves
from sparring.networks import Position
from sparring.policies import load_policy
from sparring.records import RecordedGame
from studies.safer.games import ply_order


def measure_speed(games: Sequence[RecordedGame], backend: str) -> dict[str, Any]:
    """Seconds a position with one thread, and how often another move is recommended."""
    human = load_policy("human", "chess", backend=backend)
    strong = load_policy("strong", "chess", backend=backend)
    clock, processor, safer, traps, wrong = [], [], 0, 0, 0
    for game in games:
        ply = next(ply for ply in ply_order(game) if game.states[ply].outcome is None)
        mover = game.states[ply].to_move
        place = Position(game.states[ply], game.ratings[mover], game.ratings[1 - mover])
        began, used = time.perf_counter(), time.process_time()
        (found,) = safer_moves([place], human, strong)
        clock.append(time.perf_counter() - began)
        processor.append(time.process_time() - used)
        safer += found.safer is not found.engine
        wrong += found.mistake is not None
        traps += bool(found.traps)
    return {
        "positions": len(clock),
        "backend": backend,
        "processor seconds": {
            "median": round(float(np.median(processor)), 3),
            "95 %": round(float(np.quantile(processor, 0.95)), 3),
            "most": round(max(processor), 3),
        },
        "seconds by the clock, median": round(float(np.median(clock)), 3),
        "another move is safer": safer,
        "with a place where people go wrong": wrong,
        "positions with traps": traps,
    }
