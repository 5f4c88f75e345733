"""`sparring expendibots tables`: endgame tables."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from sparring.base.errors import UserError
from sparring.base.provenance import provenance
from sparring.base.storage import lock_file
from sparring.cli.arguments import AsJson, choose_state
from sparring.cli.console import make_console, start_native, visible
from sparring.expendibots.game import Expendibots
from sparring.expendibots.tables import MATERIALS, SHIPPED_TABLES, about_tables, build_tables, open_tables

File = Annotated[Path, typer.Option("--file", help="File of the tables.", show_default="the shipped one")]


def build(
    out: Annotated[Path, typer.Option(help="Output file.")] = Path("expendibots-endgames.zip"),
) -> None:
    """Solve all endgames of up to five tokens.

    Retrograde analysis; takes about two minutes.
    """
    with lock_file(out):
        _build(out)


def _build(out: Path) -> None:
    started = time.process_time()
    finished: list[str] = []
    origin = provenance("sparring expendibots tables build")
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=make_console(stderr=True)) as progress:
        task = progress.add_task("")
        worker = start_native(lambda: build_tables(out, finished.append, origin))
        while worker.is_alive():
            worker.join(0.2)
            names = [f"{strong} v {weak}" for strong, weak in MATERIALS]
            at = names[min(len(finished), len(names) - 1)]
            progress.update(task, description=f"solving {at} tokens ({len(finished)} of {len(names)} done)")
    if len(finished) < len(MATERIALS) or not out.is_file():
        raise UserError(f"the tables cannot be written to {out}")
    print(f"{visible(out)}: {out.stat().st_size:,} bytes in {time.process_time() - started:.0f} s of CPU")


def info(
    file: File = SHIPPED_TABLES,
    as_json: AsJson = False,
) -> None:
    """Show the size and the results of the endgame tables."""
    about = about_tables(file)
    if as_json:
        print(json.dumps(about))
        return
    table = Table("tokens", "positions", "won", "drawn", "lost", "longest win", "longest loss", box=None)
    rows = about["materials"]
    for row in rows if isinstance(rows, list) else []:
        shares = (f"{row[key] / row['positions']:.2%}" for key in ("won", "drawn", "lost"))
        table.add_row(
            f"{row['mover']} v {row['other']}",
            f"{row['positions']:,}",
            *shares,
            str(row["longest_win"]),
            str(row["longest_loss"]),
        )
    make_console().print(table)


def probe(
    position: Annotated[str, typer.Argument(help="The position as text (see docs/notation.md).")],
    file: File = SHIPPED_TABLES,
) -> None:
    """Look up a position and each of its moves."""
    state = choose_state(Expendibots(), position)
    tables = open_tables(file)
    value = tables.probe(state)
    if value is None:
        raise UserError(f"no table has {position}: there are {', '.join(f'{s} v {w}' for s, w in MATERIALS)}")
    print(_in_words(value))
    for move in state.legal_moves():
        after = state.play(move)
        if after.outcome is not None:
            winner = after.outcome.winner
            text = (
                "draws" if winner is None else "wins at once" if winner == state.to_move else "loses at once"
            )
        else:
            probed = tables.probe(after)
            text = _in_words(-probed, 1) if probed is not None else ""
        print(f"  {state.move_text(move)}: {text}")


def _in_words(value: int, earlier: int = 0) -> str:
    if value == 0:
        return "draws"
    return f"{'wins' if value > 0 else 'loses'} in {abs(value) + earlier}"
