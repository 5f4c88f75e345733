"""`sparring train treestrap`: an evaluation that a game's own search teaches."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from sparring.cli.arguments import GameName
from sparring.cli.errors import UserError
from sparring.cli.interrupts import interruptible
from sparring.cli.progress import metrics_progress
from sparring.players import BadBook
from sparring.players.book import open_book
from sparring.reports.plot_style import MatplotlibMissing
from sparring.search.evaluations import BadEvaluation, open_evaluation
from sparring.training.treestrap import (
    ALGORITHMS,
    BadTreeStrapConfig,
    BadTreeStrapRun,
    TreeStrapRun,
    TreeStrapRunConfig,
    WeightedBook,
)
from sparring.training.treestrap.run import EVALUATION, TrainingBlock, worker_pool
from sparring.training.treestrap.selfplay import SelfPlayGame
from sparring.workers import RayUnavailable, WorkerDied

_INTERRUPTED = 130
_DEFAULT = TreeStrapRunConfig("expendibots")


def treestrap(
    game: GameName,
    out: Annotated[Path, typer.Option(help="The run's folder; an unfinished run there is gone on with.")],
    algorithm: Annotated[
        str, typer.Option(help="; ".join(f"{name}: {each.about}" for name, each in ALGORITHMS.items()) + ".")
    ] = _DEFAULT.algorithm,
    depth: Annotated[int | None, typer.Option(help="Of the searches (the algorithm's own).")] = None,
    games: Annotated[int, typer.Option(help="Games to play.")] = _DEFAULT.games,
    rate: Annotated[float | None, typer.Option(help="alpha, the step (the algorithm's own).")] = None,
    decay: Annotated[
        float | None, typer.Option(help="lambda: how much less deeper nodes count (the algorithm's own).")
    ] = None,
    max_update: Annotated[
        float, typer.Option(help="M: no weight changes by more in one move.")
    ] = _DEFAULT.max_update,
    max_error: Annotated[
        float, typer.Option(help="Larger errors of a position count as this much; 100 is a win.")
    ] = _DEFAULT.max_error,
    rate_halving_games: Annotated[
        int, typer.Option(help="Games until the rate has halved.")
    ] = _DEFAULT.rate_halving_games,
    warm_up: Annotated[
        int, typer.Option(help="Games with RootStrap at depth two to begin with.")
    ] = _DEFAULT.warm_up,
    random_plies: Annotated[
        int, typer.Option(help="Half of the games begin after so many random plies, a quarter after half.")
    ] = _DEFAULT.random_plies,
    max_plies: Annotated[int, typer.Option(help="Plies until a game is given up.")] = _DEFAULT.max_plies,
    book: Annotated[
        Path | None, typer.Option(help="Games to open from, with probability 1/4 for each side.")
    ] = None,
    staged: Annotated[bool, typer.Option("--staged", help="Reward whoever is ahead after a stage.")] = False,
    skip_draws: Annotated[bool, typer.Option("--skip-draws", help="Values of 0 teach nothing.")] = False,
    start: Annotated[
        str, typer.Option(help="Weights to begin with: a file, or start or learned for the package's.")
    ] = _DEFAULT.start,
    block: Annotated[int, typer.Option(help="Games between measurements.")] = _DEFAULT.block,
    workers: Annotated[int, typer.Option(help="Games at a time, a process each.")] = _DEFAULT.workers,
    ray: Annotated[str | None, typer.Option(help="Play on the Ray cluster at this address.")] = None,
    seed: Annotated[
        int, typer.Option(help="The same seed and workers give the same weights.")
    ] = _DEFAULT.seed,
) -> None:
    """Weights of an evaluation, from games that the search plays against itself."""
    console = Console(stderr=True, highlight=False)
    try:
        config = TreeStrapRunConfig(
            game,
            algorithm=algorithm,
            depth=depth,
            games=games,
            rate=rate,
            decay=decay,
            max_update=max_update,
            max_error=max_error,
            rate_halving_games=rate_halving_games,
            warm_up=warm_up,
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
        known: WeightedBook | None = None if book is None else open_book(book, game, 16)
        run = TreeStrapRun(config, out)
        if run.games and not run.finished:
            console.print(f"going on after {run.games:,} games in {out}", soft_wrap=True)
        with (
            worker_pool(config, known, ray) as players,
            _Display(console, run) as display,
            interruptible(run.stop),
        ):
            finished = run.train(players, display.on_progress)
    except (BadTreeStrapConfig, BadTreeStrapRun, BadEvaluation, BadBook, RayUnavailable, WorkerDied) as error:
        raise UserError(str(error)) from None
    if not finished:
        console.print(
            f"interrupted after {run.games:,} games; the same command goes on in {out}", soft_wrap=True
        )
        raise typer.Exit(_INTERRUPTED)
    _draw(run, console)
    Console(highlight=False).print(f"the weights are [bold]{out / EVALUATION}[/]", soft_wrap=True)


def _draw(run: TreeStrapRun, console: Console) -> None:
    try:
        from sparring.training.treestrap.figures import weights_by_feature, weights_over_time

        game = run.config.game
        weights_over_time(game, open_evaluation(game, run.config.start), run.blocks, run.folder)
        weights_by_feature(run.evaluation(), run.folder)
    except MatplotlibMissing as error:
        console.print(f"no figures: {error}", soft_wrap=True)


class _Display:
    """A bar with the newest games, and a line for each block above it."""

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
        """A game that was played."""
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
        f"{block.moves_a_second:,.0f} moves a second of a core"
    )
