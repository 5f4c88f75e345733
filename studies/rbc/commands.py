"""`python -m studies rbc-tracking`, `rbc-games` and `rbc-matches`: reconnaissance blind chess."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from sparring.cli.errors import UserError
from studies.options import command_line


def rbc_tracking(
    records: Annotated[Path, typer.Option(help="Games as reconchess histories: a file, or a folder.")],
    games: Annotated[int | None, typer.Option(min=1, help="So many games at most.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="Boards that are followed.")] = 1_000_000,
    compared: Annotated[int, typer.Option(min=0, help="Games that plain Python follows too.")] = 200,
    compared_boards: Annotated[int, typer.Option(min=1, help="Up to so many boards.")] = 20_000,
    sampled: Annotated[int, typer.Option(min=0, help="Games followed on beyond the limit.")] = 10,
    threads: Annotated[int, typer.Option(min=0, help="0: as many as there are cores.")] = 0,
    out: Annotated[Path, typer.Option(help="Where the report goes.")] = Path("results/rbc"),
) -> None:
    """Follow every possible board of recorded games: is the true one always among them?"""
    from studies.rbc import tracking as study

    paths = _histories(records)
    config = study.TrackingConfig(limit, compared, compared_boards, sampled, threads)
    columns = (TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, transient=True) as bar:
        task = bar.add_task("reading", total=None)

        def on_progress(number: int, followed: study.TrackedSide) -> None:
            bar.update(
                task, description=f"game {number:,}: {followed.most:,} boards, {followed.misses} misses"
            )

        report = study.run(paths, config, out, command_line(), games, on_progress)
    complete, plain = report["complete"], report["reference_tracker"]
    table = Table("", "observations", "wrong", box=None)
    table.add_row(
        "the true board is in the complete set", f"{complete['observations']:,}", str(complete["misses"])
    )
    table.add_row("the set is the plain tracker's", f"{plain['observations']:,}", str(plain["different"]))
    Console().print(f"{report['games']:,} games, {report['broken']} broken, {report['sides']:,} sides")
    Console().print(table)
    if complete["misses"] or plain["different"] or report["contradictions_of_complete_sets"]:
        raise UserError("the sets are wrong")


def rbc_games(
    records: Annotated[Path, typer.Option(help="Games as reconchess histories: a file, or a folder.")],
    limit: Annotated[int, typer.Option(min=1, help="Boards that are followed.")] = 100_000,
    replayed: Annotated[int, typer.Option(min=0, help="Games that are replayed for the figure.")] = 2_000,
    out: Annotated[Path, typer.Option(help="Where the report goes.")] = Path("results/rbc"),
) -> None:
    """Count games of reconnaissance blind chess; draw who wins with how many possible boards."""
    from sparring.reports.plot_style import MatplotlibMissing
    from studies.rbc import games as study

    paths = _histories(records)
    with Progress(TextColumn("{task.description}"), TimeElapsedColumn(), transient=True) as bar:
        task = bar.add_task("reading", total=None)
        try:
            report = study.run(
                paths,
                study.ReplayConfig(limit, replayed),
                out,
                command_line(),
                lambda games: bar.update(task, description=f"{games:,} games replayed"),
            )
        except MatplotlibMissing as error:
            raise UserError(str(error)) from None
    table = Table("possible boards, up to", "turns", "points", "95 %", box=None)
    for each in report["win_rate_by_boards"]:
        low, high = each["interval_95"]
        table.add_row(
            f"{each['boards_up_to']:,}", f"{each['turns']:,}", f"{each['share']:.1%}", f"{low:.1%}-{high:.1%}"
        )
    Console().print(f"{report['games']:,} games, {report['broken']} broken")
    Console().print(table)


def rbc_matches(
    bot: Annotated[
        str, typer.Option(help="A bot of ours: a name, or a TOML file (docs/rbc.md).")
    ] = "inference",
    opponents: Annotated[str, typer.Option(help="Of reconchess's bots.")] = "trout,attacker,random",
    games: Annotated[int, typer.Option(min=1, help="Against each.")] = 100,
    seconds: Annotated[float, typer.Option(min=1, help="On the clocks; 5 are added a turn.")] = 120,
    processes: Annotated[int, typer.Option(min=1, help="Games at a time.")] = 1,
    out: Annotated[Path, typer.Option(help="Where the report goes.")] = Path("results/rbc"),
) -> None:
    """Play a bot against the bots that come with reconchess, as rc-bot-match does."""
    from sparring.players.rbc import BadBotConfig, StockfishNotFound, find_stockfish, load_bot_config
    from studies.rbc import matches as study

    names = [name.strip() for name in opponents.split(",")]
    unknown = [name for name in names if name not in study.OPPONENTS]
    if unknown:
        raise UserError(f"reconchess has no bot '{unknown[0]}': choose {', '.join(study.OPPONENTS)}")
    try:
        config = load_bot_config(bot)
        needs = "trout" in names or config.evaluator == "stockfish"
        stockfish = find_stockfish() if needs else None
    except (BadBotConfig, StockfishNotFound) as error:
        raise UserError(str(error)) from None
    matches = [study.RbcMatch(bot, name, games, seconds) for name in names]

    def on_progress(played: Sequence[study.RbcGameResult]) -> None:
        last = played[-1]
        Console().print(
            f"{last.bot} - {last.opponent}, game {last.number + 1}: {last.score} ({last.reason.lower()}, "
            f"{last.turns} turns, {last.left:.0f} s left)",
            highlight=False,
        )

    report = study.run(matches, out, command_line(), processes, stockfish, on_progress)
    table = Table("match", "games", "won", "drawn", "lost", "points", "95 %", box=None)
    for each in report["matches"]:
        low, high = each["interval_95"]
        numbers = (str(each[name]) for name in ("games", "won", "drawn", "lost"))
        table.add_row(
            f"{each['bot']} - {each['opponent']}", *numbers, f"{each['share']:.1%}", f"{low:.1%}-{high:.1%}"
        )
    Console().print(table)


def _histories(records: Path) -> list[Path]:
    paths = sorted(p for p in records.rglob("*.json*") if p.is_file()) if records.is_dir() else [records]
    if not paths or not paths[0].exists():
        raise UserError(f"there are no histories (.json, .jsonl, .jsonl.zst) in {records}")
    return paths
