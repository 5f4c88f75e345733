"""`sparring train`: networks from people's games and teachers, one person's player, TreeStrap, Descent."""

from __future__ import annotations

import contextlib
import os
import shlex
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from sparring.base.errors import MissingExtra, UserError
from sparring.base.provenance import provenance
from sparring.base.storage import lock_folder
from sparring.cli.arguments import (
    Device,
    GameName,
    Options,
    Steps,
    TrainingSeed,
    choose_game,
    command_line,
)
from sparring.cli.console import (
    INTERRUPTED,
    ProgressBar,
    foreign,
    interruptible,
    make_console,
    metrics_progress,
)
from sparring.networks.network import BACKENDS
from sparring.players.game_players import open_book
from sparring.search.linear_evaluation import SEARCHERS, open_evaluation
from sparring.training.config import (
    StudentConfig,
    TrainingConfig,
    load_student_config,
    load_training_config,
    shipped_student_configs,
    shipped_training_configs,
)
from sparring.training.selfplay.config import (
    load_selfplay_config,
    shipped_selfplay_configs,
    with_changes,
)
from sparring.training.treestrap.algorithms import ALGORITHMS
from sparring.training.treestrap.run import (
    EVALUATION,
    SelfPlayGame,
    TrainingBlock,
    TreeStrapRun,
    TreeStrapRunConfig,
    worker_pool,
)

if TYPE_CHECKING:
    from sparring.training import trainer
    from sparring.training.descent.run import Round
    from sparring.training.selfplay.task import GenerationProgress, Metrics


Records = Annotated[
    list[Path],
    typer.Option("--records", "-r", help="Folder of a table (`sparring records build`); may be repeated."),
]
Out = Annotated[Path, typer.Option(help="Run folder; an unfinished run is resumed.")]
Compiled = Annotated[bool, typer.Option("--compiled", help="Compile the network with PyTorch.")]
Threads = Annotated[int, typer.Option(min=0, help="Threads of the data loader; 0 for all cores.")]
Trial = Annotated[int | None, typer.Option(min=0, help="Seed of the split; overrides the configuration.")]
Minutes = Annotated[
    float | None,
    typer.Option(
        min=0.01,
        max=100_000,
        help="Time of training instead of steps; the learning rate follows the clock.",
    ),
]
Init = Annotated[
    Path | None,
    typer.Option(help="Begin with the weights of a run (folder), or of a residual network (ONNX file)."),
]


def _training_command(
    load: Callable[[str], TrainingConfig], configs: Sequence[str], summary: str
) -> Callable[..., None]:
    """A command that trains a policy network by a configuration, which `load` reads by name or file."""

    def train(
        game: GameName,
        records: Records,
        config: str,
        out: Out,
        device: Device = "",
        compiled: Compiled = False,
        threads: Threads = 0,
        steps: Steps = None,
        seed: TrainingSeed = None,
        trial: Trial = None,
        minutes: Minutes = None,
        init: Init = None,
    ) -> None:
        chosen = load(config).changed(steps=steps, seed=seed, trial=trial)
        if chosen.game != game:
            raise UserError(f"the configuration {chosen.name} is for {chosen.game}, not {game}")
        first_process = int(os.environ.get("RANK", 0)) == 0
        console = make_console(stderr=True, quiet=not first_process)
        with lock_folder(out) if first_process else nullcontext():
            from sparring.training.people import PeopleTask
            from sparring.training.student import StudentTask
            from sparring.training.trainer import Trainer

            task = (
                StudentTask(chosen, records, threads=threads, init=init)
                if isinstance(chosen, StudentConfig)
                else PeopleTask(chosen, records, threads=threads, init=init)
            )
            run = Trainer(task, out, device=device, compiled=compiled, seconds=60 * (minutes or 0))
            if run.step:
                console.print(f"resuming at step {run.step:,} in {foreign(out)}", soft_wrap=True)
            # torchrun forwards the Ctrl-C that this process has already received from the terminal.
            guard = interruptible(run.stop, abort_on_second=run.world_size == 1)
            with metrics_progress(console) as bar, guard:
                finished = run.train(_Display(bar, run).on_progress)
        if not finished:
            console.print(
                f"interrupted at step {run.step:,}; the same command resumes from the checkpoint "
                f"in {foreign(out)}",
                soft_wrap=True,
            )
            raise typer.Exit(INTERRUPTED)
        if run.rank == 0:
            _show(run.metrics, out / run.task.output, game, records)

    config_help = f"Training configuration: {', '.join(configs)}, or a TOML file."
    train.__annotations__["config"] = Annotated[str, typer.Option(help=config_help)]
    train.__doc__ = f"{summary}\n\nAn interrupted run is resumed from its checkpoint by the same command."
    return train


people = _training_command(
    load_training_config, shipped_training_configs(), "Train a policy network on people's games."
)
student = _training_command(
    load_student_config,
    shipped_student_configs(),
    "Train a policy network on games that its teachers play.",
)


class _Display:
    """A progress bar with the newest metrics, and a line above it for each validation."""

    def __init__(self, bar: Progress, run: trainer.Trainer) -> None:
        self._bar, self._shown = bar, run.metrics
        self._task = bar.add_task("the first step", total=run.config.training.steps, completed=run.step)

    def on_progress(self, progress: trainer.TrainingProgress) -> None:
        """Shows the progress of the run."""
        accuracy = progress.figures["train_top1"]
        now = f"loss {progress.loss:.3f}, accuracy {accuracy:.3f}, {progress.speed:,.0f} positions/s"
        if (validation := progress.validation) is not None:
            metrics = f"validation: top-1 {validation['top1']:.4f}, {validation['nll']:.4f} nats per move"
            if validation is not self._shown:
                self._bar.console.print(f"step {progress.step:,}: {metrics}; {now}", soft_wrap=True)
                self._shown = validation
            now += f"; {metrics}"
        self._bar.update(self._task, completed=progress.step, total=progress.steps, description=now)


def _show(metrics: Metrics | None, model: Path, game: str, records: list[Path]) -> None:
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


# `sparring train selfplay`: a strong network from the rules alone.


def selfplay(
    game: GameName,
    out: Out,
    config: Annotated[
        str,
        typer.Option(
            help=f"Configuration: {', '.join(shipped_selfplay_configs())}, or a TOML file. Without it, the "
            "one for the size of the board."
        ),
    ] = "",
    option: Options = None,
    device: Device = "",
    compiled: Compiled = False,
    minutes: Minutes = None,
    steps: Steps = None,
    seed: TrainingSeed = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes that play, or actors of Ray.")] = 1,
    ray: Annotated[str | None, typer.Option(help="Address of a Ray cluster to play on.")] = None,
    backend: Annotated[
        str, typer.Option(help=f"Runtime of the networks that play: {', '.join(BACKENDS)}.")
    ] = "",
    gate: Annotated[
        int | None, typer.Option(min=0, help="Most games of a match that a new network must win to play.")
    ] = None,
    initial: Annotated[
        Path | None,
        typer.Option(help="Begin with the weights of a run (folder), or of a residual network (ONNX file)."),
    ] = None,
    leash: Annotated[str, typer.Option(help="Policy that the network stays near (piKL).")] = "",
    leash_weight: Annotated[
        float | None, typer.Option(min=0, help="Weight of the KL divergence from the leash.")
    ] = None,
) -> None:
    """Train a strong network by self-play, from the rules alone.

    Plays games with the newest network and learns from them; `best.toml` in the run folder is a player of it.
    An interrupted run is resumed by the same command.
    """
    rules = {} if option is None else dict(vars(choose_game(game, option)))
    console = make_console(stderr=True)
    with lock_folder(out):
        from sparring.training.selfplay.task import PLAYER, SelfPlayTraining, Workers
        from sparring.training.trainer import Trainer, init_distributed

        chosen = load_selfplay_config(config, game, rules).changed(steps=steps, seed=seed)
        tether = {"leash": leash or None, "leash_weight": leash_weight}
        chosen = with_changes(
            chosen,
            play={key: value for key, value in tether.items() if value is not None},
            gate={} if gate is None else {"games": gate},
            minutes=0.0 if steps is not None else chosen.minutes if minutes is None else minutes,
        )
        gpu = init_distributed(device)[2].type == "cuda"
        who = Workers(workers, ray, backend or ("torch" if gpu else "onnxruntime"))
        display = _SelfPlayDisplay(console)
        task = SelfPlayTraining(chosen, out, who, initial=initial, on_games=display.on_games)
        run = Trainer(task, out, device=device, compiled=compiled, seconds=60 * chosen.minutes)
        if run.step:
            console.print(f"resuming at step {run.step:,} in {foreign(out)}", soft_wrap=True)
        with closing(task), metrics_progress(console) as bar, interruptible(run.stop):
            finished = run.train(display.begin(bar, run))
        if finished:
            task.finish()
    if not finished:
        console.print(
            f"interrupted at step {run.step:,}; the same command resumes the run in {foreign(out)}",
            soft_wrap=True,
        )
        raise typer.Exit(INTERRUPTED)
    make_console().print(f"player: [bold]{foreign(out / PLAYER)}[/]", soft_wrap=True)
    make_console().print(f"[dim]sparring play {game} --player {foreign(out / PLAYER)}[/]", soft_wrap=True)


class _SelfPlayDisplay:
    """A progress bar, a line above it for each generation, and warnings."""

    def __init__(self, console: Console) -> None:
        self._console, self._games = console, ""
        self._shown: Metrics | None = None

    def begin(self, bar: Progress, run: trainer.Trainer) -> Callable[[trainer.TrainingProgress], None]:
        """The function that shows the progress of the run."""
        self._shown = run.metrics
        row = bar.add_task("the first games", total=run.steps, completed=run.step)

        def on_progress(progress: trainer.TrainingProgress) -> None:
            if (metrics := progress.validation) is not None and metrics is not self._shown:
                self._shown = metrics
                self._console.print(_generation_line(metrics), soft_wrap=True)
                for warning in metrics.get("warnings", ()):
                    self._console.print(f"[bold]warning[/]: {foreign(warning)}", soft_wrap=True)
            now = f"loss {progress.loss:.3f}{self._games}"
            bar.update(row, completed=progress.step, total=progress.steps, description=now)

        return on_progress

    def on_games(self, progress: GenerationProgress) -> None:
        """Notes finished games."""
        speed = f"{progress.positions_a_second:,.0f} positions/s"
        self._games = f"; generation {progress.generation}: {progress.games:,} games, {speed}"


def _generation_line(metrics: Metrics) -> str:
    parts = [f"generation {metrics['generation']}: policy {metrics['policy_loss']:.3f}"]
    parts.append(f"value {metrics['value_loss']:.3f} (constant {metrics['constant_value_loss']:.3f})")
    if "plies" in metrics:
        parts.append(f"{metrics['plies']:.0f} plies a game")
    scores = [name for name in metrics if name.startswith("score_")]
    parts += [f"{name.removeprefix('score_')} {metrics[name]:.0%}" for name in scores]
    if "elo" in metrics:
        parts.append(f"Elo {metrics['elo']:+.0f} since the start")
    return ", ".join(parts)


# `sparring train person`: a player that plays like one person.


def person(
    game: GameName,
    records: Annotated[
        list[Path],
        typer.Option(
            "--records", "-r", help="File of games (PGN, SGF, ...) or folder of a table; may be repeated."
        ),
    ],
    name: Annotated[str, typer.Option(help="The person's name in the records.")],
    out: Annotated[
        Path | None,
        typer.Option(
            help="TOML file of the player; a .person file is written beside it. Without it, a file in your "
            "data folder, which `sparring play --person NAME` finds."
        ),
    ] = None,
    base: Annotated[
        str,
        typer.Option(help="Network that is adapted: a model name, or a file. Without it, the game's own."),
    ] = "",
    minutes: Annotated[
        float,
        typer.Option(min=0.1, max=10_000, help="Time allowed; the earliest games are left out beyond it."),
    ] = 10.0,
    hold_out: Annotated[
        int, typer.Option(min=0, help="Latest games that are not used at all, for `sparring measure person`.")
    ] = 0,
    threads: Annotated[int, typer.Option(min=1, help="Threads of the network.")] = 1,
) -> None:
    """Make a player that plays like one person, from their games."""
    from sparring.players.persons import person_file
    from sparring.policies.person import base_network
    from sparring.training.person.adaptation import adapt_person, write_player
    from sparring.training.person.choices import ChoiceReader, read_person_games

    if out is not None and out.suffix != ".toml":
        raise UserError(f"--out {out}: a player is a .toml file")
    try:
        games = read_person_games(records, game, name)
        if hold_out >= len(games):
            raise UserError(f"{games.name} has {len(games)} games: --hold-out {hold_out} leaves none")
        games = games[: len(games) - hold_out]
        reader = ChoiceReader(base or base_network(game), game, threads=threads)
        with ProgressBar() as bar:
            adapted = adapt_person(games, reader, minutes=minutes, on_progress=bar.on_progress)
    except ValueError as error:
        raise UserError(str(error)) from None
    stored = out is None
    out = person_file(adapted.model.card.person, game) if out is None else out
    write_player(adapted.model, out)
    _show_person(adapted, out)
    words = f"--person {shlex.quote(adapted.model.card.person)}" if stored else f"--player {out}"
    make_console().print(f"[dim]sparring play {game} {foreign(words)}[/]", soft_wrap=True)


def _show_person(adapted: Any, out: Path) -> None:
    console, card = make_console(), adapted.model.card
    omitted = f" (the earliest {adapted.left_out:,} are left out: more --minutes take them)"
    left = omitted if adapted.left_out else ""
    console.print(
        f"{foreign(card.person)}: {card.games:,} games{left}, {card.positions:,} positions", soft_wrap=True
    )
    vector, book = adapted.model.vector, adapted.model.repertoire
    details = {"rating": "the recorded ratings", "style": "no change", "repertoire": "none"}
    if card.rating_offset:
        details["rating"] = f"{card.rating_offset:+d} on the recorded ratings"
    if card.sharpness != 1 or len(vector):
        details["style"] = f"vector of {len(vector)}, sharpness {card.sharpness:.2f}"
    if len(book):
        details["repertoire"] = f"{book.positions:,} positions, weight of the network {card.concentration:g}"
    table = Table("part", "nats a move gained", "", box=None)
    for part, detail in details.items():
        table.add_row(part, f"{card.parts[part]:+.4f}", detail)
    console.print(table)
    console.print("[dim]by cross-validation over games[/]")
    if card.measured:
        console.print(foreign(card.measured), soft_wrap=True)
    console.print(f"player: [bold]{foreign(out)}[/]", soft_wrap=True)


# `sparring train treestrap`: trains an evaluation from its own search.


_DEFAULT = TreeStrapRunConfig(next(iter(SEARCHERS)))
"""For the defaults of options, which do not depend on the game."""


def treestrap(
    game: GameName,
    out: Annotated[Path, typer.Option(help="Folder of the run; an unfinished run there is resumed.")],
    algorithm: Annotated[
        str,
        typer.Option(
            help="; ".join(
                f"{name}: {algorithm_class.summary}" for name, algorithm_class in ALGORITHMS.items()
            )
            + "."
        ),
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
    opening_book = None if book is None else open_book(book, game, 16)
    with lock_folder(out):
        run = TreeStrapRun(config, out)
        if run.games and not run.finished:
            console.print(f"resuming after {run.games:,} games in {foreign(out)}", soft_wrap=True)
        with (
            worker_pool(config, opening_book, ray) as players,
            metrics_progress(console) as bar,
            interruptible(run.interrupt),
        ):
            display = _GamesDisplay(bar, run)
            try:
                finished = run.train(players, display.on_progress)
            finally:
                display.show_blocks()
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
    except MissingExtra as error:
        console.print(f"no figures: {foreign(error)}", soft_wrap=True)


class _GamesDisplay:
    """A progress bar with the newest game, and a printed line for each block."""

    def __init__(self, bar: Progress, run: TreeStrapRun) -> None:
        self._bar, self._run = bar, run
        self._task = bar.add_task("the first game", total=run.config.games, completed=run.games)
        self._shown, self._done = len(run.blocks), run.games
        self._began, self._plies = time.monotonic(), 0

    def on_progress(self, played: SelfPlayGame) -> None:
        """Shows a finished game."""
        self.show_blocks()
        self._done += 1
        self._plies += played.plies
        speed = self._plies / max(time.monotonic() - self._began, 1e-9)
        now = f"{played.plies} plies to {played.reason}; {speed:,.0f} moves/s"
        self._bar.update(self._task, completed=self._done, description=now)

    def show_blocks(self) -> None:
        """Prints the lines of the blocks that are not printed yet."""
        for block in self._run.blocks[self._shown :]:
            self._bar.console.print(_line(block), soft_wrap=True)
        self._shown = len(self._run.blocks)


def _line(block: TrainingBlock) -> str:
    ends = ", ".join(f"{count} {reason}" for reason, count in Counter(block.reasons).most_common())
    return (
        f"{block.games:,} games: error {block.error:.2f}, wins {block.wins[0]}-{block.wins[1]} ({ends}), "
        f"{block.moves_a_second:,.0f} moves per CPU second"
    )


# `sparring train descent`: trains a value network by best-first minimax and self-play.


def descent(
    game: GameName,
    out: Annotated[Path, typer.Option(help="Folder of the run; an unfinished run there is resumed.")],
    rounds: Annotated[int, typer.Option(help="Rounds of games, each followed by learning.")] = 300,
    games: Annotated[int, typer.Option(help="Games a round.")] = 16,
    evaluations: Annotated[int, typer.Option(help="Positions evaluated for a move.")] = 2000,
    hidden: Annotated[
        str, typer.Option(help="Units of the two hidden layers; 32,16 and 64,16 are the fastest.")
    ] = "32,16",
    learning_rate: Annotated[float, typer.Option(help="Initial learning rate of Adam.")] = 2e-3,
    exploitation: Annotated[
        float,
        typer.Option(help="How often the best move is played at the end, 0 to 1; 0 at the start: any."),
    ] = 0.95,
    minutes: Minutes = None,
    workers: Annotated[int, typer.Option(help="Processes that play the games.")] = 1,
    ray: Annotated[str | None, typer.Option(help="Address of a Ray cluster to play on.")] = None,
    seed: TrainingSeed = None,
) -> None:
    """Train a value network by best-first minimax (Descent).

    An interrupted run is resumed by the same command. FOLDER/best.toml is its player at any time.
    """
    console = make_console(stderr=True)
    from sparring.training.descent.run import PLAYER, DescentRunConfig, descent_pool, train_descent

    config = DescentRunConfig(
        game,
        rounds=rounds,
        games=games,
        evaluations=evaluations,
        hidden=_hidden(hidden),
        learning_rate=learning_rate,
        exploitation=exploitation,
        seed=seed or 0,
    )
    origin = provenance(command_line())
    with lock_folder(out), descent_pool(config, workers, ray) as pool, metrics_progress(console) as bar:
        display = _RoundsDisplay(bar, config.rounds)
        with contextlib.ExitStack() as guard:

            def on_start(run: trainer.Trainer) -> None:
                if run.step:
                    console.print(
                        f"resuming after {run.step // config.steps_a_round:,} rounds in {foreign(out)}",
                        soft_wrap=True,
                    )
                guard.enter_context(interruptible(run.stop))

            finished = train_descent(
                config,
                out,
                pool,
                workers=workers,
                minutes=minutes or 0.0,
                origin=origin,
                on_round=display.on_round,
                on_progress=display.on_progress,
                on_start=on_start,
            )
    if not finished:
        console.print(f"interrupted; the same command resumes the run in {foreign(out)}", soft_wrap=True)
        raise typer.Exit(INTERRUPTED)
    make_console().print(f"player: [bold]{foreign(out / PLAYER)}[/]", soft_wrap=True)
    make_console().print(f"[dim]sparring play {game} --player {foreign(out / PLAYER)}[/]", soft_wrap=True)


def _hidden(text: str) -> tuple[int, int]:
    try:
        first, second = (int(part) for part in text.split(","))
    except ValueError:
        raise UserError(f"--hidden {text}: expected two numbers, such as 32,16") from None
    if not (1 <= first <= 1024 and 1 <= second <= 128):
        raise UserError(f"--hidden {text}: expected up to 1024 and 128 units")
    return first, second


class _RoundsDisplay:
    """A progress bar of rounds, and a line for a round every few seconds."""

    _SECONDS = 10.0

    def __init__(self, bar: Progress, rounds: int) -> None:
        self._bar, self._task = bar, bar.add_task("the first games", total=rounds)
        self._shown, self._now, self._warned = -self._SECONDS, "", False

    def on_round(self, played: Round) -> None:
        """Shows a round of games."""
        from sparring.training.descent.run import nothing_learned

        self._now = (
            f"{played.games:,} games: explains {max(played.explained, 0):.0%} of the search's values, "
            f"error {played.error:.3f}, wins {played.wins[0]}-{played.wins[1]}, "
            f"{played.plies:.0f} plies, {played.resolved:.0%} of {played.states:,} states proven"
        )
        if (warning := nothing_learned(played)) and not self._warned:
            self._bar.console.print(f"[yellow]{foreign(warning)}[/]", soft_wrap=True)
            self._warned = True
        if time.monotonic() - self._shown >= self._SECONDS:
            self._bar.console.print(self._now, soft_wrap=True)
            self._shown = time.monotonic()

    def on_progress(self, progress: trainer.TrainingProgress) -> None:
        """Moves the bar."""
        self._bar.update(
            self._task,
            completed=progress.step,
            total=progress.steps,
            description=f"{self._now}; loss {progress.loss:.4f}",
        )
