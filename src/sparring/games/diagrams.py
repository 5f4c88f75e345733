"""Board diagrams: as text for terminals, as SVG for notebooks, reports and web pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from html import escape
from typing import Literal
from unicodedata import east_asian_width

# Diagrams as lines of text: plain, with the last move in brackets, or in parts that a terminal colours.


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


PieceShape = Literal["stone", "token", "wedge", "glyph"]


@dataclass(frozen=True)
class Piece:
    """A piece: one or two characters of text, and a shape in SVG."""

    symbol: str
    """One symbol for each piece of each side, readable on any background."""
    owner: int
    shape: PieceShape = "glyph"
    label: str = ""
    """The text on the shape in SVG; empty for the symbol."""
    accent: bool = False
    """Whether it is drawn in red, as promoted shogi pieces are."""
    glyph: str = ""
    """A picture of the piece that is the same for both sides, for terminals with colours; empty for the
    symbol."""


@dataclass(frozen=True)
class Diagram:
    """A board to draw. `cells` are rows from the top; None is an empty square."""

    cells: tuple[tuple[Piece | None, ...], ...]
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    style: Literal["checkered", "grid", "points"] = "checkered"
    above: str = ""
    below: str = ""
    caption: str = ""
    """A last line, such as the last move."""
    highlights: frozenset[tuple[int, int]] = frozenset()
    """(row, column) of highlighted squares, such as those of the last move."""
    stars: frozenset[tuple[int, int]] = frozenset()
    """(row, column) of the star points of a Go board."""
    empty: str = "·"
    wide: bool = field(default=False)
    """Whether symbols take two columns of a terminal, as kanji do."""
    bottom: int = 0
    """The player whose side is below."""
    letters: Callable[[], Diagram] | None = field(default=None, compare=False)
    """The same board with Latin letters instead of kanji; None if it has them anyway."""
    svg: Callable[[int], str] | None = field(default=None, compare=False)
    """Draws the SVG instead of the default renderer; the argument is `bottom`."""

    def __str__(self) -> str:
        return "\n".join(filter(None, [self.above, *plain_lines(self), self.below, self.caption]))

    def _repr_svg_(self) -> str:
        return self.svg(self.bottom) if self.svg else _svg(self)

    def symbol(self, row: int, column: int) -> str:
        """The text of a square. Pieces that point, as in shogi, have a v if they point down."""
        piece = self.cells[row][column]
        if piece is None:
            return "+" if (row, column) in self.stars else self.empty
        return f"v{piece.symbol}" if piece.shape == "wedge" and piece.owner != self.bottom else piece.symbol

    def seen_by(self, player: int) -> Diagram:
        """The board with a player's side below. Boards of points, as in Go, have no sides."""
        if self.bottom == player or self.style == "points":
            return self
        rows, columns, letters = len(self.rows), len(self.columns), self.letters

        def turned(squares: frozenset[tuple[int, int]]) -> frozenset[tuple[int, int]]:
            return frozenset((rows - 1 - row, columns - 1 - column) for row, column in squares)

        return replace(
            self,
            cells=tuple(cells[::-1] for cells in self.cells[::-1]),
            columns=self.columns[::-1],
            rows=self.rows[::-1],
            above=self.below,
            below=self.above,
            highlights=turned(self.highlights),
            stars=turned(self.stars),
            bottom=player,
            letters=None if letters is None else lambda: letters().seen_by(player),
        )


def diagram_text(state: object) -> str:
    """The diagram of a native state as text. `str(state)` calls this."""
    return str(_diagram_of(state))


def diagram_svg(state: object) -> str:
    """The diagram of a native state as SVG. `state._repr_svg_()` calls this."""
    return _diagram_of(state)._repr_svg_()


def _diagram_of(state: object) -> Diagram:
    from sparring.games import game_of  # the games import this module

    return game_of(state).diagram(state)


_SQUARE = 45
_MARGIN = 24
_COLOURS = {
    "checkered": ("#f0d9b5", "#b58863"),
    "grid": ("#f3d9a4", "#f3d9a4"),
    "points": ("#e3b565", "#e3b565"),
}
_INK = "#3b2a1a"
_HIGHLIGHT = "#cdd26a"


def _svg(diagram: Diagram) -> str:
    rows, columns = len(diagram.rows), len(diagram.columns)
    head = _MARGIN if diagram.above else 0
    below = "; ".join(filter(None, [diagram.below, diagram.caption]))
    foot = _MARGIN if below else 0
    width = columns * _SQUARE + 2 * _MARGIN
    height = rows * _SQUARE + 2 * _MARGIN + head + foot
    light, dark = _COLOURS[diagram.style]
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' width="{width}" height="{height}" font-family="sans-serif" text-anchor="middle">',
        f'<rect width="{width}" height="{height}" fill="{light}"/>',
    ]
    for text, y in ((diagram.above, _MARGIN - 8), (below, height - 8)):
        if text:
            out.append(f'<text x="{width / 2}" y="{y}" font-size="14" fill="{_INK}">{_escape(text)}</text>')
    top = _MARGIN + head
    if diagram.style == "points":
        out.append(_point_lines(rows, columns, top))
    for r in range(rows):
        for c in range(columns):
            x, y = _MARGIN + c * _SQUARE, top + r * _SQUARE
            lit = (r, c) in diagram.highlights
            if diagram.style != "points":
                fill = _HIGHLIGHT if lit else (light, dark)[(r + c) % 2]
                stroke = f' stroke="{_INK}"' if diagram.style == "grid" else ""
                out.append(
                    f'<rect x="{x}" y="{y}" width="{_SQUARE}" height="{_SQUARE}" fill="{fill}"{stroke}/>'
                )
            centre = x + _SQUARE / 2, y + _SQUARE / 2
            if (r, c) in diagram.stars:
                out.append(f'<circle cx="{centre[0]}" cy="{centre[1]}" r="4" fill="{_INK}"/>')
            piece = diagram.cells[r][c]
            if piece:
                out.append(_svg_piece(piece, diagram.bottom, *centre))
            if lit and diagram.style == "points":
                out.append(f'<circle cx="{centre[0]}" cy="{centre[1]}" r="6" fill="#c33"/>')
    for c, label in enumerate(diagram.columns):
        for label_y in (top - 6, top + rows * _SQUARE + 16):
            out.append(_svg_label(label, _MARGIN + c * _SQUARE + _SQUARE / 2, label_y))
    for r, label in enumerate(diagram.rows):
        for label_x in (_MARGIN / 2, width - _MARGIN / 2):
            out.append(_svg_label(label, label_x, top + r * _SQUARE + _SQUARE / 2 + 5))
    return "".join([*out, "</svg>"])


def _svg_label(text: str, x: float, y: float) -> str:
    return f'<text x="{x}" y="{y}" font-size="13" fill="{_INK}">{_escape(text)}</text>'


def _point_lines(rows: int, columns: int, top: int) -> str:
    left, half = _MARGIN + _SQUARE / 2, _SQUARE / 2
    right, bottom = left + (columns - 1) * _SQUARE, top + half + (rows - 1) * _SQUARE
    lines = [f"M{left} {top + half + r * _SQUARE}H{right}" for r in range(rows)]
    lines += [f"M{left + c * _SQUARE} {top + half}V{bottom}" for c in range(columns)]
    return f'<path d="{"".join(lines)}" stroke="{_INK}" fill="none"/>'


def _svg_piece(piece: Piece, bottom: int, x: float, y: float) -> str:
    fill, ink = (("#fff", "#111"), ("#222", "#eee"))[piece.owner]
    label = _escape(piece.label or piece.symbol)
    if piece.shape == "wedge":  # a shogi piece: both sides alike, pointing at the other
        turn = f' transform="rotate(180 {x} {y})"' if piece.owner != bottom else ""
        outline = f"M{x} {y - 20}L{x + 13} {y - 14}L{x + 17} {y + 19}H{x - 17}L{x - 13} {y - 14}Z"
        ink = "#b00" if piece.accent else "#111"
        return (
            f'<g{turn}><path d="{outline}" fill="#fbe8bd" stroke="{_INK}"/>'
            f'<text x="{x}" y="{y + 11}" font-size="22" fill="{ink}">{label}</text></g>'
        )
    if piece.shape == "glyph":
        return f'<text x="{x}" y="{y + 13}" font-size="38" fill="#111">{label}</text>'
    written = (
        f'<text x="{x}" y="{y + 6}" font-size="18" fill="{ink}">{label}</text>'
        if piece.shape == "token"
        else ""
    )
    if piece.shape == "stone":
        fill = ("#111", "#fff")[piece.owner]  # Black begins in Go
    return f'<circle cx="{x}" cy="{y}" r="20" fill="{fill}" stroke="#111"/>{written}'


def _escape(text: str) -> str:
    return escape(text, quote=False)
