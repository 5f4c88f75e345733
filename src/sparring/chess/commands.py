"""`sparring problems from`: problems out of games."""

from __future__ import annotations

from itertools import chain, islice
from pathlib import Path
from typing import Annotated

import typer

from sparring.base.storage import atomic_write
from sparring.chess.problem_finder import find_problems
from sparring.cli.arguments import check_records
from sparring.cli.console import visible
from sparring.records import open_records


def from_games(
    files: Annotated[list[Path], typer.Argument(metavar="GAMES...", help="Files of games, or tables.")],
    out: Annotated[Path | None, typer.Option(help="PGN file of the problems (default: print them).")] = None,
    rating: Annotated[
        int | None, typer.Option(help="Rating of the people who miss them (default: the players' own).")
    ] = None,
    most: Annotated[int, typer.Option(min=1, help="Most problems.")] = 100,
) -> None:
    """Find problems in games: one clear answer that people miss.

    Writes PGN: the position, the solution with its variations, and the predicted puzzle rating.
    """
    check_records(files)
    games = chain.from_iterable(open_records(file, "chess") for file in files)
    texts = []
    for problem in islice(find_problems(games, rating), most):
        texts.append(problem.pgn())
        if out is None:
            print("\n".join(map(visible, texts[-1].splitlines())) + "\n", flush=True)
        else:
            side = "White" if problem.state.to_move == 0 else "Black"
            print(
                f"{side} to move, move {problem.ply // 2 + 1} of {visible(problem.game.id)}: "
                f"puzzle rating {problem.rating.rating:.0f}, {problem.likely:.0%} of people see it"
            )
    if out is not None:
        atomic_write(out, "\n\n".join([*texts, ""]).encode())
        print(f"{len(texts)} {'problem' if len(texts) == 1 else 'problems'} in {visible(str(out))}")
