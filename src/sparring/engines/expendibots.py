"""The agent under the Expendibots course's referee.

    python -m referee sparring.engines.expendibots:Player sparring.engines.expendibots:Player

The course allows 60 seconds of the processor and 100 MB for a whole game, and no threads. The agent spends a
part of the time that is left on each action, so that it never runs out, and its tables are small.
"""

from __future__ import annotations

import time

from sparring.games.expendibots import Action, Expendibots
from sparring.players.expendibots import AlphaBetaLimits, shipped_agent

SECONDS = 60.0
"""Of the processor, for a game."""
MEGABYTES = 16
"""Of the search's memory; the endgame tables need some 40 more."""

_COLOURS = ("white", "black")
_RESERVE = 6.0
"""Seconds that are kept for a game of all 250 turns, and for what the referee measures beside."""
_SHARE = 25
"""An action may use this part of what is left beyond the reserve."""
_LONGEST = 3.0
_LAST_RESORT = 0.02


class RefereePlayer:
    """What the referee calls."""

    def __init__(self, colour: str) -> None:
        started = time.process_time()
        if colour not in _COLOURS:
            raise ValueError(f"a player is white or black, not {colour!r}")
        self._game = Expendibots()
        self._state = self._game.initial()
        self._agent = shipped_agent(AlphaBetaLimits(seconds=_LONGEST), megabytes=MEGABYTES)
        self._spent = time.process_time() - started

    def action(self) -> Action:
        """The action to take now."""
        started = time.process_time()
        self._agent.budget = AlphaBetaLimits(seconds=self.next_move_time())
        choice = self._agent.choose(self._state)
        self._spent += time.process_time() - started
        return self._game.action(self._state, choice.move)

    def update(self, colour: str, action: Action) -> None:
        """Takes in an action of either side, one's own included."""
        started = time.process_time()
        if colour != _COLOURS[self._state.to_move]:
            raise ValueError(f"it is {_COLOURS[self._state.to_move]}'s turn, not {colour}'s")
        self._state = self._game.play(self._state, self._game.move_of(self._state, action))
        self._spent += time.process_time() - started

    def next_move_time(self) -> float:
        """Seconds for the next action."""
        left = SECONDS - _RESERVE - self._spent
        return min(max(left / _SHARE, _LAST_RESORT), _LONGEST)
