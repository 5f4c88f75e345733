"""The log of a bot's decisions in reconchess, one line each, to follow with `tail -f`."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path

from sparring.players import Decision, Player
from sparring.players.rbc.inference import InferenceBot
from sparring.players.rbc.planner import PlannerBot


class DecisionLog:
    """Appends lines to a file; without a path it does nothing.

    A file that cannot be written is reported once on stderr, and logging ends: the game goes on.
    """

    def __init__(self, path: str | None) -> None:
        self._path = Path(path) if path else None

    @property
    def is_open(self) -> bool:
        """Whether lines are written."""
        return self._path is not None

    def write(self, text: str) -> None:
        """Appends a line with the time. The file is closed after it, so that the line can be read at once."""
        if self._path is None:
            return
        line = f"{datetime.now():%H:%M:%S} {' '.join(text.split())}\n"
        try:
            with self._path.open("a", encoding="utf-8", errors="replace") as file:
                file.write(line)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            print(f"sparring: no log in {self._path} ({reason}); the game goes on", file=sys.stderr)
            self._path = None


def game_text(bot: Player, color: str, opponent: str) -> str:
    """The line of a new game."""
    headset = bot.evaluator.opponent_headset if isinstance(bot, PlannerBot) else ""
    predicted = f", predicted by the headset {headset}" if headset else ""
    return f"{bot.name} is {color} against {opponent or 'an opponent without a name'}{predicted}"


def decision_text(action: str, decision: Decision, boards: int | None) -> str:
    """A decision with the number of possible boards and its reason."""
    count = "" if boards is None else f"; {boards:,} board{'' if boards == 1 else 's'}"
    return f"{action}{count}" + (f"; {decision.reason}" if decision.reason else "")


def possible_boards(bot: Player) -> int | None:
    """The number of boards that a bot tracks; None if it tracks none."""
    inference = bot.inference if isinstance(bot, PlannerBot) else bot
    return len(inference.tracker.boards) if isinstance(inference, InferenceBot) else None
