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
    return message if isinstance(message, Sentence) else _parser_sentence(message)


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


# What is wrong with a position or a board, as the native parsers say it. What they quote at the end is left
# out.


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
    ("board size (?P<size>.+) is not .*", Sentence("board size {size} is not from 5 to 19", size=1)),
)
"""The messages of the parsers of FEN, of SFEN and of the size of a board, and their sentences."""


def _parser_sentence(message: str) -> str:
    """A message of a native parser as a sentence; another text as it is."""
    parsed = re.fullmatch(r"(?:(?P<where>S?FEN): )?(?P<problem>.+?)(?: in '.*)?", message, re.DOTALL)
    if parsed is None:
        return message
    for pattern, sentence in PARSER_SENTENCES:
        if match := re.fullmatch(pattern, parsed["problem"]):
            values = match.groupdict()
            if "side" in values:
                values["side"] = values["side"].capitalize()
            reason = Sentence(sentence.template, **values)
            where = parsed["where"]
            return reason if where is None else Sentence("{where}: {error}", where=where, error=reason)
    return message
