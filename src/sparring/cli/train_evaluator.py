"""`sparring train evaluator`: a value network for alpha-beta search, by self-play."""

from __future__ import annotations

import re
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sparring.cli.errors import UserError
from sparring.cli.printing import make_console, visible
from sparring.reports import provenance
from sparring.reports.command import portable_command
from sparring.search.linear_evaluation import BadEvaluation, open_evaluation
from sparring.storage import lock_folder
from sparring.training import TrainingDiverged

if TYPE_CHECKING:  # it imports PyTorch
    from sparring.training.expendibots import Epoch


def evaluator(
    game: Annotated[str, typer.Argument(help="expendibots", metavar="GAME")],
    out: Annotated[Path, typer.Option(help="Run folder; finished parts are reused.")],
    generations: Annotated[int, typer.Option(min=1, help="Rounds of self-play and training.")] = 1,
    games: Annotated[int, typer.Option(min=1, help="Self-play games per round.")] = 2500,
    nodes: Annotated[int, typer.Option(min=1, help="Search nodes per move.")] = 4000,
    hidden: Annotated[
        str, typer.Option(help="Units of the two hidden layers; the report has 1000x100.")
    ] = "32x16",
    epochs: Annotated[int, typer.Option(min=1, help="Training epochs.")] = 12,
    weights: Annotated[
        str, typer.Option(help="Evaluation of the first round: start, learned or a file.")
    ] = "start",
    seed: Annotated[int, typer.Option(min=0, help="Seed of self-play and training.")] = 1,
    workers: Annotated[int, typer.Option(min=1, max=1024, help="Processes that play games.")] = 1,
    save: Annotated[Path | None, typer.Option(help="Copy the last network to this file.")] = None,
) -> None:
    """Train a value network by self-play.

    Positions come from the agent's own games; the targets are the values of its search.
    """
    from sparring.training.expendibots import ValueNetworkConfig, train_value_network

    if game != "expendibots":
        raise UserError(f"there are network evaluations of expendibots, not of {game}")
    sizes = re.fullmatch(r"(\d{1,4})x(\d{1,3})", hidden)
    if not sizes or not (1 <= int(sizes[1]) <= 1024 and 1 <= int(sizes[2]) <= 128):
        raise UserError(f"--hidden is two numbers such as 32x16, at most 1024x128, not {hidden}")
    try:
        first = open_evaluation(game, weights)
    except BadEvaluation as error:
        raise UserError(str(error)) from None
    config = ValueNetworkConfig(hidden=(int(sizes[1]), int(sizes[2])), epochs=epochs, seed=seed)
    command = (
        f"sparring train evaluator {game} --generations {generations} --games {games} --nodes {nodes} "
        f"--hidden {hidden} --epochs {epochs} --seed {seed}"
    )
    command = portable_command([*command.split(), "--weights", str(weights)])
    origin = provenance(command) | {"recipe": asdict(config)}
    console = make_console(stderr=True)

    def played(generation: int, number: int, positions: int) -> None:
        console.print(f"generation {generation}: {number:,} games, {positions:,} positions")

    def learned(generation: int, epoch: Epoch) -> None:
        console.print(
            f"generation {generation}, pass {epoch.number}: error {epoch.loss:.4f}, of positions held out "
            f"{epoch.validation_loss:.4f}; values spread by {epoch.std:.3f}"
        )

    try:
        with lock_folder(out):
            made = train_value_network(
                out,
                first,
                config,
                generations=generations,
                games=games,
                nodes=nodes,
                origin=origin,
                played=played,
                learned=learned,
                workers=workers,
            )
    except TrainingDiverged as error:
        raise UserError(str(error)) from None
    if save is not None:
        shutil.copyfile(made, save)
    print(visible(save or made))
