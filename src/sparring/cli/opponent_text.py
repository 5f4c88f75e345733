"""What the terminal says about the opponent of a game."""

from __future__ import annotations

from typing import Any

from sparring.cli.printing import visible
from sparring.cli.ratings import with_article
from sparring.games import describe
from sparring.players import AdaptivePlayer, Player, PolicyPlayer, SearchPlayer
from sparring.policies import rating_text
from sparring.policies.person import PersonPolicy


def imitated_rating(opponent: Player) -> int | None:
    """The rating whose style a player imitates; None if it has none."""
    if isinstance(opponent, AdaptivePlayer):
        return imitated_rating(opponent.player)
    return (
        opponent.config.rating_number("rating") if isinstance(opponent, PolicyPlayer | SearchPlayer) else None
    )


def describe_opponent(opponent: Player, strength: int | None) -> str:
    """A sentence on the opponent: its name, and how it plays."""
    name = visible(opponent.name)
    if isinstance(opponent, AdaptivePlayer):
        about = describe_opponent(opponent.player, None)
        return f"{about} Its level follows your results: {strength_text(opponent)}."
    if not isinstance(opponent, PolicyPlayer | SearchPlayer):
        return f"Your opponent is {name}{'' if strength is None else f', strength {strength} of 9'}."
    policy, rating = opponent.policy, imitated_rating(opponent)
    if isinstance(policy, PersonPolicy):
        games = f"{policy.card.games:,} games of {visible(policy.card.person)}"
        return f"Your opponent is {name}, who plays as in {games}{_search_text(opponent)}."
    rated = None if rating is None else with_article(rating_text(policy.game, rating))
    style = f", who plays in the style of {rated}" if rated else ""
    if opponent.config.level is not None:
        style = f", level {opponent.config.level}{style}"
    return f"Your opponent is {name} (model {visible(policy.name)}){style}{_search_text(opponent)}."


def strength_text(opponent: AdaptivePlayer) -> str:
    """The estimate of the person's strength, in words."""
    estimate = opponent.estimate
    if not estimate.games:
        return "this is your first game"
    games = f"{estimate.games} game{'' if estimate.games == 1 else 's'}"
    return f"after {games} your strength is {estimate.mean:.0f} ({estimate.low:.0f} to {estimate.high:.0f})"


def _search_text(opponent: PolicyPlayer | SearchPlayer) -> str:
    """The search of a player, for the end of a sentence; empty if it plays from its policy alone."""
    nodes = opponent.config.nodes if isinstance(opponent, SearchPlayer) else 0
    return f", with a search of {nodes:,} node{'' if nodes == 1 else 's'}" if nodes else ""


def opponent_advice(opponent: Player, state: Any) -> str:
    """What a person should know who plays the shipped network from this state."""
    if not isinstance(opponent, PolicyPlayer | SearchPlayer):
        return ""
    advice = describe(opponent.policy.game).players.advice
    return "" if advice is None else advice(state)
