"""Collects the measurements of training runs into one JSON file and draws their curves.

    python -m studies.student.curve RUN.jsonl... --out results/people-chess

Writes student.json and student.svg: nats a move on the validation split against positions seen. With
`--name strong --measure kl` it writes strong.json and strong.svg: the divergence from the teacher.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from sparring.reports.plot_style import label_line_ends, open_pyplot, save_svg
from sparring.reports.report import write_json

_KEPT = ("seconds", "positions", "top1", "nats", "kl", "agreed", "value_kl", "value_error", "by_group")
_LABELS = {"nats": "nats a move, validation split", "kl": "KL from the teacher, validation split"}


def read_run(path: Path) -> dict[str, Any]:
    """The measurements of a run, and the teacher's accuracy and nats on the same positions."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    measured = [line for line in lines if "nats" in line]
    teacher = {key: round(measured[0][f"teacher_{key}"], 4) for key in ("top1", "nats")}
    points = [{key: _rounded(line[key]) for key in _KEPT if key in line} for line in measured]
    return {"teacher": teacher, "points": points}


def _rounded(value: Any) -> Any:
    return round(value, 4) if isinstance(value, float) else value


def draw(runs: dict[str, dict[str, Any]], folder: Path, name: str = "student", measure: str = "nats") -> Path:
    """Draws runs and returns the path of the figure. A line shows the nats of the teacher, Maia-3."""
    pyplot = open_pyplot()
    figure, axis = pyplot.subplots(figsize=(6.4, 3.6))
    ends = []
    for run_name, run in runs.items():
        points = [point for point in run["points"] if point["positions"]]
        x = [point["positions"] / 1e6 for point in points]
        y = [point[measure] for point in points]
        (line,) = axis.plot(x, y, marker="o", markersize=3)
        ends.append((x[-1], y[-1], run_name, line.get_color()))
    if measure == "nats":
        teacher = next(iter(runs.values()))["teacher"]["nats"]
        axis.axhline(teacher, color="0.6", linewidth=1, linestyle="--")
        ends.append((max(x for x, *_ in ends), teacher, "Maia-3 5M", "0.4"))
    axis.set_xlabel("million positions")
    axis.set_ylabel(_LABELS[measure])
    label_line_ends(axis, ends)
    folder.mkdir(parents=True, exist_ok=True)
    return save_svg(figure, folder, name)


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--draw", nargs="*", default=None, help="names of the runs in the figure (default: all)"
    )
    parser.add_argument("--name", default="student", help="name of the files")
    parser.add_argument("--measure", choices=list(_LABELS), default="nats")
    options = parser.parse_args()
    runs = {path.stem: read_run(path) for path in options.runs}
    write_json(runs, options.out / f"{options.name}.json")
    drawn = {name: run for name, run in runs.items() if name in (options.draw or runs)}
    draw(drawn, options.out, options.name, options.measure)


if __name__ == "__main__":
    main()
