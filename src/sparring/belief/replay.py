"""Replays a game to a tracker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sparring._core import RbcState
from sparring.belief.tracked_sets import BeliefUpdate
from sparring.belief.tracker import Tracker
from sparring.games import Rbc
from sparring.games.rbc import Observation, OpponentSense


@dataclass(frozen=True)
class ReplayStep:
    """An observation of the player, its effect on the tracker, and the true state after it."""

    observation: Observation
    change: BeliefUpdate
    truth: RbcState


def replay(game: RbcState, tracker: Tracker) -> Iterator[ReplayStep]:
    """Gives the tracker the observations of its player, from the start of the game to the state `game`.

    Yields a step after each observation. Raises Contradiction.
    """
    rules, truth = Rbc(), game
    line: list[RbcState] = []
    while truth.previous is not None:
        line.append(truth)
        truth = truth.previous
    for after in reversed(line):
        before, move = after.previous, after.last_move
        assert before is not None
        assert move is not None
        observation = rules.observe(before, tracker.player, move)
        if isinstance(observation, OpponentSense):
            continue
        change = tracker.observe(observation)
        assert change is not None
        yield ReplayStep(observation, change, after)
