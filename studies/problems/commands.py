"""`python -m studies problems-features` and `problems-fit`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from studies.options import command_line

RESULTS = Path("results/problems")
_SIZES = "1000,2000,4000,8000,16000"


def problems_features(
    puzzles: Annotated[Path, typer.Option(help="Lichess's puzzle CSV.")],
    folder: Annotated[Path, typer.Option(help="Folder of the features; parts that it has are kept.")],
    most: Annotated[
        int, typer.Option(min=1, help="Most puzzles, in the order of a hash of their ids.")
    ] = 60_000,
    worker: Annotated[int, typer.Option(min=0, help="This process does every so many-th part.")] = 0,
    workers: Annotated[int, typer.Option(min=1, help="Processes that share the work.")] = 1,
    bare: Annotated[
        bool, typer.Option("--bare", help="Without the opponent's move before the problem.")
    ] = False,
) -> None:
    """Write the features of puzzles, in parts; a run that was stopped continues."""
    from studies.problems.features import write_features

    write_features(puzzles, folder, most, worker, workers, bare=bare)


def problems_fit(
    features: Annotated[Path, typer.Option(help="Folder of `problems-features`.")],
    bare: Annotated[Path, typer.Option(help="Folder of `problems-features --bare`.")],
    model: Annotated[Path, typer.Option(help="File of the model, such as chess.npz.")],
    other: Annotated[
        Path | None,
        typer.Option(help="Features of puzzles of another source, measured beside the held-out ones."),
    ] = None,
    sizes: Annotated[str, typer.Option(help="Numbers of training puzzles of the learning curve.")] = _SIZES,
    out: Annotated[Path, typer.Option(help="Folder of report.json and predictions.svg.")] = RESULTS,
) -> None:
    """Fit the model of puzzle ratings and measure it on held-out puzzles. Needs LightGBM."""
    from sparring.base.plot_style import save_svg
    from sparring.base.provenance import provenance
    from sparring.measure.reports import write_json
    from studies.problems.report import measure, prediction_figure

    out.mkdir(parents=True, exist_ok=True)
    origin = provenance(command_line())  # before the model changes the checkout
    report, ratings, predictions = measure(
        features, bare, model, other, [int(size) for size in sizes.split(",") if size]
    )
    write_json(origin | report, out / "report.json")
    save_svg(prediction_figure(ratings, predictions), out, "predictions")


def problems_go_features(
    problems: Annotated[Path, typer.Option(help="Go problems with solve rates, JSON lines.")],
    folder: Annotated[Path, typer.Option(help="Folder of the features; parts that it has are kept.")],
    bare: Annotated[bool, typer.Option("--bare", help="Of the main line alone.")] = False,
) -> None:
    """Write the features of Go problems, in parts; a run that was stopped continues."""
    from studies.problems.go_features import write_features

    write_features(problems, folder, bare=bare)


def problems_go_fit(
    problems: Annotated[Path, typer.Option(help="Go problems with solve rates, JSON lines.")],
    features: Annotated[Path, typer.Option(help="Folder of `problems-go-features`.")],
    model: Annotated[Path, typer.Option(help="File of the model, such as go.npz.")],
    bare: Annotated[
        Path | None, typer.Option(help="Folder of `problems-go-features --bare`, measured beside.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder of report.json and levels.svg.")] = RESULTS / "go",
) -> None:
    """Fit the model of Go problems' levels and measure it by cross-validation."""
    from sparring.base.plot_style import save_svg
    from sparring.base.provenance import provenance
    from sparring.measure.reports import write_json
    from studies.problems.go_fit import level_figure, measure, read_problems, write_model

    out.mkdir(parents=True, exist_ok=True)
    origin = provenance(command_line())  # before the model changes the checkout
    report, arrays, levels = measure(problems, features, bare)
    write_model(arrays, model)
    tried, _ = read_problems(problems, features)
    write_json(origin | report, out / "report.json")
    save_svg(level_figure(tried.levels, levels), out, "levels")


def problems_go_views(
    problems: Annotated[Path, typer.Option(help="Go problems with solve rates, JSON lines.")],
    most: Annotated[int, typer.Option(min=1, help="Most problems, drawn at random.")] = 250,
    out: Annotated[Path, typer.Option(help="Folder of views.json.")] = RESULTS / "go",
) -> None:
    """Compare what the networks may be shown of a Go problem: the stones alone, or a filled board."""
    from sparring.base.provenance import provenance
    from sparring.measure.reports import write_json
    from studies.problems.go_views import measure_views

    out.mkdir(parents=True, exist_ok=True)
    write_json(provenance(command_line()) | measure_views(problems, most), out / "views.json")
