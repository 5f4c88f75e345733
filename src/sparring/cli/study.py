"""`sparring study`: experiments from data to report."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from sparring.cli.errors import UserError

app = typer.Typer(help="Experiments: data in, report out.", no_args_is_help=True)


@app.command()
def networks(
    nets: Annotated[Path, typer.Option(help="A folder with lc0/, katago/ and maia3/.")],
    references: Annotated[Path, typer.Option(help="A folder with KataGo's recorded answers.")],
    games: Annotated[Path, typer.Option(help="Real games: PGN, also .zst.")],
    positions: Annotated[int, typer.Option(min=1, help="At least so many positions.")] = 600,
    out: Annotated[Path, typer.Option(help="Where the report goes.")] = Path("results/networks"),
) -> None:
    """Compare our readers with the programs that the networks were made for."""
    from sparring.studies import networks as study  # brings python-chess's PGN and the judges

    for path in (nets, references, games):
        if not path.exists():
            raise UserError(f"there is no {path}")
    report = study.run(nets, references, games, positions, out, _command())
    table = Table("network", "positions", "greatest differences", "", box=None)
    for name, found in report["networks"].items():
        differences = ", ".join(f"{key.split('_', 1)[1]} {found[key]:.2g}" for key in found["limits"])
        table.add_row(
            name, str(found["positions"]), differences, "agrees" if found["agrees"] else "[red]differs[/]"
        )
    Console().print(table)
    if not all(found["agrees"] for found in report["networks"].values()):
        raise UserError("not every network agrees")


@app.command("rbc-tracking")
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
    from sparring.studies import rbc_tracking as study

    paths = _histories(records)
    setting = study.Setting(limit, compared, compared_boards, sampled, threads)
    columns = (TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, transient=True) as bar:
        task = bar.add_task("reading", total=None)

        def watch(number: int, followed: study.Followed) -> None:
            bar.update(
                task, description=f"game {number:,}: {followed.most:,} boards, {followed.misses} misses"
            )

        report = study.run(paths, setting, out, _command(), games, watch)
    complete, plain = report["complete"], report["plain_tracker"]
    table = Table("", "observations", "wrong", box=None)
    table.add_row(
        "the true board is in the complete set", f"{complete['observations']:,}", str(complete["misses"])
    )
    table.add_row("the set is the plain tracker's", f"{plain['observations']:,}", str(plain["different"]))
    Console().print(f"{report['games']:,} games, {report['broken']} broken, {report['sides']:,} sides")
    Console().print(table)
    if complete["misses"] or plain["different"] or report["contradictions_of_complete_sets"]:
        raise UserError("the sets are wrong")


@app.command("rbc-games")
def rbc_games(
    records: Annotated[Path, typer.Option(help="Games as reconchess histories: a file, or a folder.")],
    limit: Annotated[int, typer.Option(min=1, help="Boards that are followed.")] = 100_000,
    replayed: Annotated[int, typer.Option(min=0, help="Games that are replayed for the figure.")] = 2_000,
    out: Annotated[Path, typer.Option(help="Where the report goes.")] = Path("results/rbc"),
) -> None:
    """Count games of reconnaissance blind chess; draw who wins with how many possible boards."""
    from sparring.reports.look import NoPlots
    from sparring.studies import rbc_games as study

    paths = _histories(records)
    with Progress(TextColumn("{task.description}"), TimeElapsedColumn(), transient=True) as bar:
        task = bar.add_task("reading", total=None)
        try:
            report = study.run(
                paths,
                study.Setting(limit, replayed),
                out,
                _command(),
                lambda games: bar.update(task, description=f"{games:,} games replayed"),
            )
        except NoPlots as error:
            raise UserError(str(error)) from None
    table = Table("possible boards, up to", "turns", "points", "95 %", box=None)
    for each in report["win_rate_by_boards"]:
        low, high = each["interval_95"]
        table.add_row(
            f"{each['boards_up_to']:,}", f"{each['turns']:,}", f"{each['share']:.1%}", f"{low:.1%}-{high:.1%}"
        )
    Console().print(f"{report['games']:,} games, {report['broken']} broken")
    Console().print(table)


@app.command("rbc-matches")
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
    from sparring.players.rbc import BadBot, NoStockfish, choose_bot, find_stockfish
    from sparring.studies import rbc_matches as study

    names = [name.strip() for name in opponents.split(",")]
    unknown = [name for name in names if name not in study.OPPONENTS]
    if unknown:
        raise UserError(f"reconchess has no bot '{unknown[0]}': choose {', '.join(study.OPPONENTS)}")
    try:
        setting = choose_bot(bot)
        needs = "trout" in names or setting.judge == "stockfish"
        stockfish = find_stockfish() if needs else None
    except (BadBot, NoStockfish) as error:
        raise UserError(str(error)) from None
    matches = [study.Match(bot, name, games, seconds) for name in names]

    def watch(played: Sequence[study.Game]) -> None:
        last = played[-1]
        Console().print(
            f"{last.bot} - {last.opponent}, game {last.number + 1}: {last.score} ({last.reason.lower()}, "
            f"{last.turns} turns, {last.left:.0f} s left)",
            highlight=False,
        )

    report = study.run(matches, out, _command(), processes, stockfish, watch)
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


def _command() -> str:
    """The command line for a report, paths without this machine's folders."""
    return shlex.join([Path(sys.argv[0]).name, *(Path(a).name if "/" in a else a for a in sys.argv[1:])])
