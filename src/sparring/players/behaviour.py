"""The think time, resignation and draw offers of a player, by its configuration."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from sparring.config import BadValue
from sparring.players.behaviour_models import behaviour
from sparring.players.draw_offers import DrawOffers
from sparring.players.player_config import PlayerConfig
from sparring.players.resignation import HumanResignation, Resignation, ResignationModel, ResignationRule
from sparring.players.think_time import ThinkTime, ThinkTimeModel


def make_think_time(config: PlayerConfig) -> ThinkTime | None:
    """The think times of a player; None if it answers at once."""
    return None if config.think_time == "none" else ThinkTime(_think_time_model())


def make_resignation(config: PlayerConfig) -> ResignationRule:
    """When a player resigns. Raises BadValue if the game has no model of people's resignations."""
    if config.resignation == "rule":
        return Resignation(config.resign_below, config.resign_after)
    content = _part(config.game, "resignation")
    return HumanResignation(ResignationModel.from_json(content), _strength(config))


def make_draw_offers(config: PlayerConfig) -> DrawOffers:
    """When a player offers and accepts draws. Raises BadValue if the game has no model of people's draws."""
    if config.draws == "rule":
        return DrawOffers(config.draw_within, config.draw_after, config.draw_offers)
    content = _part(config.game, "draws")
    return DrawOffers(content["within"], content["after"], chance=content["chance"])


@cache
def _think_time_model() -> ThinkTimeModel:
    return ThinkTimeModel.from_json(behaviour("think-time"))


def _part(game: str, name: str) -> Mapping[str, Any]:
    content: Mapping[str, Any] | None = behaviour(game).get(name)
    if content is None:
        raise BadValue(name, "human", f"'rule': {game} has no model of people's {name}")
    return content


def _strength(config: PlayerConfig) -> int | None:
    """The level, which is on the scale of people's ratings, else the rating."""
    return config.rating_number("rating") if config.level is None else config.level
