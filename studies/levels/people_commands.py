"""The commands of levels on people's scale: games of levels against themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sparring.cli.arguments import whole_numbers


def level_own(
    table: Annotated[Path, typer.Argument(help="Level table.")],
    levels: Annotated[str, typer.Option(help="Levels, such as 800,1000.")],
    games: Annotated[int, typer.Option(min=1, help="Games of each level against itself.")] = 150,
    together: Annotated[int, typer.Option(min=1, help="Games in lockstep.")] = 24,
    seed: Annotated[int, typer.Option(help="Seed of all moves.")] = 1,
    out: Annotated[Path, typer.Option(help="File of the games; it is continued.")] = Path("own.pgn"),
) -> None:
    """Play games of each level of a table against itself, for `sparring measure mistakes`."""
    from sparring.players import read_level_table
    from studies.levels.own_games import play_levels

    play_levels(
        read_level_table(table), whole_numbers(levels), games, out,
        together=together, seed=seed,
        on_progress=lambda done, total: print(f"{done:,} of {total:,} games", flush=True),
    )  # fmt: skip
