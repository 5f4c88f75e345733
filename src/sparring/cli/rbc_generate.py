"""`sparring rbc generate`: games between bots in bulk."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from sparring.arena.rbc_generation import HISTORIES, GeneratedGame, GenerationConfig
from sparring.arena.rbc_generation import generate as play_games
from sparring.cli.errors import UserError
from sparring.cli.printing import foreign, make_console
from sparring.players.rbc import BOTS, StockfishNotFound, load_bot_config, make_bot


def generate(
    players: Annotated[
        str, typer.Option(help=f"Bots, separated by commas: {', '.join(BOTS)}, or TOML files.")
    ],
    out: Annotated[Path, typer.Option(help="Output folder; an interrupted run is resumed.")],
    games: Annotated[int, typer.Option(min=1, help="Number of games.")] = 5_000,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same games.")] = 0,
    random_turns: Annotated[
        int, typer.Option(min=0, max=50, help="Maximum number of random turns at the start, per side.")
    ] = 4,
    processes: Annotated[int, typer.Option(min=0, help="Worker processes; 0 for all cores.")] = 0,
) -> None:
    """Play games between bots in bulk.

    Writes reconchess histories, compressed, one game per line.
    """
    names = tuple(name.strip() for name in players.split(",") if name.strip())
    generation = GenerationConfig(names, games, seed, random_turns)
    _check(names)
    try:
        with Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=make_console(),
        ) as bar:
            task = bar.add_task("playing", total=games)

            def on_progress(done: Sequence[GeneratedGame]) -> None:
                bar.update(task, completed=len(done))

            played = play_games(generation, out, processes or os.cpu_count() or 1, on_progress)
    except OSError as error:
        raise UserError(f"{out}: {error.strerror or error}") from None
    _print(names, played)
    make_console().print(f"{len(played):,} games in {foreign(out / HISTORIES)}")


def _check(names: Sequence[str]) -> None:
    """Makes the bots once before the workers start. Raises UserError, BadBotConfig or BadNetwork."""
    for name in names:
        try:
            make_bot(load_bot_config(name)).close()
        except StockfishNotFound as error:
            raise UserError(str(error)) from None
        except OSError as error:  # its network
            raise UserError(f"bot {name}: {error.filename}: {error.strerror or error}") from None


def _print(names: Sequence[str], games: Sequence[GeneratedGame]) -> None:
    points: defaultdict[str, float] = defaultdict(float)
    played = Counter[str]()
    for game in games:
        if game.result is None or game.first == game.second:
            continue
        points[game.first] += game.result
        points[game.second] += 1 - game.result
        played.update((game.first, game.second))
    table = Table("bot", "games against others", "points", box=None)
    for name in names:
        share = f"{points[name] / played[name]:.1%}" if played[name] else ""
        table.add_row(foreign(name), f"{played[name]:,}", share)
    make_console().print(table)
