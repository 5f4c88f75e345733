"""`python -m studies level-grid`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

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
        results = Results(Journal(out.with_suffix(".jsonl"), header={"seed": seed}, kind=CalibrationGame))
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
