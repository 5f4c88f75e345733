"""Curves of training runs: nats a move and accuracy on the validation split, by positions seen and by
parameters.

    python -m studies.student.curves RUN... --out results/people-chess --name sizes

RUN is the folder of a run of `sparring train student` or `train people`. Writes NAME.json and NAME.svg. Runs
of one configuration and seed that differ only in `[network]` see the same batches, since the teachers play
the fresh games.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from sparring.base.plot_style import label_line_ends, open_pyplot, save_svg
from sparring.training.trainer import read_checkpoint, read_metrics
from studies.options import write_measurement

_MEASURES = {"nll": "nats a move", "top1": "top-1"}


def read_run(folder: Path) -> dict[str, Any]:
    """The measurements of a run, with the positions seen before each, and its number of parameters."""
    state = read_checkpoint(folder)
    assert state is not None, f"{folder} has no run"
    batch = state["config"]["training"]["batch"]
    points = [
        {"positions": entry["step"] * batch, **{key: round(entry[key], 5) for key in _MEASURES}}
        for entry in read_metrics(folder)
    ]
    return {"parameters": sum(tensor.numel() for tensor in state["model"].values()), "points": points}


def draw(runs: dict[str, dict[str, Any]], folder: Path, name: str) -> Path:
    """Draws all runs by positions seen and by parameters, and returns the path of the figure."""
    pyplot = open_pyplot()
    figure, axes = pyplot.subplots(2, 2, figsize=(9.6, 7.2), gridspec_kw={"wspace": 0.4, "hspace": 0.3})
    for row, (measure, label) in zip(axes, _MEASURES.items(), strict=True):
        ends = []
        for title, run in runs.items():
            x = [point["positions"] / 1e6 for point in run["points"]]
            y = [point[measure] for point in run["points"]]
            (line,) = row[0].plot(x, y, marker="o", markersize=3)
            ends.append((x[-1], y[-1], title, line.get_color()))
        row[0].set_xlabel("million positions")
        row[0].set_ylabel(f"{label}, validation split")
        label_line_ends(row[0], ends)
        sizes = [run["parameters"] / 1e6 for run in runs.values()]
        row[1].plot(sizes, [run["points"][-1][measure] for run in runs.values()], "o", markersize=3)
        row[1].set_xlabel("million parameters")
    folder.mkdir(parents=True, exist_ok=True)
    return save_svg(figure, folder, name)


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name", default="student", help="name of the files")
    options = parser.parse_args()
    runs = {path.name: read_run(path) for path in options.runs}
    write_measurement(runs, options.out / f"{options.name}.json", "studies.student.curves")
    draw(runs, options.out, options.name)


if __name__ == "__main__":
    main()
