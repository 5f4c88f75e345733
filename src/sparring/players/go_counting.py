"""The end of a game of Go against a person: dead stones are agreed on, then points are counted."""

from __future__ import annotations

from collections.abc import Iterable

from sparring._core import GoState
from sparring.games import ParseError
from sparring.networks import Prediction
from sparring.players.go_dead_stones import chains, dead_stones, ownership_of
from sparring.records import Termination
from sparring.records.played_game import EndOfGame


class GoCounting:
    """The score of a finished game, by its dead stones."""

    @staticmethod
    def propose(state: GoState, prediction: Prediction | None) -> set[int]:
        """The points of the stones that are proposed as dead. `prediction` is the opponent's last one."""
        return set(dead_stones(state, ownership_of(state, prediction)))

    @staticmethod
    def stones_at(state: GoState, points: Iterable[str]) -> set[int]:
        """The stones of the chains at some points. Raises ParseError if there is none on a point."""
        found: set[int] = set()
        for text in points:
            point = state.parse_move(text.upper())
            chain = next((set(chain) for _, chain in chains(state) if point in chain), None)
            if chain is None:
                raise ParseError(f"there is no stone on {text.upper()[:8]}")
            found |= chain
        return found

    @staticmethod
    def result(state: GoState, dead: set[int], person: int) -> tuple[str, EndOfGame]:
        """The score in a sentence, and the end of the game with these dead stones."""
        black, white = state.score(sorted(dead))
        counted = f"Black has {black:g} points, White {white:g} (komi {state.komi:g})"
        if black == white:
            return f"{counted}: a draw.", EndOfGame(0.5, Termination.NORMAL, 0)
        winner, margin = int(white > black), abs(black - white)
        won = "you win" if winner == person else f"{('Black', 'White')[winner]} wins"
        return f"{counted}: {won} by {margin:g}.", EndOfGame(float(winner == 0), Termination.NORMAL, margin)
