"""`sparring train people`: a policy network from people's games."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from sparring.cli.arguments import GameName
from sparring.cli.errors import UserError
from sparring.cli.interrupts import INTERRUPTED, interruptible
from sparring.cli.printing import foreign, make_console
from sparring.cli.progress import metrics_progress
from sparring.records import BadTable
from sparring.storage import lock_folder
from sparring.training import (
    TrainingConfig,
    TrainingDiverged,
    load_training_config,
    shipped_training_configs,
)

if TYPE_CHECKING:  # it imports PyTorch
    from sparring.training import trainer


def people(
    game: GameName,
    records: Annotated[
        list[Path],
        typer.Option(
            "--records", "-r", help="Folder of a table (`sparring records build`); may be repeated."
        ),
    ],
    config: Annotated[
        str,
        typer.Option(
            help=f"Training configuration: {', '.join(shipped_training_configs())}, or a TOML file."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Run folder; an unfinished run is resumed.")],
    device: Annotated[str, typer.Option(help="cpu, cuda or cuda:1 (default: the fastest available).")] = "",
    compiled: Annotated[bool, typer.Option("--compiled", help="Compile the network with PyTorch.")] = False,
    threads: Annotated[int, typer.Option(min=0, help="Threads of the data loader; 0 for all cores.")] = 0,
    steps: Annotated[
        int | None, typer.Option(min=1, help="Training steps; overrides the configuration.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed; overrides the configuration.")] = None,
    trial: Annotated[
        int | None, typer.Option(min=0, help="Seed of the split; overrides the configuration.")
    ] = None,
) -> None:
    """Train a policy network on people's games.

    An interrupted run is resumed from its checkpoint by the same command.
    """
    first_process = int(os.environ.get("RANK", 0)) == 0
    console = make_console(stderr=True, quiet=not first_process)
    try:
        chosen = load_training_config(config).changed(steps=steps, seed=seed, trial=trial)
        if chosen.game != game:
            raise UserError(f"the configuration {chosen.name} is for {chosen.game}, not {game}")
        with lock_folder(out) if first_process else nullcontext():
            run = _prepared(chosen, records, out, device, compiled, threads)
            if run.step:
                console.print(f"resuming at step {run.step:,} in {foreign(out)}", soft_wrap=True)
            # torchrun forwards the Ctrl-C that this process has already received from the terminal.
            guard = interruptible(run.stop, abort_on_second=run.world_size == 1)
            with _Display(console, run) as display, guard:
                finished = run.train(display.on_progress)
    except (BadTable, TrainingDiverged) as error:
        raise UserError(str(error)) from None
    if not finished:
        console.print(
            f"interrupted at step {run.step:,}; the same command resumes from the checkpoint "
            f"in {foreign(out)}",
            soft_wrap=True,
        )
        raise typer.Exit(INTERRUPTED)
    if run.rank == 0:
        _show(run.metrics, out / "model.onnx", game, records)


def _prepared(
    config: TrainingConfig, records: list[Path], out: Path, device: str, compiled: bool, threads: int
) -> trainer.Trainer:
    from sparring.training.trainer import Trainer

    return Trainer(config, records, out, device=device, compiled=compiled, threads=threads)


class _Display:
    """A progress bar with the newest metrics, and a line above it for each validation."""

    def __init__(self, console: Console, run: trainer.Trainer) -> None:
        self._console = console
        self._bar = metrics_progress(console)
        self._task = self._bar.add_task("the first step", total=run.config.training.steps, completed=run.step)
        self._shown = run.metrics

    def __enter__(self) -> _Display:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def on_progress(self, progress: trainer.TrainingProgress) -> None:
        """Shows the progress of the run."""
        now = f"loss {progress.loss:.3f}, accuracy {progress.accuracy:.3f}, {progress.speed:,.0f} positions/s"
        if (found := progress.validation) is not None:
            metrics = f"validation: top-1 {found['top1']:.4f}, {found['nll']:.4f} nats per move"
            if found is not self._shown:
                self._console.print(f"step {progress.step:,}: {metrics}; {now}", soft_wrap=True)
                self._shown = found
            now += f"; {metrics}"
        self._bar.update(self._task, completed=progress.step, description=now)


def _show(metrics: dict[str, Any] | None, model: Path, game: str, records: list[Path]) -> None:
    console = make_console()
    if metrics is not None:
        table = Table("group", "positions", "top-1", "nats per move", box=None)
        for name, entry in [*metrics["groups"].items(), ("all", metrics)]:
            table.add_row(
                foreign(name),
                f"{entry['positions']:,}",
                f"{entry['top1']:.4f}",
                f"{entry['nll']:.4f}",
                style="bold" if entry is metrics else None,
            )
        console.print(table)
    console.print(f"network: [bold]{foreign(model)}[/]", soft_wrap=True)
    console.print(f"[dim]sparring models add {foreign(model)} --name NAME[/]", soft_wrap=True)
    tables = " ".join(f"--records {path}" for path in records)
    console.print(
        f"[dim]sparring measure matching {game} --policy {foreign(model)} {foreign(tables)}[/]",
        soft_wrap=True,
    )
