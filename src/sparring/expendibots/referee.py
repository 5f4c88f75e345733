"""The agent under the Expendibots course's referee.

    python -m referee sparring.expendibots.referee:RefereePlayer sparring.expendibots.referee:RefereePlayer

The course allows 60 seconds of processor time and 100 MB for a whole game, and no threads. The agent spends a
share of the remaining time on each action, and its tables are small.
"""

from __future__ import annotations

import time

from sparring.expendibots.agent import shipped_agent
from sparring.expendibots.game import Action, Expendibots
from sparring.players import SearchLimits, Turn

SECONDS = 60.0
"""Processor time for a game."""
MEGABYTES = 16
"""Size of the transposition table; the endgame tables need some 40 more."""

_COLOURS = ("white", "black")
_RESERVE = 6.0
"""Seconds kept in reserve for a game of all 250 turns, and for overhead that the referee measures."""
_SHARE = 25
"""An action may use the time beyond the reserve, divided by this."""
_LONGEST = 3.0
_LAST_RESORT = 0.02


class RefereePlayer:
    """The class that the referee loads. It plays one game."""

    def __init__(self, colour: str, seconds: float = SECONDS) -> None:
        """`seconds` of processor time for the game. Raises ValueError."""
        started = time.process_time()
        if colour not in _COLOURS:
            raise ValueError(f"a player is white or black, not {colour!r}")
        self._seconds = seconds
        self._game = Expendibots()
        self._state = self._game.initial()
        self._agent = shipped_agent(SearchLimits(seconds=_LONGEST), megabytes=MEGABYTES)
        self._spent = time.process_time() - started

    def action(self) -> Action:
        """The action to take now."""
        started = time.process_time()
        limits = SearchLimits(seconds=self.next_move_time())
        decision = self._agent.choose(Turn.of(self._state, limits))
        self._spent += time.process_time() - started
        return self._game.action(self._state, decision.move)

    def update(self, colour: str, action: Action) -> None:
        """Plays an action of either side on the board, its own included. Raises ValueError if it is the
        other side's turn, and IllegalMove."""
        started = time.process_time()
        if colour != _COLOURS[self._state.to_move]:
            raise ValueError(f"it is {_COLOURS[self._state.to_move]}'s turn, not {colour}'s")
        self._state = self._game.play(self._state, self._game.move_of(self._state, action))
        self._spent += time.process_time() - started

    def next_move_time(self) -> float:
        """Seconds for the next action."""
        left = self._seconds - _RESERVE - self._spent
        return min(max(left / _SHARE, _LAST_RESORT), _LONGEST)
