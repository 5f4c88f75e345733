"""`sparring train`: networks from games, and evaluations from one's own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from sparring.cli.arguments import GameName
from sparring.cli.errors import UserError
from sparring.cli.interrupts import interruptible
from sparring.cli.progress import metrics_progress
from sparring.records import BadTable
from sparring.training import (
    BadTrainingConfig,
    TrainingConfig,
    load_training_config,
    shipped_training_configs,
)

if TYPE_CHECKING:  # PyTorch is loaded by whoever trains
    from sparring.training import trainer

_INTERRUPTED = 130


def people(
    game: GameName,
    records: Annotated[
        list[Path], typer.Option("--records", "-r", help="A table by `sparring records build`; or several.")
    ],
    config: Annotated[
        str, typer.Option(help=f"What to train: {', '.join(shipped_training_configs())}, or a TOML file.")
    ],
    out: Annotated[Path, typer.Option(help="The run's folder; an unfinished run there is gone on with.")],
    device: Annotated[str, typer.Option(help="cpu, cuda or cuda:1; the best there is if left out.")] = "",
    compiled: Annotated[bool, typer.Option("--compiled", help="Compile the network with PyTorch.")] = False,
    threads: Annotated[int, typer.Option(min=0, help="Threads that read games; 0 for all cores.")] = 0,
    steps: Annotated[int | None, typer.Option(min=1, help="Other steps than the configuration's.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Another seed.")] = None,
    trial: Annotated[int | None, typer.Option(min=0, help="Another seed of the split.")] = None,
) -> None:
    """Train a policy network on people's games.

    An interrupted run is resumed from its checkpoint by the same command.
    """
    console = Console(stderr=True, highlight=False, quiet=int(os.environ.get("RANK", 0)) > 0)
    try:
        chosen = load_training_config(config).changed(steps=steps, seed=seed, trial=trial)
        if chosen.game != game:
            raise UserError(f"the configuration {chosen.name} is for {chosen.game}, not {game}")
        run = _prepared(chosen, records, out, device, compiled, threads)
        if run.step:
            console.print(f"going on from step {run.step:,} in {out}", soft_wrap=True)
        # torchrun passes a Ctrl-C on that the process had from the terminal already.
        guard = interruptible(run.stop, abort_on_second=run.world_size == 1)
        with _Display(console, run) as display, guard:
            finished = run.train(display.on_progress)
    except (BadTrainingConfig, BadTable) as error:
        raise UserError(str(error)) from None
    if not finished:
        console.print(
            f"interrupted at step {run.step:,}; the same command goes on from the checkpoint in {out}",
            soft_wrap=True,
        )
        raise typer.Exit(_INTERRUPTED)
    if run.rank == 0:
        _show(run.metrics, out / "model.onnx", game, records)


def _prepared(
    config: TrainingConfig, records: list[Path], out: Path, device: str, compiled: bool, threads: int
) -> trainer.Trainer:
    try:
        from sparring.training.trainer import Trainer
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise UserError("training needs PyTorch: pip install 'sparring[train]'") from None
    return Trainer(config, records, out, device=device, compiled=compiled, threads=threads)


class _Display:
    """A bar with the newest numbers, and a line for each measurement above it."""

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
        """What the run says of itself."""
        now = f"loss {progress.loss:.3f}, accuracy {progress.accuracy:.3f}, {progress.speed:,.0f} positions/s"
        if (found := progress.validation) is not None:
            metrics = f"validation: top-1 {found['top1']:.4f}, {found['nll']:.4f} nats a move"
            if found is not self._shown:
                self._console.print(f"step {progress.step:,}: {metrics}; {now}", soft_wrap=True)
                self._shown = found
            now += f"; {metrics}"
        self._bar.update(self._task, completed=progress.step, description=now)


def _show(metrics: dict[str, Any] | None, model: Path, game: str, records: list[Path]) -> None:
    console = Console(highlight=False)
    if metrics is not None:
        table = Table("group", "positions", "top-1", "nats a move", box=None)
        for name, entry in [*metrics["groups"].items(), ("all", metrics)]:
            table.add_row(
                name,
                f"{entry['positions']:,}",
                f"{entry['top1']:.4f}",
                f"{entry['nll']:.4f}",
                style="bold" if entry is metrics else None,
            )
        console.print(table)
    console.print(f"the network is [bold]{model}[/]", soft_wrap=True)
    console.print(f"[dim]sparring models add {model} --name NAME[/]", soft_wrap=True)
    tables = " ".join(f"--records {path}" for path in records)
    console.print(f"[dim]sparring measure matching {game} --policy {model} {tables}[/]", soft_wrap=True)
