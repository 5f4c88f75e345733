"""`sparring book`: the opening book of Expendibots."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import track

from sparring.cli.errors import UserError
from sparring.cli.printing import make_console, visible
from sparring.players import BadBook, SearchLimits
from sparring.players.expendibots import ExpendibotsAgent, agent_components
from sparring.players.expendibots.book import (
    SHIPPED_BOOK,
    BookConfig,
    ExpendibotsBook,
    build_book,
    open_expendibots_book,
    write_book,
)
from sparring.reports import provenance
from sparring.storage import Journal, lock_file

GameArgument = Annotated[str, typer.Argument(help="expendibots", metavar="GAME")]


def build(
    game: GameArgument,
    positions: Annotated[
        int, typer.Option(min=1, help="Number of positions in the book.")
    ] = BookConfig.positions,
    nodes: Annotated[int, typer.Option(min=1, help="Search nodes per position.")] = BookConfig.nodes,
    out: Annotated[Path, typer.Option(help="Output file.")] = Path("expendibots-book.npz"),
) -> None:
    """Build an opening book by search.

    The most likely positions come first. An interrupted run is resumed by the same command.
    """
    _check(game)
    with lock_file(out):
        _build(game, positions, nodes, out)


def _build(game: str, positions: int, nodes: int, out: Path) -> None:
    path = out.with_suffix(f".{positions}x{nodes}.jsonl")
    journal = Journal(path, kind=tuple[int, int])
    known = dict(journal.entries)
    started, config = time.process_time(), BookConfig(positions=positions, nodes=nodes)
    entries: dict[int, int] = {}
    search = ExpendibotsAgent(agent_components("network"), SearchLimits(nodes=nodes)).search
    found = build_book(search, config, known)
    for key, move in track(found, "searching", total=positions, console=make_console(stderr=True)):
        entries[key] = move
        if key not in known:
            journal.add([key, move])
    origin = provenance(f"sparring book build {game} --positions {positions} --nodes {nodes}")
    write_book(ExpendibotsBook(entries, origin), out)
    path.unlink()
    print(f"{visible(out)}: {len(entries)} positions in {time.process_time() - started:.0f} s of CPU")


def info(
    game: GameArgument,
    file: Annotated[
        Path, typer.Option("--file", help="File of the book.", show_default="the shipped one")
    ] = SHIPPED_BOOK,
) -> None:
    """Show how an opening book was made."""
    _check(game)
    try:
        book = open_expendibots_book(file)
    except BadBook as error:
        raise UserError(str(error)) from None
    print(json.dumps({"positions": len(book.entries), "bytes": file.stat().st_size, **book.origin}))


def _check(game: str) -> None:
    if game != "expendibots":
        raise UserError(f"there is an opening book of expendibots, not of {game}")
