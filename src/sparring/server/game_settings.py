"""`GameSettings`: all that a game on the server begins with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from sparring.games import Game, load_game
from sparring.players import TimeControl
from sparring.server.messages import ClockChoice, OpponentChoice
from sparring.server.opponents import about


@dataclass(frozen=True)
class GameSettings:
    """The facts of a game that do not change. They are stored as JSON."""

    game: str
    you: int | None
    """The person's side; None for a watched game."""
    opponents: tuple[OpponentChoice, OpponentChoice]
    """The players by side; that of the person's side is not used."""
    seed: int
    created: float
    """Unix time."""
    options: Mapping[str, Any] = field(default_factory=dict)
    position: str | None = None
    """Text of the first position; None for the usual one."""
    clock: TimeControl | None = None
    pace: float = 0.0
    """Seconds between two moves of a watched game."""

    def rules(self) -> Game[Any]:
        """The game with its options."""
        return load_game(self.game, **self.options)

    def first_state(self, rules: Game[Any]) -> Any:
        """The state in which the game begins."""
        return rules.initial() if self.position is None else rules.parse(self.position)

    def opponent_of(self, side: int) -> OpponentChoice:
        """The player of a side that is not the person's."""
        return self.opponents[side]

    def about(self, rules: Game[Any], side: int) -> tuple[str, str]:
        """Name and description of the player of a side."""
        return about(rules, self.opponents[side])

    def to_json(self) -> str:
        """The settings as text."""
        clock = self.clock
        return json.dumps(
            {
                "game": self.game,
                "you": self.you,
                "opponents": [each.model_dump(exclude_none=True) for each in self.opponents],
                "seed": self.seed,
                "created": self.created,
                "options": dict(self.options),
                "position": self.position,
                "clock": None if clock is None else [clock.base, clock.increment, clock.byoyomi],
                "pace": self.pace,
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The settings of a text by `to_json`."""
        table = json.loads(text)
        first, second = (OpponentChoice(**each) for each in table.pop("opponents"))
        clock = table.pop("clock")
        return cls(opponents=(first, second), clock=None if clock is None else TimeControl(*clock), **table)


def time_control(choice: ClockChoice | None) -> TimeControl | None:
    """The clock of a request; None for none."""
    return None if choice is None else TimeControl(choice.base, choice.increment, choice.byoyomi)
