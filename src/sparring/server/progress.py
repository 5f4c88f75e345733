"""A person's progress: the level over time, where points are lost, and the openings that they play.

The level comes from the results of games against our levels. What reviews of a person's own games found is
kept in the database, one row a game.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal, TypeAlias

from fastapi import APIRouter, Path
from pydantic import Field

from sparring.base.sentences import Sentence
from sparring.games import GAMES, Game, describe
from sparring.players.adaptive import OpponentResult, StrengthEstimate, strength_course
from sparring.players.player_config import results_scale, shipped_levels
from sparring.records import Termination
from sparring.server.messages import ApiMessage, OpponentChoice
from sparring.server.page_game import GameSettings, low_seconds
from sparring.server.refusal import REFUSALS, Refused
from sparring.server.review import ReviewedMove
from sparring.server.routes import Host, Visitor
from sparring.server.store import OWN, Database, StoredGame, parse_ending

_STEP = 10
"""Levels are multiples of it."""
_RARE = 0.05
"""A move that fewer people of this rating play leaves what people play."""
_OPENINGS = 12
"""Openings that are shown."""

PHASES: tuple[Phase, ...] = ("opening", "middle", "ending")
Phase: TypeAlias = Literal["opening", "middle", "ending"]


# The level, by the results against our levels.


@dataclass(frozen=True)
class LevelGame:
    """A finished game against one of our levels."""

    played: float
    """Unix time of its beginning."""
    level: int
    score: float


def level_games(database: Database, visitor: str, game: str) -> list[LevelGame]:
    """A visitor's finished games against levels, the oldest first. Games that began with a given position do
    not count: they were not even."""
    rows = database.read(
        f"SELECT settings, ending, created FROM games WHERE {OWN} AND ending IS NOT NULL AND"
        " json_valid(settings) AND json_extract(settings, '$.game') = :game AND"
        " json_extract(settings, '$.you') IS NOT NULL AND json_extract(settings, '$.position') IS NULL"
        " ORDER BY created",
        {"visitor": visitor, "game": game},
    )
    games = []
    for text, ending, created in rows:
        settings, end = GameSettings.from_json(text), parse_ending(ending)
        assert settings.you is not None, "the query asks for it"
        opponent = settings.opponent_of(1 - settings.you)
        score = None if end is None else end.score(settings.you)
        counts = opponent.kind == "level" and opponent.scale == results_scale(game, opponent.scale)
        if counts and opponent.level is not None and score is not None:
            games.append(LevelGame(created, opponent.level, score))
    return games


def level_course(games: Sequence[LevelGame]) -> list[StrengthEstimate]:
    """The level after each game. As for opponents whose level adapts, the first level is the prior."""
    results = [OpponentResult(game.level, game.score) for game in games]
    return strength_course(results, float(games[0].level)) if games else []


def opponent_of_my_level(database: Database, visitor: str, game: str) -> OpponentChoice:
    """An opponent as strong as the visitor by the results so far; of the default level without results. In
    games without levels the default opponent."""
    scale = results_scale(game)
    table = shipped_levels(game, scale)
    course = [] if table is None else level_course(level_games(database, visitor, game))
    if table is None or not course:
        return OpponentChoice()
    low, high = table.range
    level = min(max(round(course[-1].mean / _STEP) * _STEP, low), high)
    return OpponentChoice(kind="level", level=level, scale=scale)


# What a review found of a game.


@dataclass(frozen=True)
class Finding:
    """What a review found of one side of a game."""

    phases: list[tuple[int, float]]
    """Of the opening, the middle game and the ending: judged moves, and what they gave away together."""
    hurried: tuple[int, float] | None
    """The same of the moves after which the clock was low; None without a clock."""
    score: float | None
    lost_on_time: bool
    opening: str | None
    eco: str | None
    left: tuple[int, str, str, float] | None
    """(ply, move, the usual move, share of people who play the move): the first own move of the opening that
    few people play."""


def finding_of(
    rules: Game[Any],
    states: Sequence[Any],
    moves: Sequence[ReviewedMove],
    side: int,
    score: float | None,
    stored: StoredGame | None,
) -> Finding:
    """What a review found of a side. `stored` is the game on the page, which knows the clocks."""
    description = describe(rules.spec.name)
    phases = [[0, 0.0] for _ in PHASES]
    low = None if stored is None or stored.settings.clock is None else low_seconds(stored.settings.clock)
    hurried: list[float] = [0, 0.0]
    left = None
    for index, (state, move) in enumerate(zip(states, moves, strict=False)):
        if move.player != side:
            continue
        phase = description.phases.index(state, state.ply)
        if move.loss is not None:
            phases[phase][0] += 1
            phases[phase][1] += move.loss
            seconds = stored.moves[index].left if stored is not None and index < len(stored.moves) else None
            if low is not None and seconds is not None and seconds < low:
                hurried[0] += 1
                hurried[1] += move.loss
        if left is None and phase == 0 and move.likely < _RARE:
            left = (state.ply, move.name, move.expected_name, move.likely)
    tags = {} if description.opening_tags is None else description.opening_tags(states[-1])
    end = None if stored is None else stored.end
    return Finding(
        phases=[(int(count), round(loss, 4)) for count, loss in phases],
        hurried=None if low is None else (int(hurried[0]), round(hurried[1], 4)),
        score=score if end is None else end.score(side),
        lost_on_time=end is not None and end.termination is Termination.TIME and end.score(side) == 0,
        opening=tags.get("Opening"),
        eco=tags.get("ECO"),
        left=left,
    )


def keep_finding(database: Database, visitor: str, game: str, key: str, finding: Finding) -> None:
    """Stores what a review found; a later review of the same game replaces it."""
    values = (visitor, key, game, json.dumps(asdict(finding)), time.time())

    def work(file: sqlite3.Connection) -> None:
        file.execute("INSERT OR REPLACE INTO reviewed_games VALUES (?, ?, ?, ?, ?)", values)

    database.write(work)


def findings(database: Database, visitor: str, game: str) -> Iterator[Finding]:
    """What the reviews of a visitor's games found, the oldest first."""
    rows = database.read(
        f"SELECT finding FROM reviewed_games WHERE {OWN} AND game = :game ORDER BY reviewed",
        {"visitor": visitor, "game": game},
    )
    for (text,) in rows:
        table = json.loads(text)
        left = table.pop("left")
        yield Finding(left=None if left is None else tuple(left), **table)


# Messages.


class LevelPoint(ApiMessage):
    """The level after a game."""

    played: float = Field(description="Unix time of the game.")
    level: int = Field(description="Level of the opponent.")
    score: float
    rating: float = Field(description="Your level by the games up to this one.")
    interval: tuple[float, float] = Field(description="95 % interval.")


class LossView(ApiMessage):
    """What moves of a kind gave away."""

    moves: int
    loss: float = Field(description="Expected score that they gave away, on average a game.")


class LeftView(ApiMessage):
    """The first move of an opening that few people play."""

    ply: int
    move: str
    usual: str = Field(description="The move that people of this rating play most.")
    likely: float = Field(description="Share of them who play your move.")


class OpeningView(ApiMessage):
    """An opening in reviewed games."""

    name: str
    eco: str | None
    games: int
    score: float | None = Field(description="Your average score; null where no result is known.")
    left: LeftView | None = Field(description="Where you left what people play, most often.")
    left_games: int = Field(description="Games in which you did so with this move.")


class ProgressView(ApiMessage):
    """A person's progress in a game."""

    game: str
    course: list[LevelPoint] = Field(description="By finished games against levels, the oldest first.")
    reviewed: int = Field(description="Reviewed games of yours.")
    phases: dict[Phase, LossView]
    hurried: LossView | None = Field(
        description="Moves after which the clock was low; null without reviewed games with a clock."
    )
    timed: int = Field(description="Reviewed games with a clock.")
    lost_on_time: int
    openings: list[OpeningView]


def progress_view(database: Database, visitor: str, game: str) -> ProgressView:
    """The progress of a visitor in a game. Raises Refused for an unknown one."""
    if game not in GAMES:
        raise Refused(
            Sentence("There is no game {game}: choose {games}.", game=game, games=", ".join(GAMES)), 422
        )
    played = level_games(database, visitor, game)
    reviewed = list(findings(database, visitor, game))
    timed = [finding.hurried for finding in reviewed if finding.hurried is not None]
    return ProgressView(
        game=game,
        course=[
            LevelPoint(
                played=entry.played,
                level=entry.level,
                score=entry.score,
                rating=round(estimate.mean, 1),
                interval=(round(estimate.low, 1), round(estimate.high, 1)),
            )
            for entry, estimate in zip(played, level_course(played), strict=True)
        ],
        reviewed=len(reviewed),
        phases={
            phase: _loss([finding.phases[number] for finding in reviewed], len(reviewed))
            for number, phase in enumerate(PHASES)
        },
        hurried=_loss(timed, len(timed)) if timed else None,
        timed=len(timed),
        lost_on_time=sum(finding.lost_on_time for finding in reviewed),
        openings=_openings(reviewed),
    )


def _loss(parts: Sequence[tuple[int, float]], games: int) -> LossView:
    lost = sum(loss for _, loss in parts)
    return LossView(moves=sum(moves for moves, _ in parts), loss=round(lost / max(1, games), 4))


def _openings(reviewed: Sequence[Finding]) -> list[OpeningView]:
    by_name: Mapping[str, list[Finding]] = defaultdict(list)
    for finding in reviewed:
        if finding.opening is not None:
            by_name[finding.opening].append(finding)
    ranked = sorted(by_name.items(), key=lambda item: -len(item[1]))[:_OPENINGS]
    return [_opening(name, games) for name, games in ranked]


def _opening(name: str, games: Sequence[Finding]) -> OpeningView:
    scores = [finding.score for finding in games if finding.score is not None]
    lefts = [finding.left for finding in games if finding.left is not None]
    left, count = None, 0
    if lefts:
        ((most, count),) = Counter(left[:2] for left in lefts).most_common(1)
        ply, name_, usual, likely = next(left for left in lefts if left[:2] == most)
        left = LeftView(ply=ply, move=name_, usual=usual, likely=likely)
    return OpeningView(
        name=name,
        eco=games[0].eco,
        games=len(games),
        score=round(sum(scores) / len(scores), 4) if scores else None,
        left=left,
        left_games=count,
    )


# The route.


router = APIRouter(prefix="/api", tags=["progress"], responses=REFUSALS)


@router.get("/progress/{game}")
async def get_progress(
    game: Annotated[str, Path(max_length=32)], host: Host, visitor: Visitor
) -> ProgressView:
    """Your level over time, where you lose points, and your openings."""
    return await host.run(progress_view, host.store.database, visitor, game)
