"""Adjudication: games that end by both engines' scores or by length."""

from __future__ import annotations

from dataclasses import dataclass, field

from sparring.arena.tournament import Adjudication


@dataclass(frozen=True)
class GameEnd:
    """The end of a game: result, reason and details."""

    result: float | None
    """The score of player 0; None if the game could not be played."""
    reason: str
    detail: str = ""


@dataclass
class Adjudicator:
    """Collects the scores that come with the moves. A player that reports no score is never adjudicated."""

    rules: Adjudication
    scores: tuple[list[int | None], list[int | None]] = field(default_factory=lambda: ([], []))
    """Each player's scores in centipawns from its own point of view, one per move."""

    def add_score(self, player: int, score: int | None) -> None:
        """Records the score that came with a move."""
        self.scores[player].append(score)

    def end(self, plies: int) -> GameEnd | None:
        """The end of the game after `plies` plies; None if it goes on."""
        if (resign := self.rules.resign) is not None:
            for loser in (0, 1):
                if self._all(loser, resign.moves, high=-resign.score) and self._all(
                    1 - loser, resign.moves, low=resign.score
                ):
                    return GameEnd(float(loser), "adjudicated win", f"both scores beyond {resign.score}")
        draw = self.rules.draw
        if draw is not None and plies >= draw.after:
            quiet = (self._all(player, draw.moves, low=-draw.score, high=draw.score) for player in (0, 1))
            if all(quiet):
                return GameEnd(0.5, "adjudicated draw", f"both scores within {draw.score}")
        if plies >= self.rules.plies:
            return GameEnd(0.5, "length limit", f"{plies} plies")
        return None

    def _all(self, player: int, moves: int, *, low: int = -(1 << 20), high: int = 1 << 20) -> bool:
        """Whether the player's last `moves` scores all lie in [low, high]."""
        last = self.scores[player][-moves:]
        return len(last) == moves and all(score is not None and low <= score <= high for score in last)
