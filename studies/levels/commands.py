"""`python -m studies level-grid`, `level-solve` and the other studies of levels by games."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from sparring.cli.arguments import whole_numbers
from studies.levels.options import RESULTS
from studies.options import command_line


def level_grid(
    dials: Annotated[
        list[str],
        typer.Argument(help="ratings:temperatures:nodes[:rule[:policy]], such as 1600,2000:1,0.5:0,32"),
    ],
    game: Annotated[str, typer.Option(help="Name of the game.")] = "chess",
    anchors: Annotated[str, typer.Option(help="Families of anchors: names or TOML files.")] = "stockfish",
    start: Annotated[float, typer.Option(help="First guess of every rating.")] = 1650,
    games: Annotated[int, typer.Option(min=2, help="Games of each player against each family.")] = 80,
    link_games: Annotated[int, typer.Option(min=2, help="Games of each pair of unrated anchors.")] = 60,
    rounds: Annotated[int, typer.Option(min=1, help="Times at which the nearest anchors are chosen.")] = 2,
    concurrency: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    backend: Annotated[str, typer.Option(help="Runtime of the networks.")] = "onnxruntime",
    batch: Annotated[int, typer.Option(min=1, help="Positions that a network evaluates at once.")] = 64,
    seed: Annotated[int, typer.Option(help="Seed of all moves.")] = 1,
    report_only: Annotated[
        bool, typer.Option("--report-only", help="Rate the games that there are.")
    ] = False,
    out: Annotated[Path, typer.Option(help="JSON file; the games are beside it.")] = RESULTS
    / "dials/grid.json",
) -> None:
    """Measure a grid of dials against anchors, for the level table."""
    from sparring.base.provenance import provenance
    from sparring.base.storage import Journal
    from sparring.base.workers import LocalWorkerPool
    from sparring.measure.calibration import (
        CalibrationGame,
        CalibrationPlan,
        CalibrationWorker,
        GamesTask,
        Results,
        ladder_report,
        play_families,
        read_anchors,
    )
    from sparring.measure.reports import write_json
    from studies.levels.grid import parse_dials

    players = parse_dials(dials, game)
    members = [anchor for name in anchors.split(",") for anchor in read_anchors(name, game)]
    plan = CalibrationPlan(game, players, tuple(members), seed, backend, batch)
    pool: LocalWorkerPool[GamesTask, list[CalibrationGame]] = LocalWorkerPool(
        partial(CalibrationWorker, plan), concurrency
    )
    with pool:
        journal = Journal(out.with_suffix(".jsonl"), header={"seed": seed})
        results = Results(journal, lambda done: print(f"{done:,} games", flush=True))
        if report_only:
            games = link_games = 0
        starts = dict.fromkeys(players, start)
        elo = play_families(
            starts, members, results, pool,
            games=games, link_games=link_games, rounds=rounds,
        )  # fmt: skip
    report = ladder_report(starts, elo, [], results)
    write_json(provenance(command_line()) | report, out)
    for family, found in report["families"].items():
        for row in found["levels"]:
            low, high = row["interval"]
            measured = f"{row['rating']:.0f} ({low:.0f} to {high:.0f}), {row['games']} games"
            print(f"{family} {row['player']}: {measured}")


def level_solve(
    levels: Annotated[str, typer.Argument(help="Levels, such as 1600,1800.")],
    journals: Annotated[
        list[Path] | None, typer.Option("--journals", "-j", help="Journals of earlier games.")
    ] = None,
    anchors: Annotated[str, typer.Option(help="Family of anchors: a name or a TOML file.")] = "stockfish",
    links: Annotated[Path, typer.Option(help="JSON file with the ratings of all anchors.")] = RESULTS
    / "dials/grid.json",
    policy: Annotated[str, typer.Option(help="Policy; the journals' games are its own.")] = "level-blend",
    search_from: Annotated[int, typer.Option(help="The lowest level that searches.")] = 2200,
    nodes: Annotated[
        int, typer.Option(min=0, help="Nodes of every search; 0 solves nodes and temperature.")
    ] = 0,
    seconds: Annotated[float, typer.Option(min=0, help="Time in which new games are begun.")] = 600,
    chunk: Annotated[int, typer.Option(min=2, help="Games that a process plays together.")] = 24,
    concurrency: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    engines: Annotated[
        int, typer.Option(min=0, help="Engines that think at a time, in one process, as in `calibrate`.")
    ] = 0,
    together: Annotated[int, typer.Option(min=1, help="Games at a time, with --engines.")] = 40,
    backend: Annotated[str, typer.Option(help="Runtime of the networks.")] = "onnxruntime",
    batch: Annotated[int, typer.Option(min=1, help="Positions that a network evaluates at once.")] = 64,
    seed: Annotated[int, typer.Option(help="Seed of all moves.")] = 2,
    out: Annotated[Path, typer.Option(help="Level table; the games are beside it.")] = RESULTS
    / "dials/solved.toml",
) -> None:
    """Solve the dial of each chess level by games, and write a level table after every few of them."""
    import time

    from sparring.base.storage import Journal, atomic_write, read_journal
    from sparring.measure.calibration import CalibrationPlan, Results, calibration_pool, read_anchors
    from sparring.measure.reports import read_json
    from studies.levels.pooled import dial_games
    from studies.levels.solve import DialSolver, level_table_text

    begun = time.monotonic()
    members = read_anchors(anchors, "chess")
    elo = read_json(links)["families"][members[0].family]["anchors"]
    earlier = [game for path in journals or [] for game in dial_games(read_journal(path), elo)]
    solver = DialSolver(whole_numbers(levels), earlier, search_from, policy, nodes)
    results = Results(Journal(out.with_suffix(".jsonl"), header={"seed": seed}, overwrite=True))

    def report() -> None:
        rows = [solver.dial(level) for level in solver.levels]
        atomic_write(out, level_table_text(rows, policy, members[0].family, command_line()).encode())
        print(f"{time.monotonic() - begun:.0f} s, {len(results.games):,} games", flush=True)
        for row in rows:
            strength, error = solver.strength(row)
            print(
                f"  {row.level}: temperature {row.temperature}, {row.nodes} nodes; {strength:.0f} "
                f"+- {1.96 * error:.0f}, slope {solver.fit(row.level).slope}", flush=True,
            )  # fmt: skip

    report()
    plan = CalibrationPlan("chess", {}, tuple(members), seed, backend, batch)
    with calibration_pool(plan, concurrency=concurrency, together=together, engines=engines) as pool:
        tasks = solver.tasks(elo, chunk, seed, lambda: time.monotonic() - begun < seconds)
        for finished in pool.run(tasks):
            results.add(finished)
            solver.add(finished, elo)
            report()


def level_fit(
    journals: Annotated[list[Path], typer.Argument(help="Journals of games against anchors.")],
    links: Annotated[Path, typer.Option(help="JSON file with the ratings of all anchors.")] = RESULTS
    / "dials/grid.json",
    family: Annotated[str, typer.Option(help="Family of the anchors.")] = "stockfish",
    levels: Annotated[
        str, typer.Option(help="Levels.")
    ] = "600,800,1000,1200,1400,1600,1800,2000,2200,2400,2600",
    policy: Annotated[str, typer.Option(help="Policy; the journals' games are its own.")] = "level-blend",
    search_from: Annotated[int, typer.Option(help="The lowest level that searches.")] = 2200,
    out: Annotated[Path, typer.Option(help="JSON file; the level table is beside it.")] = RESULTS
    / "dials/dials.json",
) -> None:
    """Fit strength as a function of the dial to all games, and find each level's dial."""
    from sparring.base.provenance import provenance
    from sparring.base.storage import atomic_write, read_journal
    from sparring.measure.reports import read_json, write_json
    from studies.levels.pooled import dial_games
    from studies.levels.solve import DialSolver, level_table_text

    elo = read_json(links)["families"][family]["anchors"]
    games = [game for path in journals for game in dial_games(read_journal(path), elo)]
    solver = DialSolver(whole_numbers(levels), games, search_from, policy)
    rows = []
    for level in solver.levels:
        row, fit = solver.dial(level), solver.fit(level)
        (strength, error), (plain, plain_error) = solver.strength(row), fit.strength(level, 1.0, row.nodes)
        rows.append(
            {
                "level": level,
                "at_temperature_1": plain,
                "at_temperature_1_error": 1.96 * plain_error,
                "temperature": row.temperature,
                "nodes": row.nodes,
                "strength": strength,
                "error": 1.96 * error,
                "slope": fit.slope,
                "games": fit.games,
            }
        )
        print(
            f"{level}: {plain:.0f} +- {1.96 * plain_error:.0f} at temperature 1; at {row.temperature}, "
            f"{row.nodes} nodes: {strength:.0f} +- {1.96 * error:.0f}"
        )
    write_json(provenance(command_line()) | {"rows": rows}, out)
    table = level_table_text([solver.dial(level) for level in solver.levels], policy, family, command_line())
    atomic_write(out.with_suffix(".toml"), table.encode())


def level_report(
    ladders: Annotated[list[Path], typer.Argument(help="JSON files by `sparring calibrate`.")],
    journals: Annotated[
        list[Path] | None,
        typer.Option(
            "--journals", "-j", help="Journals by `sparring calibrate`: games of a dial are pooled."
        ),
    ] = None,
    links: Annotated[Path, typer.Option(help="JSON file with the ratings of all anchors.")] = RESULTS
    / "links.json",
    family: Annotated[str, typer.Option(help="Family of the journals' anchors.")] = "stockfish",
    levels: Annotated[
        str, typer.Option(help="Levels of the mean error.")
    ] = "800,1000,1200,1400,1600,1800,2000,2200,2400",
    out: Annotated[Path, typer.Option(help="Folder of ladder.json and ladder.svg.")] = RESULTS,
) -> None:
    """Merge the ladders of several calibrations into a table and a figure; families stay apart."""
    from sparring.base.plot_style import save_svg
    from sparring.base.provenance import provenance
    from sparring.base.storage import read_journal
    from sparring.measure.reports import read_json, write_json
    from studies.levels.report import ladder_figure, ladder_table, merge_ladders, pooled_report

    reports = [read_json(path) for path in ladders]
    if journals:
        elo = read_json(links)["families"][family]["anchors"]
        reports.append(pooled_report([read_journal(path) for path in journals], family, elo))
    ladder = merge_ladders(reports, whole_numbers(levels))
    write_json(provenance(command_line()) | ladder, out / "ladder.json")
    save_svg(ladder_figure(ladder), out, "ladder")
    print(ladder_table(ladder))


def level_table(
    ladders: Annotated[
        list[Path], typer.Argument(help="JSON files by `sparring calibrate`, or by `level-grid`.")
    ],
    dials: Annotated[
        Path | None, typer.Option(help="Level table by `level-solve`; without it, the dials of the grids.")
    ] = None,
    game: Annotated[str, typer.Option(help="Name of the game of the grids.")] = "chess",
    family: Annotated[str, typer.Option(help="Family of the anchors of the grids.")] = "stockfish",
    out: Annotated[Path, typer.Option(help="Level table.")] = RESULTS / "levels.toml",
) -> None:
    """Write a level table with what was measured: strengths of its dials, or a grid's dials as levels."""
    from sparring.base.storage import atomic_write
    from sparring.measure.reports import read_json
    from sparring.players import read_level_table
    from studies.levels.table import grid_table, table_text, with_measurements

    reports = [read_json(path) for path in ladders]
    if dials is None:
        table = grid_table(game, family, reports)
    else:
        table = with_measurements(read_level_table(dials), reports)
    atomic_write(out, table_text(table, [command_line()]).encode())
