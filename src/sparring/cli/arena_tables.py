"""Tables of the arena for the terminal."""

from __future__ import annotations

import datetime

from rich.table import Table

from sparring.arena import SequentialTest, Standings
from sparring.cli.printing import foreign
from sparring.reports.numbers import signed

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
        found: dict[str, list[int]] = {"stronger": [], "undecided": [], "weaker": []}
        for other, column in enumerate(order, 1):
            if row != column and ratings is not None:
                probability = ratings.superiority[row, column]
                sure = max(probability, 1 - probability) >= _SURE
                found[("stronger" if probability > 0.5 else "weaker") if sure else "undecided"].append(other)
        table.add_row(str(place), foreign(standings.rows[row].name), *map(_ranges, found.values()))
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
        cells = (
            ""
            if row == column or standings.ratings is None
            else f"{standings.ratings.superiority[row, column]:.0%}"
            for column in order
        )
        table.add_row(f"{place} {foreign(standings.rows[row].name)}", *(cell.rstrip("%") for cell in cells))
    return table


def head_to_head_table(standings: Standings) -> Table:
    """Observed and expected score of each pair, and the difference in standard deviations."""
    table = Table("players", box=None)
    for title in ("games", "observed", "expected", "deviations"):
        table.add_column(title, justify="right")
    for each in standings.head_to_head:
        names = f"{foreign(each.first)} - {foreign(each.second)}"
        far = abs(each.z) > 3
        deviations = f"[red]{signed(each.z, 1)}[/]" if far else signed(each.z, 1)
        table.add_row(names, f"{each.games:,}", f"{each.observed:.1%}", f"{each.expected:.1%}", deviations)
    return table


def progress_line(done: int, games: int, pace: float, *, new: bool) -> str:
    """Games done and the time left. `pace` is in seconds per game."""
    left = f", {datetime.timedelta(seconds=round(pace * (games - done)))} left" if new else ""
    return f"[dim]{done:,} of {games:,} games{left}[/]"


def sprt_line(test: SequentialTest, name: str, other: str) -> str:
    """The state of a sequential test in one line."""
    low, high = test.sprt.bounds
    said = {
        "elo1": f"{name} is stronger than {other}: {test.sprt.elo1:g} Elo, not {test.sprt.elo0:g}",
        "elo0": f"{name} is not {test.sprt.elo1:g} Elo stronger than {other}: {test.sprt.elo0:g} Elo",
        "undecided": "undecided",
    }[test.status]
    pairs = ", ".join(map(str, test.counts))
    return f"SPRT: {foreign(said)} (LLR {test.llr:.2f} of {low:.2f} to {high:.2f}; pairs by points: {pairs})"
