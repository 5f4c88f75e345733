"""How a game ended, and its record."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.base.sentences import Sentence
from sparring.base.storage import atomic_write
from sparring.games import Game, Outcome, describe
from sparring.games.states import states_to
from sparring.records.pgn_tags import variant_writer
from sparring.records.readers import writer_of, written_formats
from sparring.records.record import GameRecord, Termination

RESIGNATION, TIME_FORFEIT, AGREEMENT = "resignation", "time forfeit", "agreement"
"""Reasons that are not the rules'."""
LENGTH_LIMIT, ADJUDICATED_WIN, ADJUDICATED_DRAW = "length limit", "adjudicated win", "adjudicated draw"
"""Ends by adjudication."""
NO_SCORE = -32768
"""The centipawns of a move without a score, in records."""

_TERMINATIONS = {
    RESIGNATION: Termination.RESIGNATION,
    TIME_FORFEIT: Termination.TIME,
    "unfinished": Termination.ABANDONED,
    "repetition": Termination.REPETITION,
    "entering-king declaration": Termination.DECLARATION,
    **dict.fromkeys((ADJUDICATED_WIN, ADJUDICATED_DRAW, LENGTH_LIMIT), Termination.UNKNOWN),
}


@dataclass(frozen=True)
class GameResult:
    """The result of a game: the scores, and why it ended."""

    first_score: float | None
    """Score of player 0: 1, 0.5 or 0; None if the game was not finished or could not be played."""
    reason: str
    """Such as checkmate, score, resignation or time forfeit."""
    detail: str = ""
    """More about the reason, such as an engine's failure."""
    margin: float | None = None
    """Points by which the game was won, where points are counted."""
    broke_rules: bool = False
    """Whether the loser failed or made an illegal move."""
    record: PlayedRecord | None = field(default=None, compare=False, repr=False)
    """The whole game, if the function that played it gives its record."""

    def score(self, side: int) -> float | None:
        """The score of player 0 or 1: 1 for a win, 0.5 for a draw, 0 for a loss; None without a result."""
        if self.first_score is None:
            return None
        return self.first_score if side == 0 else 1 - self.first_score

    @property
    def winner(self) -> int | None:
        """The player who won; None for a draw or without a result."""
        return None if self.first_score in (None, 0.5) else int(self.first_score == 0)

    @property
    def termination(self) -> Termination:
        """The end as records classify it."""
        if self.broke_rules:
            return Termination.RULES
        return _TERMINATIONS.get(self.reason, Termination.NORMAL)

    @classmethod
    def by_rules(cls, outcome: Outcome, margin: float | None = None) -> GameResult:
        """The result that the rules decide."""
        return cls(outcome.score(0), outcome.reason, margin=margin)

    @classmethod
    def lost_by(cls, player: int, reason: str, detail: str = "", *, broke_rules: bool = False) -> GameResult:
        """The result of a game that a player lost other than by the rules."""
        return cls(float(player == 1), reason, detail, broke_rules=broke_rules)

    @classmethod
    def out_of_time(cls, state: Any, player: int, can_win: Callable[[Any, int], bool] | None) -> GameResult:
        """The result when a player's time runs out: a draw if the other one cannot win any more."""
        if can_win is None or can_win(state, 1 - player):
            return cls.lost_by(player, TIME_FORFEIT)
        return cls(0.5, TIME_FORFEIT)

    @classmethod
    def of_termination(
        cls, score: float | None, termination: Termination, margin: float | None
    ) -> GameResult:
        """The result of a stored game, which has a termination in place of a reason."""
        reasons = {value: reason for reason, value in _TERMINATIONS.items()}
        broke_rules = termination is Termination.RULES
        return cls(score, reasons.get(termination, str(termination)), margin=margin, broke_rules=broke_rules)


@dataclass(frozen=True, eq=False)
class ScoreEstimate:
    """Who is ahead in a game of points, and who will own each point."""

    lead: float
    """Points by which player 0 is ahead."""
    owners: NDArray[np.float32]
    """[rows, columns], rows from the top: the expected owner, 1 for player 0 and -1 for player 1."""
    text: str
    """Who is ahead, in a sentence."""
    note: str = ""
    """What the estimate is worth, in a sentence."""
    counted: bool = False
    """Whether it is the score of a game that both ended by passing, and no estimate."""


UNFINISHED = GameResult(None, "unfinished")
DRAW_AGREED = GameResult(0.5, AGREEMENT)


_REASONS: dict[str, str] = {
    reason: reason
    for reason in (
        Sentence("adjudicated draw"),
        Sentence("adjudicated win"),
        Sentence("agreement"),
        Sentence("all tokens gone"),
        Sentence("checkmate"),
        Sentence("entering-king declaration"),
        Sentence("far row"),
        Sentence("fifty moves"),
        Sentence("fivefold repetition"),
        Sentence("insufficient material"),
        Sentence("king capture"),
        Sentence("length limit"),
        Sentence("move limit"),
        Sentence("no legal moves"),
        Sentence("no pieces"),
        Sentence("no tokens"),
        Sentence("perpetual check"),
        Sentence("repetition"),
        Sentence("resignation"),
        Sentence("score"),
        Sentence("seventy-five moves"),
        Sentence("stalemate"),
        Sentence("threefold repetition"),
        Sentence("time forfeit"),
    )
}
"""Reasons of the games' rules, and others, as sentences."""


def reason_text(reason: str) -> str:
    """The reason of an end, for people."""
    return _REASONS.get(reason, reason)


def result_text(rules: Game[Any], outcome: Outcome, person: int | None) -> str:
    """The result by the rules, in a sentence for the person; `person` is None if nobody plays in person."""
    reason = reason_text(outcome.reason)
    if outcome.winner is None:
        return Sentence("A draw: {reason}.", reason=reason)
    if outcome.winner == person:
        return Sentence("You win: {reason}.", reason=reason)
    return Sentence("{side} wins: {reason}.", side=rules.spec.players[outcome.winner], reason=reason)


@dataclass(frozen=True)
class PlayedRecord:
    """The record of a game that was played here, finished or not."""

    game: Game[Any]
    state: Any
    """The last state, which has all moves."""
    result: GameResult = UNFINISHED
    players: tuple[str, str] = ("", "")
    """Names of player 0 and player 1."""
    ratings: tuple[int | None, int | None] = (None, None)
    started: datetime.datetime | datetime.date = field(default_factory=datetime.datetime.now)
    event: str = ""
    time_control: str | None = None
    clocks: Sequence[float] = ()
    """Seconds that the mover had left after each move; -0.1 where it is unknown, empty without a clock."""
    scores: Sequence[int] = ()
    """Centipawns for player 0 after each move, NO_SCORE where unknown; empty without scores."""
    site: str | None = None

    def save(self, path: str | Path) -> Path:
        """Writes the game to a file; its suffix chooses the format. Raises BadFile or OSError."""
        path = Path(path)
        atomic_write(path, self.text(path.suffix.removeprefix(".").lower()))
        return path

    def text(self, suffix: str | None = None) -> str:
        """The game in the format of a suffix, by default the one that people use. Raises
        BadFile."""
        name = self.game.spec.name
        suffix = suffix or written_formats(name)[0]
        record = self.row()
        write = writer_of(name, suffix)
        if suffix == "log":  # its first line has the time
            record = record._replace(site=f"{self.started:%a %b %d %H:%M:%S %Y}")
            if record.start is not None:
                write = variant_writer(name)  # a log always begins with the initial position
        return write(record)

    def row(self) -> GameRecord:
        """The game as a row of a table."""
        start = states_to(self.state)[0]
        description = describe(self.game.spec.name)
        texts = [None if rating is None else description.ratings.format(rating) for rating in self.ratings]
        is_rank = description.ratings.word == "rank"
        has_scores = bool(set(self.scores) - {NO_SCORE})
        day = self.started
        return GameRecord(
            moves=self.state.pack_moves(description.packed_move_bytes),
            result=self.result.first_score,
            start=None if start == description.rules().initial() else start.text(),
            ending=self.result.termination,
            margin=self.result.margin,
            first=self.players[0],
            second=self.players[1],
            first_rating=None if is_rank else self.ratings[0],
            second_rating=None if is_rank else self.ratings[1],
            first_rank=texts[0] if is_rank else None,
            second_rank=texts[1] if is_rank else None,
            time_control=self.time_control,
            clocks=np.round(np.array(self.clocks) * 10).astype(np.int32).tobytes() if self.clocks else None,
            evals=np.array(self.scores, np.int16).tobytes() if has_scores else None,
            date=day.date() if isinstance(day, datetime.datetime) else day,
            event=self.event,
            site=self.site,
        )
