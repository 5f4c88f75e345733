"""`sparring arena`: tournaments, ratings and sequential probability ratio tests."""

from __future__ import annotations

import datetime
import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Annotated, TypeAlias

import typer
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table

from sparring import arena
from sparring.arena import SequentialTest, Standings
from sparring.arena.run_tournament import Workers
from sparring.base.errors import UserError
from sparring.base.numbers import signed
from sparring.cli.arguments import AsJson
from sparring.cli.console import foreign, make_console
from sparring.measure.ratings import DEFAULT_PRIOR

_MOST_COLUMNS = 8
"""Players of a matrix that is readable on 80 columns."""
_SURE = 0.975


def standings_table(standings: Standings) -> Table:
    """Players by rating, with 95 % intervals, scores and failures."""
    table = Table("", "player", box=None)
    for title in ("Elo", "±95 %", "games", "score", "won", "drawn", "lost"):
        table.add_column(title, justify="right")
    table.add_column("failures")
    ratings = standings.ratings
    for place, index in enumerate(standings.order, 1):
        row = standings.rows[index]
        rated = row.games > 0 and ratings is not None
        table.add_row(
            str(place),
            foreign(row.name),
            f"{round(ratings.elo[index])}" if rated and ratings else "",
            f"{ratings.half_widths[index]:.0f}" if rated and ratings else "",
            f"{row.games:,}",
            f"{row.score:.1%}" if row.games else "",
            *(f"{count:,}" for count in (row.wins, row.draws, row.losses)),
            "[red]" + ", ".join(f"{why} {count:,}" for why, count in row.failures.items()) + "[/]",
        )
    return table


def superiority_table(standings: Standings) -> Table:
    """Who is stronger than whom: a matrix of probabilities, or lists of places beyond eight players."""
    return _matrix(standings) if len(standings.order) <= _MOST_COLUMNS else _lists(standings)


def _lists(standings: Standings) -> Table:
    """The places of the players that each is stronger than with 97.5 %, and of the others."""
    order, ratings = standings.order, standings.ratings
    table = Table("", "player", "stronger than", "undecided", "weaker than", box=None)
    table.title, table.title_justify = "places of those whom a player is stronger than, with 97.5 %", "left"
    for place, row in enumerate(order, 1):
        lists: dict[str, list[int]] = {"stronger": [], "undecided": [], "weaker": []}
        for other, column in enumerate(order, 1):
            if row != column and ratings is not None:
                probability = ratings.superiority[row, column]
                sure = max(probability, 1 - probability) >= _SURE
                lists[("stronger" if probability > 0.5 else "weaker") if sure else "undecided"].append(other)
        table.add_row(str(place), foreign(standings.rows[row].name), *map(_ranges, lists.values()))
    return table


def _ranges(places: list[int]) -> str:
    """Ascending numbers as ranges: 1, 3-5."""
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][1] + 1:
            runs[-1][1] = place
        else:
            runs.append([place, place])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def _matrix(standings: Standings) -> Table:
    """The probability, in percent, that the row's player is stronger than the column's."""
    order = standings.order
    table = Table(
        "likelihood of superiority, %", *(str(place) for place in range(1, len(order) + 1)), box=None
    )
    for place, row in enumerate(order, 1):
        cells = [
            ""
            if row == column or standings.ratings is None
            else f"{100 * standings.ratings.superiority[row, column]:.0f}"
            for column in order
        ]
        table.add_row(f"{place} {foreign(standings.rows[row].name)}", *cells)
    return table


def head_to_head_table(standings: Standings) -> Table:
    """Observed and expected score of each pair, and the difference in standard deviations."""
    table = Table("players", box=None)
    for title in ("games", "observed", "expected", "deviations"):
        table.add_column(title, justify="right")
    for meeting in standings.head_to_head:
        names = f"{foreign(meeting.first)} - {foreign(meeting.second)}"
        far = abs(meeting.z) > 3
        deviations = f"[red]{signed(meeting.z, 1)}[/]" if far else signed(meeting.z, 1)
        table.add_row(
            names, f"{meeting.games:,}", f"{meeting.observed:.1%}", f"{meeting.expected:.1%}", deviations
        )
    return table


def sprt_line(test: SequentialTest, name: str, other: str) -> str:
    """The state of a sequential test in one line."""
    low, high = test.sprt.bounds
    verdict = {
        "elo1": f"{name} is stronger than {other}: {test.sprt.elo1:g} Elo, not {test.sprt.elo0:g}",
        "elo0": f"{name} is not {test.sprt.elo1:g} Elo stronger than {other}: {test.sprt.elo0:g} Elo",
        "undecided": "undecided",
    }[test.status]
    pairs = ", ".join(map(str, test.counts))
    return (
        f"SPRT: {foreign(verdict)} (LLR {test.llr:.2f} of {low:.2f} to {high:.2f}; pairs by points: {pairs})"
    )


Folders = Annotated[list[Path], typer.Argument(help="Result folders of `arena run`, or files.")]
ProgressCallback: TypeAlias = Callable[[Sequence[arena.ArenaGame]], None]

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
    tournament = arena.read_tournament(file, games)
    folder = out or Path(file.stem)
    workers: AbstractContextManager[Workers] = (
        arena.LocalWorkers(tournament, concurrency)
        if ray is None
        else arena.RayWorkers(tournament, concurrency, ray)
    )
    with _live_table(tournament) as on_progress, workers as pool:
        done = arena.run_tournament(tournament, folder, pool, on_progress)
    standings = arena.compute_standings(done.results, tournament.names)
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
    results = arena.read_results(folders)
    standings = arena.compute_standings(results, arena.read_names(folders), anchor=name, at=elo, prior=prior)
    if as_json:
        print(json.dumps(standings.as_json()))
        return
    console = make_console()
    console.print(standings_table(standings))
    if standings.ratings is not None:
        weight = standings.ratings.draw_weight
        console.print(
            f"moving first is worth {signed(standings.ratings.first_advantage, 0)} Elo; "
            f"between equals {weight / (2 + weight):.0%} of games are drawn\n"
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
            {name for game in results for name in (game.first, game.second)}
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
def _live_table(tournament: arena.Tournament) -> Iterator[ProgressCallback]:
    """Shows the standings while games are played, if standard output is a terminal."""
    console = make_console()
    began = time.monotonic()
    before: int | None = None
    shown = 0.0
    with Live(console=console, transient=True, auto_refresh=False) as live:

        def on_progress(results: Sequence[arena.ArenaGame]) -> None:
            nonlocal before, shown
            before = len(results) if before is None else before
            if not console.is_terminal or time.monotonic() - shown < _REDRAW_INTERVAL:
                return
            table = standings_table(arena.compute_standings(results, tournament.names))
            done, left = len(results), ""
            if done > before:
                seconds = (time.monotonic() - began) / (done - before) * (tournament.games - done)
                left = f", {datetime.timedelta(seconds=round(seconds))} left"
            live.update(Group(table, f"[dim]{done:,} of {tournament.games:,} games{left}[/]"), refresh=True)
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


def _print_warnings(console: Console, standings: arena.Standings) -> None:
    for warning in standings.warnings:
        console.print(f"[yellow]{foreign(warning)}[/]", soft_wrap=True)
