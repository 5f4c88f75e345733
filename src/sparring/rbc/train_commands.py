"""`sparring train rbc`: a synopsis network from games of reconnaissance blind chess."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from sparring import data
from sparring.base.errors import UserError
from sparring.base.storage import lock_folder
from sparring.cli.arguments import Device, Steps, TrainingSeed
from sparring.cli.console import INTERRUPTED, foreign, interruptible, make_console, metrics_progress
from sparring.rbc.bots import SHIPPED_NETWORK
from sparring.rbc.improvement import ImprovementConfig, ImprovementRound, best_network, improve
from sparring.rbc.training import RbcTrainingConfig, load_rbc_config, shipped_rbc_configs
from sparring.rbc.training.config import with_headsets_of
from sparring.rbc.training.examples import ExampleBlock, build_examples, player_names, read_examples

if TYPE_CHECKING:
    from sparring.rbc.training.task import RbcTrainer
    from sparring.training.trainer import TrainingProgress


def rbc(
    records: Annotated[
        list[Path],
        typer.Option(
            "--records",
            "-r",
            help="Reconchess histories (.jsonl, .json), or a folder of them, such as that of `sparring rbc "
            "generate`; may be repeated.",
        ),
    ],
    config: Annotated[
        str,
        typer.Option(help=f"Configuration: {', '.join(shipped_rbc_configs())}, or a TOML file."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Run folder; by default one named like the configuration in the current folder. An "
            "unfinished run is resumed."
        ),
    ] = None,
    device: Device = "",
    processes: Annotated[int, typer.Option(min=0, help="Processes that make examples; 0 for all cores.")] = 0,
    steps: Steps = None,
    seed: TrainingSeed = None,
    teachers: Annotated[
        list[Path] | None,
        typer.Option(
            "--teacher",
            help="Folder of a finished run, whose predictions are part of the targets; may be repeated.",
        ),
    ] = None,
    examples_only: Annotated[
        bool, typer.Option("--examples-only", help="Make the examples and stop.")
    ] = False,
) -> None:
    """Train a synopsis network for reconnaissance blind chess.

    Makes examples of the games (kept in OUT/examples), then trains. An interrupted run is resumed by the same
    command.
    """
    console = make_console(stderr=True)
    chosen = load_rbc_config(config).changed(steps=steps, seed=seed)
    workers = processes or os.cpu_count() or 1
    out = Path(Path(config).stem) if out is None else out
    for folder in teachers or []:
        if not (folder / "model.onnx").exists():
            raise UserError(f"{folder} has no finished run of `sparring train rbc`")
    if not examples_only:
        chosen = _with_players(chosen, records, console)
    with lock_folder(out):
        if examples_only:
            _build(chosen, records, out, workers, console)
            return
        run = _trained(chosen, records, out, device, workers, console, teachers or [])
    _show(run, out)


def train_network(
    config: RbcTrainingConfig,
    records: Sequence[Path],
    out: Path,
    device: str,
    processes: int,
    console: Console,
) -> Path:
    """Makes examples and trains, both resumed in the folder `out`. Returns the network.

    Raises typer.Exit after Ctrl-C.
    """
    config = _with_players(config, records, console)
    _trained(config, records, out, device, processes, console)
    return out / "model.onnx"


def _trained(
    config: RbcTrainingConfig,
    records: Sequence[Path],
    out: Path,
    device: str,
    processes: int,
    console: Console,
    teachers: Sequence[Path] = (),
) -> RbcTrainer:
    from sparring.rbc.training.task import RbcTrainer, with_trained_headsets

    _build(config, records, out, processes, console)
    examples = read_examples(out / "examples")
    run = RbcTrainer(with_trained_headsets(config, examples), examples, out, device, teachers)
    _print_left_out(config, run.config, "no games but held-out ones", console)
    if run.step:
        console.print(f"resuming at step {run.step:,} in {foreign(out)}", soft_wrap=True)
    with metrics_progress(console) as bar, interruptible(run.stop):
        task = bar.add_task("training", total=run.config.training.steps, completed=run.step)

        def on_progress(progress: TrainingProgress) -> None:
            headset = run.config.headset_names[progress.variant]
            text = f"loss {progress.loss:.3f} ({headset}), {progress.speed:,.0f} examples/s"
            bar.update(task, completed=progress.step, description=text)

        finished = run.train(on_progress)
    if not finished:
        console.print(f"interrupted at step {run.step:,}; the same command resumes", soft_wrap=True)
        raise typer.Exit(INTERRUPTED)
    return run


def _build(
    config: RbcTrainingConfig, records: Sequence[Path], out: Path, processes: int, console: Console
) -> None:
    with metrics_progress(console) as bar:
        task = bar.add_task("making examples", total=None)

        def on_progress(blocks: Sequence[ExampleBlock]) -> None:
            games, _, examples = _counts(blocks)
            bar.update(task, description=f"{games:,} games, {examples:,} examples")

        blocks = build_examples(records, out / "examples", config.data, processes, on_progress)
    games, broken, examples = _counts(blocks)
    console.print(f"{games:,} games ({broken:,} broken), {examples:,} examples")


def _counts(blocks: Sequence[ExampleBlock]) -> tuple[int, int, int]:
    """Numbers of games, of broken ones and of examples."""
    return sum(b.games for b in blocks), sum(b.broken for b in blocks), sum(b.examples for b in blocks)


def _with_players(config: RbcTrainingConfig, records: Sequence[Path], console: Console) -> RbcTrainingConfig:
    """The configuration without headsets that have no games, known before examples are made."""
    reduced = with_headsets_of(config, player_names(records))
    _print_left_out(config, reduced, "no games", console)
    return reduced


def _print_left_out(
    before: RbcTrainingConfig, after: RbcTrainingConfig, reason: str, console: Console
) -> None:
    names = [foreign(name) for name in before.headset_names if name not in after.headset_names]
    if names:
        console.print(f"headsets left out, with {reason}: {', '.join(names)}", soft_wrap=True)


def _show(run: RbcTrainer, out: Path) -> None:
    table = Table("headset", "examples", "top-1", "top-5", "nats", "winner", box=None)
    for name, part in (run.metrics or {"headsets": {}})["headsets"].items():
        numbers = (f"{part[key]:.3f}" for key in ("top1", "top5", "nll", "winner"))
        table.add_row(foreign(name), f"{part['examples']:,}", *numbers)
    make_console().print(table)
    make_console().print(f"network: {foreign(out / 'model.onnx')}", soft_wrap=True)


# `sparring train rbc-loop`: rounds of play and training of the planner's network.


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
    steps: Steps = None,
    device: Device = "",
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

    def train(chosen: RbcTrainingConfig, paths: Sequence[Path], folder: Path) -> Path:
        return train_network(chosen, paths, folder, device, workers, console)

    with lock_folder(out), metrics_progress(console) as bar:
        task = bar.add_task("playing", total=None)

        def on_progress(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)

        played = improve(loop, out, rounds, workers, train, on_progress)
    _show_round(played)
    make_console().print(f"best network: {foreign(best_network(loop, played))}", soft_wrap=True)


def _show_round(rounds: Sequence[ImprovementRound]) -> None:
    table = Table("round", "games against the old", "score", "kept", box=None)
    for entry in rounds:
        interval = f"{entry.score:.3f} ({entry.low:.3f} to {entry.high:.3f})"
        table.add_row(str(entry.number), f"{entry.games:,}", interval, "yes" if entry.kept else "no")
    make_console().print(table)
