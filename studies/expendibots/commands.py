"""`python -m studies expendibots` and `ladder`: experiments with Expendibots agents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from sparring.cli.accept import format_summary
from sparring.cli.errors import UserError
from sparring.reports.plot_style import MatplotlibMissing
from sparring.search.linear_evaluation import BadEvaluation
from sparring.training.treestrap import BadTreeStrapRun
from studies.command_line import command_line


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
    from studies.expendibots.algorithms import AlgorithmStudyConfig, study

    plan = AlgorithmStudyConfig(seconds=seconds, games=games, depth=depth, seed=seed)
    log = Console(stderr=True, highlight=False, soft_wrap=True).print
    try:
        report = study(plan, work, out, command_line(), shipped_run, log)
    except (BadTreeStrapRun, BadEvaluation, MatplotlibMissing) as error:
        raise UserError(str(error)) from None
    shown = Table("player", "Elo", "95 %", "wins", "draws", "losses", box=None)
    for player in report["standings"]["players"]:
        low, high = player["low"], player["high"]
        counts = (str(player[name]) for name in ("wins", "draws", "losses"))
        shown.add_row(player["name"], f"{player['elo']:+.0f}", f"{low:+.0f} to {high:+.0f}", *counts)
    Console().print(shown)


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
    from sparring.search.expendibots.value_network_files import SHIPPED_NETWORK
    from studies.expendibots.evaluators import compare
    from studies.expendibots.ladder import run_ladder
    from studies.expendibots.ladder_page import write_page
    from studies.expendibots.opening import analyse_opening

    console, command = Console(highlight=False), command_line()
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
