"""Shogi by the rules of the Japan Shogi Association. Positions are SFEN, moves USI."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from sparring._core import ShogiState
from sparring.games.diagrams import Diagram, Piece
from sparring.games.game import IllegalMove, Move, ParseError, Spec
from sparring.games.states import StateGame, to_valid_utf8
from sparring.shogi.notation import KANJI, hands_of, parse_typed

_HAND = ("pawns", "lances", "knights", "silvers", "bishops", "rooks", "golds")
_PIECES = (
    *_HAND,
    "king",
    "promoted pawns",
    "promoted lances",
    "promoted knights",
    "promoted silvers",
    "horses",
    "dragons",
)


@dataclass(frozen=True)
class Shogi(StateGame[ShogiState]):
    """Shogi. A game ends by mate, by the fourth repetition, or by declaring an entering king (`win`).

    A player without a legal move loses. The fourth repetition is a draw, or a loss for a player whose moves
    since the first occurrence all gave check. A declaration follows the 27-point rule of the Computer Shogi
    Association. The text of a state is SFEN; the word `win` follows after a declaration.
    """

    state_type = ShogiState
    spec: ClassVar[Spec] = Spec(
        name="shogi",
        title="Shogi",
        players=("Black", "White"),
        moves=(1 << 14) + (81 << 7),
        planes=(
            *(f"{owner} {piece}" for owner in ("own", "other's") for piece in _PIECES),
            *(f"{owner} {piece} in hand / all" for owner in ("own", "other's") for piece in _HAND),
            "White to move",
            "in check",
        ),
        board=(9, 9),
    )

    def initial(self) -> ShogiState:
        """The initial state."""
        return ShogiState.initial()

    def parse_move(self, state: ShogiState, text: str) -> Move:
        """Parses a legal move: USI, Japanese or English notation. Raises ParseError or IllegalMove."""
        try:
            return super().parse_move(state, text)
        except (ParseError, IllegalMove):
            if text == "win":
                raise
            return parse_typed(state, to_valid_utf8(text))

    def diagram(self, state: ShogiState) -> Diagram:
        """The board; White's pieces have a v before them, as in Japanese diagrams."""
        return _diagram(state, latin=False)


def _diagram(state: ShogiState, latin: bool) -> Diagram:
    """The board in kanji, or in the letters of SFEN, where White's are lower case."""
    board, hands = state.text().split()[0], hands_of(state)
    return Diagram(
        cells=tuple(_row(rank, latin) for rank in board.split("/")),
        columns=tuple("987654321"),
        rows=tuple("abcdefghi"),
        style="grid",
        above=f"White's hand: {_hand(hands[1], 1, latin)}",
        below=f"Black's hand: {_hand(hands[0], 0, latin)}",
        highlights=_squares(state),
        empty="·" if latin else "・",
        wide=not latin,
        letters=None if latin else lambda: _diagram(state, latin=True),
    )


def _row(rank: str, latin: bool) -> tuple[Piece | None, ...]:
    cells: list[Piece | None] = []
    for token in re.findall(r"\d|\+?[A-Za-z]", rank):
        if token.isdigit():
            cells += [None] * int(token)
            continue
        owner = int(token[-1].islower())
        if latin:
            cells.append(Piece(token, owner, shape="glyph"))
        else:
            kanji = "王" if token == "k" else KANJI[token.upper()]
            cells.append(Piece(kanji, owner, shape="wedge", accent=token.startswith("+")))
    return tuple(cells)


def _hand(hand: dict[str, int], owner: int, latin: bool) -> str:
    names = ((letter.lower() if owner else letter) if latin else KANJI[letter] for letter in hand)
    held = (f"{name}{count if count > 1 else ''}" for name, count in zip(names, hand.values(), strict=True))
    return " ".join(held) or "none"


def _squares(state: ShogiState) -> frozenset[tuple[int, int]]:
    """(row, column) of the last move's squares; a drop has one."""
    if state.last_move is None or state.previous is None:
        return frozenset()
    names = re.findall(r"(\d)([a-i])", state.previous.move_text(state.last_move))
    return frozenset(("abcdefghi".index(rank), 9 - int(file)) for file, rank in names)
