"""`sparring train treestrap`: trains an evaluation from its own search."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from sparring.cli.arguments import GameName
from sparring.cli.errors import UserError
from sparring.cli.interrupts import INTERRUPTED, interruptible
from sparring.cli.printing import foreign, make_console
from sparring.cli.progress import metrics_progress
from sparring.players import BadBook
from sparring.players.book import open_book
from sparring.reports.plot_style import MatplotlibMissing
from sparring.search.linear_evaluation import SEARCHERS, BadEvaluation, open_evaluation
from sparring.storage import lock_folder
from sparring.training import TrainingDiverged
from sparring.training.treestrap import (
    ALGORITHMS,
    BadTreeStrapRun,
    TreeStrapRun,
    TreeStrapRunConfig,
    WeightedBook,
)
from sparring.training.treestrap.run import EVALUATION, TrainingBlock, worker_pool
from sparring.training.treestrap.selfplay import SelfPlayGame
from sparring.workers import RayUnavailable, WorkerError

_DEFAULT = TreeStrapRunConfig(next(iter(SEARCHERS)))
"""For the defaults of options, which do not depend on the game."""


def treestrap(
    game: GameName,
    out: Annotated[Path, typer.Option(help="Folder of the run; an unfinished run there is resumed.")],
    algorithm: Annotated[
        str,
        typer.Option(help="; ".join(f"{name}: {each.summary}" for name, each in ALGORITHMS.items()) + "."),
    ] = _DEFAULT.algorithm,
    depth: Annotated[
        int | None, typer.Option(help="Search depth in plies (default: the algorithm's).")
    ] = None,
    games: Annotated[int, typer.Option(help="Games to play.")] = _DEFAULT.games,
    learning_rate: Annotated[
        float | None, typer.Option(help="Learning rate alpha (default: the algorithm's).")
    ] = None,
    decay: Annotated[
        float | None, typer.Option("--lambda", help="Decay of a node's weight with its depth, 0 to 1.")
    ] = None,
    max_update: Annotated[
        float, typer.Option(help="M: largest change of a weight in one update.")
    ] = _DEFAULT.max_update,
    max_error: Annotated[
        float, typer.Option(help="Clips the error of a position; 100 is a win.")
    ] = _DEFAULT.max_error,
    rate_halving_games: Annotated[
        int, typer.Option(help="Games after which the learning rate has halved.")
    ] = _DEFAULT.rate_halving_games,
    warmup_games: Annotated[
        int, typer.Option(help="Games with RootStrap at depth two at the start.")
    ] = _DEFAULT.warmup_games,
    random_plies: Annotated[
        int, typer.Option(help="Random plies at the start of half of the games; half as many in a quarter.")
    ] = _DEFAULT.random_plies,
    max_plies: Annotated[int, typer.Option(help="Plies after which a game is stopped.")] = _DEFAULT.max_plies,
    book: Annotated[
        Path | None, typer.Option(help="Opening book; each side uses it with probability 1/4.")
    ] = None,
    staged: Annotated[
        bool, typer.Option("--staged", help="End searches at the next stage and reward the side ahead.")
    ] = False,
    skip_draws: Annotated[bool, typer.Option("--skip-draws", help="Skip positions of value 0.")] = False,
    start: Annotated[
        str, typer.Option(help="Initial weights: a file, or the shipped start or learned.")
    ] = _DEFAULT.start,
    block: Annotated[int, typer.Option(help="Games between two lines of the journal.")] = _DEFAULT.block,
    workers: Annotated[
        int, typer.Option(help="Games played in parallel, one process each.")
    ] = _DEFAULT.workers,
    ray: Annotated[str | None, typer.Option(help="Address of a Ray cluster to play on.")] = None,
    seed: Annotated[
        int, typer.Option(help="Seed: the same seed and number of workers give the same weights.")
    ] = _DEFAULT.seed,
) -> None:
    """Train a linear evaluation by search and self-play.

    TreeStrap, RootStrap or TDLeaf. An interrupted run is resumed by the same command.
    """
    console = make_console(stderr=True)
    try:
        config = TreeStrapRunConfig(
            game,
            algorithm=algorithm,
            depth=depth,
            games=games,
            learning_rate=learning_rate,
            decay=decay,
            max_update=max_update,
            max_error=max_error,
            rate_halving_games=rate_halving_games,
            warmup_games=warmup_games,
            random_plies=random_plies,
            max_plies=max_plies,
            staged=staged,
            skip_draws=skip_draws,
            book="" if book is None else book.name,
            start=start,
            block=block,
            workers=workers,
            seed=seed,
        )
        opening_book: WeightedBook | None = None if book is None else open_book(book, game, 16)
        with lock_folder(out):
            run = TreeStrapRun(config, out)
            if run.games and not run.finished:
                console.print(f"resuming after {run.games:,} games in {foreign(out)}", soft_wrap=True)
            with (
                worker_pool(config, opening_book, ray) as players,
                _Display(console, run) as display,
                interruptible(run.interrupt),
            ):
                finished = run.train(players, display.on_progress)
    except (
        BadTreeStrapRun,
        BadEvaluation,
        BadBook,
        RayUnavailable,
        TrainingDiverged,
        WorkerError,
    ) as error:
        raise UserError(str(error)) from None
    if not finished:
        console.print(
            f"interrupted after {run.games:,} games; the same command resumes the run in {foreign(out)}",
            soft_wrap=True,
        )
        raise typer.Exit(INTERRUPTED)
    _draw(run, console)
    make_console().print(f"weights: [bold]{foreign(out / EVALUATION)}[/]", soft_wrap=True)
    make_console().print(f"[dim]sparring play {game} --player {foreign(out / EVALUATION)}[/]", soft_wrap=True)


def _draw(run: TreeStrapRun, console: Console) -> None:
    try:
        from sparring.training.treestrap.figures import weights_by_feature, weights_over_time

        game = run.config.game
        weights_over_time(game, open_evaluation(game, run.config.start), run.blocks, run.folder)
        weights_by_feature(run.evaluation(), run.folder)
    except MatplotlibMissing as error:
        console.print(f"no figures: {foreign(error)}", soft_wrap=True)


class _Display:
    """A progress bar with the newest game, and a printed line for each block."""

    def __init__(self, console: Console, run: TreeStrapRun) -> None:
        self._console, self._run = console, run
        self._bar = metrics_progress(console)
        self._task = self._bar.add_task("the first game", total=run.config.games, completed=run.games)
        self._shown, self._done = len(run.blocks), run.games
        self._began, self._plies = time.monotonic(), 0

    def __enter__(self) -> _Display:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
        self._show_blocks()

    def on_progress(self, played: SelfPlayGame) -> None:
        """Shows a finished game."""
        self._show_blocks()
        self._done += 1
        self._plies += played.plies
        speed = self._plies / max(time.monotonic() - self._began, 1e-9)
        now = f"{played.plies} plies to {played.reason}; {speed:,.0f} moves/s"
        self._bar.update(self._task, completed=self._done, description=now)

    def _show_blocks(self) -> None:
        for block in self._run.blocks[self._shown :]:
            self._console.print(_line(block), soft_wrap=True)
        self._shown = len(self._run.blocks)


def _line(block: TrainingBlock) -> str:
    ends = ", ".join(f"{count} {reason}" for reason, count in Counter(block.reasons).most_common())
    return (
        f"{block.games:,} games: error {block.error:.2f}, wins {block.wins[0]}-{block.wins[1]} ({ends}), "
        f"{block.moves_a_second:,.0f} moves per CPU second"
    )


def bootstrap(_: Annotated[list[str] | None, typer.Argument()] = None) -> None:
    """Name the command that replaces this one."""
    raise UserError("'sparring train bootstrap' is now 'sparring train treestrap'")
