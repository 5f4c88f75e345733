"""Boards in the terminal: in colours that are right on dark and on light backgrounds, or in letters."""

from __future__ import annotations

from rich.console import Console
from rich.style import Style
from rich.text import Text

from sparring.games.board_layout import BoardPart, coloured_lines, marked_lines
from sparring.games.diagrams import Diagram

# The board paints its own background, so that the terminal's does not matter. White and black stand out on
# each of these colours (contrast of at least 3 to 1).
SQUARES = {
    "checkered": ("color(137)", "color(94)"),
    "grid": ("color(137)", "color(137)"),
    "points": ("color(137)", "color(137)"),
}
"""Colours of light and dark squares by the style of the board."""
LAST_MOVE = "color(64)"
LIGHT, DARK = "color(231)", "color(16)"


def board_text(console: Console, diagram: Diagram, *, letters: bool = False) -> Text:
    """The board as the console can show it. `letters` replaces pictures and kanji by Latin letters."""
    if letters and diagram.letters is not None:
        diagram = diagram.letters()
    if has_colours(console):
        board = Text("\n").join(_coloured(diagram, line) for line in coloured_lines(diagram, not letters))
    else:
        board = Text("\n".join(marked_lines(diagram)))
    return Text("\n").join([*_lines(diagram.above), board, *_lines(diagram.below)])


def has_colours(console: Console) -> bool:
    """Whether the console shows at least 256 colours. It does not in files, with NO_COLOR or TERM=dumb."""
    return console.is_terminal and not console.no_color and console.color_system in ("256", "truecolor")


def _lines(text: str) -> list[Text]:
    return [Text(text)] if text else []


def _coloured(diagram: Diagram, line: list[BoardPart]) -> Text:
    text = Text()
    for part in line:
        text.append(_shown(diagram, part), _style(diagram, part))
    return text


def _shown(diagram: Diagram, part: BoardPart) -> str:
    """The part's text. Empty squares of a checkered board need no dot."""
    is_empty = part.square is not None and part.owner is None and diagram.style == "checkered"
    return part.text.replace(diagram.empty, " ") if is_empty else part.text


def _style(diagram: Diagram, part: BoardPart) -> Style:
    if part.square is None:
        return Style()
    row, column = part.square
    background = SQUARES[diagram.style][(row + column) % 2]
    if part.square in diagram.highlights:
        background = LAST_MOVE
    # Player 0 is White, except where the boards are not checkered: Black begins in Go and shogi.
    is_light = (part.owner == 0) == (diagram.style == "checkered")
    ink = DARK if part.owner is None or not is_light else LIGHT
    return Style.parse(f"{'bold ' if part.owner is not None else ''}{ink} on {background}")


def has_pictures(diagram: Diagram) -> bool:
    """Whether pieces are shown as pictures or kanji, which letters can replace. Stones need no letters."""
    pieces = (piece for row in diagram.cells for piece in row if piece is not None)
    return diagram.letters is not None or any(each.glyph and each.shape != "stone" for each in pieces)
