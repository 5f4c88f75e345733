"""What the page offers: the games, their rule options and their opponents."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cache
from typing import Any

from pydantic import Field

from sparring.base.sentences import Sentence, joined
from sparring.games import GAMES, GameDescription, describe, load_game
from sparring.play.opponent import DEFAULT_STRENGTH, default_kind
from sparring.players import DEFAULT_RATING
from sparring.players.game_players import game_players
from sparring.players.levels import shipped_levels
from sparring.players.persons import stored_persons
from sparring.players.small_players import STRENGTHS
from sparring.records.readers import formats, written_formats
from sparring.server.messages import ApiMessage, Text, text_of
from sparring.server.new_game import HandicapOffer, OpeningOffer, opening_table
from sparring.server.opponents import Opponents

_LEVEL_STEP = 50


class RatingScale(ApiMessage):
    """The ratings or ranks of an opponent that plays like people."""

    word: Text = Field(description="rating or rank")
    values: list[int | str] = Field(description="What may be asked for, the weakest first.")
    default: int | str


class LevelOffer(ApiMessage):
    """A level that was measured."""

    level: int
    measured: float | None = Field(description="Measured rating; null if it was not measured.")
    interval: tuple[float, float] | None = Field(description="95 % interval of the measured rating.")
    games: int | None


class PersonOffer(ApiMessage):
    """An opponent that plays like one person."""

    name: str = Field(description="For `person` of an opponent.")
    title: str = Field(description="The person's name.")
    about: Text


class LevelScale(ApiMessage):
    """The levels of a game: how strong an opponent is."""

    word: Text = Field(description="rating or rank")
    step: int = Field(description="Distance of two levels on the dial.")
    names: dict[str, str] = Field(description="Levels as people write them, where they are not numbers.")
    lowest: int
    highest: int
    default: int
    family: str = Field(description="Whose scale it is.")
    measured: list[LevelOffer]


class RuleOption(ApiMessage):
    """An option of a game's rules."""

    name: str
    default: bool | int | float | str | None = Field(description="null if it depends on other options.")


class GameOffer(ApiMessage):
    """A game of the page."""

    name: str
    title: str
    sides: tuple[str, str]
    hidden: bool
    default_kind: str = Field(description="Kind of the default opponent: level, human, strength or bot.")
    levels: LevelScale | None = Field(description="Levels of strength; null if there are none.")
    ratings: RatingScale | None = Field(description="Of the human-like opponent; null if there is none.")
    has_human: bool
    adapts: bool = Field(description="Whether a level can follow the visitor's results.")
    persons: list[PersonOffer] = Field(description="Opponents that play like one person.")
    strengths: list[int]
    default_strength: int
    bots: list[str]
    default_bot: str | None
    options: list[RuleOption]
    openings: list[OpeningOffer]
    handicaps: list[HandicapOffer]
    reads: list[str] = Field(description="Formats of games that can be opened.")
    writes: list[str] = Field(description="Formats that games are saved in.")
    rules: Text = Field(description="The rules in a few lines; empty for well-known games.")
    how_to_move: Text


def catalogue(opponents: Opponents) -> list[GameOffer]:
    """All games. Persons are those that the user's folder has now."""
    return [offer.model_copy(update={"persons": _persons(offer.name)}) for offer in _shipped(opponents)]


@cache
def _shipped(opponents: Opponents) -> list[GameOffer]:
    return [_offer(game, opponents) for game in GAMES.values()]


def _persons(game: str) -> list[PersonOffer]:
    system = describe(game).ratings
    offers = []
    for entry in stored_persons(game):
        games = f"{entry.games:,}"
        about = Sentence("From {games} games.", games=games)
        if entry.rating is not None:
            rating = system.format(entry.rating)
            about = Sentence("From {games} games, rating {rating}.", games=games, rating=rating)
            if system.word == "rank":
                about = Sentence("From {games} games, rank {rank}.", games=games, rank=rating)
        about_all = text_of(joined(about, entry.measured))
        offers.append(PersonOffer(name=entry.path.stem, title=entry.name, about=about_all))
    return offers


def _offer(description: GameDescription, opponents: Opponents) -> GameOffer:
    rules = load_game(description.name)
    bots = game_players(description.name).bots
    return GameOffer(
        name=description.name,
        title=rules.spec.title,
        sides=(rules.spec.players[0], rules.spec.players[1]),
        hidden=rules.spec.hidden,
        default_kind=default_kind(rules),
        levels=_levels(description.name),
        ratings=_ratings(description, opponents),
        adapts=_levels(description.name) is not None,
        persons=[],
        has_human=description.name in DEFAULT_RATING,
        strengths=list(STRENGTHS),
        default_strength=DEFAULT_STRENGTH,
        bots=[] if bots is None else list(bots.for_people),
        default_bot=None if bots is None else bots.default,
        options=[RuleOption(name=name, default=value) for name, value in _options(description)],
        openings=opening_table(description.name).openings,
        handicaps=opening_table(description.name).handicaps,
        reads=formats(description.name),
        writes=written_formats(description.name),
        rules=text_of(description.rules_summary),
        how_to_move=text_of(description.how_to_move),
    )


def _levels(game: str) -> LevelScale | None:
    table = shipped_levels(game)
    if table is None:
        return None
    low, high = table.range
    rows = [
        LevelOffer(level=row.level, measured=row.measured, interval=row.interval, games=row.games)
        for row in table.levels
    ]
    default, system = table.default_level, describe(game).ratings
    ranks = system.word == "rank" and system.lowest <= low and high <= system.highest
    return LevelScale(
        word=_word("rank" if ranks else "rating"),
        step=1 if ranks else _LEVEL_STEP,
        names={str(rank): system.format(rank) for rank in range(low, high + 1) if rank} if ranks else {},
        lowest=low,
        highest=high,
        default=default,
        family=table.family,
        measured=rows,
    )


def _word(word: str) -> Text:
    return text_of({"rating": Sentence("rating"), "rank": Sentence("rank")}.get(word, word))


def _options(description: GameDescription) -> Iterator[tuple[str, Any]]:
    """Names and defaults of the rule options."""
    return ((field.name, field.default) for field in dataclasses.fields(description.rules))


def _ratings(description: GameDescription, opponents: Opponents) -> RatingScale | None:
    accepted, default = opponents.ratings(description.name), DEFAULT_RATING.get(description.name)
    if accepted is None or default is None:
        return None
    system = description.ratings
    low, high = accepted
    step = max(1, system.group_width // 2)
    values: list[int | str] = [
        number if system.word == "rating" else system.format(number)
        for number in range(low, high + 1, step)
        if system.word == "rating" or number != 0
    ]
    return RatingScale(word=_word(system.word), values=values, default=default)
