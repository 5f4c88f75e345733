"""`sparring review`: what a game's moves gave away, and what would have been better."""

from __future__ import annotations

import json
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from sparring.base.errors import BadFile, UserError
from sparring.base.storage import atomic_write
from sparring.cli.arguments import AsJson
from sparring.cli.console import visible
from sparring.games import describe
from sparring.measure.review import MoveReview, Review
from sparring.measure.review import review as review_game
from sparring.measure.review_page import explanation, move_label, review_page, summary
from sparring.records import open_records

_SAID_SECONDS = 5.0
"""Seconds between the lines that say how far a review is."""


def review(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A game file, such as game.pgn.")],
    game: Annotated[str | None, typer.Option(help="Game, where the file's suffix does not say it.")] = None,
    number: Annotated[int, typer.Option(min=1, help="Number of the game in the file.")] = 1,
    rating: Annotated[
        str | None, typer.Option(help="Whose mistakes to expect (default: the players' own ratings).")
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(help="Another engine that analyses: a command, or `auto` for one on the path."),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, max=64, help="Threads (default: one a core, at most 4).")
    ] = None,
    html: Annotated[bool, typer.Option("--html", help="Write a page, FILE with the suffix .html.")] = False,
    out: Annotated[Path | None, typer.Option(help="File of the page; implies --html.")] = None,
    as_json: AsJson = False,
) -> None:
    """Review a game: marks, better moves, and what people play."""
    if not file.is_file():
        raise BadFile(f"{file}: no such file")
    record = next(islice(open_records(file, game), number - 1, None), None)
    if record is None:
        raise BadFile(f"{file}: there is no game {number} in it")
    if len(record) == 0:
        raise BadFile(f"{file}: game {number} has no moves")
    level = None if rating is None else _rating(record.game, rating)
    shown = not (html or out or as_json)
    command = engine if engine is None or engine == "auto" else engine.split()
    reviewed = review_game(
        record,
        rating=level,
        engine=command,
        threads=threads,
        on_move=_print_move if shown else _Counter(len(record)),
    )
    if as_json:
        print(json.dumps(reviewed.to_json()))
    elif shown:
        _print_review(reviewed)
    if html or out:
        path = out or file.with_suffix(".html")
        atomic_write(path, review_page(reviewed).encode())
        if not as_json:
            print(visible(str(path)))


def _rating(game: str, text: str) -> int:
    """A rating or rank as a number. Raises UserError."""
    system = describe(game).ratings
    number = system.number(int(text) if text.isdecimal() else text)
    if number is None:
        raise UserError(f"'{text}' is no {system.word}")
    return number


class _Counter:
    """Says on standard error every few seconds how many moves are reviewed, in a pipe too."""

    def __init__(self, moves: int) -> None:
        self._moves, self._last = moves, time.monotonic()
        print(f"Reviewing {moves} moves.", file=sys.stderr, flush=True)

    def __call__(self, move: MoveReview) -> None:
        if time.monotonic() - self._last >= _SAID_SECONDS:
            self._last = time.monotonic()
            print(f"{move.ply + 1} of {self._moves} moves", file=sys.stderr, flush=True)


def _print_move(move: MoveReview) -> None:
    """A line for each move with a mark, as soon as it is reviewed."""
    if move.mark:
        number = f"{move.ply // 2 + 1}{'.' if move.player == 0 else '...'}"
        name, best = visible(move.name), visible(move.best_name)
        print(f"{number:<7}{name:<9}{move.mark:<10}{move.loss:>5.0%}   better {best}")


def _print_review(reviewed: Review) -> None:
    print()
    print(visible(summary(reviewed)))
    for move in reviewed.moments:
        print()
        print(visible(move_label(reviewed, move)))
        for line in explanation(reviewed, move):
            print(f"  {visible(line)}")
