"""How long an opponent pauses before its move in a game without a clock, as people do."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sparring.base.clock import Clock
from sparring.games import Game
from sparring.players import Decision
from sparring.players.behaviour_models import ThinkTime
from sparring.players.player_config import PlayerConfig
from sparring.players.policy_player import make_think_time

SHORTEST, LONGEST = 0.5, 4.0
"""Seconds of a pause."""
_CLOCK = Clock(180.0, 2.0)
"""People pause as they would with this clock: quickly."""
_USUAL, _SPREAD = 1.2, 0.5
"""Median in seconds, and deviation of its logarithm, where the model of people's times has no policy."""


class Pauses:
    """The pauses of a game, which are drawn from its seed."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._think_time: ThinkTime | None = None

    def seconds(self, rules: Game[Any], state: Any, decision: Decision, ply: int) -> float:
        """Seconds from the beginning of a turn to its move. A sense of a hidden game has no pause."""
        if rules.spec.hidden and rules.move_text(state, decision.move).startswith("sense"):
            return 0.0
        rng = np.random.default_rng([self._seed, ply, _STREAM])
        prediction = decision.prediction
        if prediction is None:
            drawn = float(np.exp(rng.normal(math.log(_USUAL), _SPREAD)))
        else:
            if self._think_time is None:
                self._think_time = make_think_time(PlayerConfig(rules.spec.name, think_time="human"))
            assert self._think_time is not None
            shares = dict(zip(prediction.moves, prediction.probabilities, strict=True))
            chosen = float(shares.get(decision.move, 0.0))
            drawn = self._think_time.seconds(_CLOCK, None, prediction, chosen, ply, None, rng)
        return min(max(drawn, SHORTEST), LONGEST)


_STREAM = 11
"""Part of the seed of pauses, so that players draw from other random numbers."""
