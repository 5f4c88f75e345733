"""Breakthrough: pawns race for the far row. `core/breakthrough/position.hpp` defines rules and notation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from sparring._core import BreakthroughState
from sparring.base.sentences import Sentence
from sparring.games.diagrams import Diagram, Piece
from sparring.games.game import Move, ParseError, Spec
from sparring.games.states import (
    StateGame,
    ambiguous,
    not_legal,
    nothing_to_capture,
    strip_annotations,
    to_valid_utf8,
)

_TYPED = re.compile(r"(?P<source>[a-h][1-8])?(?P<sign>[x:-])?(?P<target>[a-h][1-8])")


@dataclass(frozen=True)
class Breakthrough(StateGame[BreakthroughState]):
    """Breakthrough on 8x8. A player wins by reaching the far row or capturing every piece; no draws."""

    state_type = BreakthroughState
    spec: ClassVar[Spec] = Spec(
        name="breakthrough",
        title="Breakthrough",
        players=("White", "Black"),
        moves=3 * 64,  # a step to the left, straight on or to the right from every square
        planes=("own pieces", "other's pieces"),
        board=(8, 8),
    )

    def initial(self) -> BreakthroughState:
        """The initial state."""
        return BreakthroughState.initial()

    def parse_move(self, state: BreakthroughState, text: str) -> Move:
        """Parses a legal move: b2b3, b2-b3, b2xc3, or b3 where one piece can go there.

        Raises ParseError or IllegalMove.
        """
        words = re.sub(r"\s+", "", strip_annotations(to_valid_utf8(text))).lower()
        match = _TYPED.fullmatch(words)
        if match is None:
            raise ParseError(Sentence("{text} is not a move, such as b2b3 or b2xc3", text=f"{words!r}"))
        names = {state.move_text(move): move for move in state.legal_moves()}
        candidates = [
            name for name in names if name.startswith(match["source"] or "") and name[2:] == match["target"]
        ]
        if not candidates:
            raise not_legal(words)
        if len(candidates) > 1:
            raise ambiguous(words, candidates)
        target = 8 * (int(match["target"][1]) - 1) + "abcdefgh".index(match["target"][0])
        if match["sign"] == "x" and not state.pieces[1 - state.to_move] >> target & 1:
            raise nothing_to_capture(match["target"], candidates[0])
        return names[candidates[0]]

    def diagram(self, state: BreakthroughState) -> Diagram:
        """The board; the squares that the last move changed are highlighted."""
        before = state.pieces if state.previous is None else state.previous.pieces
        changed = [
            (7 - s // 8, s % 8)
            for s in range(64)
            if any((old ^ new) >> s & 1 for old, new in zip(before, state.pieces, strict=True))
        ]
        return Diagram(
            cells=tuple(tuple(_piece(state.pieces, 8 * y + x) for x in range(8)) for y in reversed(range(8))),
            columns=tuple("abcdefgh"),
            rows=tuple("87654321"),
            caption=""
            if state.previous is None or state.last_move is None
            else f"last move: {state.previous.move_text(state.last_move)}",
            highlights=frozenset(changed),
        )


def _piece(pieces: list[int], square: int) -> Piece | None:
    for owner, letter in enumerate("WB"):
        if pieces[owner] >> square & 1:
            return Piece(letter, owner, shape="token", label="", glyph="♟")
    return None
