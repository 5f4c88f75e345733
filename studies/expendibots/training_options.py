"""Options of training compared at equal processor time: learning rates and the report's stages.

Each option trains from the same hand-picked weights and then plays them; the staged TreeStrap also plays the
TreeStrap without stages. Runs and games are kept in a work folder, so that a stopped study resumes.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparring.arena import ArenaGame
from sparring.base.provenance import provenance
from sparring.base.storage import Journal
from sparring.measure.reports import write_json
from sparring.search.linear_evaluation import LinearEvaluation, open_evaluation
from sparring.training.treestrap.run import TreeStrapRun, TreeStrapRunConfig, worker_pool
from studies.expendibots.acceptance import score_interval
from studies.expendibots.algorithms import training_summary
from studies.expendibots.evaluation_matches import play_evaluation_match

REPORT = "training-options.json"
GAME = "expendibots"
HAND_PICKED = "hand-picked"
OPTIONS: dict[str, dict[str, Any]] = {
    "rootstrap, rate 5e-3": {"algorithm": "rootstrap", "learning_rate": 5e-3},
    "rootstrap, rate 1e-3": {"algorithm": "rootstrap", "learning_rate": 1e-3},
    "rootstrap, rate 2e-4": {"algorithm": "rootstrap", "learning_rate": 2e-4},
    "tdleaf, rate 2e-3": {"algorithm": "tdleaf", "learning_rate": 2e-3},
    "tdleaf, rate 4e-4": {"algorithm": "tdleaf", "learning_rate": 4e-4},
    "tdleaf, rate 8e-5": {"algorithm": "tdleaf", "learning_rate": 8e-5},
    "treestrap-ab": {"algorithm": "treestrap-ab"},
    "treestrap-ab, stages": {"algorithm": "treestrap-ab", "staged": True},
}
"""Options of a run by name. The first rate of each algorithm is its default."""
MATCHES = (
    *((name, HAND_PICKED) for name in OPTIONS),
    ("treestrap-ab, stages", "treestrap-ab"),
)
Log = Callable[[str], None]


@dataclass(frozen=True)
class OptionStudyConfig:
    """The plan of the study."""

    seconds: float = 60.0
    """Processor seconds of training for each option."""
    games: int = 100
    """Games of each match."""
    depth: int = 3
    """Search depth of both players of a match."""
    seed: int = 0


def run(plan: OptionStudyConfig, work: Path, out: Path, command: str, log: Log) -> dict[str, Any]:
    """Trains and plays what the work folder does not have yet; writes `training-options.json` after each
    match and returns it. Raises BadFile or OSError."""
    runs = {name: train_option(plan, options, work / _folder(name), log) for name, options in OPTIONS.items()}
    players = {HAND_PICKED: open_evaluation(GAME, "start")}
    players |= {name: run.evaluation() for name, run in runs.items()}
    report: dict[str, Any] = {
        **provenance(command),
        "plan": dataclasses.asdict(plan),
        "interval": "Wilson, with the variance of pairs of games; 8 random plies, colours exchanged",
        "training": {name: training_summary(run) for name, run in runs.items()},
        "matches": [],
    }
    for pair in MATCHES:
        report["matches"].append(_play(plan, pair, players, work))
        write_json(report, out / REPORT)
        row = report["matches"][-1]
        interval = f"{row['score_low']:.3f} to {row['score_high']:.3f}"
        log(f"{row['new']} v {row['old']}: {row['score']:.3f} ({interval})")
    return report


def train_option(plan: OptionStudyConfig, options: dict[str, Any], folder: Path, log: Log) -> TreeStrapRun:
    """Trains in blocks of games until the processor time is spent; resumes an earlier run."""
    config = TreeStrapRunConfig(GAME, games=10**6, block=10, seed=plan.seed, **options)
    run = TreeStrapRun(config, folder)
    used = sum(block.seconds for block in run.blocks)
    while used < plan.seconds:
        longer = dataclasses.replace(config, games=run.games + config.block)
        run = TreeStrapRun(longer, folder)
        with worker_pool(longer) as pool:
            run.train(pool)
        used += run.blocks[-1].seconds
    log(f"{folder.name}: {run.games} games, {used:.0f} s")
    return run


def _play(
    plan: OptionStudyConfig, pair: tuple[str, str], players: dict[str, LinearEvaluation], work: Path
) -> dict[str, Any]:
    new, old = pair
    journal = Journal(work / f"{_folder(new)}-v-{_folder(old)}.jsonl")
    played = [ArenaGame(**line) for line in journal.entries]
    skip = {game.number for game in played}
    match = play_evaluation_match(
        (new, players[new]),
        (old, players[old]),
        games=plan.games,
        depth=plan.depth,
        seed=plan.seed,
        skip=skip,
    )
    for game in match:
        journal.add(dataclasses.asdict(game))
        played.append(game)
    points = [_points(game, new) for game in sorted(played, key=lambda game: game.number)]
    return {"new": new, "old": old, **match_score(points)}


def _points(game: ArenaGame, name: str) -> float:
    assert game.result is not None
    return game.result if game.first == name else 1 - game.result


def match_score(points: Sequence[float]) -> dict[str, Any]:
    """Counts and the score with its 95 % interval; neighbours are pairs from one opening."""
    score, low, high = score_interval([a + b for a, b in zip(points[::2], points[1::2], strict=True)])
    return {
        "games": len(points),
        "wins": points.count(1.0),
        "draws": points.count(0.5),
        "losses": points.count(0.0),
        "score": score,
        "score_low": low,
        "score_high": high,
    }


def _folder(name: str) -> str:
    return name.replace(", ", "-").replace(" ", "-")
