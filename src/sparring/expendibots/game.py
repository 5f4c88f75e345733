"""Expendibots by the course referee's rules.

A position's letters are stacks, A to L White's of 1 to 12 tokens and a to l Black's; moves are `boom c1`
and `2c1-c3` (two tokens from c1 to c3). `core/expendibots/notation.hpp` describes all that is read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from sparring._core import ExpendibotsState
from sparring.base.sentences import Sentence
from sparring.games.diagrams import Diagram, Piece
from sparring.games.game import IllegalMove, Move, ParseError, Spec
from sparring.games.states import StateGame, strip_annotations, to_valid_utf8

Point: TypeAlias = tuple[int, int]
"""A square in the referee's coordinates: x from the left and y from White's side, both from 0."""
Action: TypeAlias = tuple[str, Point] | tuple[str, int, Point, Point]
"""An action as the referee's tuple: ("BOOM", at) or ("MOVE", tokens, from, to)."""
_TYPED = re.compile(
    r"(?P<tokens>\d{1,2}(?=[a-hA-H\s]))?\s*(?P<source>[a-hA-H][1-8])[\s-]*(?P<target>[a-hA-H][1-8])"
)
_TYPED_BOOM = re.compile(r"(?:boom|b)[\s@]*(?P<at>[a-h][1-8])", re.IGNORECASE)


@dataclass(frozen=True)
class Expendibots(StateGame[ExpendibotsState]):
    """Expendibots. The only player with tokens left wins; a fourth repetition or 250 turns each draw."""

    state_type = ExpendibotsState
    spec: ClassVar[Spec] = Spec(
        name="expendibots",
        title="Expendibots",
        players=("White", "Black"),
        moves=64 + 64 * 16 * 12,  # a BOOM a square; MOVEs by source, row or column, and tokens
        planes=(
            *(f"{owner} height / 12" for owner in ("own", "other's")),
            *(f"{owner} stack" for owner in ("own", "other's")),
            *(f"{owner} tokens in the square's component / 12" for owner in ("own", "other's")),
            "actions so far / 500",
        ),
        board=(8, 8),
    )

    def initial(self) -> ExpendibotsState:
        """The initial state."""
        return ExpendibotsState.initial()

    def parse_move(self, state: ExpendibotsState, text: str) -> Move:
        """Parses a legal action: `boom c1`, `2c1-c3`, `c1c3`, or a referee's form.

        Raises ParseError or IllegalMove.
        """
        typed = to_valid_utf8(text)
        words = strip_annotations(typed) or typed
        if match := _TYPED.fullmatch(words):
            words = f"{match['tokens'] or ''}{match['source']}-{match['target']}"
        elif match := _TYPED_BOOM.fullmatch(words):
            words = f"boom {match['at']}"
        try:
            return super().parse_move(state, words)
        except ParseError:
            raise ParseError(
                Sentence("{text} is not an action, such as boom c1 or 2c1-c3", text=f"{words[:80]!r}")
            ) from None

    def action(self, state: ExpendibotsState, move: Move) -> Action:
        """A move as the referee's tuple. Raises IllegalMove when the code is no action."""
        return state.action(move)

    def move_of(self, state: ExpendibotsState, action: Action) -> Move:
        """The legal move of a referee's tuple. Raises IllegalMove."""
        for move in state.legal_moves():
            if state.action(move) == action:
                return move
        raise IllegalMove(f"{action!r} is not legal here")

    def diagram(self, state: ExpendibotsState) -> Diagram:
        """The board; W3 is a white stack of three. Squares that the last action changed are highlighted."""
        heights = state.heights
        before = heights if state.previous is None else state.previous.heights
        changed = [(7 - y, x) for y in range(8) for x in range(8) if before[y][x] != heights[y][x]]
        return Diagram(
            cells=tuple(tuple(_stack(heights[y][x]) for x in range(8)) for y in reversed(range(8))),
            columns=tuple("abcdefgh"),
            rows=tuple("87654321"),
            caption="" if state.last_move is None else f"last action: {state.move_text(state.last_move)}",
            highlights=frozenset(changed),
        )


def _stack(height: int) -> Piece | None:
    if height == 0:
        return None
    owner = 0 if height > 0 else 1
    return Piece(f"{'WB'[owner]}{abs(height)}", owner, shape="token", label=str(abs(height)))
