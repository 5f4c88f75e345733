"""Commands of Expendibots: opening books, acceptance matches, the value network."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import Progress, track

from sparring.base.errors import UserError
from sparring.base.numbers import plus_minus, signed
from sparring.base.provenance import portable_command, provenance
from sparring.base.storage import Journal, lock_file, lock_folder
from sparring.cli.arguments import AsJson
from sparring.cli.console import foreign, make_console, visible
from sparring.expendibots.acceptance import (
    SIGNIFICANCE_LEVEL,
    MatchSummary,
    NamedPlayer,
    TimedResult,
    play_match,
    summarise_match,
)
from sparring.expendibots.agent import LADDER, ExpendibotsAgent, agent_components, ladder_player
from sparring.expendibots.book import (
    SHIPPED_BOOK,
    BookConfig,
    ExpendibotsBook,
    build_book,
    open_expendibots_book,
    write_book,
)
from sparring.search import SearchLimits
from sparring.search.linear_evaluation import open_evaluation

if TYPE_CHECKING:
    from sparring.expendibots.training import Epoch


GameArgument = Annotated[str, typer.Argument(help="expendibots", metavar="GAME")]


def build(
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
        _build(positions, nodes, out)


def _build(positions: int, nodes: int, out: Path) -> None:
    path = out.with_suffix(f".{positions}x{nodes}.jsonl")
    journal = Journal(path, kind=tuple[int, int])
    earlier = dict(journal.entries)
    started, config = time.process_time(), BookConfig(positions=positions, nodes=nodes)
    entries: dict[int, int] = {}
    search = ExpendibotsAgent(agent_components("network"), SearchLimits(nodes=nodes)).search
    book_entries = build_book(search, config, earlier)
    for key, move in track(book_entries, "searching", total=positions, console=make_console(stderr=True)):
        entries[key] = move
        if key not in earlier:
            journal.add([key, move])
    origin = provenance(f"sparring expendibots book build --positions {positions} --nodes {nodes}")
    write_book(ExpendibotsBook(entries, origin), out)
    path.unlink()
    print(f"{visible(out)}: {len(entries)} positions in {time.process_time() - started:.0f} s of CPU")


def info(
    file: Annotated[
        Path, typer.Option("--file", help="File of the book.", show_default="the shipped one")
    ] = SHIPPED_BOOK,
) -> None:
    """Show how an opening book was made."""
    book = open_expendibots_book(file)
    print(json.dumps({"positions": len(book.entries), "bytes": file.stat().st_size, **book.origin}))


# `sparring expendibots accept`: acceptance matches between agents.


def accept(
    new: Annotated[str, typer.Argument(help=f"The new player: {', '.join(LADDER)}.")],
    old: Annotated[str, typer.Argument(help="Its predecessor.")],
    games: Annotated[int, typer.Option(min=2, help="Games, half with each colour.")] = 100,
    nodes: Annotated[int, typer.Option(min=1, help="Nodes of a search for a move.")] = 50_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the openings.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Folder of the games; a second run resumes.")] = None,
    as_json: AsJson = False,
) -> None:
    """Play an acceptance match between two agents.

    Pairs of games from random openings, and a significance test.
    """
    for name in (new, old):
        if name not in LADDER:
            raise UserError(f"there is no player {name}; there are {', '.join(LADDER)}")
    if new == old:
        raise UserError("a player does not play against itself")
    lock = nullcontext() if out is None else lock_folder(out)
    with lock, Progress(console=make_console(stderr=True)) as progress:
        task = progress.add_task(foreign(f"{new} v {old}"), total=games)
        summary = play_ladder_match(
            new,
            old,
            games=games,
            nodes=nodes,
            seed=seed,
            folder=out,
            callback=lambda _: progress.advance(task),
        )
    print(json.dumps(asdict(summary)) if as_json else format_summary(summary))


def play_ladder_match(
    new: str,
    old: str,
    *,
    games: int,
    nodes: int,
    seed: int,
    folder: Path | None = None,
    callback: Callable[[TimedResult], None] = lambda _: None,
) -> MatchSummary:
    """Plays an acceptance match between two players of the Expendibots ladder.

    `nodes` is the search limit a move. With a `folder`, each game is appended to a journal there and a second
    call resumes. `callback` is called after each game.
    """
    limits = SearchLimits(nodes=nodes)
    journal = None if folder is None else folder / f"{new}-{old}-{nodes}-{seed}.jsonl"
    played = []
    sides = (NamedPlayer(name, ladder_player(name, limits)) for name in (new, old))
    for result in play_match("expendibots", *sides, games=games, seed=seed, journal=journal):
        played.append(result)
        callback(result)
    return summarise_match(new, old, played)


def format_summary(summary: MatchSummary) -> str:
    """The summary of a match in two lines of text."""
    elo = ""
    if summary.elo is not None and summary.elo_half_width is not None:
        elo = f", {signed(summary.elo, 0)} {plus_minus(summary.elo_half_width, 0)} Elo"
    return (
        f"{summary.new} v {summary.old}: {summary.wins} won, {summary.draws} drawn, {summary.losses} lost, "
        f"{summary.score:.1%} ({summary.score_low:.1%} to {summary.score_high:.1%}){elo}\n"
        f"{'accepted' if summary.accepted else 'not accepted'}: p = {summary.p_value:.2g}, "
        f"level {SIGNIFICANCE_LEVEL:g}"
    )


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
