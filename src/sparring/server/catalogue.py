"""What the page offers: the games, their rule options and their opponents."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from functools import cache
from typing import Any, Literal

from pydantic import Field

from sparring.base.clock import TimeControl
from sparring.base.sentences import Sentence, joined
from sparring.games import GAMES, GameDescription, describe, load_game
from sparring.play.opponent import DEFAULT_STRENGTH, default_kind
from sparring.players import DEFAULT_RATING
from sparring.players.game_players import Bots, bot_ratings, game_players
from sparring.players.persons import stored_persons
from sparring.players.player_config import LevelTable, shipped_levels
from sparring.players.small_players import STRENGTHS
from sparring.records.readers import formats, written_formats
from sparring.server.messages import ApiMessage, GameTraits, Text, game_traits, text_of
from sparring.server.new_game import HandicapOffer, OpeningOffer, opening_table
from sparring.server.opponents import Opponents
from sparring.server.person_job import cannot_make, learned

_LEVEL_STEP = 50


class RatingScale(ApiMessage):
    """The ratings or ranks of an opponent that plays like people."""

    word: Text = Field(description="rating or rank")
    values: list[int | str] = Field(description="What may be asked for, the weakest first.")
    default: int | str
    weakest: int | str | None = Field(
        description="The weakest people that the network learned from: below, it plays hardly weaker. "
        "null if all values are of such people."
    )


class LevelOffer(ApiMessage):
    """A level that was measured."""

    level: int
    measured: float | None = Field(description="Measured rating; null if it was not measured.")
    interval: tuple[float, float] | None = Field(description="95 % interval of the measured rating.")
    games: int | None


class PeopleLoss(ApiMessage):
    """What is lost a move, in the unit of the scale; between measured levels interpolated."""

    level: float = Field(description="Of the level, in games against itself.")
    people: float = Field(description="Of people of the same rating.")
    interval: tuple[float, float] = Field(description="95 % interval of people's loss.")


class DialStep(ApiMessage):
    """A step of the dial: how strong it is, and how long its moves take."""

    level: int
    rating: float | None = Field(
        description="Measured rating, or between those of the measured levels on both sides; null outside."
    )
    interval: tuple[float, float] | None = Field(description="Its 95 % interval.")
    measured: bool = Field(description="Whether this level itself was measured.")
    loss: PeopleLoss | None = Field(
        description="What the level and people of its rating lose a move, on people's scale; null on other "
        "scales, and outside of the measured levels, where the level continues their trend."
    )
    seconds: float | None = Field(
        description="About how long a move takes on this machine; null until it is known."
    )


class BotMeasurement(ApiMessage):
    """A measured rating of a bot."""

    seconds: float | None = Field(description="Its time budget for a turn; null if it has none.")
    rating: float
    interval: tuple[float, float] | None = Field(
        description="95 % interval; null for the bot on whose rating the scale rests."
    )
    games: int = Field(description="Games behind the rating.")


class BotOffer(ApiMessage):
    """A named bot."""

    name: str
    about: Text = Field(description="One line about how it plays.")
    ratings: list[BotMeasurement] = Field(description="One for each budget that was measured.")
    budgets: list[float] = Field(description="Seconds a turn that it can have; empty if it has no budget.")
    default_budget: float | None


class OptionChoice(ApiMessage):
    """A choice of a rule option."""

    value: bool | int | float | str
    title: Text


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
    scale: Literal["people", "engine"] = Field(
        description="people: a level errs as people of that rating do. engine: as strong as an engine of it."
    )
    unit: Literal["share", "points"] = Field(
        description="Of losses a move: a share of a win, or the points of the game's score."
    )
    measured: list[LevelOffer]
    estimates: list[DialStep] = Field(
        description="Every step of the dial and the default, the weakest first."
    )


class RuleOption(ApiMessage):
    """An option of a game's rules."""

    name: str
    title: Text
    default: bool | int | float | str | None = Field(description="null if it depends on other options.")
    choices: list[OptionChoice] | None = Field(description="null where there is no fixed set.")


class ClockOffer(ApiMessage):
    """A usual clock."""

    text: str = Field(description="For `clock` of a new game.")
    title: Text


class GameOffer(GameTraits):
    """A game of the page."""

    name: str
    title: str
    sides: tuple[str, str]
    default_kind: str = Field(description="Kind of the default opponent: level, human, strength or bot.")
    levels: LevelScale | None = Field(description="Levels of strength; null if there are none.")
    ratings: RatingScale | None = Field(description="Of the human-like opponent; null if there is none.")
    has_human: bool
    adapts: bool = Field(description="Whether a level can follow the visitor's results.")
    can_make_persons: Text | None = Field(
        description="Why no person can be made of games (`/api/persons`); null if one can be."
    )
    persons: list[PersonOffer] = Field(description="Opponents that play like one person.")
    strengths: list[int]
    strength_seconds: list[float] = Field(
        default_factory=list,
        description="Seconds of a move of each of `strengths` on this machine, which a browser tab measures; "
        "empty if they were not measured.",
    )
    default_strength: int
    bots: list[BotOffer] = Field(description="The weakest first.")
    default_bot: str | None
    clocks: list[ClockOffer] = Field(
        description="The usual clocks, the shortest first; empty without clocks."
    )
    options: list[RuleOption]
    opening_styles: list[OptionChoice] = Field(
        description="Styles of the opening of a level or of people; empty if the game has none."
    )
    openings: list[OpeningOffer]
    handicaps: list[HandicapOffer]
    reads: list[str] = Field(description="Formats of games that can be opened.")
    writes: list[str] = Field(description="Formats that games are saved in.")
    rules: Text = Field(description="The rules in a few lines; empty for well-known games.")
    how_to_move: Text
    rating_scale: Text = Field(description="What a rating of an opponent means, in a sentence; may be empty.")


def catalogue(opponents: Opponents) -> list[GameOffer]:
    """All games. Persons are those that the user's folder has now."""
    return [
        offer.model_copy(
            update={"persons": _persons(offer.name), "levels": _timed(offer.name, offer.levels, opponents)}
        )
        for offer in _shipped(opponents)
    ]


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
        about_all = text_of(joined(about, learned(entry.measured)))
        offers.append(PersonOffer(name=entry.path.stem, title=entry.name, about=about_all))
    return offers


def _offer(description: GameDescription, opponents: Opponents) -> GameOffer:
    rules = load_game(description.name)
    bots = game_players(description.name).bots
    traits = game_traits(description)
    return GameOffer(
        **traits.model_dump(),
        name=description.name,
        title=rules.spec.title,
        sides=(rules.spec.players[0], rules.spec.players[1]),
        default_kind=default_kind(rules),
        levels=_levels(description.name),
        ratings=_ratings(description, opponents),
        adapts=_levels(description.name) is not None,
        can_make_persons=None if (reason := cannot_make(description.name)) is None else text_of(reason),
        persons=[],
        has_human=description.name in DEFAULT_RATING,
        strengths=list(STRENGTHS),
        default_strength=DEFAULT_STRENGTH,
        bots=[] if bots is None else _bots(description.name, bots),
        default_bot=None if bots is None else bots.for_beginners,
        clocks=[] if traits.hidden else _clocks(),
        options=list(_options(description)),
        opening_styles=[
            OptionChoice(value=name, title=text_of(style.title))
            for name, style in game_players(description.name).opening_styles.items()
        ],
        openings=opening_table(description.name).openings,
        handicaps=opening_table(description.name).handicaps,
        reads=formats(description.name),
        writes=written_formats(description.name),
        rules=text_of(description.rules_summary),
        how_to_move=text_of(description.how_to_move),
        rating_scale=text_of(description.rating_scale),
    )


_USUAL_CLOCKS = ("1", "3+2", "5+3", "10", "15+10", "10+3x30", "30+1x30")


@cache
def _clocks() -> list[ClockOffer]:
    return [ClockOffer(text=text, title=text_of(TimeControl.parse(text).title)) for text in _USUAL_CLOCKS]


def _levels(game: str) -> LevelScale | None:
    table = shipped_levels(game)
    if table is None:
        return None
    low, high = table.range
    rows = [
        LevelOffer(level=row.level, measured=row.measured, interval=row.interval, games=row.games)
        for row in table.levels
    ]
    default = table.default_level
    if table.has_names:
        steps = [row.level for row in table.levels]
    else:
        steps = [rank for rank in range(low, high + 1) if rank] if table.has_ranks else _dial(low, high)
    return LevelScale(
        word=_word("rank" if table.has_ranks else "rating"),
        step=1 if table.has_ranks or table.has_names else _LEVEL_STEP,
        names={str(step): table.text(step) for step in steps} if table.has_ranks or table.has_names else {},
        lowest=low,
        highest=high,
        default=default,
        family=table.family,
        scale=table.scale,
        measured=rows,
        unit="points" if table.has_ranks else "share",
        estimates=[_estimate(table, level) for level in sorted({*steps, default})],
    )


def _dial(low: int, high: int) -> list[int]:
    """The levels of the dial, the highest one included."""
    return sorted({*range(low, high, _LEVEL_STEP), high})


def _estimate(table: LevelTable, level: int) -> DialStep:
    known = table.estimate(level)
    rating, interval = (None, None) if known is None else known
    measured = any(
        row.level == level and (row.measured is not None or row.people_interval is not None)
        for row in table.levels
    )
    return DialStep(
        level=level,
        rating=rating,
        interval=interval,
        measured=measured,
        loss=_loss(table, level),
        seconds=None,
    )


def _loss(table: LevelTable, level: int) -> PeopleLoss | None:
    known = table.people_loss(level) if table.scale == "people" else None
    return None if known is None else PeopleLoss(level=known[0], people=known[1], interval=known[2])


def _timed(game: str, scale: LevelScale | None, opponents: Opponents) -> LevelScale | None:
    """The scale with the times of moves, as far as they are known."""
    table = shipped_levels(game)
    if scale is None or table is None:
        return scale
    estimates = [
        estimate.model_copy(update={"seconds": opponents.speeds.move_seconds(table, estimate.level)})
        for estimate in scale.estimates
    ]
    return scale.model_copy(update={"estimates": estimates})


def _bots(game: str, bots: Bots) -> list[BotOffer]:
    """The bots with their measured ratings, the weakest with its usual budget first; those without a rating
    come first."""
    table = bot_ratings(game)
    offers: list[tuple[float, BotOffer]] = []
    for name, about in bots.for_people.items():
        budgets = list(bots.budgets.get(name, ()))
        usual = budgets[len(budgets) // 2] if budgets else None
        measured: list[float | None] = [*budgets] if budgets else [None]
        ratings = [
            BotMeasurement(seconds=seconds, rating=row.rating, interval=row.interval, games=row.games)
            for seconds in measured
            if (row := table.get((name, seconds))) is not None
        ]
        rating = next((row.rating for row in ratings if row.seconds == usual), -math.inf)
        offer = BotOffer(
            name=name, about=text_of(about), ratings=ratings, budgets=budgets, default_budget=usual
        )
        offers.append((rating, offer))
    return [offer for _, offer in sorted(offers, key=lambda row: row[0])]


def _word(word: str) -> Text:
    return text_of({"rating": Sentence("rating"), "rank": Sentence("rank")}.get(word, word))


def _options(description: GameDescription) -> Iterator[RuleOption]:
    """The options of the rules: those that people choose first, in their order, then the others."""
    defaults: dict[str, Any] = {
        option.name: option.default for option in dataclasses.fields(description.rules)
    }
    for name, choice in description.rule_choices.items():
        default = defaults.pop(name, None) if choice.default is None else choice.default
        defaults.pop(name, None)
        choices = [OptionChoice(value=value, title=text_of(title)) for value, title in choice.choices]
        yield RuleOption(name=name, title=text_of(choice.title), default=default, choices=choices or None)
    for name, default in defaults.items():
        yield RuleOption(name=name, title=text_of(name), default=default, choices=None)


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
    weakest = None if description.people is None else description.people.weakest
    return RatingScale(word=_word(system.word), values=values, default=default, weakest=weakest)


WORDS = (
    Sentence("Black"),
    Sentence("Breakthrough"),
    Sentence("Chess"),
    Sentence("Expendibots"),
    Sentence("Go"),
    Sentence("Reconnaissance blind chess"),
    Sentence("Shogi"),
    Sentence("White"),
)
"""The titles and the sides of the shipped games, which stand in messages as they are. A page translates a
value of a `Text`, a title or a side if it is one of these."""
