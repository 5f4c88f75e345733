"""Collects runs of several sizes with equal training: nats a move and accuracy, by positions and parameters.

    python -m studies.student.sizes 2x256.jsonl 4x256.jsonl 8x256.jsonl --out results/people-chess

Writes sizes.json and sizes.svg. The runs are those of `train_sizes`: they saw the same positions.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from sparring.reports.plot_style import label_line_ends, open_pyplot, save_svg
from sparring.reports.report import write_json
from studies.student.curve import read_run

_MEASURES = {"nats": "nats a move", "top1": "top-1"}


def read_sizes(paths: list[Path]) -> dict[str, dict[str, Any]]:
    """The runs by name, smallest first, with their numbers of parameters."""
    runs = {}
    for path in paths:
        first = json.loads(path.read_text().splitlines()[0])
        runs[path.stem] = {"parameters": first["parameters"], **read_run(path)}
    return dict(sorted(runs.items(), key=lambda item: item[1]["parameters"]))


def draw_sizes(runs: dict[str, dict[str, Any]], folder: Path) -> Path:
    """Draws nats and accuracy by positions seen and by parameters, and returns the path of the figure."""
    pyplot = open_pyplot()
    spaces = {"wspace": 0.4, "hspace": 0.3}
    figure, axes = pyplot.subplots(2, 2, figsize=(9.6, 7.2), gridspec_kw=spaces)
    for row, (measure, label) in zip(axes, _MEASURES.items(), strict=True):
        _draw_measure(row[0], row[1], runs, measure)
        row[0].set_ylabel(f"{label}, validation split")
    folder.mkdir(parents=True, exist_ok=True)
    return save_svg(figure, folder, "sizes")


def _draw_measure(
    by_positions: Any, by_parameters: Any, runs: dict[str, dict[str, Any]], measure: str
) -> None:
    """Draws one measure of the runs on two axes."""
    ends = []
    for name, run in runs.items():
        points = [point for point in run["points"] if point["positions"]]
        x, y = [point["positions"] / 1e6 for point in points], [point[measure] for point in points]
        (line,) = by_positions.plot(x, y, marker="o", markersize=3)
        ends.append((x[-1], y[-1], name, line.get_color()))
    by_positions.set_xlabel("million positions")
    label_line_ends(by_positions, ends)
    sizes, ends = [run["parameters"] / 1e6 for run in runs.values()], []
    for part in (1 / 3, 2 / 3, 1):
        chosen = [run["points"][max(1, round(part * (len(run["points"]) - 1)))] for run in runs.values()]
        y = [point[measure] for point in chosen]
        (line,) = by_parameters.plot(sizes, y, marker="o", markersize=3)
        ends.append((sizes[-1], y[-1], f"{chosen[0]['positions'] / 1e6:.1f} M positions", line.get_color()))
    by_parameters.set_xscale("log")
    by_parameters.set_xticks(sizes, [f"{size:.1f}" for size in sizes], rotation=30)
    by_parameters.minorticks_off()
    by_parameters.set_xlabel("million parameters")
    label_line_ends(by_parameters, ends)


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    runs = read_sizes(options.runs)
    write_json(runs, options.out / "sizes.json")
    draw_sizes(runs, options.out)


if __name__ == "__main__":
    main()
