"""`sparring problems rate`: how hard problems are. A game's own commands of problems are in its folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, cast

import typer

from sparring.base.errors import BadFile
from sparring.cli.arguments import parse_rating
from sparring.cli.console import visible
from sparring.games import GAMES, describe
from sparring.measure.problems import ProblemFiles, RatedProblem
from sparring.records.sources import first_line

_FILE = (
    "Chess: Lichess's puzzle CSV, FEN or EPD with a solution on each line, or PGN. Go: SGF with variations. "
    "It may be compressed."
)


def rate(
    file: Annotated[Path, typer.Argument(metavar="FILE", help=_FILE)],
    rating: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=4000,
            help="Chess: puzzle rating of a person: print the chance that they solve each problem.",
        ),
    ] = None,
    rank: Annotated[str | None, typer.Option(help="Go: the same for a person of a rank, such as 5k.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object a line.")] = False,
) -> None:
    """Predict how hard problems of chess or Go are.

    Prints the rating of each problem on its scale and the range that it is in with a probability of 80 %.
    The scale is that of Lichess's puzzles in chess, which is not the rating of a player's games, and a level
    from 15k to 7d in Go.
    """
    if not file.is_file():
        raise BadFile(f"{file}: no such file")
    game, files = _files_of(first_line(file))
    person = parse_rating(game, rating, rank)
    head = "" if person is None else f"{f'solved by {rank or rating}':<16}"
    for number, problem in enumerate(files.rated(file)):
        if not as_json and not number:
            print(f"{files.scale:<15}{'80 %':<15}{head}problem")
        print(_json(files, problem, person) if as_json else _line(files, problem, person), flush=True)


def _files_of(line: str) -> tuple[str, ProblemFiles]:
    """The game whose problems a file begins with, else the first game that has problems."""
    known = [
        (game.name, cast(ProblemFiles, game.problem_files()))
        for game in map(describe, GAMES)
        if game.problem_files is not None
    ]
    return next((entry for entry in known if entry[1].recognises(line)), known[0])


def _line(files: ProblemFiles, problem: RatedProblem, person: int | None) -> str:
    rating = problem.rating
    low, high = map(files.show, rating.interval)
    chance = "" if person is None else f"{f'{rating.chance(person):.0%}':<16}"
    return f"{files.show(rating.rating)!s:<15}{f'{low} to {high}':<15}{chance}{visible(problem.name)}"


def _json(files: ProblemFiles, problem: RatedProblem, person: int | None) -> str:
    low, high = map(files.show, problem.rating.interval)
    row = {
        "problem": problem.name,
        files.scale.replace(" ", "_"): files.show(problem.rating.rating),
        "low": low,
        "high": high,
        **problem.facts,
    }
    if person is not None:
        row["chance"] = round(problem.rating.chance(person), 4)
    return json.dumps(row)
