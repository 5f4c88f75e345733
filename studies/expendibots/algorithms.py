"""The Expendibots study: the four ways to learn an evaluation, at equal processor time, against each other.

Each learns for as long from the same hand-picked weights; then everybody, the hand-picked and the shipped
weights included, plays everybody else at equal depth. What was trained and played is kept in a work folder,
so that a study that was killed goes on.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparring.arena import GameResult, Standings, compute_standings
from sparring.reports import describe_machine, today
from sparring.reports.page import code, figure, heading, page, paragraph, table
from sparring.reports.plot_style import LINE_COLORS, open_pyplot, save
from sparring.search.linear_evaluation import LinearEvaluation, open_evaluation
from sparring.storage import Journal, atomic_write
from sparring.training.treestrap import ALGORITHMS, TreeStrapRun, TreeStrapRunConfig
from sparring.training.treestrap.figures import weights_by_feature, weights_over_time
from sparring.training.treestrap.run import SETTINGS, worker_pool
from studies.expendibots.evaluation_matches import round_robin

Log = Callable[[str], None]
_SECOND = {"hand-picked": "start", "learned": "learned"}


@dataclass(frozen=True)
class AlgorithmStudyConfig:
    """What is compared, and how."""

    game: str = "expendibots"
    seconds: float = 60.0
    """Of a processor, for each algorithm."""
    games: int = 100
    """Of each pair of players."""
    depth: int = 4
    """Of both players' searches."""
    seed: int = 0


def study(
    plan: AlgorithmStudyConfig, work: Path, out: Path, command: str, shipped_run: Path | None, log: Log
) -> dict[str, Any]:
    """Trains and plays what is still missing, and writes algorithms.json, figures and a page."""
    runs = {name: train_algorithm(plan, name, work / name, log) for name in ALGORITHMS}
    entries = {
        "hand-picked": open_evaluation(plan.game, "start"),
        **{name: run.evaluation() for name, run in runs.items()},
        "shipped": open_evaluation(plan.game, "learned"),
    }
    results = play_round_robin(plan, entries, work / "matches.jsonl", log)
    standings = compute_standings(results, list(entries), anchor="hand-picked")
    report = {
        "command": command,
        "date": today(),
        "machine": describe_machine(),
        "plan": dataclasses.asdict(plan),
        "interval": "Elo with 95 % intervals, hand-picked weights at 0; 8 random plies, colours changed",
        "training": {name: _training(run) for name, run in runs.items()},
        "standings": standings.as_json(),
        "breakthrough": breakthrough_standings(plan).as_json(),
    }
    atomic_write(out / "algorithms.json", json.dumps(report, indent=1) + "\n")
    pictures = _draw(plan, standings, out / "figures", shipped_run)
    atomic_write(out / "report.html", _page(report, pictures))
    return report


def train_algorithm(plan: AlgorithmStudyConfig, algorithm: str, folder: Path, log: Log) -> TreeStrapRun:
    """A run that ends after the block in which its processor time was used up."""
    config = TreeStrapRunConfig(plan.game, algorithm=algorithm, games=10**6, block=25, seed=plan.seed)
    run = TreeStrapRun(config, folder)
    used = sum(block.seconds for block in run.blocks)
    while used < plan.seconds:
        one = dataclasses.replace(config, games=run.games + config.block)
        run = TreeStrapRun(one, folder)
        with worker_pool(one) as players:
            run.train(players)
        used += run.blocks[-1].seconds
        log(f"{algorithm}: {run.games} games, {used:.0f} of {plan.seconds:.0f} s")
    return run


def play_round_robin(
    plan: AlgorithmStudyConfig, entries: Mapping[str, LinearEvaluation], path: Path, log: Log
) -> list[GameResult]:
    """All games of the round robin; those that are in the file already are not played again."""
    journal = Journal(path, lenient=True)  # once, half lines were not cut off but ended
    known = [GameResult(**line) for line in journal.entries]
    done = {(frozenset((each.first, each.second)), each.number): each for each in known}
    for result in round_robin(entries, done, games=plan.games, depth=plan.depth, seed=plan.seed):
        journal.add(dataclasses.asdict(result))
        done[frozenset((result.first, result.second)), result.number] = result
        if result.number == plan.games - 1:
            log(f"{result.first} and {result.second} have played")
    return list(done.values())


def breakthrough_standings(plan: AlgorithmStudyConfig) -> Standings:
    """The learned weights of Breakthrough, which the same command made, against those they began with."""
    players = {name: open_evaluation("breakthrough", source) for name, source in _SECOND.items()}
    return compute_standings(
        list(round_robin(players, (), games=plan.games, depth=plan.depth, seed=plan.seed)),
        list(players),
        anchor="hand-picked",
    )


def _training(run: TreeStrapRun) -> dict[str, Any]:
    seconds, plies = sum(b.seconds for b in run.blocks), sum(b.plies for b in run.blocks)
    defaults = ALGORITHMS[run.config.algorithm].defaults
    return {
        "games": run.games,
        "moves": plies,
        "processor_seconds": round(seconds, 1),
        "moves_a_second": round(plies / seconds, 1),
        "positions": sum(b.positions for b in run.blocks),
        "depth": defaults.depth,
        "rate": defaults.learning_rate,
        "decay": defaults.decay,
    }


def _draw(
    plan: AlgorithmStudyConfig, standings: Standings, folder: Path, shipped_run: Path | None
) -> list[tuple[str, str]]:
    """The pictures and what they show."""
    drawn = [(_ratings(standings, folder), "Elo of the players with 95 % intervals")]
    shipped = open_evaluation(plan.game, "learned")
    if shipped_run is not None:
        told = json.loads((shipped_run / SETTINGS).read_text(encoding="utf-8"))
        run = TreeStrapRun(TreeStrapRunConfig(**told), shipped_run)
        start = open_evaluation(plan.game, run.config.start)
        drawn.append((weights_over_time(plan.game, start, run.blocks, folder), "weights over training (A.2)"))
    drawn.append((weights_by_feature(shipped, folder), "weights by feature and stage (A.3)"))
    return drawn


def _ratings(standings: Standings, folder: Path) -> str:
    pyplot = open_pyplot()
    players = standings.as_json()["players"]
    figure_, axis = pyplot.subplots(figsize=(7, 0.45 * len(players) + 1))
    for row, player in enumerate(reversed(players)):
        axis.plot([player["low"], player["high"]], [row, row], color=LINE_COLORS[1], linewidth=2)
        axis.plot([player["elo"]], [row], "o", color=LINE_COLORS[0])
    axis.set_yticks(range(len(players)), [player["name"] for player in reversed(players)])
    axis.set_xlabel("Elo above the hand-picked weights")
    return save(figure_, folder, "algorithms")


def _page(report: Mapping[str, Any], pictures: Sequence[tuple[str, str]]) -> str:
    rows = []
    for player in report["standings"]["players"]:
        told = report["training"].get(player["name"], {})
        rows.append(
            [
                player["name"],
                _elo(player),
                f"+{player['wins']} ={player['draws']} -{player['losses']}",
                f"{told['games']:,}" if told else "",
                f"{told['moves_a_second']:,.0f}" if told else "",
            ]
        )
    plan = report["plan"]
    return page(
        "Expendibots: four ways to learn an evaluation",
        [
            paragraph(
                f"Each algorithm had {plan['seconds']:.0f} s of one core. {plan['games']} games a pair at "
                f"depth {plan['depth']}. {report['interval']}."
            ),
            table(["player", "Elo", "games", "training games", "moves/s"], rows),
            heading("The same command on Breakthrough"),
            table(
                ["player", "Elo", "games"],
                [
                    [each["name"], _elo(each), f"+{each['wins']} -{each['losses']}"]
                    for each in report["breakthrough"]["players"]
                ],
            ),
            *(part for svg, title in pictures for part in (heading(title), figure(svg, title))),
            heading("How to make this again"),
            code(report["command"]),
            paragraph(f"{report['machine']['processor']}, {report['date']}.", faint=True),
        ],
    )


def _elo(player: Mapping[str, Any]) -> str:
    return f"{player['elo']:+.0f}|{player['low']:+.0f} to {player['high']:+.0f}"
