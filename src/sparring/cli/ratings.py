"""How strong players are, as people say it: ratings, and in Go ranks."""

from __future__ import annotations

from sparring.cli.errors import UserError
from sparring.policies import Policy, rating_out_of_range
from sparring.records.ranks import parse_rank, rank_order

RATINGS = range(0, 4001)


def parse_rating(game: str, rating: object, rank: object, whose: str = "") -> int | None:
    """What `Position` is told of a player, from a rating or in Go a rank; None for neither.

    `whose` stands before the word in messages. Raises UserError.
    """
    _check_kind(game, rating, rank, whose)
    if rank is not None:
        return _of_rank(rank, whose)
    return None if rating is None else _of_rating(rating, whose)


def parse_ratings(game: str, ratings: str | None, ranks: str | None) -> list[int]:
    """Those of a list with commas in between, each once. Raises UserError."""
    _check_kind(game, ratings, ranks, "")
    texts = [text.strip() for text in (ratings or ranks or "").split(",")]
    if ranks is not None:
        return list(dict.fromkeys(_of_rank(text, "") for text in texts))
    return list(dict.fromkeys(_of_rating(int(text) if text.isdecimal() else text, "") for text in texts))


def check_rating_range(policy: Policy, *told: int | None) -> None:
    """Raises UserError for a strength beyond what the policy knows."""
    if complaint := rating_out_of_range(policy, *told):
        raise UserError(complaint)


def _check_kind(game: str, rating: object, rank: object, whose: str) -> None:
    if game == "go" and rating is not None:
        raise UserError(f"go goes by ranks: give a {whose}rank, such as 5k or 3d, and no {whose}rating")
    if game != "go" and rank is not None:
        raise UserError(f"{game} goes by ratings: give a {whose}rating, and no {whose}rank")


def _of_rating(rating: object, whose: str) -> int:
    if not isinstance(rating, int) or isinstance(rating, bool) or rating not in RATINGS:
        raise UserError(f"{whose}rating is a whole number from 0 to {RATINGS[-1]}, not {rating!r}")
    return rating


def _of_rank(rank: object, whose: str) -> int:
    normal = parse_rank(rank) if isinstance(rank, str) else None
    if normal is None:
        raise UserError(f"{whose}rank is such as 5k or 3d, not {rank!r}")
    return rank_order(normal)
