"""`sparring records`: tables of games."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn
from rich.table import Table

from sparring import records
from sparring.base.errors import BadFile, UserError
from sparring.cli.arguments import AsJson
from sparring.cli.console import foreign, make_console
from sparring.records.presets import preset_names
from sparring.records.sources import source_size

Folder = Annotated[Path, typer.Argument(help="Folder of a table.")]
_MOST_NOTES = 20


def build(
    files: Annotated[
        list[Path], typer.Argument(help="Game files, plain or .gz, .bz2, .zst; or folders of them.")
    ],
    out: Annotated[Path, typer.Option(help="Folder of the table; an unfinished table is resumed.")],
    preset: Annotated[
        str | None,
        typer.Option(
            help=f"Which games are kept: {', '.join(preset_names())}, or a TOML file "
            "(default: all games, of the game that the files' suffix says)."
        ),
    ] = None,
) -> None:
    """Parse game files and pack the games into a table.

    The preset decides which games are kept. An interrupted run is resumed by the same command. A file whose
    content is in the table is not read again; a file that grew is read on.
    """
    for file in files:
        if not file.exists():
            raise UserError(f"there is no file {file}")
    try:
        wanted = records.load_preset(preset) if preset else records.preset_for(files)
    except BadFile as error:
        raise UserError(f"{error}; or choose the game by --preset") from None
    unread: list[str] = []
    sources = records.find_sources(files, wanted.game, unread.append)
    total = sum(map(source_size, sources))
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        transient=True,
        console=make_console(),
    )
    with bar:
        task = bar.add_task("reading", total=total)

        def on_progress(report: records.BuildReport, read: int) -> None:
            bar.update(task, completed=read, description=f"{report.seen:,} games, {report.kept:,} kept")

        report = records.build_table(sources, wanted, out, on_progress)
    report.unread += unread
    if not report.kept:
        _print_trouble(report)
        raise UserError(_why_empty(report, wanted.name, len(sources)), code=1)
    _print_report(report, out)
    if report.examples or report.unread:
        raise typer.Exit(1)


def stats(
    folder: Folder,
    as_json: AsJson = False,
    plot: Annotated[
        Path | None, typer.Option(help="Also draw the counts into a .png, .svg or .pdf file.")
    ] = None,
) -> None:
    """Count games and positions by rating, speed and result."""
    from sparring.records.statistics import collect_statistics, plot_statistics

    try:
        statistics = collect_statistics(folder)
        if plot is not None:
            plot_statistics(statistics, plot)
    except ValueError as error:
        raise UserError(str(error)) from None
    if as_json:
        print(json.dumps(vars(statistics)))
        return
    console = make_console()
    console.print(
        f"[bold]{statistics.games:,}[/] game{_s(statistics.games)} of {foreign(statistics.game)}, "
        f"{statistics.positions:,} position{_s(statistics.positions)}; {statistics.with_clocks:,} "
        f"game{_s(statistics.with_clocks)} with clocks, {statistics.with_evals:,} with evaluations"
    )
    for title in ("groups", "speeds", "time_controls", "results", "endings"):
        if set(counts := getattr(statistics, title)) != {"unknown"}:
            _print_counts(console, title.replace("_", " "), counts)


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def export(
    folder: Folder,
    game: Annotated[str, typer.Option("--game", help="Id of a game (see `list`), or all.")],
    split: Annotated[records.Split | None, typer.Option("--split", help="Only games of this split.")] = None,
) -> None:
    """Write games of a table in the notation of their game.

    PGN for chess, SGF for Go, CSA for shogi, reconchess JSON for RBC, a referee's log for Expendibots.
    """
    from sparring.records.readers import writer_of
    from sparring.records.table import read_manifest

    written = False
    played = read_manifest(folder)["game"]
    write = writer_of(played)
    for shard in records.read_shards(folder):
        for record in records.records_of(shard):
            identity = record.identity(played)
            if split is not None and records.split_of(identity) is not split:
                continue
            if game in ("all", f"{identity:016x}"):
                written = True
                print(write(record))
    if not written:
        where = f"the {split} split of {folder}" if split else str(folder)
        raise UserError(f"there is no game {'at all' if game == 'all' else game} in {where}")


def list_games(
    folder: Folder, most: Annotated[int, typer.Option("--most", min=1, help="Number of games to list.")] = 20
) -> None:
    """List the first games of a table with their ids."""
    from sparring.records.table import read_manifest

    table = Table("id", "date", "players", "strength", "result", "plies", box=None)
    left = most
    played = read_manifest(folder)["game"]
    for shard in records.read_shards(folder):
        for record in records.records_of(shard.slice(0, left)):
            left -= 1
            players = foreign(f"{record.first or '?'} - {record.second or '?'}")
            first = record.first_rating or record.first_rank or "?"
            second = record.second_rating or record.second_rank or "?"
            table.add_row(
                f"{record.identity(played):016x}",
                foreign(record.date),
                players,
                foreign(f"{first} - {second}"),
                foreign(record.result),
                str(record.plies(played)),
            )
        if left <= 0:
            break
    make_console().print(table)


def verify(
    folder: Folder,
    replay: Annotated[bool, typer.Option("--replay", help="Also play through every game.")] = False,
) -> None:
    """Compare the files of a table with the checksums in its manifest.

    Every other command compares the checksum of a file when it reads the file.
    """
    from sparring.records.table import read_manifest, read_shard, table_shards

    try:
        played = read_manifest(folder)["game"]
        shards = table_shards(folder)
        for shard in shards:
            for record in records.records_of(read_shard(shard)):
                if replay:
                    _ = records.RecordedGame(played, record).states
    except BadFile as error:
        raise UserError(str(error), code=1) from None
    games = sum(shard.games for shard in shards)
    print(
        f"{games:,} games of {played} in {len(shards):,} files: whole"
        + (", every move legal" if replay else "")
    )


def _print_report(report: records.BuildReport, out: Path) -> None:
    console = make_console()
    console.print(f"[bold]{report.kept:,}[/] of {report.seen:,} games are in {foreign(out)}", soft_wrap=True)
    if report.dropped:
        _print_counts(console, "left out", Counter(report.dropped))
    for note in report.notes[:_MOST_NOTES]:
        console.print(f"[dim]{foreign(note)}[/]", soft_wrap=True)
    if len(report.notes) > _MOST_NOTES:
        console.print(f"[dim]... {len(report.notes):,} such files in total[/]")
    _print_trouble(report)


def _why_empty(report: records.BuildReport, preset: str, files: int) -> str:
    """Why no game was kept, and the preset that would keep some."""
    if not report.seen:
        return f"no game was found in {files:,} {'file' if files == 1 else 'files'}; no table is made"
    reasons = Counter(report.dropped) + Counter({"broken": report.broken})
    counts = ", ".join(f"{name} {count:,}" for name, count in reasons.most_common())
    text = f"the preset {preset} keeps none of {report.seen:,} games ({counts}); no table is made"
    best, kept = max(report.alternatives.items(), key=lambda item: item[1], default=("", 0))
    return f"{text}; --preset {best} keeps {kept:,} of them" if kept else text


def _print_trouble(report: records.BuildReport) -> None:
    console = make_console()
    for example in report.examples:
        console.print(f"[yellow]{foreign(example)}[/]", soft_wrap=True)
    if report.broken > len(report.examples):
        console.print(f"[yellow]... {report.broken:,} broken games in total[/]")
    for path in report.unread:
        console.print(f"[yellow]not read: {foreign(path)}[/]", soft_wrap=True)
    if report.unread:
        console.print("[yellow]The same command reads them later, when they can be read.[/]")


def _print_counts(console: Console, title: str, counts: Counter[str]) -> None:
    from sparring.records.statistics import group_order

    shown = (
        sorted(counts.items(), key=lambda group: group_order(group[0]))
        if title == "groups"
        else counts.most_common(12)
    )
    counts_text = ", ".join(f"{foreign(name)} {count:,}" for name, count in shown)
    console.print(f"[dim]{title}:[/] {counts_text}", soft_wrap=True)
