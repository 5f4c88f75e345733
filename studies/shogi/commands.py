"""`python -m studies shogi-games` and `shogi-strength`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sparring.base.errors import UserError


def shogi_games(
    games: Annotated[Path, typer.Argument(help="Lines of date, two players, result and USI moves.")],
    out: Annotated[Path, typer.Option(help="Folder of the new tables `c`, `c-train` and `c-test`.")],
    test: Annotated[int, typer.Option(min=1, help="Games between people who are held out.")] = 450,
) -> None:
    """Make tables of people's games: all, those to train on, and those of people who are held out."""
    from studies.shogi.people import read_games, split_by_player, write_table

    if any((out / name).exists() for name in ("c", "c-train", "c-test")):
        raise UserError(f"{out} has tables already; choose another folder")
    records = list(read_games(games))
    split = split_by_player(records, test)
    for name, part in (("c", records), ("c-train", split.train), ("c-test", split.test)):
        write_table(part, out / name, "people-c")
        print(f"{name}: {len(part):,} games")
    print(f"{len(split.held_out):,} people are held out; the other {len(records) - len(split.train) - len(split.test):,} "
          "games are between them and other people")  # fmt: skip
