"""`sparring arena`: tournaments, ratings and sequential probability ratio tests."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TypeAlias

import typer
from rich.console import Console, Group
from rich.live import Live

from sparring import arena
from sparring.arena.ratings import DEFAULT_PRIOR
from sparring.arena.workers import Workers
from sparring.cli.arena_tables import (
    head_to_head_table,
    progress_line,
    sprt_line,
    standings_table,
    superiority_table,
)
from sparring.cli.errors import UserError
from sparring.cli.printing import foreign, make_console
from sparring.reports.numbers import signed

Folders = Annotated[list[Path], typer.Argument(help="Result folders of `arena run`, or files.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
ProgressCallback: TypeAlias = Callable[[Sequence[arena.GameResult]], None]

_REDRAW_INTERVAL = 0.5
"""Seconds between redraws. Drawing the table of a long tournament takes as long as a short game."""
_MOST_ELO = 100_000


def run(
    file: Annotated[Path, typer.Argument(help="The tournament: a TOML file (see docs/arena.md).")],
    games: Annotated[int | None, typer.Option(min=1, help="Number of games; overrides the file.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, max=1024, help="Games played in parallel.")] = 1,
    out: Annotated[
        Path | None, typer.Option(help="Result folder (default: the file name without suffix).")
    ] = None,
    ray: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Play on the Ray cluster at this address, or auto.")
    ] = None,
) -> None:
    """Play a tournament, or resume it."""
    try:
        tournament = arena.read_tournament(file, games)
        folder = out or Path(file.stem)
        with _live_table(tournament) as on_progress, _workers(tournament, concurrency, ray) as workers:
            done = arena.run_tournament(tournament, folder, workers, on_progress)
        standings = arena.compute_standings(done.results, tournament.names)
    except (arena.WorkerError, arena.RatingError) as error:
        raise UserError(str(error)) from None
    console = make_console()
    console.print(standings_table(standings))
    _print_warnings(console, standings)
    if done.test is not None:
        console.print(sprt_line(done.test, *tournament.names))
    console.print(f"[dim]{len(done.results):,} games in {foreign(str(folder))}[/]", soft_wrap=True)
    for name, why in done.failed_to_start.items():
        console.print(f"[red]{foreign(name)} could not be started: {foreign(why)}[/]", soft_wrap=True)
    if done.failed_to_start:
        raise typer.Exit(1)


def rate(
    folders: Folders,
    anchor: Annotated[
        str | None,
        typer.Option(
            metavar="NAME=ELO", help="Fix a player's rating, or the mean (mean=ELO). Default: mean=0."
        ),
    ] = None,
    prior: Annotated[
        float, typer.Option(min=0.0, help="Prior: virtual wins, and as many losses, against the mean player.")
    ] = DEFAULT_PRIOR,
    as_json: AsJson = False,
) -> None:
    """Compute ratings with 95 % intervals from tournament results.

    Also prints the likelihood of superiority, and expected against observed scores.
    """
    name, elo = _anchor(anchor)
    try:
        results = arena.read_results(folders)
        standings = arena.compute_standings(
            results, arena.read_names(folders), anchor=name, at=elo, prior=prior
        )
    except arena.RatingError as error:
        raise UserError(str(error)) from None
    if as_json:
        print(json.dumps(standings.as_json()))
        return
    console = make_console()
    console.print(standings_table(standings))
    if standings.ratings is not None:
        console.print(
            f"moving first is worth {signed(standings.ratings.first_advantage, 0)} Elo; "
            f"between equals {_draw_share(standings.ratings.draw_weight):.0%} of games are drawn\n"
        )
        console.print(superiority_table(standings))
        console.print(head_to_head_table(standings))
    _print_warnings(console, standings)


def sprt(
    folder: Annotated[Path, typer.Argument(help="Result folder of a tournament between two players.")],
    elo0: Annotated[float, typer.Option(help="Elo difference of the null hypothesis.")] = 0.0,
    elo1: Annotated[float, typer.Option(help="Elo difference of the alternative hypothesis.")] = 5.0,
    alpha: Annotated[float, typer.Option(help="Probability of accepting elo1 wrongly.")] = 0.05,
    beta: Annotated[float, typer.Option(help="Probability of accepting elo0 wrongly.")] = 0.05,
    player: Annotated[
        str, typer.Option(help="The player tested as the stronger one (default: the first).")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Test whether one of two players is stronger (SPRT).

    A tournament file with an `sprt` table stops by itself when the test is decided.
    """
    try:
        question = arena.Sprt(elo0, elo1, alpha, beta)
        results = arena.read_results([folder])
        names = arena.read_names([folder]) or sorted(
            {name for each in results for name in (each.first, each.second)}
        )
    except ValueError as error:
        raise UserError(str(error)) from None
    if len(names) != 2 or player not in ("", *names):
        raise UserError(f"SPRT compares two players; {folder} has {', '.join(names)}")
    candidate = player or names[0]
    pairs = arena.PentanomialTest(question, candidate)
    for result in results:
        pairs.add_result(result)
    test = pairs.test
    if as_json:
        facts = {"player": candidate, "pairs": test.counts, "llr": test.llr, "bounds": question.bounds}
        print(json.dumps({**facts, "verdict": test.status}))
        return
    other = names[1 - names.index(candidate)]
    make_console().print(sprt_line(test, candidate, other))


@contextmanager
def _workers(tournament: arena.Tournament, concurrency: int, ray: str | None) -> Iterator[Workers]:
    if ray is None:
        with arena.LocalWorkers(tournament, concurrency) as local:
            yield local
        return
    with arena.RayWorkers(tournament, concurrency, ray) as remote:
        yield remote


@contextmanager
def _live_table(tournament: arena.Tournament) -> Iterator[ProgressCallback]:
    """Shows the standings while games are played, if standard output is a terminal."""
    console = make_console()
    began = time.monotonic()
    known: int | None = None
    shown = 0.0
    with Live(console=console, transient=True, auto_refresh=False) as live:

        def on_progress(results: Sequence[arena.GameResult]) -> None:
            nonlocal known, shown
            known = len(results) if known is None else known
            if not console.is_terminal or time.monotonic() - shown < _REDRAW_INTERVAL:
                return
            pace = (time.monotonic() - began) / max(1, len(results) - known)
            table = standings_table(arena.compute_standings(results, tournament.names))
            line = progress_line(len(results), tournament.games, pace, new=len(results) > known)
            live.update(Group(table, line), refresh=True)
            shown = time.monotonic()

        yield on_progress


def _anchor(text: str | None) -> tuple[str | None, float]:
    if text is None:
        return None, 0.0
    name, equals, elo = text.rpartition("=")
    try:
        if not equals or not name:
            raise ValueError
        if not math.isfinite(rating := float(elo)) or abs(rating) > _MOST_ELO:
            raise ValueError
        return (None if name == "mean" else name), rating
    except ValueError:
        raise UserError(
            f"--anchor '{text}': expected NAME=ELO, such as stockfish=2800 or mean=1500"
        ) from None


def _draw_share(weight: float) -> float:
    return weight / (2 + weight)


def _print_warnings(console: Console, standings: arena.Standings) -> None:
    for warning in standings.warnings:
        console.print(f"[yellow]{foreign(warning)}[/]", soft_wrap=True)
