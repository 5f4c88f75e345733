"""`python -m studies safer-leaves`, `safer-fit`, `safer-choices`, `safer-engine` and `safer`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from studies.options import command_line

RESULTS = Path("results/safer")
Files: TypeAlias = Annotated[
    list[Path], typer.Argument(help="Games whose training split the networks have seen.")
]
Backend: TypeAlias = Annotated[str, typer.Option(help="Runtime of the networks: onnxruntime or openvino.")]


def safer_leaves(
    files: Files,
    folder: Annotated[Path, typer.Option(help="Folder of the parts; those that it has are kept.")],
    most: Annotated[int, typer.Option(min=1, help="Most games, in the order of a hash.")] = 2_400,
    backend: Backend = "openvino",
) -> None:
    """Write the values after moves of validation games, to which the calibration of leaves is fitted."""
    from studies.safer.leaves import write_leaves

    write_leaves(files, folder, most, backend)


def safer_choices(
    files: Files,
    folder: Annotated[Path, typer.Option(help="Folder of the parts; those that it has are kept.")],
    unseen: Annotated[
        Path | None, typer.Option(help="Games of which no network has seen any: all of them are taken.")
    ] = None,
    minutes: Annotated[float, typer.Option(min=0, help="Stops after this time; run it again to go on.")] = 60,
    backend: Backend = "openvino",
    threads: Annotated[int, typer.Option(min=1, help="Threads of each network.")] = 1,
) -> None:
    """Write the positions in which people chose between the engine's move and the safer one."""
    from sparring.records import Split
    from studies.safer.choices import write_choices
    from studies.safer.games import held_out_games, in_hash_order

    stop_at = time.time() + 60 * minutes
    games = [(0, game) for game in held_out_games(files, Split.TEST)]
    if unseen is not None:
        games += [(1, game) for game in held_out_games([unseen], None)]
    write_choices(in_hash_order(games), folder, backend, threads, stop_at)


def safer_engine(
    folder: Annotated[Path, typer.Argument(help="Folder of `safer-choices`.")],
    engine: Annotated[str, typer.Option(help="Command of Stockfish.")] = "stockfish",
    nodes: Annotated[int, typer.Option(min=1, help="Nodes of each search.")] = 5_000,
    minutes: Annotated[float, typer.Option(min=0, help="Stops after this time; run it again to go on.")] = 15,
) -> None:
    """Let Stockfish choose in the positions of `safer-choices`, and value the safer move."""
    from studies.safer.confirmation import write_confirmation

    write_confirmation(folder, engine, nodes, time.time() + 60 * minutes)


def safer(
    folder: Annotated[Path, typer.Argument(help="Folder of `safer-choices`.")],
    resamples: Annotated[int, typer.Option(min=10, help="Resamples of games.")] = 400,
    out: Annotated[Path, typer.Option(help="Folder of report.json.")] = RESULTS,
) -> None:
    """Compare people who played the safer move with those who played the engine's first choice."""
    from sparring.base.provenance import provenance
    from sparring.measure.reports import write_json
    from studies.safer.analysis import report
    from studies.safer.confirmation import read_confirmed

    out.mkdir(parents=True, exist_ok=True)
    rows, counts = read_confirmed(folder)
    write_json(provenance(command_line()) | report(rows, counts, resamples, print), out / "report.json")


def safer_fit(
    folder: Annotated[Path, typer.Argument(help="Folder of `safer-leaves`.")],
    out: Annotated[Path, typer.Option(help="Folder of leaves.json.")] = RESULTS,
) -> None:
    """Fit the calibration of leaves and compare forms of the expectation by the results that they predict."""
    from sparring.base.provenance import provenance
    from sparring.measure.reports import write_json
    from studies.safer.leaf_fit import leaf_report

    out.mkdir(parents=True, exist_ok=True)
    write_json(provenance(command_line()) | leaf_report(folder), out / "leaves.json")


def safer_speed(
    files: Files,
    positions: Annotated[int, typer.Option(min=1, help="Positions, each of another game.")] = 40,
    backend: Backend = "onnxruntime",
    out: Annotated[Path, typer.Option(help="Folder of speed.json.")] = RESULTS,
) -> None:
    """Measure the time of one safer move with the settings of the page."""
    from sparring.base.provenance import provenance
    from sparring.measure.reports import write_json
    from sparring.records import Split
    from studies.safer.games import held_out_games
    from studies.safer.speed import measure_speed

    out.mkdir(parents=True, exist_ok=True)
    games = held_out_games(files, Split.VALIDATION)[:positions]
    write_json(provenance(command_line()) | measure_speed(games, backend), out / "speed.json")
