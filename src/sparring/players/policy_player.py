"""A player that does what people would: it draws its moves from a policy."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring._core import GoState
from sparring.networks import Position, Prediction
from sparring.players.go_ending import with_sense_of_the_end
from sparring.players.player import Choice
from sparring.policies import Curve, Policy, Tempered
from sparring.records.ranks import rank_text


class PolicyPlayer:
    """Plays each move as often as the policy expects it of a player of this rating; it never searches.

    Ratings are as in `Position`: ranks in Go. An opponent whose rating is not given is as strong.
    Temperatures below 1 make its likely moves likelier, those above 1 all moves more alike.
    """

    def __init__(
        self,
        policy: Policy,
        rng: np.random.Generator,
        *,
        rating: int | None = None,
        opponent_rating: int | None = None,
        temperature: float = 1.0,
    ) -> None:
        self.policy = policy if temperature == 1 else Tempered(policy, Curve.constant(temperature))
        self.rating = rating
        self.opponent_rating = rating if opponent_rating is None else opponent_rating
        self._rng = rng

    def choose(self, state: Any) -> Choice:
        """A move drawn from the policy; in Go with a sense of when a game is over."""
        prediction = self.policy.predict([Position(state, self.rating, self.opponent_rating)])[0]
        if isinstance(state, GoState):
            shares = with_sense_of_the_end(state, prediction)
        else:
            shares = prediction.probabilities.astype(np.float64)
            shares /= shares.sum()
        drawn = int(self._rng.choice(len(shares), p=shares))
        distribution = {move: float(p) for move, p in zip(prediction.moves, shares, strict=True) if p > 0}
        return Choice(prediction.moves[drawn], distribution, self._why(float(shares[drawn]), prediction))

    def _why(self, share: float, prediction: Prediction) -> str:
        who = ""
        if self.rating is not None:
            who = f" of a {rank_text(self.rating) if self.policy.game == 'go' else self.rating}"
        likely = f"a {_percent(share)} move{who}"
        if prediction.wdl is None:
            return likely
        win, draw, _ = prediction.wdl
        return f"{likely}, hopes for {_percent(win + draw / 2)}"


def _percent(share: float) -> str:
    return "<1%" if share < 0.005 else f"{share:.0%}"
