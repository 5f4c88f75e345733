"""Diagrams as lines of text: plain, with the last move in brackets, or in parts that a terminal colours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

if TYPE_CHECKING:
    from sparring.games.diagrams import Diagram


@dataclass(frozen=True)
class BoardPart:
    """A piece of a line. `square` is None outside the board, else (row, column)."""

    text: str
    square: tuple[int, int] | None = None
    owner: int | None = None
    """The owner of the piece in the text; None if there is none."""


def plain_lines(diagram: Diagram) -> list[str]:
    """The board without marks."""
    width, margin, gap = _width(diagram), _margin(diagram), " " if diagram.wide else ""
    header = " " * (margin + 1) + gap + " ".join(label.ljust(width) for label in diagram.columns)
    lines = [header.rstrip()]
    for r, label in enumerate(diagram.rows):
        symbols = [diagram.symbol(r, c) for c in range(len(diagram.columns))]
        cells = "".join(_plain_cell(symbol, width, diagram.wide) for symbol in symbols)
        lines.append(f"{label.rjust(margin)}{gap}{cells} {label}")
    return [*lines, header.rstrip()]


def marked_lines(diagram: Diagram) -> list[str]:
    """The board with brackets around highlighted squares, for terminals without colours."""
    margin, body = _margin(diagram), _body_width(diagram)
    header = " " * (margin + 1) + " ".join(_label(label, body, diagram.wide) for label in diagram.columns)
    lines = [header.rstrip()]
    for r, label in enumerate(diagram.rows):
        row, before = [], False
        for c in range(len(diagram.columns)):
            marked = (r, c) in diagram.highlights
            row.append("|" if marked and before else "(" if marked else ")" if before else " ")
            row.append(_body(diagram.symbol(r, c), body, diagram.wide))
            before = marked
        lines.append(f"{label.rjust(margin)}{''.join(row)}{')' if before else ' '}{label}")
    return [*lines, header.rstrip()]


def coloured_lines(diagram: Diagram, glyphs: bool) -> list[list[BoardPart]]:
    """The board in parts. With `glyphs`, pieces have one picture for both sides: colours tell them apart."""
    margin, body = _margin(diagram), _body_width(diagram)
    right = " " if diagram.style == "checkered" else ""
    header = " " * (margin + 1) + "".join(
        f" {_label(label, body, diagram.wide)}{right}" for label in diagram.columns
    )
    lines = [[BoardPart(header.rstrip())]]
    for r, label in enumerate(diagram.rows):
        parts = [BoardPart(f"{label.rjust(margin)} ")]
        for c in range(len(diagram.columns)):
            piece = diagram.cells[r][c]
            symbol = (glyphs and piece is not None and piece.glyph) or diagram.symbol(r, c)
            text = f" {_body(symbol, body, diagram.wide)}{right}"
            parts.append(BoardPart(text, (r, c), None if piece is None else piece.owner))
        if not right:
            parts.append(BoardPart(" ", (r, len(diagram.columns))))
        lines.append([*parts, BoardPart(f" {label}")])
    return [*lines, [BoardPart(header.rstrip())]]


def text_width(text: str) -> int:
    """The columns of a terminal that a text takes: kanji take two."""
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def _width(diagram: Diagram) -> int:
    symbols = [piece.symbol for cells in diagram.cells for piece in cells if piece]
    return 2 if diagram.wide else max(map(len, symbols), default=1)


def _margin(diagram: Diagram) -> int:
    return max(map(len, diagram.rows))


def _plain_cell(symbol: str, width: int, wide: bool) -> str:
    """A symbol after a gap. A mark before a wide symbol fills the gap; narrow symbols are left-aligned."""
    missing = width - text_width(symbol)
    return " " * (1 + missing) + symbol if wide else f" {symbol}{' ' * missing}"


def _body_width(diagram: Diagram) -> int:
    """Columns of a square without its gap: a wide symbol has room for a mark before it."""
    return _width(diagram) + (1 if diagram.wide else 0)


def _body(symbol: str, width: int, wide: bool) -> str:
    padding = " " * (width - text_width(symbol))
    return padding + symbol if wide else symbol + padding


def _label(label: str, width: int, wide: bool) -> str:
    return f" {label.ljust(width - 1)}" if wide else label.ljust(width)
