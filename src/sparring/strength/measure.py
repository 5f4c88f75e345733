"""`measure_levels`: how strong are the players of some games?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec

from sparring import data
from sparring.policies import Policy, load_policy
from sparring.records.recorded_game import RecordedGame
from sparring.strength.evidence import GameEvidence, collect_evidence
from sparring.strength.model import RatingEstimate, StrengthModel, estimate_rating


class NoStrengthModel(Exception):
    """There is no model of players' strength for a game."""


@dataclass(frozen=True)
class PlayerLevel:
    """A player of some games and its estimated rating."""

    name: str
    estimate: RatingEstimate
    known: float | None
    """Mean of the ratings in the records; None where unknown. The estimate does not use them."""


def shipped_strength_model(game: str) -> StrengthModel:
    """The model of a game that is part of the package. Raises NoStrengthModel."""
    if game not in data.names("strength"):
        there = ", ".join(data.names("strength"))
        raise NoStrengthModel(
            f"strength can be measured in {there}, not in {game} (docs/measuring.md says why)"
        )
    return StrengthModel.of(msgspec.json.decode(data.path("strength", game).read_bytes()))


def measure_levels(
    games: Sequence[RecordedGame],
    names: Sequence[str] = (),
    *,
    model: StrengthModel | None = None,
    human: Policy | None = None,
    strong: Policy | None = None,
    on_game: Callable[[int], None] = lambda _: None,
) -> list[PlayerLevel]:
    """Estimates the ratings of the players with these names, or of all players, from their moves in `games`.

    Players are in the order of `names`, else by number of games. `model`, `human` and `strong` are by default
    the shipped ones; `strong` is used only if the model has a weight for its features. `on_game` is called
    after each game with the number of games so far. Raises NoStrengthModel, BadTable, and ValueError for a
    name without moves, no games, or games of several kinds.
    """
    if len({game.game for game in games}) != 1:
        raise ValueError("games of one kind are expected, at least one")
    kind = games[0].game
    model = model or shipped_strength_model(kind)
    wanted = [game for game in games if not names or any(name in names for name in game.players)]
    human = human or load_policy("human", kind)
    if model.feature_weight > 0:
        strong = strong or load_policy("strong", kind)
    known: dict[str, list[GameEvidence]] = {name: [] for name in names}
    ratings: dict[str, list[int]] = {}
    found = collect_evidence(human, strong, wanted, model.ratings)
    for number, (game, sides) in enumerate(zip(wanted, found, strict=True), 1):
        for name, rating, evidence in zip(game.players, game.ratings, sides, strict=True):
            name = name or "?"
            if evidence is None or (names and name not in names):
                continue
            known.setdefault(name, []).append(evidence)
            if rating is not None:
                ratings.setdefault(name, []).append(rating)
        on_game(number)
    if missing := [name for name, evidence in known.items() if not evidence]:
        raise ValueError(f"there are no moves of {missing[0]}")
    players = list(known) if names else sorted(known, key=lambda name: -len(known[name]))
    return [
        PlayerLevel(name, estimate_rating(model, known[name]), _mean(ratings.get(name, [])))
        for name in players
    ]


def _mean(values: Sequence[int]) -> float | None:
    return sum(values) / len(values) if values else None
