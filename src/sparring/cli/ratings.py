"""Ratings and ranks on the command line, by the game's rating system."""

from __future__ import annotations

import re

from sparring.cli.errors import UserError
from sparring.config.description import show_value
from sparring.games import RatingSystem, describe
from sparring.policies import Policy, rating_out_of_range

_VOWEL = re.compile(r"8|1[18](?:\d\d)?(?!\d)")
"""Numbers that begin with a vowel when they are read aloud: eight, eleven hundred, eighteen."""
_INTEGER = re.compile(r"-?[0-9]{1,100}")


def parse_rating(game: str, rating: object, rank: object, whose: str = "") -> int | None:
    """The number of a rating or rank, as `Position` takes it; None where neither is given.

    `check_rating_range` checks it against the range of a policy. `whose` stands before the word in
    messages, such as "opponent ". Raises UserError.
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
            _number(system, int(text) if is_number and _INTEGER.fullmatch(text) else text, "")
            for text in texts
        )
    )


def check_rating_range(policy: Policy, *ratings: int | None, whose: str = "") -> None:
    """Raises UserError for a rating outside the policy's range, or outside the game's if it has none."""
    system = describe(policy.game).ratings
    if complaint := rating_out_of_range(policy, *ratings):
        raise UserError(f"{whose}{system.word}: {complaint}" if whose else complaint)
    for number in ratings:
        if number is not None and not system.lowest <= number <= system.highest:
            span = f"from {system.lowest} to {system.highest}"
            raise UserError(f"{policy.name}: a {system.word} is {span}, not {show_value(number)}")


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
    """The number of a rating of any size, or of a rank. Raises UserError."""
    if system.word == "rating":
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        raise UserError(
            f"{whose}rating {show_value(value)}: expected a whole number, such as {system.example}"
        )
    if (number := system.number(value)) is not None:
        return number
    raise UserError(f"{whose}rank {show_value(value)}: expected a rank such as {system.example}")
