"""Commands of Expendibots: the opening book, endgame tables, the value network."""

from __future__ import annotations

import json
import re
import shutil
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, track
from rich.table import Table

from sparring.base.errors import UserError
from sparring.base.provenance import portable_command, provenance
from sparring.base.storage import Journal, lock_file, lock_folder
from sparring.cli.arguments import AsJson, choose_state
from sparring.cli.console import make_console, start_native, visible
from sparring.expendibots.agent import ExpendibotsAgent, shipped_components
from sparring.expendibots.book import (
    SHIPPED_BOOK,
    BookConfig,
    ExpendibotsBook,
    build_book,
    open_expendibots_book,
    write_book,
)
from sparring.expendibots.game import Expendibots
from sparring.expendibots.tables import MATERIALS, SHIPPED_TABLES, about_tables, build_tables, open_tables
from sparring.search import SearchLimits
from sparring.search.linear_evaluation import open_evaluation

if TYPE_CHECKING:
    from sparring.expendibots.training import Epoch


def build_book_file(
    positions: Annotated[
        int, typer.Option(min=1, help="Number of positions in the book.")
    ] = BookConfig.positions,
    nodes: Annotated[int, typer.Option(min=1, help="Search nodes per position.")] = BookConfig.nodes,
    out: Annotated[Path, typer.Option(help="Output file.")] = Path("expendibots-book.npz"),
) -> None:
    """Build an opening book by search.

    The most likely positions come first. An interrupted run is resumed by the same command.
    """
    with lock_file(out):
        _search_book(positions, nodes, out)


def _search_book(positions: int, nodes: int, out: Path) -> None:
    path = out.with_suffix(f".{positions}x{nodes}.jsonl")
    journal = Journal(path, kind=tuple[int, int])
    earlier = dict(journal.entries)
    started, config = time.process_time(), BookConfig(positions=positions, nodes=nodes)
    entries: dict[int, int] = {}
    search = ExpendibotsAgent(shipped_components(), SearchLimits(nodes=nodes)).searcher
    book_entries = build_book(search, config, earlier)
    for key, move in track(book_entries, "searching", total=positions, console=make_console(stderr=True)):
        entries[key] = move
        if key not in earlier:
            journal.add([key, move])
    origin = provenance(f"sparring expendibots book build --positions {positions} --nodes {nodes}")
    write_book(ExpendibotsBook(entries, origin), out)
    path.unlink()
    print(f"{visible(out)}: {len(entries)} positions in {time.process_time() - started:.0f} s of CPU")


def book_info(
    file: Annotated[
        Path, typer.Option("--file", help="File of the book.", show_default="the shipped one")
    ] = SHIPPED_BOOK,
) -> None:
    """Show how an opening book was made."""
    book = open_expendibots_book(file)
    print(json.dumps({"positions": len(book.entries), "bytes": file.stat().st_size, **book.origin}))


# `sparring expendibots tables`: endgame tables.

_Tables = Annotated[Path, typer.Option("--file", help="File of the tables.", show_default="the shipped one")]


def build_tables_file(
    out: Annotated[Path, typer.Option(help="Output file.")] = Path("expendibots-endgames.zip"),
) -> None:
    """Solve all endgames of up to five tokens.

    Retrograde analysis; takes about two minutes.
    """
    with lock_file(out):
        _solve(out)


def _solve(out: Path) -> None:
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


def tables_info(
    file: _Tables = SHIPPED_TABLES,
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
    file: _Tables = SHIPPED_TABLES,
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


# `sparring train evaluator`: a value network for alpha-beta search, by self-play.


def evaluator(
    game: Annotated[str, typer.Argument(help="expendibots", metavar="GAME")],
    out: Annotated[Path, typer.Option(help="Run folder; finished parts are reused.")],
    generations: Annotated[int, typer.Option(min=1, help="Rounds of self-play and training.")] = 1,
    games: Annotated[int, typer.Option(min=1, help="Self-play games per round.")] = 2500,
    nodes: Annotated[int, typer.Option(min=1, help="Search nodes per move.")] = 4000,
    hidden: Annotated[
        str, typer.Option(help="Units of the two hidden layers; the report has 1000x100.")
    ] = "32x16",
    epochs: Annotated[int, typer.Option(min=1, help="Training epochs.")] = 12,
    weights: Annotated[
        str, typer.Option(help="Evaluation of the first round: start, learned or a file.")
    ] = "start",
    seed: Annotated[int, typer.Option(min=0, help="Seed of self-play and training.")] = 1,
    workers: Annotated[int, typer.Option(min=1, max=1024, help="Processes that play games.")] = 1,
    save: Annotated[Path | None, typer.Option(help="Copy the last network to this file.")] = None,
) -> None:
    """Train a value network by self-play.

    Positions come from the agent's own games; the targets are the values of its search.
    """
    from sparring.expendibots.training import ValueNetworkConfig, train_value_network

    if game != "expendibots":
        raise UserError(f"there are network evaluations of expendibots, not of {game}")
    sizes = re.fullmatch(r"(\d{1,4})x(\d{1,3})", hidden)
    if not sizes or not (1 <= int(sizes[1]) <= 1024 and 1 <= int(sizes[2]) <= 128):
        raise UserError(f"--hidden is two numbers such as 32x16, at most 1024x128, not {hidden}")
    first = open_evaluation(game, weights)
    config = ValueNetworkConfig(hidden=(int(sizes[1]), int(sizes[2])), epochs=epochs, seed=seed)
    command = (
        f"sparring train evaluator {game} --generations {generations} --games {games} --nodes {nodes} "
        f"--hidden {hidden} --epochs {epochs} --seed {seed}"
    )
    command = portable_command([*command.split(), "--weights", str(weights)])
    origin = provenance(command) | {"recipe": asdict(config)}
    console = make_console(stderr=True)

    def played(generation: int, number: int, positions: int) -> None:
        console.print(f"generation {generation}: {number:,} games, {positions:,} positions")

    def learned(generation: int, epoch: Epoch) -> None:
        console.print(
            f"generation {generation}, pass {epoch.number}: error {epoch.loss:.4f}, of positions held out "
            f"{epoch.validation_loss:.4f}; values spread by {epoch.std:.3f}"
        )

    with lock_folder(out):
        made = train_value_network(
            out,
            first,
            config,
            generations=generations,
            games=games,
            nodes=nodes,
            origin=origin,
            played=played,
            learned=learned,
            workers=workers,
        )
    if save is not None:
        shutil.copyfile(made, save)
    print(visible(save or made))
