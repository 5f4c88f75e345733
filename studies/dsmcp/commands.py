"""`python -m studies dsmcp`: the network of the DSMCP paper."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from sparring.base.errors import MissingExtra, UserError
from sparring.base.plot_style import save_svg
from sparring.base.provenance import provenance
from sparring.base.storage import atomic_write
from sparring.cli.console import ProgressBar, foreign, make_console
from sparring.measure.reports import read_json, write_json
from studies.options import command_line

if TYPE_CHECKING:
    from sparring.rbc.training.config import RbcTrainingConfig
    from studies.dsmcp.run import StudiedRun

ACCURACY, SALIENCY, TABLES = "accuracy.json", "saliency.json", "tables.md"


def dsmcp(
    run: Annotated[
        Path | None,
        typer.Option(
            help="Folder of a finished `sparring train rbc`; without it, only draw the figures of OUT."
        ),
    ] = None,
    network: Annotated[
        Path | None, typer.Option(help="An exported network, measured on the held-out games of --records.")
    ] = None,
    against: Annotated[
        Path | None, typer.Option(help="Another exported network, compared on the same decisions.")
    ] = None,
    records: Annotated[
        list[Path] | None, typer.Option("--records", "-r", help="Histories, as `sparring train rbc` takes.")
    ] = None,
    config: Annotated[str, typer.Option(help="Training configuration of --network.")] = "rbc-small",
    most: Annotated[int, typer.Option(min=1, help="Held-out examples of each dataset, at most.")] = 20_000,
    steps: Annotated[
        int, typer.Option(min=0, help="Steps of the runs for saliency and ablation; 0 for none.")
    ] = 0,
    ablated: Annotated[
        int, typer.Option(min=0, max=52, help="Planes removed at each end of the ranking.")
    ] = 5,
    repeats: Annotated[
        int, typer.Option(min=0, help="Runs with all planes and other seeds: the noise of the ablation.")
    ] = 0,
    seeds: Annotated[int, typer.Option(min=1, help="Runs without each plane, with other seeds.")] = 1,
    limit: Annotated[
        float | None, typer.Option(min=1, help="Ends the ablation after so many seconds.")
    ] = None,
    device: Annotated[str, typer.Option(help="cpu, cuda or cuda:1 (default: the fastest available).")] = "",
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("results/dsmcp"),
) -> None:
    """Measure a synopsis network: accuracy by headset, saliency and ablation of its planes."""
    if run is not None:
        trained = _open(run, device)
        _measure(trained, most, out)
        if steps:
            part = replace(trained.config.training, steps=steps, validation_positions=most)
            _ablate(trained, replace(trained.config, training=part), ablated, repeats, seeds, limit, out)
    elif network is not None:
        _measure_exported(network, against, records or [], config, most, out)
    _show(out)


def _open(run: Path, device: str) -> StudiedRun:
    if not (run / "checkpoint.pt").exists():
        raise UserError(f"{run} has no finished run of `sparring train rbc`")
    from studies.dsmcp.run import open_run

    return open_run(run, device)


def _about(trained: StudiedRun) -> dict[str, Any]:
    return provenance(command_line()) | {"network": trained.config.name, "trained_steps": trained.step}


def _measure(trained: StudiedRun, most: int, out: Path) -> None:
    from studies.dsmcp.accuracy import accuracy_tables

    write_json(_about(trained) | accuracy_tables(trained, most), out / ACCURACY)


def _saliency(trained: StudiedRun, config: RbcTrainingConfig, out: Path) -> dict[str, Any]:
    """Measures the saliency of the planes, or reads it if the same command was interrupted."""
    from studies.dsmcp.run import StudiedRun
    from studies.dsmcp.saliency import train_with_saliency

    plain = json.loads(json.dumps(config.as_dict()))
    if (out / SALIENCY).exists():
        found = read_json(out / SALIENCY)
        if found.get("config") != plain:
            raise UserError(f"{out} has an ablation with another configuration: give another --out")
        return found
    run = StudiedRun(config, trained.data, out / "saliency", str(trained.device))
    found = _about(trained) | {"config": plain} | train_with_saliency(run, batches=100)
    write_json(found, out / SALIENCY)
    return found


def _ablate(
    trained: StudiedRun,
    config: RbcTrainingConfig,
    ablated: int,
    repeats: int,
    seeds: int,
    limit: float | None,
    out: Path,
) -> None:
    from studies.dsmcp.ablation import ablate
    from studies.dsmcp.ablation_report import ablation_report
    from studies.dsmcp.hits import HitFiles

    saliency, folder = _saliency(trained, config, out), out / "ablation"
    ablate(
        config,
        trained.data,
        folder,
        saliency["planes"],
        ablated=ablated,
        repeats=repeats,
        seeds=seeds,
        device=str(trained.device),
        seconds=limit,
        on_progress=lambda what: make_console().print(foreign(what)),
    )
    write_json(saliency | ablation_report(HitFiles(folder), saliency["planes"]), out / SALIENCY)


def _measure_exported(
    network: Path, against: Path | None, records: list[Path], config: str, most: int, out: Path
) -> None:
    from sparring.rbc.training import load_rbc_config
    from studies.dsmcp.accuracy import accuracy_tables, compare
    from studies.dsmcp.exported import ExportedNetwork, held_out_examples

    chosen = load_rbc_config(config)
    with ProgressBar("making examples") as bar:
        examples = held_out_examples(
            records, chosen.data, lambda games: bar.on_progress(f"{games:,} held-out games", games, games)
        )
    measured = ExportedNetwork(network, chosen, examples)
    found = provenance(command_line()) | {"network": network.stem} | accuracy_tables(measured, most)
    if against is not None:
        other = ExportedNetwork(against, chosen, examples)
        found |= {"against": against.stem, "difference": compare(measured, other)}
    write_json(found, out / ACCURACY)


def _show(out: Path) -> None:
    """Prints table 1, writes all tables as Markdown and draws the figures of a report."""
    from studies.dsmcp.figures import ablation_figure, curves_figure, saliency_figure, value_figure
    from studies.dsmcp.tables import markdown_tables

    accuracy = read_json(out / ACCURACY)
    saliency = read_json(out / SALIENCY) if (out / SALIENCY).exists() else None
    _print(accuracy)
    atomic_write(out / TABLES, markdown_tables(accuracy, saliency))
    try:
        values = accuracy["value_by_boards"], accuracy.get("value_by_boards_training", [])
        save_svg(value_figure(*values), out, "value-by-boards")
        if saliency is not None:
            save_svg(saliency_figure(saliency["planes"]), out, "saliency")
        if saliency is not None and "curves_of_planes" in saliency:
            save_svg(curves_figure(saliency), out, "saliency-curves")
        if saliency is not None and saliency.get("ablations"):
            save_svg(ablation_figure(saliency), out, "ablation")
    except MissingExtra as error:
        make_console().print(f"without figures: {error}")


def _print(report: dict[str, Any]) -> None:
    counts = ("training_games", "training_examples", "validation_games", "validation_examples")
    measures = ("top1", "top5", "winner")
    table = Table("headset", *(name.replace("_", " ") for name in (*counts, *measures)), box=None)
    for row in report["headsets"]:
        cells = [row.get(name, [None])[0] for name in measures]
        table.add_row(
            foreign(row["name"]),
            *(f"{row[key]:,}" for key in counts),
            *("" if cell is None else f"{cell:.1%}" for cell in cells),
        )
    make_console().print(table)
