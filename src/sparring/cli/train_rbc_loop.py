"""`sparring train rbc-loop`: rounds of play and training of the planner's network."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from sparring import data
from sparring.arena.rbc_improvement import ImprovementConfig, ImprovementRound, best_network, improve
from sparring.cli.errors import UserError
from sparring.cli.printing import foreign, make_console
from sparring.cli.progress import metrics_progress
from sparring.cli.train_rbc import train_network
from sparring.players.rbc.config import SHIPPED_NETWORK
from sparring.storage import lock_folder
from sparring.training import TrainingDiverged
from sparring.training.rbc import RbcTrainingConfig, load_rbc_config, shipped_rbc_configs
from sparring.workers import WorkerError


def rbc_loop(
    out: Annotated[Path, typer.Option(help="Folder of the loop; an interrupted one is resumed.")],
    records: Annotated[
        list[Path] | None,
        typer.Option(
            "--records", "-r", help="Further games, as `sparring train rbc` takes; may be repeated."
        ),
    ] = None,
    config: Annotated[
        str, typer.Option(help=f"Training configuration: {', '.join(shipped_rbc_configs())}, or a TOML file.")
    ] = "rbc-small",
    network: Annotated[Path | None, typer.Option(help="First network (default: the shipped one).")] = None,
    rounds: Annotated[int, typer.Option(min=1, help="Rounds in all.")] = 2,
    opponents: Annotated[
        str, typer.Option(help="Bots that the planner plays beside itself, separated by commas.")
    ] = "inference-2,inference-3",
    games: Annotated[int, typer.Option(min=1, help="Games of a round.")] = 300,
    match_games: Annotated[
        int,
        typer.Option(min=4, help="Games of the match; half of them are of the new network against the old."),
    ] = 200,
    playouts: Annotated[int, typer.Option(min=1, help="Playouts of a decision.")] = 256,
    steps: Annotated[
        int | None, typer.Option(min=1, help="Training steps; overrides the configuration.")
    ] = None,
    device: Annotated[str, typer.Option(help="cpu, cuda or cuda:1 (default: the fastest available).")] = "",
    processes: Annotated[int, typer.Option(min=0, help="Worker processes; 0 for all cores.")] = 0,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the games.")] = 0,
) -> None:
    """Improve the network of the blind chess planner in rounds.

    A round plays games with the best network, trains a new one on all games, and keeps it if it wins a match
    against the old. The same command resumes an interrupted loop.
    """
    console, workers = make_console(stderr=True), processes or os.cpu_count() or 1
    start = network or data.path("synopsis_networks", SHIPPED_NETWORK)
    if not start.is_file():
        raise UserError(f"there is no network {start}")
    names = tuple(name.strip() for name in opponents.split(",") if name.strip())
    loop = ImprovementConfig(
        tuple(records or ()),
        load_rbc_config(config).changed(steps=steps),
        start,
        names,
        games,
        match_games,
        playouts,
        seed,
    )

    def train(chosen: RbcTrainingConfig, found: Sequence[Path], folder: Path) -> Path:
        return train_network(chosen, found, folder, device, workers, console)

    try:
        with lock_folder(out), metrics_progress(console) as bar:
            task = bar.add_task("playing", total=None)

            def on_progress(what: str, done: int, total: int) -> None:
                bar.update(task, description=what, completed=done, total=total)

            played = improve(loop, out, rounds, workers, train, on_progress)
    except (TrainingDiverged, WorkerError) as error:
        raise UserError(str(error)) from None
    _show(played)
    make_console().print(f"best network: {foreign(best_network(loop, played))}", soft_wrap=True)


def _show(rounds: Sequence[ImprovementRound]) -> None:
    table = Table("round", "games against the old", "score", "kept", box=None)
    for each in rounds:
        interval = f"{each.score:.3f} ({each.low:.3f} to {each.high:.3f})"
        table.add_row(str(each.number), f"{each.games:,}", interval, "yes" if each.kept else "no")
    make_console().print(table)
