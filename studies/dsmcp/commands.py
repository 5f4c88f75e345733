"""`python -m studies dsmcp`: the network of the DSMCP paper."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from sparring.cli.errors import UserError
from sparring.cli.printing import foreign, make_console
from sparring.reports import provenance
from sparring.reports.plot_style import MatplotlibMissing, save_svg
from sparring.reports.report import write_json
from studies.options import command_line


def dsmcp(
    run: Annotated[Path, typer.Option(help="Folder of a finished `sparring train rbc`.")],
    most: Annotated[int, typer.Option(min=1, help="Held-out examples of each dataset, at most.")] = 20_000,
    steps: Annotated[
        int, typer.Option(min=0, help="Steps of the runs for saliency and ablation; 0 for none.")
    ] = 0,
    ablated: Annotated[
        int, typer.Option(min=0, max=52, help="Planes removed at each end of the ranking.")
    ] = 5,
    device: Annotated[str, typer.Option(help="cpu, cuda or cuda:1 (default: the fastest available).")] = "",
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("results/dsmcp"),
) -> None:
    """Measure a synopsis network: accuracy by headset, saliency and ablation of its planes."""
    from studies.dsmcp.accuracy import accuracy_tables
    from studies.dsmcp.figures import saliency_figure, value_figure
    from studies.dsmcp.saliency import saliency_and_ablation

    if not (run / "checkpoint.pt").exists():
        raise UserError(f"{run} has no finished run of `sparring train rbc`")
    from sparring.training.rbc.trainer import open_run

    trained = open_run(run, device)
    report = accuracy_tables(trained, most)
    about = {"network": trained.config.name, "steps": trained.step}
    write_json(provenance(command_line()) | about | report, out / "accuracy.json")
    _save(lambda: value_figure(report["value_by_boards"]), out, "value-by-boards")
    _print(report)
    if not steps:
        return
    part = replace(trained.config.training, steps=steps, validation_positions=most)
    found = saliency_and_ablation(
        replace(trained.config, training=part),
        trained.data.examples,
        out,
        every=max(1, steps // 100),
        ablated=ablated,
        device=device,
        on_progress=lambda what: make_console().print(foreign(what)),
    )
    write_json(provenance(command_line()) | about | found, out / "saliency.json")
    _save(lambda: saliency_figure(found["planes"]), out, "saliency")


def _save(draw: Any, out: Path, name: str) -> None:
    try:
        save_svg(draw(), out, name)
    except MatplotlibMissing as error:
        make_console().print(f"without the figure {name}: {error}")


def _print(report: dict[str, Any]) -> None:
    table = Table("headset", "games", "training", "validation", "top-1", "top-5", "winner", box=None)
    for row in report["headsets"]:
        cells = [row.get(name, [None])[0] for name in ("top1", "top5", "winner")]
        table.add_row(
            foreign(row["name"]),
            *(f"{row[key]:,}" for key in ("games", "training_examples", "validation_examples")),
            *("" if cell is None else f"{cell:.1%}" for cell in cells),
        )
    make_console().print(table)
