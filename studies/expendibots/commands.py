"""`python -m studies expendibots`, `ladder` and the other studies of Expendibots."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from sparring.base.errors import UserError
from sparring.cli.arguments import AsJson
from sparring.cli.console import foreign, make_console
from sparring.expendibots.referee import SECONDS
from studies.expendibots.acceptance import format_summary
from studies.expendibots.rungs import LADDER
from studies.options import Html, command_line


def expendibots(
    seconds: Annotated[float, typer.Option(min=1, help="Processor seconds to train each algorithm.")] = 60.0,
    games: Annotated[int, typer.Option(min=2, help="Games of each pair of players.")] = 100,
    depth: Annotated[int, typer.Option(min=1, max=20, help="Search depth of both players.")] = 4,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    shipped_run: Annotated[
        Path | None,
        typer.Option(help="The run that made the shipped weights, for the figure of its weights."),
    ] = None,
    work: Annotated[Path, typer.Option(help="Folder of runs and games.")] = Path("build/expendibots"),
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("results/expendibots"),
    html: Html = False,
) -> None:
    """Compare RootStrap, TreeStrap and TDLeaf at equal processor time."""
    from studies.expendibots import algorithms
    from studies.expendibots.pages import write_algorithm_page

    plan = algorithms.AlgorithmStudyConfig(seconds=seconds, games=games, depth=depth, seed=seed)
    log = Console(stderr=True, highlight=False, soft_wrap=True).print
    report = algorithms.run(plan, work, out, command_line(), shipped_run, log)
    if html:
        write_algorithm_page(out)
    shown = Table("player", "Elo", "95 %", "wins", "draws", "losses", box=None)
    for player in report["standings"]["players"]:
        low, high = player["low"], player["high"]
        counts = (str(player[name]) for name in ("wins", "draws", "losses"))
        shown.add_row(player["name"], f"{player['elo']:+.0f}", f"{low:+.0f} to {high:+.0f}", *counts)
    make_console().print(shown)


def accept(
    new: Annotated[str, typer.Argument(help=f"The new player: {', '.join(LADDER)}.")],
    old: Annotated[str, typer.Argument(help="Its predecessor.")],
    games: Annotated[int, typer.Option(min=2, help="Games, half with each colour.")] = 100,
    nodes: Annotated[int, typer.Option(min=1, help="Nodes of a search for a move.")] = 50_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the openings.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the summary; its games are in games/, a second run resumes."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Play an acceptance match between two agents.

    Pairs of games from random openings, and a significance test.
    """
    from sparring.base.provenance import provenance
    from sparring.measure.reports import write_json
    from studies.expendibots.ladder import LadderConfig, play_ladder_match

    for name in (new, old):
        if name not in LADDER:
            raise UserError(f"there is no player {name}; there are {', '.join(LADDER)}")
    if new == old:
        raise UserError("a player does not play against itself")
    with Progress(console=make_console(stderr=True)) as progress:
        task = progress.add_task(foreign(f"{new} v {old}"), total=games)
        plan = LadderConfig(games, nodes, seed)
        folder = None if out is None else out / "games"
        summary = play_ladder_match(new, old, plan, folder, lambda _: progress.advance(task))
    if out is not None:
        plans = {"games": games, "nodes_a_move": nodes, "seed": seed}
        write_json({**provenance(command_line()), **plans, **asdict(summary)}, out / f"{new}-{old}.json")
    print(json.dumps(asdict(summary)) if as_json else format_summary(summary))


def ladder(
    games: Annotated[int, typer.Option(min=2, help="Games of each match.")] = 100,
    nodes: Annotated[int, typer.Option(min=1, help="Nodes of a search for a move.")] = 20_000,
    opening_nodes: Annotated[
        int, typer.Option(min=1, help="Nodes for each reply to the report's opening.")
    ] = 500_000,
    network: Annotated[
        list[Path] | None, typer.Option(help="Value networks to compare with the weights; repeatable.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.001, help="Seconds a move in that comparison.")] = 0.01,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    workers: Annotated[int, typer.Option(min=1, help="Matches that are played at once.")] = 1,
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("results/expendibots"),
    html: Html = False,
) -> None:
    """Play each Expendibots agent against the one below; analyse the opening; compare value networks."""
    from sparring.expendibots.agent import SHIPPED_NETWORK
    from studies.expendibots import evaluators, opening
    from studies.expendibots.ladder import LadderConfig, draw_ladder, run_ladder
    from studies.expendibots.pages import write_ladder_page

    console, command = make_console(), command_line()
    report = run_ladder(
        out,
        LadderConfig(games=games, nodes=nodes, seed=seed),
        command=command,
        workers=workers,
        callback=lambda summary: console.print(format_summary(summary)),
    )
    if not (out / opening.REPORT).exists():
        opening.analyse_opening(out, nodes=opening_nodes, command=command)
    if not (out / evaluators.REPORT).exists():
        named = {"shipped": SHIPPED_NETWORK, **{path.stem: path for path in network or []}}
        evaluators.compare_networks(out, named, seconds=seconds, games=games, seed=seed, command=command)
    draw_ladder(report, out)
    if html:
        write_ladder_page(out)


def opponent(
    games: Annotated[int, typer.Option(min=2, help="Games, half with each colour.")] = 60,
    depth: Annotated[int, typer.Option(min=1, max=12, help="Largest search depth of the opponent.")] = 6,
    kind: Annotated[
        str, typer.Option(help="The opponent: alphabeta, greedy, material or monte-carlo.")
    ] = "alphabeta",
    previous: Annotated[bool, typer.Option("--previous", help="The agent before the step trades.")] = False,
    seconds: Annotated[
        float, typer.Option(min=1, help="Processor seconds of a player for a game.")
    ] = SECONDS,
    workers: Annotated[int, typer.Option(min=1, help="Games that are played at once.")] = 1,
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("results/expendibots"),
) -> None:
    """Play the Expendibots agent against an opponent of another kind, under the course's limits.

    `alphabeta` has material, mobility and a quiescence search, and shares no code with the agent; it needs a
    C++ compiler. The others know the rules and the number of tokens: one action ahead, an alpha-beta and a
    Monte Carlo tree search.
    """
    from studies.expendibots.ladder import PREVIOUS
    from studies.expendibots.opponent_match import DEEP, SHIPPED, play_opponent_match
    from studies.expendibots.opponents import SIMPLE_OPPONENTS

    if kind not in (DEEP, *SIMPLE_OPPONENTS):
        raise UserError(f"there is no opponent {kind}; there are {', '.join((DEEP, *SIMPLE_OPPONENTS))}")
    if games % 2:
        raise UserError("--games must be even: half with each colour")
    console = make_console()
    report = play_opponent_match(
        out,
        games=games,
        depth=depth,
        agent=PREVIOUS if previous else SHIPPED,
        opponent=kind,
        seconds=seconds,
        workers=workers,
        command=command_line(),
        callback=lambda game: console.print(f"game {game.number}: {game.points:g}, {game.ending}"),
    )
    console.print(
        f"+{report['wins']} ={report['draws']} -{report['losses']}: {report['score']:.3f} "
        f"({report['score_low']:.3f} to {report['score_high']:.3f})"
    )


def variants(
    run: Annotated[Path, typer.Argument(help="A run of `sparring train evaluator expendibots`.")],
    games: Annotated[int, typer.Option(min=2, help="Games of each network against the base.")] = 200,
    nodes: Annotated[int, typer.Option(min=1, help="Nodes of a search for a move.")] = 5_000,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    workers: Annotated[int, typer.Option(min=1, help="Networks that are trained and played at once.")] = 1,
    out: Annotated[Path, typer.Option(help="Folder of networks, games and report.")] = Path("build/variants"),
) -> None:
    """Compare recipes of Expendibots' value network on the games of one training run."""
    from studies.expendibots.network_variants import VariantConfig, compare_variants

    if not list(run.glob("games-*/games-*.npz")):
        raise UserError(f"{run} has no games: run `sparring train evaluator expendibots --out {run}` first")
    console = make_console()
    compare_variants(
        out,
        VariantConfig(run, games, nodes, seed),
        command=command_line(),
        workers=workers,
        callback=lambda summary: console.print(format_summary(summary)),
    )


def draws(
    games: Annotated[int, typer.Option(min=1, help="Games of the agent against itself.")] = 60,
    nodes: Annotated[int, typer.Option(min=1, help="Nodes of a search for a move.")] = 5_000,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("results/expendibots"),
) -> None:
    """Find out where draws of the Expendibots agent come from."""
    from studies.expendibots.draws import analyse_draws

    report = analyse_draws(out, games=games, nodes=nodes, seed=seed, command=command_line())
    make_console().print(
        f"{report['draws']} of {games} games drawn, {report['drawn_with_an_endgame_win']} of them with a won "
        f"ending of the tables"
    )


def training(
    seconds: Annotated[float, typer.Option(min=1, help="Processor seconds to train each option.")] = 60.0,
    games: Annotated[int, typer.Option(min=2, help="Games of each match.")] = 100,
    depth: Annotated[int, typer.Option(min=1, max=20, help="Search depth of both players.")] = 3,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    work: Annotated[Path, typer.Option(help="Folder of runs and games.")] = Path("build/expendibots-options"),
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("results/expendibots"),
) -> None:
    """Compare learning rates of RootStrap and TDLeaf, and TreeStrap with stages, at equal processor time."""
    from studies.expendibots.training_options import OptionStudyConfig, run

    plan = OptionStudyConfig(seconds, games, depth, seed)
    run(plan, work, out, command_line(), Console(stderr=True, highlight=False, soft_wrap=True).print)


def claims(
    positions: Annotated[int, typer.Option(min=2, help="Positions of the count of nodes.")] = 200,
    depth: Annotated[int, typer.Option(min=1, max=6, help="Depth of that search.")] = 4,
    games: Annotated[int, typer.Option(min=2, help="Games with the book against without.")] = 100,
    nodes: Annotated[int, typer.Option(min=1, help="Nodes of a search for a move.")] = 20_000,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    out: Annotated[Path, typer.Option(help="Folder of the reports.")] = Path("results/expendibots"),
) -> None:
    """Measure what the report says of its move ordering, of moves of stacks and of its book."""
    from studies.expendibots.report_claims import measure_book, measure_ordering

    ordering = measure_ordering(out, positions=positions, depth=depth, seed=seed, command=command_line())
    for row in ordering["ratios"]:
        make_console().print(f"{row['of']} over {row['over']}: nodes {row['nodes']}")
    book = measure_book(out, games=games, nodes=nodes, command=command_line())
    make_console().print(
        f"with the book: {book['score']:.3f} of {games}, {book['different_games']} different"
    )
