"""Records of games that a person played here: in the terminal or on the page."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparring.games import Game, Outcome, describe
from sparring.games.history import states_to
from sparring.records.readers import writer_of
from sparring.records.record import GameRecord, Termination
from sparring.records.variant_pgn import variant_writer


@dataclass(frozen=True)
class EndOfGame:
    """How a game ended."""

    result: float | None
    """The score of player 0; None if the game was not finished."""
    termination: Termination
    margin: float | None = None
    """Points by which it was won, where points are counted."""


UNFINISHED = EndOfGame(None, Termination.ABANDONED)
_TERMINATIONS = {
    "repetition": Termination.REPETITION,
    "entering-king declaration": Termination.DECLARATION,
}


def end_by_rules(outcome: Outcome, margin: float | None = None) -> EndOfGame:
    """The end that the rules decide."""
    result = 0.5 if outcome.winner is None else float(outcome.winner == 0)
    return EndOfGame(result, _TERMINATIONS.get(outcome.reason, Termination.NORMAL), margin)


def outcome_text(rules: Game[Any], outcome: Outcome, person: int | None) -> str:
    """The result by the rules, in a sentence for the person; None if nobody plays in person."""
    if outcome.winner is None:
        return f"A draw: {outcome.reason}."
    won = "You win" if outcome.winner == person else f"{rules.spec.players[outcome.winner]} wins"
    return f"{won}: {outcome.reason}."


def lost_by(player: int, how: Termination = Termination.RESIGNATION) -> EndOfGame:
    """The end of a game that a player lost, other than by the rules."""
    return EndOfGame(float(player == 1), how)


@dataclass(frozen=True)
class GameFacts:
    """What the record of a game needs besides its moves."""

    game: Game[Any]
    players: tuple[str, str]
    """Names of player 0 and player 1."""
    ratings: tuple[int | None, int | None]
    started: datetime.datetime
    event: str
    time_control: str | None = None

    def text(self, state: Any, end: EndOfGame, clocks: Sequence[float], suffix: str) -> str:
        """The game up to `state` in the format of a suffix, one of `written_formats`.

        `clocks` are the seconds left after each move; empty if there is no clock.
        """
        name = self.game.spec.name
        record = self.record(state, end, clocks)
        write = writer_of(name, suffix)
        if suffix == "log":  # its first line has the time
            record = record._replace(site=f"{self.started:%a %b %d %H:%M:%S %Y}")
        if record.start is not None and suffix == "log":
            write = variant_writer(name)  # a log always begins with the initial position
        return write(record)

    def record(self, state: Any, end: EndOfGame, clocks: Sequence[float]) -> GameRecord:
        """The game up to `state`."""
        start = states_to(state)[0]
        description = describe(self.game.spec.name)
        texts = [None if rating is None else description.ratings.format(rating) for rating in self.ratings]
        is_rank = description.ratings.word == "rank"
        return GameRecord(
            moves=state.pack_moves(description.packed_move_bytes),
            result=end.result,
            start=None if start == type(start).initial() else start.text(),
            ending=end.termination,
            margin=end.margin,
            first=self.players[0],
            second=self.players[1],
            first_rating=None if is_rank else self.ratings[0],
            second_rating=None if is_rank else self.ratings[1],
            first_rank=texts[0] if is_rank else None,
            second_rank=texts[1] if is_rank else None,
            time_control=self.time_control,
            clocks=np.round(np.array(clocks) * 10).astype(np.int32).tobytes() if len(clocks) else None,
            date=self.started.date(),
            event=self.event,
        )
