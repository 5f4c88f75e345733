"""Files of chess problems: Lichess's puzzle CSV; FEN or EPD with a solution; PGN with a solution line.

Lichess's CSV has the position before the opponent's move, and `Moves` begins with that move. All others begin
with the position that the solver sees. A line of moves that ends with a move of the opponent loses this move.
"""

from __future__ import annotations

import codecs
import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from sparring._core import ChessState
from sparring.base.errors import BadFile
from sparring.chess.game import Chess
from sparring.chess.plugin import fen_of_epd
from sparring.chess.puzzle_features import Problem
from sparring.games import IllegalMove, ParseError
from sparring.records.sources import open_chunks

_RULES = Chess()
_LONGEST_LINE = 1 << 16


@dataclass(frozen=True)
class ProblemRecord:
    """A problem of a file."""

    name: str
    """Its id or title, or its place in the file."""
    problem: Problem
    rating: float | None = None
    """Lichess's puzzle rating, if the file has it; never used for a prediction."""
    deviation: float | None = None
    themes: tuple[str, ...] = ()


def read_problems(path: Path) -> Iterator[ProblemRecord]:
    """The problems of a file, whose format its content says. Raises BadFile or OSError."""
    lines = enumerate(text_lines(path), 1)
    first = next(((number, line) for number, line in lines if line.strip()), None)
    if first is None:
        raise BadFile(f"{path}: no problem in it")
    number, line = first
    if line.startswith("["):
        return _pgn(path)
    if "FEN" in (columns := line.strip().split(",")) and "Moves" in columns:
        return _parsed(path, lines, lambda n, text: lichess_puzzle(text, columns, f"line {n}"))
    return _parsed(path, chain([(number, line)], lines), _position)


def text_lines(path: Path) -> Iterator[str]:
    """The lines of a file, which may be compressed."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
    pending = ""
    for chunk in open_chunks(path):
        *lines, pending = (pending + decoder.decode(chunk)).split("\n")
        yield from lines
        if len(pending) > _LONGEST_LINE:
            raise BadFile(
                f"{path}: a line of more than {_LONGEST_LINE} characters: this is no file of problems"
            )
    if pending:
        yield pending


def _parsed(
    path: Path, lines: Iterable[tuple[int, str]], parse: Callable[[int, str], ProblemRecord]
) -> Iterator[ProblemRecord]:
    for number, line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        try:
            yield parse(number, line.strip())
        except (ParseError, IllegalMove, ValueError) as error:
            raise BadFile(f"{path}, line {number}: {error}") from None


def lichess_puzzle(line: str, columns: Sequence[str], name: str = "") -> ProblemRecord:
    """The puzzle of a row of Lichess's CSV, whose first move is the opponent's. `name` is for a missing id.

    Raises ParseError, IllegalMove or ValueError.
    """
    cells = next(csv.reader([line]))
    if len(cells) != len(columns):
        raise ValueError(f"{len(cells)} cells in place of {len(columns)}")
    row = dict(zip(columns, cells, strict=True))
    first, *solution = row["Moves"].split() or [""]
    state = _RULES.parse(row["FEN"])
    state = _RULES.play(state, _RULES.parse_move(state, first))
    return ProblemRecord(
        row.get("PuzzleId") or name,
        problem_of(state, solution),
        float(row["Rating"]) if row.get("Rating") else None,
        float(row["RatingDeviation"]) if row.get("RatingDeviation") else None,
        tuple(row.get("Themes", "").split()),
    )


def _position(number: int, line: str) -> ProblemRecord:
    """FEN with moves behind it, or EPD with the operation `pv` or `bm`."""
    fields = line.split()
    state = _RULES.parse(fen_of_epd(line))
    name = f"line {number}"
    if len(fields) > 5 and fields[4].isdigit() and fields[5].isdigit():
        return ProblemRecord(name, problem_of(state, fields[6:]))
    operations = {
        code: operand.strip()
        for code, _, operand in (part.strip().partition(" ") for part in " ".join(fields[4:]).split(";"))
    }
    solution = operations.get("pv", "").split() or operations.get("bm", "").split()[:1]
    if not solution and ";" not in line:
        solution = fields[4:]
    return ProblemRecord(operations.get("id", name).strip('"'), problem_of(state, solution))


def _pgn(path: Path) -> Iterator[ProblemRecord]:
    """Games that begin with the problem and whose moves are its solution."""
    import io

    import chess.pgn

    text = io.StringIO("\n".join(text_lines(path)))
    number = 0
    while (game := chess.pgn.read_game(text)) is not None:
        number += 1
        name = next(
            (game.headers[tag] for tag in ("PuzzleId", "Event") if game.headers.get(tag, "?") != "?"),
            f"game {number}",
        )
        try:
            if game.errors:
                raise ValueError(str(game.errors[0]))
            state = _RULES.parse(game.board().fen())
            yield ProblemRecord(name, problem_of(state, [move.uci() for move in game.mainline_moves()]))
        except (ParseError, IllegalMove, ValueError) as error:
            raise BadFile(f"{path}, game {number}: {error}") from None


def problem_of(state: ChessState, solution: Sequence[str]) -> Problem:
    """The problem of a position and its solution in UCI or SAN. Raises ParseError, IllegalMove or
    ValueError."""
    moves, after = [], state
    for text in solution:
        move = _RULES.parse_move(after, text)
        after = _RULES.play(after, move)
        moves.append(move)
    if not moves:
        raise ValueError("no solution behind the position")
    if len(moves) % 2 == 0:
        moves.pop()
    return Problem(state, tuple(moves))
