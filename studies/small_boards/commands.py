"""`python -m studies small-boards-label` and `small-boards-train`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from sparring.training.trainer import TrainingProgress


def small_boards_label(
    judge: Annotated[str, typer.Option(help="KataGo network, the second teacher.")],
    out: Annotated[Path, typer.Option(help="Folder of the blocks.")],
    people: Annotated[str, typer.Option(help="Network that knows ranks, the first teacher.")] = "human-go",
    positions: Annotated[int, typer.Option(min=1, help="Positions in all.")] = 100_000,
    games: Annotated[int, typer.Option(min=1, help="Games in lockstep.")] = 32,
    block: Annotated[int, typer.Option(min=1, help="Positions of a file.")] = 512,
    seed: Annotated[int, typer.Option(help="Seed of games and moves.")] = 1,
    backend: Annotated[str, typer.Option(help="Runtime of the networks.")] = "onnxruntime",
) -> None:
    """Play games of ranks on small boards; two teachers label the positions. Goes on where it stopped."""
    from sparring.networks import load_network
    from studies.small_boards.positions import label

    teachers = [load_network(name, game="go", backend=backend, batch=games) for name in (people, judge)]
    label(teachers[0], teachers[1], out, positions, games, block, seed)


def small_boards_train(
    blocks: Annotated[Path, typer.Option(help="Folder of small-boards-label.")],
    seconds: Annotated[float, typer.Option(help="Time of the training.")],
    out: Annotated[Path, typer.Option(help="Folder of the run; model.onnx there is the result.")],
    threads: Annotated[int, typer.Option(min=1, help="Threads.")] = 1,
) -> None:
    """Train the network for small boards on the CPU. The same command resumes."""
    import torch

    from sparring.training.trainer import Trainer
    from studies.small_boards.training import SmallBoardsTask

    def report(progress: TrainingProgress) -> None:
        if progress.step % 20 == 0:
            loss = f"loss {progress.loss:.3f}, {progress.speed:.0f} positions/s"
            print(f"step {progress.step} of {progress.steps}: {loss}, {progress.validation}", flush=True)

    torch.set_num_threads(threads)
    task = SmallBoardsTask(blocks)
    print(f"{task.positions:,} positions", flush=True)
    Trainer(task, out, device="cpu", seconds=seconds).train(report)
