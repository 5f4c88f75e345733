"""`sparring perft`: counts move sequences, the standard test of a move generator."""

from __future__ import annotations

import json
import time
from typing import Annotated

import typer

from sparring.cli.arguments import GameName, Options, PositionText, choose_game, choose_state
from sparring.cli.interrupts import start_native


def perft(
    game: GameName,
    depth: Annotated[int, typer.Argument(min=0, max=100, help="Plies.")],
    position: PositionText = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    option: Options = None,
) -> None:
    """Count the move sequences of a given length (perft).

    Draws by repetition or move count do not end a sequence.
    """
    rules = choose_game(game, option)
    state = choose_state(rules, position)
    counted: list[int] = []
    start = time.perf_counter()
    worker = start_native(lambda: counted.append(state.perft(depth)))
    while worker.is_alive():
        worker.join(0.1)
    seconds = time.perf_counter() - start
    nodes = counted[0]
    if as_json:
        print(json.dumps({"game": game, "depth": depth, "nodes": nodes, "seconds": round(seconds, 6)}))
    else:
        print(
            f"{nodes:,} nodes in {seconds:.3f} s ({nodes / max(seconds, 1e-9) / 1e6:,.1f} million per second)"
        )
