"""`sparring calibrate`: measures the levels of a table against anchors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from sparring.base.errors import BadFile, UserError
from sparring.base.provenance import provenance
from sparring.base.storage import Journal, lock_file
from sparring.cli.arguments import Backend, GameName, command_line, whole_numbers
from sparring.cli.console import ProgressBar, foreign, make_console
from sparring.measure.calibration import (
    Anchor,
    CalibrationGame,
    CalibrationPlan,
    Results,
    calibration_pool,
    ladder_report,
    play_families,
    play_matches,
    read_anchors,
)
from sparring.measure.reports import read_json, write_json
from sparring.players import LevelTable, PlayerConfig, read_level_table, shipped_levels

_ROLLING_CHUNK = 8
"""Games of a task with --engines: each is a result of its own, and small tasks keep the levels in step."""


def calibrate(
    game: GameName,
    players: Annotated[Path | None, typer.Option(help="Level table (default: the shipped one).")] = None,
    anchors: Annotated[str, typer.Option(help="Families of anchors: names or TOML files.")] = "stockfish",
    max_anchor: Annotated[
        float | None, typer.Option(help="Highest nominal rating of an anchor: strong engines think long.")
    ] = None,
    levels: Annotated[str, typer.Option(help="Levels, such as 800,1000 (default: the table's rows).")] = "",
    matches: Annotated[str, typer.Option(help="Matches between levels, such as 2000-1600,1600-1200.")] = "",
    games: Annotated[int, typer.Option(min=2, help="Games of each level against each family.")] = 200,
    link_games: Annotated[
        int, typer.Option(min=2, help="Games of each pair of anchors without a nominal rating.")
    ] = 100,
    links: Annotated[
        Path | None, typer.Option(help="Ladder of an earlier calibration whose ratings of anchors are used.")
    ] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Times at which the nearest anchors are chosen.")] = 3,
    concurrency: Annotated[int, typer.Option(min=1, max=1024, help="Processes.")] = 1,
    engines: Annotated[
        int,
        typer.Option(
            min=0,
            max=1024,
            help="Engines that think at a time; one process then plays all games. For a GPU.",
        ),
    ] = 0,
    together: Annotated[int, typer.Option(min=1, help="Games that a process plays at the same time.")] = 40,
    backend: Backend = "onnxruntime",
    batch: Annotated[int, typer.Option(min=1, help="Positions that a network evaluates at once.")] = 64,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all moves of our own players.")] = 0,
    out: Annotated[Path, typer.Option(help="JSON file; the games are beside it, in .jsonl.")] = Path(
        "ladder.json"
    ),
) -> None:
    """Measure the levels of a table against anchors, or resume.

    The families of anchors are never merged: each gives a rating of its own.
    """
    if engines and concurrency > 1:
        raise UserError("--engines plays in one process: leave out --concurrency")
    table, members = _read(game, players, anchors, max_anchor)
    linked = None if links is None else _links(links, members)
    try:
        asked = {
            str(level): float(level) for level in whole_numbers(levels) or [row.level for row in table.levels]
        }
        pairs = [_pair(text) for text in matches.split(",") if text]
        names = dict.fromkeys([*asked, *(name for pair in pairs for name in pair)])
        configs: dict[str, PlayerConfig] = {name: table.at(int(name)) for name in names}
    except ValueError as error:
        raise UserError(str(error)) from None
    plan = CalibrationPlan(game, configs, tuple(members), seed, backend, batch)
    header = {
        "game": game,
        "anchors": anchors,
        "seed": seed,
        "dials": {n: table.keys(int(n)) for n in names},
    }
    path = out.with_suffix(".jsonl")
    pool = calibration_pool(plan, concurrency=concurrency, together=together, engines=engines)
    chunk = min(together, _ROLLING_CHUNK) if engines else together
    with lock_file(path), pool, ProgressBar("playing") as bar:
        total = (games * len(asked)) * len({anchor.family for anchor in members})
        journal = Journal(path, header=header, kind=CalibrationGame)
        results = Results(journal, lambda done: bar.on_progress("playing", done, total))
        elo = play_families(
            asked, members, results, pool,
            games=games, link_games=link_games, rounds=rounds, chunk=chunk, links=linked,
        )  # fmt: skip
        play_matches(pairs, results, pool, games=games, chunk=chunk)
    report = ladder_report(asked, elo, pairs, results)
    write_json(provenance(command_line()) | header | report, out)
    _print(report, out)


def _read(
    game: str, players: Path | None, anchors: str, max_anchor: float | None
) -> tuple[LevelTable, list[Anchor]]:
    table = shipped_levels(game, "engine") if players is None else read_level_table(players)
    members = [anchor for name in anchors.split(",") for anchor in read_anchors(name.strip(), game)]
    if table is None:
        raise UserError(f"{game} has no level table: give one with --players")
    if table.game != game:
        raise UserError(f"{players} has levels of {table.game}, not of {game}")
    if max_anchor is not None:
        members = [anchor for anchor in members if anchor.elo is None or anchor.elo <= max_anchor]
        if not members:
            raise UserError(f"--max-anchor {max_anchor:g}: all anchors are stronger")
    return table, members


def _links(path: Path, members: Sequence[Anchor]) -> dict[str, dict[str, float]]:
    """Ratings of anchors by family in a ladder."""
    try:
        families = read_json(path)["families"]
        ratings = {
            family: {n: float(e) for n, e in row["anchors"].items()} for family, row in families.items()
        }
    except (BadFile, ValueError, KeyError, TypeError, AttributeError):
        raise UserError(f"{path} is not a ladder of `sparring calibrate`") from None
    for anchor in members:
        if anchor.family in ratings and anchor.name not in ratings[anchor.family]:
            raise UserError(f"{path} has no rating of {anchor.name}")
    return ratings


def _pair(text: str) -> tuple[str, str]:
    numbers = whole_numbers(text, "-")
    if len(numbers) != 2:
        raise UserError(f"--matches '{text}': expected two levels, such as 2000-1600")
    return str(numbers[0]), str(numbers[1])


def _print(report: dict[str, Any], out: Path) -> None:
    console = make_console()
    for family, entry in report["families"].items():
        table = Table("asked", "measured", "95 %", "slope", "games", title=foreign(family), box=None)
        for row in entry["levels"]:
            low, high = row["interval"]
            table.add_row(
                f"{row['asked']:.0f}", f"{row['rating']:.0f}", f"{low:.0f} to {high:.0f}",
                f"{row['slope']:.2f}", f"{row['games']}",
            )  # fmt: skip
        console.print(table)
        if entry["mean_error"] is not None:
            console.print(f"mean error {entry['mean_error']:.0f}, monotone: {entry['monotone']}")
    for match in report["matches"]:
        a, b = match["players"]
        console.print(f"{a} against {b}: {match['score']:.1%} of {match['games']} games")
    console.print(f"[dim]{foreign(str(out))}[/]", soft_wrap=True)
