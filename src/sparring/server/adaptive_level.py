"""The level of opponents that follow a visitor's results: estimated from the stored games."""

from __future__ import annotations

from sparring.base.sentences import Sentence
from sparring.players.adaptive import OpponentResult, StrengthEstimate, estimate_strength
from sparring.players.levels import LevelTable, shipped_levels
from sparring.server.messages import OpponentChoice, StrengthView
from sparring.server.refusal import Refused
from sparring.server.store import GameStore

_STEP = 10
"""Levels are multiples of it."""


def estimated_strength(store: GameStore, visitor: str, game: str) -> StrengthEstimate:
    """A visitor's strength by all finished games against adaptive opponents of a game. Raises Refused."""
    table = _levels(game)
    results = [
        OpponentResult(choice.level, score)
        for choice, score in store.adaptive_results(visitor, game)
        if choice.level is not None
    ]
    first = results[0].level if results else table.default_level
    return estimate_strength(results, float(first))  # as in the terminal, the first level is the prior


def adapted(choice: OpponentChoice, store: GameStore, visitor: str, game: str) -> OpponentChoice:
    """The choice with the level of the visitor's next game. A level that is given holds for the first game.

    Raises Refused.
    """
    low, high = _levels(game).range
    estimate = estimated_strength(store, visitor, game)
    if estimate.games == 0 and choice.level is not None:
        return choice
    level = min(max(round(estimate.mean / _STEP) * _STEP, low), high)
    return choice.model_copy(update={"level": level})


def strength_view(estimate: StrengthEstimate) -> StrengthView:
    """The message of an estimate."""
    return StrengthView(
        rating=round(estimate.mean, 1),
        interval=(round(estimate.low, 1), round(estimate.high, 1)),
        games=estimate.games,
    )


def _levels(game: str) -> LevelTable:
    table = shipped_levels(game)
    if table is None:
        raise Refused(Sentence("There are no levels in {game}.", game=game), 422)
    return table
