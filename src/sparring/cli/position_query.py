"""Positions to predict: from command-line options, or one JSON object per line."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, fields
from typing import Any

from sparring.cli.errors import UserError
from sparring.cli.ratings import parse_rating
from sparring.config.description import show_value
from sparring.games import Game, IllegalMove, ParseError, describe, load_game
from sparring.games.typed_moves import split_moves
from sparring.networks import Position


@dataclass(frozen=True)
class PositionQuery:
    """A position with ratings and clock. Every field is optional."""

    moves: str | list[str] = ""
    """Moves from the initial position or from `position`, as people write them. A text may have move
    numbers and a result."""
    position: str | None = None
    """Text of the position: FEN, SFEN or the game's own."""
    komi: float | None = None
    rules: str | None = None
    """Name of a rule set, such as chinese or japanese."""
    rating: int | None = None
    opponent_rating: int | None = None
    rank: str | None = None
    """Rank, in games that have ranks."""
    opponent_rank: str | None = None
    clock: float | None = None
    """Seconds left to the player to move."""

    @classmethod
    def parse(cls, line: bytes) -> PositionQuery:
        """Parses a JSON line. Raises UserError."""
        try:
            entries = json.loads(line.decode("utf-8-sig"))
        except UnicodeDecodeError:
            raise UserError("this is not UTF-8 text") from None
        except RecursionError:
            raise UserError("this is nested too deeply") from None
        except ValueError as error:
            raise UserError(f"this is not JSON ({error})") from None
        if not isinstance(entries, dict):
            raise UserError("a JSON object is expected")
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(entries) - known):
            raise UserError(f"unknown field '{unknown[0][:100]}'; there are {', '.join(sorted(known))}")
        for name in ("position", "rules"):
            if not isinstance(entries.get(name), str | None):
                raise UserError(f"{name} is a text, not {show_value(entries[name])}")
        return cls(**entries)

    def to_position(self, game_name: str) -> tuple[Game[Any], Position]:
        """The game and the position of the query. Raises UserError."""
        try:
            game = self._game(game_name)
            state = game.initial() if self.position is None else game.parse(self.position)
            for text in self._moves():
                state = game.play(state, game.parse_move(state, text))
        except (ParseError, IllegalMove, ValueError) as error:
            raise UserError(str(error)) from None
        if (outcome := game.outcome(state)) is not None:
            raise UserError(f"the game is over there: {outcome.reason}")
        return game, Position(
            state,
            parse_rating(game_name, self.rating, self.rank),
            parse_rating(game_name, self.opponent_rating, self.opponent_rank, "opponent "),
            self._clock(),
        )

    def _game(self, name: str) -> Game[Any]:
        description = describe(name)
        komi = None if self.komi is None else _number(self.komi, "komi")
        if komi is not None and "komi" not in description.option_names():
            raise UserError(f"{name} has no komi")
        if self.rules is None:
            return load_game(name) if komi is None else load_game(name, komi=komi)
        if description.rule_sets is None:
            raise UserError(f"{name} has no rule sets to choose from")
        game: Game[Any] = description.rule_sets(str(self.rules), komi=komi)
        return game

    def _moves(self) -> list[str]:
        if isinstance(self.moves, str):
            return split_moves(self.moves)
        if isinstance(self.moves, list) and all(isinstance(move, str) for move in self.moves):
            return self.moves
        raise UserError("moves is a text with spaces between the moves, or a list of texts")

    def _clock(self) -> float | None:
        seconds = None if self.clock is None else _number(self.clock, "clock")
        if seconds is not None and not 0 <= seconds < math.inf:
            raise UserError(f"clock is seconds, 0 or more, not {seconds:g}")
        return seconds


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UserError(f"{name} is a number, not {show_value(value)}")
    try:
        number = float(value)
    except OverflowError:
        raise UserError(f"{name} is too large") from None
    if not math.isfinite(number):
        raise UserError(f"{name} is a finite number, not {number}")
    return number
