"""Ratings and ranks on the command line, by the game's rating system."""

from __future__ import annotations

import re

from sparring.cli.errors import UserError
from sparring.config.description import show_value
from sparring.games import RatingSystem, describe
from sparring.policies import Policy, rating_out_of_range

_VOWEL = re.compile(r"8|1[18](?:\d\d)?(?!\d)")
"""Numbers that begin with a vowel when they are read aloud: eight, eleven hundred, eighteen."""


def parse_rating(game: str, rating: object, rank: object, whose: str = "") -> int | None:
    """The number of a rating or rank, as `Position` takes it; None where neither is given.

    `whose` stands before the word in messages, such as "opponent ". Raises UserError.
    """
    system = describe(game).ratings
    _check_word(game, system, rating, rank, whose)
    value = rating if rank is None else rank
    return None if value is None else _number(system, value, whose)


def parse_ratings(game: str, ratings: str | None, ranks: str | None) -> list[int]:
    """The numbers of a comma-separated list, each once. Raises UserError."""
    system = describe(game).ratings
    _check_word(game, system, ratings, ranks, "")
    texts = [text.strip() for text in (ratings or ranks or "").split(",")]
    is_number = system.word == "rating"
    return list(
        dict.fromkeys(
            _number(system, int(text) if is_number and text.isdecimal() else text, "") for text in texts
        )
    )


def check_rating_range(policy: Policy, *ratings: int | None) -> None:
    """Raises UserError for a rating outside the policy's range."""
    if complaint := rating_out_of_range(policy, *ratings):
        raise UserError(complaint)


def with_article(rating: str) -> str:
    """A rating or rank with its article: a 1500, an 800, an 1100, an 18k."""
    return f"an {rating}" if _VOWEL.match(rating) else f"a {rating}"


def _check_word(game: str, system: RatingSystem, rating: object, rank: object, whose: str) -> None:
    given = {"rating": rating, "rank": rank}
    other = "rank" if system.word == "rating" else "rating"
    if given[other] is not None:
        raise UserError(
            f"{game} uses {system.word}s: give a {whose}{system.word}, such as {system.example}, "
            f"and no {whose}{other}"
        )


def _number(system: RatingSystem, value: object, whose: str) -> int:
    number = system.number(value)
    if number is not None:
        return number
    if system.word == "rating":
        span = f"from {system.lowest} to {system.highest}"
        raise UserError(f"{whose}rating {show_value(value)}: expected a whole number {span}")
    raise UserError(f"{whose}rank {show_value(value)}: expected a rank such as {system.example}")
