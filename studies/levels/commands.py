"""`python -m studies level-grid`, `level-solve` and the other studies of levels."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from sparring.cli.errors import UserError
from studies.options import command_line

RESULTS = Path("results/levels")


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
    out: Annotated[Path, typer.Option(help="JSON file; the games are beside it.")] = RESULTS / "grid.json",
) -> None:
    """Measure a grid of dials against anchors, for the level table."""
    from sparring.calibration.anchors import read_anchors
    from sparring.calibration.ladder import ladder_report, play_families
    from sparring.calibration.run import (
        CalibrationGame,
        CalibrationPlan,
        CalibrationWorker,
        GamesTask,
        Results,
    )
    from sparring.reports.machine import provenance
    from sparring.reports.report import write_json
    from sparring.storage import Journal
    from sparring.workers import LocalWorkerPool
    from studies.levels.grid import parse_dials

    players = parse_dials(dials, game)
    members = [anchor for name in anchors.split(",") for anchor in read_anchors(name, game)]
    plan = CalibrationPlan(game, players, tuple(members), seed, backend, batch)
    pool: LocalWorkerPool[GamesTask, list[CalibrationGame]] = LocalWorkerPool(
        partial(CalibrationWorker, plan), concurrency
    )
    with pool:
        results = Results(Journal(out.with_suffix(".jsonl"), header={"seed": seed}))
        if report_only:
            games = link_games = 0
        starts = dict.fromkeys(players, start)
        elo = play_families(
            starts, members, results, pool,
            games=games, link_games=link_games, rounds=rounds,
            on_progress=lambda _: print(f"{len(results.games):,} games", flush=True),
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
    / "grid.json",
    policy: Annotated[str, typer.Option(help="Policy; the journals' games are its own.")] = "level-blend",
    search_from: Annotated[int, typer.Option(help="The lowest level that searches.")] = 2200,
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
    / "solved.toml",
) -> None:
    """Solve the dial of each chess level by games, and write a level table after every few of them."""
    import time

    from sparring.calibration.anchors import read_anchors
    from sparring.calibration.rolling_games import calibration_pool
    from sparring.calibration.run import CalibrationPlan, Results
    from sparring.reports.report import read_json
    from sparring.storage import Journal, atomic_write, read_journal
    from studies.levels.pooled import dial_games
    from studies.levels.solve import DialSolver, level_table_text

    begun = time.monotonic()
    members = read_anchors(anchors, "chess")
    elo = read_json(links)["families"][members[0].family]["anchors"]
    earlier = [game for path in journals or [] for game in dial_games(read_journal(path), elo)]
    solver = DialSolver(_integers(levels), earlier, search_from, policy)
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


def level_positions(
    records: Annotated[list[Path], typer.Option("--records", "-r", help="PGN files with ratings.")],
    classes: Annotated[
        str, typer.Option(help="Ratings of the classes.")
    ] = "800,1000,1100,1200,1400,1500,1600,1800,1900,2000,2200,2400",
    whole: Annotated[
        str, typer.Option(help="Classes of whose games all positions are taken.")
    ] = "1100,1500,1900",
    games: Annotated[int, typer.Option(min=1, help="Games of each class.")] = 60,
    each: Annotated[int, typer.Option(min=1, help="Positions of a game of the other classes.")] = 4,
    out: Annotated[Path, typer.Option(help="File of the positions.")] = RESULTS / "people.jsonl.gz",
) -> None:
    """Collect positions of people by rating from test games, for `level-scores`."""
    from studies.levels.positions import people_positions, write_game_positions

    found = list(people_positions(records, _integers(classes), games, each, _integers(whole)))
    write_game_positions(found, out)
    print(f"{out}: {len(found):,} positions")


def level_scores(
    people: Annotated[Path, typer.Argument(help="File by `level-positions`.")],
    own: Annotated[str, typer.Option(help="Ratings of our own games at temperature 1.")] = "1100,1500,1900",
    policy: Annotated[str, typer.Option(help="Policy of our own games.")] = "human",
    games: Annotated[int, typer.Option(min=1, help="Games of each rating.")] = 60,
    backend: Annotated[str, typer.Option(help="Runtime of the networks.")] = "onnxruntime",
    stockfish: Annotated[str, typer.Option(help="Stockfish's program.")] = "stockfish",
    nodes: Annotated[int, typer.Option(min=100, help="Nodes of each analysis.")] = 30_000,
    concurrency: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    out: Annotated[Path, typer.Option(help="File of the positions.")] = RESULTS / "positions.jsonl.gz",
) -> None:
    """Play games of our own, and evaluate all moves of all positions with Stockfish."""
    from sparring.players import PlayerConfig
    from sparring.policies import load_policy
    from sparring.workers import LocalWorkerPool
    from studies.levels.positions import own_positions, read_game_positions, write_game_positions
    from studies.levels.scoring import ScoreTask, ScoreWorker

    positions = read_game_positions(people)
    if own:
        opened = load_policy(policy, "chess", backend=backend, batch=256)
        for rating in _integers(own):
            config = PlayerConfig("chess", model=policy, rating=rating)
            positions += own_positions(config, opened, f"{policy}, own games", rating, games)
    print(f"{len(positions):,} positions", flush=True)
    tasks = [ScoreTask(start, tuple(positions[start : start + 50])) for start in range(0, len(positions), 50)]
    pool = LocalWorkerPool(partial(ScoreWorker, stockfish, nodes), concurrency)
    scored = {}
    with pool:
        for start, found in pool.run(iter(tasks)):
            scored[start] = found
            if len(scored) % 20 == 0:
                print(f"{50 * len(scored):,} scored", flush=True)
                write_game_positions([each for key in sorted(scored) for each in scored[key]], out)
    write_game_positions([each for key in sorted(scored) for each in scored[key]], out)


def level_losses(
    positions: Annotated[Path, typer.Argument(help="File by `level-scores`.")] = RESULTS
    / "positions.jsonl.gz",
    policy: Annotated[str, typer.Option(help="Policy that is compared with people.")] = "human",
    backend: Annotated[str, typer.Option(help="Runtime of the networks.")] = "onnxruntime",
    out: Annotated[Path, typer.Option(help="JSON file of the report.")] = RESULTS / "losses.json",
) -> None:
    """Find where a policy loses strength: expected loss beside people's by kind of position."""
    from sparring.policies import load_policy
    from sparring.reports.machine import provenance
    from sparring.reports.report import write_json
    from studies.levels.diagnosis import diagnose, diagnosis_table
    from studies.levels.positions import read_game_positions

    opened = load_policy(policy, "chess", backend=backend, batch=256)
    rows = diagnose(opened, policy, read_game_positions(positions))
    write_json(provenance(command_line()) | {"policy": opened.name, "rows": rows}, out)
    print(diagnosis_table(rows))


def level_yardstick(
    positions: Annotated[Path, typer.Argument(help="File by `level-scores`.")] = RESULTS
    / "positions.jsonl.gz",
    players: Annotated[Path | None, typer.Option(help="Level table (default: the shipped one).")] = None,
    classes: Annotated[
        str, typer.Option(help="Classes of people.")
    ] = "800,1000,1200,1400,1600,1800,2000,2200,2400",
    stockfish: Annotated[
        str, typer.Option(help="Stockfish's program, to compare with; empty for none.")
    ] = "stockfish",
    draws: Annotated[int, typer.Option(min=1, help="Moves that Stockfish draws in a position.")] = 8,
    concurrency: Annotated[int, typer.Option(min=1, help="Processes of Stockfish.")] = 1,
    backend: Annotated[str, typer.Option(help="Runtime of the networks.")] = "onnxruntime",
    out: Annotated[Path, typer.Option(help="JSON file; the tables are beside it, in .md.")] = RESULTS
    / "yardstick.json",
) -> None:
    """Compare each level's player with people of its rating: loss a move, matching and likelihood."""
    from sparring.players import read_level_table, shipped_levels
    from sparring.policies import load_policy
    from sparring.reports.machine import provenance
    from sparring.reports.report import write_json
    from sparring.storage import atomic_write
    from studies.levels.engine_shares import engine_shares
    from studies.levels.positions import read_game_positions
    from studies.levels.yardstick import (
        BLEND,
        class_positions,
        equivalent_ratings,
        equivalent_table,
        level_columns,
        loss_table,
        matching_table,
        yardstick_rows,
    )

    table = shipped_levels("chess") if players is None else read_level_table(players)
    assert table is not None
    scored = read_game_positions(positions)
    levels = [level for level in _integers(classes) if class_positions(scored, level)]
    names = {BLEND, *(table.at(level).model for level in levels)}
    policies = {name: load_policy(name, "chess", backend=backend, batch=256) for name in names}
    found = []
    for level in levels:
        wanted = {level: [each.state for each in class_positions(scored, level)]}
        shares = engine_shares(stockfish, wanted, draws, concurrency) if stockfish else {}
        found.append(level_columns(policies, table, scored, level, shares.get(level)))
        rows = yardstick_rows(found)
        report = provenance(command_line()) | {"rows": rows, "dials": [table.keys(each) for each in levels]}
        tables = [matching_table(rows), loss_table(rows)]
        if len(found) > 1:
            report["equivalent"] = equivalent_ratings(found)
            tables.append(equivalent_table(report["equivalent"]))
        write_json(report, out)
        atomic_write(out.with_suffix(".md"), ("\n\n".join(tables) + "\n").encode())
        print(f"{level}: {len(found[-1].positions)} positions", flush=True)


def level_candidates(
    candidates: Annotated[
        list[str],
        typer.Argument(help="policy:nodes; a policy is a name, or the share of the strong network."),
    ],
    positions: Annotated[Path, typer.Option(help="File by `level-scores`.")] = RESULTS
    / "positions-levels.jsonl.gz",
    classes: Annotated[str, typer.Option(help="Classes of people.")] = "1600,1800,2000,2200,2400",
    every: Annotated[int, typer.Option(min=1, help="Every so many positions of a class.")] = 1,
    backend: Annotated[str, typer.Option(help="Runtime of the networks.")] = "onnxruntime",
    out: Annotated[Path, typer.Option(help="JSON file; the table is beside it, in .md.")] = RESULTS
    / "candidates.json",
) -> None:
    """Compare candidates for the players of levels: likelihood of people's moves, and expected loss."""
    from sparring.policies import load_policy
    from sparring.reports.machine import provenance
    from sparring.reports.report import write_json
    from sparring.storage import atomic_write
    from studies.levels.candidates import candidate_row, candidate_table, mixture, people_row
    from studies.levels.positions import read_game_positions
    from studies.levels.yardstick import class_positions

    parsed = [_candidate(text) for text in candidates]
    open_policy = partial(load_policy, game="chess", backend=backend, batch=64)
    human, strong = open_policy("human"), open_policy("strong")
    scored = read_game_positions(positions)
    people, rows = [], []
    for level in _integers(classes):
        chosen = class_positions(scored, level)[::every]
        people.append(people_row(level, chosen))
        for name, nodes in parsed:
            share = name.replace(".", "", 1).isdigit()
            policy = mixture(human, strong, float(name)) if share else open_policy(name)
            rows.append(candidate_row(policy, level, nodes, chosen))
            write_json(provenance(command_line()) | {"people": people, "rows": rows}, out)
            atomic_write(out.with_suffix(".md"), (candidate_table(people, rows) + "\n").encode())
        print(f"{level}: {len(chosen)} positions", flush=True)


def level_report(
    ladders: Annotated[list[Path], typer.Argument(help="JSON files by `sparring calibrate`.")],
    levels: Annotated[
        str, typer.Option(help="Levels of the mean error.")
    ] = "800,1000,1200,1400,1600,1800,2000,2200,2400",
    out: Annotated[Path, typer.Option(help="Folder of ladder.json and ladder.svg.")] = RESULTS,
) -> None:
    """Merge the ladders of several calibrations into a table and a figure; families stay apart."""
    from sparring.reports.machine import provenance
    from sparring.reports.plot_style import save_svg
    from sparring.reports.report import read_json, write_json
    from studies.levels.report import ladder_figure, ladder_table, merge_ladders

    ladder = merge_ladders([read_json(path) for path in ladders], _integers(levels))
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
    from sparring.players import read_level_table
    from sparring.reports.report import read_json
    from sparring.storage import atomic_write
    from studies.levels.table import grid_table, table_text, with_measurements

    reports = [read_json(path) for path in ladders]
    if dials is None:
        table = grid_table(game, family, reports)
    else:
        table = with_measurements(read_level_table(dials), reports)
    atomic_write(out, table_text(table, [command_line()]).encode())


def level_fit(
    journals: Annotated[list[Path], typer.Argument(help="Journals of games against anchors.")],
    links: Annotated[Path, typer.Option(help="JSON file with the ratings of all anchors.")] = RESULTS
    / "grid.json",
    family: Annotated[str, typer.Option(help="Family of the anchors.")] = "stockfish",
    levels: Annotated[
        str, typer.Option(help="Levels.")
    ] = "600,800,1000,1200,1400,1600,1800,2000,2200,2400,2600",
    policy: Annotated[str, typer.Option(help="Policy; the journals' games are its own.")] = "level-blend",
    search_from: Annotated[int, typer.Option(help="The lowest level that searches.")] = 2200,
    out: Annotated[Path, typer.Option(help="JSON file; the level table is beside it.")] = RESULTS
    / "dials.json",
) -> None:
    """Fit strength as a function of the dial to all games, and find each level's dial."""
    from sparring.reports.machine import provenance
    from sparring.reports.report import read_json, write_json
    from sparring.storage import atomic_write, read_journal
    from studies.levels.pooled import dial_games
    from studies.levels.solve import DialSolver, level_table_text

    elo = read_json(links)["families"][family]["anchors"]
    games = [game for path in journals for game in dial_games(read_journal(path), elo)]
    solver = DialSolver(_integers(levels), games, search_from, policy)
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


def _candidate(text: str) -> tuple[str, int]:
    """The policy and the nodes of a candidate. Raises UserError."""
    name, _, nodes = text.rpartition(":")
    if not name or not nodes.isdecimal():
        raise UserError(f"{text}: expected policy:nodes, such as level-blend:80")
    return name, int(nodes)


def _integers(text: str) -> list[int]:
    return [int(each) for each in text.split(",") if each.strip()]
