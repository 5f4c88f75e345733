"""`Refused`: a request that cannot be carried out."""

from __future__ import annotations

import re
from typing import Any

from sparring.base.errors import SparringError
from sparring.base.sentences import Sentence
from sparring.server.messages import Refusal, Text, text_of


class Refused(SparringError):
    """A request that changes nothing. The message is for the person; `status` is that of HTTP."""

    def __init__(self, message: str, status: int = 409) -> None:
        super().__init__(message)
        self.status = status


def message_of(error: Exception) -> str:
    """The message of an error. A sentence stays one, and what the native parsers say becomes one."""
    if isinstance(error, TypeError) or str(error).startswith("unknown option of "):
        return Sentence("A rule option is unknown, or its value is of another kind.")
    message = error.args[0] if error.args and isinstance(error.args[0], str) else str(error)
    return message if isinstance(message, Sentence) else parser_sentence(message)


def refusal_text(error: Exception) -> Text:
    """The message of an error, to be translated if it is a sentence."""
    return text_of(message_of(error))


REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Refusal, "description": text}
    for status, text in {
        404: "Not found, or it belongs to another visitor.",
        409: "Not possible now. Nothing changed.",
        413: "The request is too large.",
        422: "A value that cannot be used. Nothing changed.",
        429: "Too many games, reviews or tournaments.",
        503: "The request took too long.",
    }.items()
}
"""What OpenAPI says about refusals."""


# What is wrong with a position, the rules or a file of a game, as the native parsers say it. What they quote
# at the end is left out.


_SIDE = "(?P<side>[Ww]hite|[Bb]lack)"
PARSER_SENTENCES: tuple[tuple[str, Sentence], ...] = (
    (
        "a rank does not have (?P<count>[89]) squares",
        Sentence("a rank does not have {count} squares", count=8),
    ),
    ("not (?P<count>[89]) ranks of .*", Sentence("not {count} ranks of {count} squares", count=8)),
    ("two digits in a row", Sentence("two digits in a row")),
    ("unknown piece (?P<piece>.+)", Sentence("unknown piece {piece}", piece="")),
    (f"{_SIDE} has more than 16 pieces", Sentence("{side} has more than 16 pieces", side="")),
    (f"{_SIDE} has more than 8 pawns", Sentence("{side} has more than 8 pawns", side="")),
    (f"{_SIDE} has more than one king", Sentence("{side} has more than one king", side="")),
    (f"there is no {_SIDE} king", Sentence("{side} has no king", side="")),
    (f"{_SIDE} has no king.*", Sentence("{side} has no king", side="")),
    ("a pawn stands on the .*", Sentence("a pawn stands on the first or last rank")),
    (
        "castling rights (?P<given>.+) are .*",
        Sentence("castling rights {given} are not of KQkq or -", given=""),
    ),
    ("castling right given twice", Sentence("castling right given twice")),
    ("en passant square (?P<given>.+) is .*", Sentence("there is no en passant square {given}", given="")),
    ("4 to 6 fields expected, got (?P<count>.+)", Sentence("4 to 6 fields expected, got {count}", count=1)),
    ("side to move (?P<given>.+) is not .*", Sentence("side to move {given} is not w or b", given="")),
    (
        "move (?:counter|number) (?P<given>.+) is not .*",
        Sentence("move number {given} is not a number below 10000", given=""),
    ),
    ("the side that just moved is in check", Sentence("the side that just moved is in check")),
    ("no piece after [+]", Sentence("no piece after +")),
    ("a gold or a king cannot promote", Sentence("a gold or a king cannot promote")),
    ("a count in the hands .*", Sentence("a count in the hands is not from 1 to 18")),
    ("a count without a piece .*", Sentence("a count without a piece in the hands")),
    ("a piece is given twice .*", Sentence("a piece is given twice in the hands")),
    (f"a .+ of {_SIDE} could never move", Sentence("a piece of {side} could never move", side="")),
    (
        f"{_SIDE} has two pawns on file (?P<file>.+)",
        Sentence("{side} has two pawns on file {file}", side="", file=1),
    ),
    ("there are (?P<count>.+) .+; a set has .+", Sentence("there are {count} pieces of one kind", count=1)),
    ("board, side to move, .*", Sentence("board, side to move, hands and move number expected")),
    ("the side that just moved could not .*", Sentence("the side that just moved could not declare a win")),
    # Positions of Go, Expendibots and Breakthrough.
    (
        "(?P<least>[0-9]+) to (?P<most>[0-9]+) rows expected",
        Sentence("{least} to {most} rows expected", least=5, most=19),
    ),
    (
        "row (?P<row>.+) does not have (?P<size>[0-9]+) points",
        Sentence("row {row} does not have {size} points", row="", size=19),
    ),
    (
        "a row has X, O and numbers only, not (?P<sign>.+)",
        Sentence("a row has X, O and numbers only, not {sign}", sign=""),
    ),
    ("run (?P<given>.+) is not from 1 to .+", Sentence("there is no run of {given} points", given="")),
    ("a chain has no liberty", Sentence("a chain has no liberty")),
    ("(?:prisoners|passes) (?P<given>.+) is not .*", Sentence("{given} is no possible number", given="")),
    ("actions (?P<given>.+) are not .*", Sentence("{given} is no possible number", given="")),
    (
        "no stone can just .* ko point (?P<point>.+)",
        Sentence("no stone can just have been taken on the ko point {point}", point=""),
    ),
    (
        "rows, side, ko, .*",
        Sentence("rows, side, ko, prisoners of Black and of White, passes, komi and rules expected"),
    ),
    ("the row y = .*", Sentence("a rank does not have {count} squares", count=8)),
    ("(?:(?:more|fewer) than )?8 rows.*", Sentence("not {count} ranks of {count} squares", count=8)),
    ("(?P<piece>.+) is not a stack .*", Sentence("unknown piece {piece}", piece="")),
    ("P, p, .* expected, not (?P<piece>.+)", Sentence("unknown piece {piece}", piece="")),
    (f"{_SIDE} has .+ tokens, .*", Sentence("{side} has more than 12 tokens", side="")),
    ("stacks, side to .*", Sentence("stacks, side to move and the number of actions expected")),
    ("rows, a space, .*", Sentence("rows, a space, and w or b expected")),
    ("w or b expected .*", Sentence("w or b expected as the side to move")),
    ("at most 16 pieces .*", Sentence("a side has more than 16 pieces")),
    ("at most one winner expected", Sentence("at most one winner expected")),
    # Points and rules of Go. Files of games may give komi in other units: it is not repeated.
    (
        "(?P<text>.+) is not a point from A1 to (?P<corner>[A-T][0-9]+) .*",
        Sentence("{text} is not a point from A1 to {corner} (there is no column I)", text="", corner=""),
    ),
    ("komi .+ is not a multiple .*", Sentence("komi is not a multiple of 0.5 from -361 to 361")),
    (
        "komi (?P<given>.+) is (?:no number|not a number up .*)",
        Sentence("komi {given} is not a number up to 361", given=""),
    ),
    (
        "handicap (?P<stones>.+) is not possible on a board of size (?P<size>[0-9]+): .*",
        Sentence("{stones} handicap stones are not possible on a board of size {size}", stones="", size=19),
    ),
    ("(?:ko rule|scoring|tax|rule) (?P<rule>.+?) is not .*", Sentence("the rule {rule} is unknown", rule="")),
    ("board size (?P<size>.+) is not .*", Sentence("board size {size} is not from 5 to 19", size=1)),
    # SGF.
    ("the board's size (?P<size>.+) is no number", Sentence("board size {size} is not from 5 to 19", size=1)),
    ("the board (?P<size>.+) is not square", Sentence("the board {size} is not square", size="")),
    (
        "(?P<point>.+) is no point of a board of size (?P<size>[0-9]+)",
        Sentence("{point} is no point of a board of size {size}", point="", size=19),
    ),
    (
        "stones are set up beyond a board of size (?P<size>[0-9]+)",
        Sentence("stones are set up beyond a board of size {size}", size=19),
    ),
    ("more stones are set up .*", Sentence("more stones are set up than a board has points")),
    ("the file ends in the middle of it", Sentence("the file ends in the middle of it")),
    ("another game begins in .*", Sentence("another game begins in the middle of it")),
    ("GM.+ is not Go", Sentence("it is a file of another game than Go")),
)
"""The messages of the parsers of positions, of the rules of Go and of SGF, and their sentences."""


def parser_sentence(message: str) -> str:
    """A message of a native parser as a sentence; another text as it is."""
    parsed = re.fullmatch(
        r"(?:(?P<where>S?FEN|(?:Go )?position): )?(?P<problem>.+?)(?: in '.*)?", message, re.DOTALL
    )
    if parsed is None:
        return message
    for pattern, sentence in PARSER_SENTENCES:
        if match := re.fullmatch(pattern, parsed["problem"]):
            values = {**sentence.values, **match.groupdict()}
            if "side" in values:
                values["side"] = str(values["side"]).capitalize()
            reason = Sentence(sentence.template, **values)
            where = parsed["where"]
            if where is not None and not where.endswith("FEN"):
                where = Sentence("Position")
            return reason if where is None else Sentence("{where}: {error}", where=where, error=reason)
    return message
