"""`sparring tables`: endgame tables of Expendibots."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from sparring.cli.arguments import choose_game, choose_state
from sparring.cli.errors import UserError
from sparring.cli.interrupts import start_native
from sparring.cli.printing import make_console, visible
from sparring.reports import provenance
from sparring.search.expendibots.endgame_tables import (
    MATERIALS,
    SHIPPED_TABLES,
    BadTables,
    about_tables,
    build_tables,
    open_tables,
)
from sparring.storage import lock_file

GameArgument = Annotated[str, typer.Argument(help="expendibots", metavar="GAME")]
File = Annotated[Path, typer.Option("--file", help="File of the tables.", show_default="the shipped one")]


def build(
    game: GameArgument,
    out: Annotated[Path, typer.Option(help="Output file.")] = Path("expendibots-endgames.zip"),
) -> None:
    """Solve all endgames of up to five tokens.

    Retrograde analysis; takes about two minutes.
    """
    _check(game)
    with lock_file(out):
        _build(game, out)


def _build(game: str, out: Path) -> None:
    started = time.process_time()
    finished: list[str] = []
    origin = provenance(f"sparring tables build {game}")
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
    game: GameArgument,
    file: File = SHIPPED_TABLES,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the size and the results of the endgame tables."""
    _check(game)
    try:
        about = about_tables(file)
    except BadTables as error:
        raise UserError(str(error)) from None
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
    game: GameArgument,
    position: Annotated[str, typer.Argument(help="The position as text (see docs/notation.md).")],
    file: File = SHIPPED_TABLES,
) -> None:
    """Look up a position and each of its moves."""
    _check(game)
    rules = choose_game(game, None)
    state = choose_state(rules, position)
    try:
        tables = open_tables(file)
    except BadTables as error:
        raise UserError(str(error)) from None
    value = tables.probe(state)
    if value is None:
        raise UserError(f"no table has {position}: there are {', '.join(f'{s} v {w}' for s, w in MATERIALS)}")
    print(_in_words(value))
    for move in state.legal_moves():
        after = state.play(move)
        if after.outcome is not None:
            winner = after.outcome.winner
            found = (
                "draws" if winner is None else "wins at once" if winner == state.to_move else "loses at once"
            )
        else:
            probed = tables.probe(after)
            found = _in_words(-probed, 1) if probed is not None else ""
        print(f"  {state.move_text(move)}: {found}")


def _in_words(value: int, earlier: int = 0) -> str:
    if value == 0:
        return "draws"
    return f"{'wins' if value > 0 else 'loses'} in {abs(value) + earlier}"


def _check(game: str) -> None:
    if game != "expendibots":
        raise UserError(f"there are endgame tables of expendibots, not of {game}")
