"""`python -m studies ace`: runs what is missing of the paper's experiments, then reports all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sparring.base.errors import JournalMismatch, UserError
from studies.ace.commands import ace_answers, ace_games, ace_items
from studies.ace.options import RESULTS, Backend, Batch
from studies.options import command_line

if TYPE_CHECKING:
    from sparring.measure.tuning import DescentStep

NETWORK = "strong"


@dataclass(frozen=True)
class Sizes:
    """How large the experiments are. The defaults are those of results/ace."""

    nodes: int = 32
    positions: int = 2048
    """Training positions of a class."""
    held_out: int = 1024
    minibatch: int = 512
    steps: int = 32
    games: int = 200
    """Games of each pair of the round robin."""
    test_games: int = 220
    """Games of which the position test is made."""
    people: int = 150
    """Games of each 200 points of rating, for the calibration of the position test."""
    every: int = 4
    """One position in so many of these games."""
    levels: str = "800,1000,1200,1400,1600,1800,2000,2200,2400"
    """Levels that take the position test."""


_ROUND_ROBINS = {
    "round_robin": "games.jsonl",
    "round_robin_visited": "games-visited.jsonl",
    "round_robin_levels": "games-levels.jsonl",
}
QUICK = Sizes(8, 256, 128, 64, 16, 10, 100, 60, 16, "800,1200,1600")


def ace(
    records: Annotated[
        list[Path] | None,
        typer.Option("--records", "-r", help="Games of people: runs the experiments that are missing."),
    ] = None,
    positions: Annotated[
        Path | None, typer.Option(help="Folder with the test positions, for experiment 2.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes: a look, not a measurement.")] = False,
    backend: Backend = "onnxruntime",
    batch: Batch = 64,
    out: Annotated[Path, typer.Option(help="Folder of the study.")] = RESULTS,
) -> None:
    """Run the ACE paper's experiments, and report them from the files of the folder.

    With `--records` it tunes the paper's four classes, plays their round robin (experiment 1) and, with
    `--positions`, lets them and our levels take the position test (experiment 2). A stopped run resumes;
    what is finished is not done again. Experiment 3, the Turing test, is `turing`.

    Without `--records` it only reports. The folder has `tuning/` (`sparring tune levels`), `games.jsonl`
    (`ace-games`), `games-visited.jsonl` (the same with `--unvisited-share 0`), `games-levels.jsonl` (the same
    of the shipped levels), `items.jsonl.gz`, `answers.jsonl` and `curves.json` (`ace-items`, `ace-answers`),
    `strength.json` (`ace-strength`), `strength-go.json` (`ace-go`), `gradients.json` (`ace-gradients`),
    `curve.json` (`ace-curve`), `cross.json` (`ace-cross`), `losses.json` (`ace-losses`) and
    `baselines*.json` (`ace-baselines`).
    Parts without files are left as they are in the report.
    """
    from sparring.base.provenance import provenance
    from sparring.measure.reports import read_json, write_json
    from studies.ace import report as parts
    from studies.ace.summary import missing_lines, summary_lines

    if records:
        sizes = QUICK if quick else Sizes()
        tune_missing_classes(records, sizes, out / "tuning", backend, batch)
        ace_games(out / "tuning", games=sizes.games, backend=backend, batch=batch, out=out / "games.jsonl")
        if positions is not None:
            take_position_test(records, positions, sizes, out, backend, batch)
    path = out / "ace.json"
    report: dict[str, Any] = read_json(path) if path.exists() else {}
    report |= _parts(out, positions)
    if not report:
        raise UserError(
            f"{out} has no files of this study: `python -m studies ace --records GAMES --positions FOLDER`"
            " makes them, and `--quick` a small version"
        )
    write_json({**report, **provenance(command_line())}, path)
    for line in (*summary_lines(report), *missing_lines(report)):
        print(line)
    for figure in parts.write_figures(report, out):
        print(figure)


def tune_missing_classes(
    records: Sequence[Path], sizes: Sizes, folder: Path, backend: str, batch: int
) -> None:
    """Tunes the paper's classes that have no result in the folder."""
    from sparring.measure.tuning import DescentConfig
    from sparring.measure.tuning_run import TuningConfig, tune_classes
    from studies.ace.curve import results_in
    from studies.ace.players import CLASS_NAMES

    finished = {result["class"] for result in results_in(folder)}
    config = TuningConfig(
        "chess",
        NETWORK,
        tuple(records),
        DescentConfig(sizes.nodes, sizes.minibatch, steps=sizes.steps),
        sizes.positions,
        sizes.held_out,
        backend=backend,
        batch=batch,
    )
    missing = [rating for rating in CLASS_NAMES if rating not in finished]
    try:
        tune_classes(missing, config, folder, on_step=_print_step)
    except JournalMismatch:
        raise UserError(f"{folder} holds a tuning of other sizes or records: give another --out") from None


def _print_step(rating: int, step: DescentStep) -> None:
    print(f"class {rating}, step {step.step + 1}: {step.loss:.4f} nats", flush=True)


def take_position_test(
    records: Sequence[Path], positions: Path, sizes: Sizes, out: Path, backend: str, batch: int
) -> None:
    """Makes the position test and its calibration if they are missing, and lets the players take it."""
    items, people = out / "items.jsonl.gz", out / "people" / "items.jsonl.gz"
    find_items = partial(ace_items, list(records), backend=backend, batch=batch)
    if not items.exists():
        find_items(keep=400, games=sizes.test_games, every=6, out=items)
    if not (out / "curves.json").exists() and not people.exists():
        find_items(keep=5000, every=sizes.every, each=sizes.people, out=people)
    answers = out / "answers.jsonl"
    ace_answers(
        items,
        positions,
        people,
        out / "tuning",
        levels=sizes.levels,
        backend=backend,
        batch=batch,
        out=answers,
    )


def _parts(out: Path, positions: Path | None) -> dict[str, Any]:
    """The parts of the report whose files are there."""
    from sparring.measure.reports import read_json
    from studies.ace import report as parts
    from studies.ace.position_items import read_test

    report: dict[str, Any] = {}
    if (out / "tuning").is_dir():
        report["tuning"] = parts.tuning_report(out / "tuning")
    for part, name in _ROUND_ROBINS.items():
        if (out / name).exists():
            report[part] = parts.games_report(out / name)
    if positions is not None and (out / "answers.jsonl").exists():
        test = read_test(out / "items.jsonl.gz", positions)
        amsterdam = positions / "amsterdam-chess-test-responses.csv"
        report["positions"] = parts.positions_report(
            test, out / "answers.jsonl", out / "curves.json", amsterdam
        )
    if baselines := sorted(out.glob("baselines*.json")):
        report["baselines"] = {"rows": [row for baseline in baselines for row in read_json(baseline)["rows"]]}
    for name in ("strength", "strength-go", "gradients", "curve", "cross", "losses"):
        if (out / f"{name}.json").exists():
            report[name] = read_json(out / f"{name}.json")
    return report
