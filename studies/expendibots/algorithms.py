"""RootStrap, TreeStrap and TDLeaf compared at equal processor time.

Each algorithm trains for the same processor time from the same hand-picked weights. Then a round robin at
equal depth rates all results together with the hand-picked and the shipped weights. Runs and games are kept
in a work folder, so that a stopped study resumes.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparring.arena import ArenaGame, Standings, compute_standings
from sparring.base.plot_style import save_svg
from sparring.base.provenance import provenance
from sparring.base.storage import Journal
from sparring.measure.reports import FIGURES, write_json
from sparring.search.linear_evaluation import LinearEvaluation, open_evaluation
from sparring.training.treestrap.algorithms import ALGORITHMS
from sparring.training.treestrap.figures import weights_by_feature, weights_over_time
from sparring.training.treestrap.run import SETTINGS, TreeStrapRun, TreeStrapRunConfig, worker_pool
from studies.expendibots.evaluation_matches import round_robin
from studies.expendibots.figures import interval_plot

REPORT = "algorithms.json"
Log = Callable[[str], None]


@dataclass(frozen=True)
class AlgorithmStudyConfig:
    """The plan of an algorithm study."""

    game: str = "expendibots"
    seconds: float = 60.0
    """Processor seconds of training for each algorithm."""
    games: int = 100
    """Games of each pair of players."""
    depth: int = 4
    """Search depth of both players."""
    seed: int = 0


def run(
    plan: AlgorithmStudyConfig, work: Path, out: Path, command: str, shipped_run: Path | None, log: Log
) -> dict[str, Any]:
    """Trains and plays what the work folder does not have yet; writes `algorithms.json` and the figures.

    `shipped_run` is the folder of the run that made the shipped weights, for the figure of its weights over
    time. Returns the report. Raises BadFile, MissingExtra or OSError.
    """
    runs = {name: train_algorithm(plan, name, work / name, log) for name in ALGORITHMS}
    entries = {
        "hand-picked": open_evaluation(plan.game, "start"),
        **{name: run.evaluation() for name, run in runs.items()},
        "shipped": open_evaluation(plan.game, "learned"),
    }
    results = play_round_robin(plan, entries, work / "matches.jsonl", log)
    report = {
        **provenance(command),
        "plan": dataclasses.asdict(plan),
        "interval": "Elo with 95 % intervals, hand-picked weights at 0; 8 random plies, colours changed",
        "training": {name: training_summary(run) for name, run in runs.items()},
        "standings": compute_standings(results, list(entries), anchor="hand-picked").as_json(),
        "breakthrough": breakthrough_standings(plan).as_json(),
    }
    write_json(report, out / REPORT)
    _draw(plan.game, report, out / FIGURES, shipped_run)
    return report


def train_algorithm(plan: AlgorithmStudyConfig, algorithm: str, folder: Path, log: Log) -> TreeStrapRun:
    """Trains an algorithm in blocks of games until its processor time is spent; resumes an earlier run."""
    config = TreeStrapRunConfig(plan.game, algorithm=algorithm, games=10**6, block=25, seed=plan.seed)
    run = TreeStrapRun(config, folder)
    used = sum(block.seconds for block in run.blocks)
    while used < plan.seconds:
        longer = dataclasses.replace(config, games=run.games + config.block)
        run = TreeStrapRun(longer, folder)
        with worker_pool(longer) as players:
            run.train(players)
        used += run.blocks[-1].seconds
        log(f"{algorithm}: {run.games} games, {used:.0f} of {plan.seconds:.0f} s")
    return run


def play_round_robin(
    plan: AlgorithmStudyConfig, entries: Mapping[str, LinearEvaluation], path: Path, log: Log
) -> list[ArenaGame]:
    """All games of the round robin; the journal at `path` keeps each and supplies those of earlier runs."""
    journal = Journal(path, lenient=True)  # older journals may have half lines in the middle
    known = [ArenaGame(**line) for line in journal.entries]
    done = {(frozenset((each.first, each.second)), each.number): each for each in known}
    for result in round_robin(entries, done, games=plan.games, depth=plan.depth, seed=plan.seed):
        journal.add(dataclasses.asdict(result))
        done[frozenset((result.first, result.second)), result.number] = result
        if result.number == plan.games - 1:
            log(f"{result.first} and {result.second} have played")
    return list(done.values())


def breakthrough_standings(plan: AlgorithmStudyConfig) -> Standings:
    """The shipped weights of Breakthrough against its hand-picked ones."""
    sources = {"hand-picked": "start", "learned": "learned"}
    players = {name: open_evaluation("breakthrough", source) for name, source in sources.items()}
    return compute_standings(
        list(round_robin(players, (), games=plan.games, depth=plan.depth, seed=plan.seed)),
        list(players),
        anchor="hand-picked",
    )


def training_summary(run: TreeStrapRun) -> dict[str, Any]:
    """Counts of a run, and what its algorithm is set to."""
    seconds, plies = sum(b.seconds for b in run.blocks), sum(b.plies for b in run.blocks)
    config, defaults = run.config, ALGORITHMS[run.config.algorithm].defaults
    return {
        "games": run.games,
        "moves": plies,
        "processor_seconds": round(seconds, 1),
        "moves_a_second": round(plies / seconds, 1),
        "positions": sum(b.positions for b in run.blocks),
        "depth": config.depth or defaults.depth,
        "rate": config.learning_rate or defaults.learning_rate,
        "decay": defaults.decay if config.decay is None else config.decay,
    }


def _draw(game: str, report: Mapping[str, Any], folder: Path, shipped_run: Path | None) -> None:
    rows = [
        (player["name"], player["low"], player["elo"], player["high"])
        for player in report["standings"]["players"]
    ]
    save_svg(interval_plot(rows, "Elo above the hand-picked weights"), folder, "algorithms")
    if shipped_run is not None:
        settings = json.loads((shipped_run / SETTINGS).read_text(encoding="utf-8"))
        run = TreeStrapRun(TreeStrapRunConfig(**settings), shipped_run)
        weights_over_time(game, open_evaluation(game, run.config.start), run.blocks, folder)
    weights_by_feature(open_evaluation(game, "learned"), folder)
