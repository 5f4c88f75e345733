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

from sparring.cli.accept import format_summary
from sparring.cli.errors import UserError
from sparring.cli.study_blend import blend_command
from sparring.reports.plot_style import MatplotlibMissing
from sparring.search.evaluations import BadEvaluation
from sparring.training.treestrap import BadTreeStrapRun

app = typer.Typer(help="Experiments: data in, report out.", no_args_is_help=True)
for _game in ("chess", "go", "shogi"):
    app.command(f"blend-{_game}")(blend_command(_game))


@app.command()
def expendibots(
    seconds: Annotated[float, typer.Option(min=1, help="Of a core, for each algorithm to learn.")] = 60.0,
    games: Annotated[int, typer.Option(min=2, help="Of each pair of players.")] = 100,
    depth: Annotated[int, typer.Option(min=1, max=20, help="Of both players' searches.")] = 4,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    shipped_run: Annotated[
        Path | None, typer.Option(help="The folder of the run that made the shipped weights, for its curves.")
    ] = None,
    work: Annotated[Path, typer.Option(help="Where runs and games are kept.")] = Path("build/expendibots"),
    out: Annotated[Path, typer.Option(help="Where the report goes.")] = Path("results/expendibots"),
) -> None:
    """Compare RootStrap, TreeStrap and TDLeaf at equal processor time, and draw the report's figures."""
    from sparring.studies.expendibots import AlgorithmStudyConfig, study

    plan = AlgorithmStudyConfig(seconds=seconds, games=games, depth=depth, seed=seed)
    log = Console(stderr=True, highlight=False, soft_wrap=True).print
    try:
        report = study(plan, work, out, _command(), shipped_run, log)
    except (BadTreeStrapRun, BadEvaluation, MatplotlibMissing) as error:
        raise UserError(str(error)) from None
    shown = Table("player", "Elo", "95 %", "wins", "draws", "losses", box=None)
    for player in report["standings"]["players"]:
        low, high = player["low"], player["high"]
        counts = (str(player[name]) for name in ("wins", "draws", "losses"))
        shown.add_row(player["name"], f"{player['elo']:+.0f}", f"{low:+.0f} to {high:+.0f}", *counts)
    Console().print(shown)


@app.command()
def ladder(
    games: Annotated[int, typer.Option(min=2, help="Of each match.")] = 100,
    nodes: Annotated[int, typer.Option(min=1, help="That a search may visit for a move.")] = 20_000,
    opening_nodes: Annotated[
        int, typer.Option(min=1, help="For each reply to the report's opening.")
    ] = 500_000,
    network: Annotated[
        list[Path] | None, typer.Option(help="Networks to compare with the weights, beside the shipped one.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.001, help="A move, for that comparison.")] = 0.01,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    out: Annotated[Path, typer.Option(help="Where the report goes.")] = Path("results/expendibots"),
) -> None:
    """Every step of the Expendibots agent against the one below; its opening, networks and endings."""
    from sparring.search.evaluations.network_files import SHIPPED_NETWORK
    from sparring.studies.evaluators import compare
    from sparring.studies.ladder import run_ladder
    from sparring.studies.ladder_page import write_page
    from sparring.studies.opening import analyse_opening

    console, command = Console(highlight=False), _command()
    try:
        run_ladder(
            out,
            games=games,
            nodes=nodes,
            seed=seed,
            command=command,
            callback=lambda v: console.print(format_summary(v)),
        )
        if not (out / "opening.json").exists():
            analyse_opening(out, nodes=opening_nodes, command=command)
        if not (out / "networks.json").exists():
            named = {"shipped": SHIPPED_NETWORK, **{path.stem: path for path in network or []}}
            compare(out, named, seconds=seconds, games=games, seed=seed, command=command)
        write_page(out)
    except (BadEvaluation, MatplotlibMissing) as error:
        raise UserError(str(error)) from None


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
    config = study.TrackingConfig(limit, compared, compared_boards, sampled, threads)
    columns = (TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, transient=True) as bar:
        task = bar.add_task("reading", total=None)

        def on_progress(number: int, followed: study.TrackedSide) -> None:
            bar.update(
                task, description=f"game {number:,}: {followed.most:,} boards, {followed.misses} misses"
            )

        report = study.run(paths, config, out, _command(), games, on_progress)
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


@app.command("rbc-games")
def rbc_games(
    records: Annotated[Path, typer.Option(help="Games as reconchess histories: a file, or a folder.")],
    limit: Annotated[int, typer.Option(min=1, help="Boards that are followed.")] = 100_000,
    replayed: Annotated[int, typer.Option(min=0, help="Games that are replayed for the figure.")] = 2_000,
    out: Annotated[Path, typer.Option(help="Where the report goes.")] = Path("results/rbc"),
) -> None:
    """Count games of reconnaissance blind chess; draw who wins with how many possible boards."""
    from sparring.reports.plot_style import MatplotlibMissing
    from sparring.studies import rbc_games as study

    paths = _histories(records)
    with Progress(TextColumn("{task.description}"), TimeElapsedColumn(), transient=True) as bar:
        task = bar.add_task("reading", total=None)
        try:
            report = study.run(
                paths,
                study.ReplayConfig(limit, replayed),
                out,
                _command(),
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
    from sparring.players.rbc import BadBotConfig, StockfishNotFound, find_stockfish, load_bot_config
    from sparring.studies import rbc_matches as study

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

    report = study.run(matches, out, _command(), processes, stockfish, on_progress)
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
