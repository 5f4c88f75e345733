"""The opponent of `sparring play`: what its options ask for, and what the terminal says about it."""

from __future__ import annotations

from typing import Any

from sparring.base.errors import BadConfig, UserError
from sparring.cli.arguments import with_article
from sparring.cli.console import visible
from sparring.games import Game
from sparring.play.opponent import Opponent, imitated_rating
from sparring.players import DEFAULT_RATING, STRENGTHS, AdaptivePlayer, Player, PolicyPlayer, SearchPlayer
from sparring.players.game_players import games_with_bots
from sparring.policies import rating_text
from sparring.policies.person import PersonPolicy


def choose_opponent(rules: Game[Any], opponent: Opponent) -> Opponent:
    """The opponent that the options describe, completed; None is an option that was not given.

    Raises UserError for options that do not go together, BadConfig or NotFound for values.
    """
    game = opponent.game
    player, person, strength, bot = opponent.file, opponent.person, opponent.strength, opponent.bot
    human_like = (
        opponent.level, opponent.levels, opponent.rating, opponent.my_rating, opponent.model,
        opponent.temperature, opponent.repertoire,
    )  # fmt: skip
    given = opponent.adapt or any(value is not None for value in human_like)
    if opponent.levels is not None and opponent.level is None:
        raise UserError("--levels is the table of --level: say which level, such as --level 1500")
    if person is not None and player is not None:
        raise UserError("--person and --player both name the opponent: leave one out")
    if (player is not None or person is not None) and (given or strength is not None):
        raise UserError(
            f"{'--player' if person is None else '--person'} replaces --level, --rating, --rank, --model, "
            "--temperature, --repertoire and --strength: leave them out"
        )
    if bot is not None and game not in games_with_bots():
        raise UserError(f"--bot is for {', '.join(games_with_bots()) or 'games with bots'}, not for {game}")
    if strength is not None and given:
        raise UserError(
            "--strength is for the small search player: it has no level, rating, model, temperature or "
            "repertoire"
        )
    if rules.spec.hidden and given:
        raise UserError(
            f"policies do not play {game}, a game of hidden information: choose a --strength or a --bot"
        )
    if bot is not None and strength is not None:
        raise UserError("--bot names the opponent: leave out --strength")
    if given and opponent.model is None and game not in DEFAULT_RATING:
        raise UserError(f"there is no network of people's moves for {game}: choose a --strength or a --model")

    try:
        return opponent.completed()
    except BadConfig as error:
        if opponent.level not in STRENGTHS:
            raise
        raise UserError(f"{error}; a small search player is --strength 1 to 9") from None


def parse_level(text: str | None) -> int | None:
    """The number of a level; None if none is given. Raises UserError."""
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        raise UserError(f"--level {text}: expected a number such as 1500, or adapt") from None


# What the terminal says about the opponent of a game.


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
