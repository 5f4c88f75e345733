"""`sparring problems`: how hard chess problems are, and problems out of games."""

from __future__ import annotations

import json
from itertools import chain, islice
from pathlib import Path
from typing import Annotated

import typer

from sparring.base.errors import BadFile
from sparring.base.storage import atomic_write
from sparring.chess.problem_finder import find_problems
from sparring.chess.puzzle_files import ProblemRecord, read_problems
from sparring.chess.puzzle_rating import PuzzleRating, rate_puzzles
from sparring.cli.arguments import check_records
from sparring.cli.console import visible
from sparring.records import open_records

_TOGETHER = 64
"""Problems whose positions are predicted together."""
_FILE = "Lichess's puzzle CSV, FEN or EPD with a solution on each line, or PGN; it may be compressed."


def rate(
    file: Annotated[Path, typer.Argument(metavar="FILE", help=_FILE)],
    rating: Annotated[
        int | None,
        typer.Option(
            min=0, max=4000, help="Puzzle rating of a person: print the chance that they solve each problem."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object a line.")] = False,
) -> None:
    """Predict the puzzle ratings of chess problems.

    Prints the rating of each problem on Lichess's puzzle scale and the range that it is in with a
    probability of 80 %. A puzzle rating is not the rating of a player's games.
    """
    if not file.is_file():
        raise BadFile(f"{file}: no such file")
    records = read_problems(file)
    batch = list(islice(records, _TOGETHER))
    if not batch:
        raise BadFile(f"{file}: no problem in it")
    if not as_json:
        solved = "" if rating is None else f"{f'solved by {rating}':<16}"
        print(f"{'puzzle rating':<15}{'80 %':<15}{solved}problem")
    while batch:
        for record, puzzle in zip(batch, rate_puzzles([record.problem for record in batch]), strict=True):
            print(_json(record, puzzle, rating) if as_json else _line(record, puzzle, rating))
        batch = list(islice(records, _TOGETHER))


def _line(record: ProblemRecord, puzzle: PuzzleRating, rating: int | None) -> str:
    low, high = puzzle.interval
    chance = "" if rating is None else f"{f'{puzzle.chance(rating):.0%}':<16}"
    return f"{puzzle.rating:<15.0f}{f'{low:.0f} to {high:.0f}':<15}{chance}{visible(record.name)}"


def _json(record: ProblemRecord, puzzle: PuzzleRating, rating: int | None) -> str:
    low, high = puzzle.interval
    row: dict[str, object] = {
        "problem": record.name,
        "puzzle_rating": round(puzzle.rating),
        "low": round(low),
        "high": round(high),
    }
    if rating is not None:
        row["chance"] = round(puzzle.chance(rating), 4)
    return json.dumps(row)


# Problems out of games.


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
