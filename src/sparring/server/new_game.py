"""What a new game begins with: its settings, and the moves of a record or an opening."""

from __future__ import annotations

import dataclasses
import secrets
import time
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
from pydantic import Field

from sparring import data
from sparring.base.sentences import Sentence
from sparring.games import Game, IllegalMove, ParseError, describe, load_game
from sparring.networks import Position
from sparring.server.messages import ApiMessage, NewGame, OpponentChoice
from sparring.server.opponents import Opponents
from sparring.server.page_game import GameSettings, time_control
from sparring.server.pasted import read_record
from sparring.server.refusal import Refused, message_of

# Openings and handicaps that the page offers, from the files of the package.


class OpeningOffer(ApiMessage):
    """A named opening."""

    name: str
    title: str
    moves: list[str] = Field(description="In the protocol's notation, for `opening` of a new game.")
    options: dict[str, bool | int | float | str] = Field(
        default_factory=dict, description="Options of the rules that it needs, such as the board size."
    )


class HandicapOffer(ApiMessage):
    """A handicap: a position, or options of the rules."""

    name: str
    title: str
    position: str | None = None
    options: dict[str, bool | int | float | str] = Field(default_factory=dict)
    giver: int = Field(description="The side that gives the handicap.")


class OpeningTable(ApiMessage):
    """The openings and handicaps of a game."""

    openings: list[OpeningOffer] = Field(default_factory=list)
    handicaps: list[HandicapOffer] = Field(default_factory=list)


@cache
def opening_table(game: str) -> OpeningTable:
    """The table of a game; empty if it has none."""
    if game not in data.names("openings"):
        return OpeningTable()
    table = tomllib.loads(data.path("openings", game).read_text(encoding="utf-8"))
    for row in table["openings"]:
        rules = load_game(game, **row.get("options", {}))
        row["moves"] = list(protocol_moves(rules, rules.initial(), row["moves"].split()))
    return OpeningTable(**table)


def protocol_moves(rules: Game[Any], state: Any, moves: list[str]) -> Iterator[str]:
    """Moves from a state in the protocol's notation. Raises ParseError or IllegalMove."""
    for text in moves:
        move = rules.parse_move(state, text)
        yield rules.move_text(state, move)
        state = rules.play(state, move)


_PEOPLE_STREAM = 7
"""Part of the seed of people's openings, so that players draw from other random numbers."""


def _spelled_out(wanted: NewGame) -> NewGame:
    """The request with the options of a rule set in place of its name. Raises ParseError or TypeError."""
    by_rules = describe(wanted.game).rule_sets
    if by_rules is None or "rules" not in wanted.options:
        return wanted
    options = dict(wanted.options)
    rules = by_rules(str(options.pop("rules"))[:40], **options)
    plain = {option.name: getattr(rules, option.name) for option in dataclasses.fields(rules)}
    return wanted.model_copy(update={"options": plain})


def plan_game(wanted: NewGame, opponents: Opponents) -> tuple[GameSettings, list[str], str | None]:
    """The settings of a new game, the moves that are played before it begins, and a sentence on what could
    not be read of its record, if anything. Raises Refused."""
    if wanted.record is not None and wanted.opening:
        raise Refused(Sentence("Give an opening or a record, not both."), 422)
    try:
        wanted = _spelled_out(wanted)
        rules = load_game(wanted.game, **wanted.options)
        position, moves, warning = read_record(rules, wanted)
        start = rules.initial() if position is None else rules.parse(position)
        moves = list(protocol_moves(rules, start, [*moves, *wanted.opening]))
        state = _after(rules, start, moves)
    except (ParseError, IllegalMove, ValueError, TypeError) as error:
        raise Refused(message_of(error), 422) from None
    if wanted.second_opponent is not None and wanted.second_opponent.adapt:
        raise Refused(Sentence("The level adapts to a person, who must play."), 422)
    if rules.outcome(state) is not None:
        raise Refused(Sentence("The game is over in this position."), 422)
    if rules.spec.hidden and (position is not None or moves or wanted.people_plies):
        raise Refused(Sentence("{game} begins with its initial position.", game=rules.spec.title), 422)
    own_rating = None if wanted.you is None else _own_rating(wanted)
    first = opponents.complete(rules, wanted.opponent)
    second = opponents.complete(rules, wanted.second_opponent or wanted.opponent)
    settings = GameSettings(
        game=wanted.game,
        you=wanted.you,
        opponents=(first, second) if wanted.you is None else (first, first),
        seed=secrets.randbelow(2**53) if wanted.seed is None else wanted.seed,
        created=time.time(),
        options=wanted.options,
        position=position,
        clock=time_control(wanted.clock),
        pace=wanted.pace if wanted.you is None else 0.0,
        resigns=wanted.resigns,
        your_name="" if wanted.you is None else wanted.your_name.strip(),
        your_rating=own_rating,
    ).with_versions()
    if wanted.people_plies:
        rng = np.random.default_rng([settings.seed, _PEOPLE_STREAM])
        moves += people_moves(rules, state, wanted.people_plies, first, opponents, rng)
    return settings, moves, warning


def _own_rating(wanted: NewGame) -> int | None:
    """The person's rating or rank as a number; None if it was not given. Raises Refused."""
    given, system = wanted.your_rating, describe(wanted.game).ratings
    if given is None:
        return None
    if (number := system.number(given)) is None:
        raise Refused(
            Sentence(
                "A {word} in {game} is from {low} to {high}, not '{given}'.",
                word=system.word,
                game=wanted.game,
                low=system.format(system.lowest),
                high=system.format(system.highest),
                given=str(given),
            ),
            422,
        )
    return number


def _after(rules: Game[Any], state: Any, moves: list[str]) -> Any:
    for text in moves:
        state = rules.play(state, rules.parse_move(state, text))
    return state


def people_moves(
    rules: Game[Any],
    state: Any,
    plies: int,
    opponent: OpponentChoice,
    opponents: Opponents,
    rng: np.random.Generator,
) -> list[str]:
    """Moves from a state, drawn from people of an opponent's rating. Raises Refused."""
    policy = opponents.people(rules.spec.name)
    rating = opponents.people_rating(rules.spec.name, opponent)

    def draw(state: Any) -> Any:
        (prediction,) = policy.predict([Position(state, rating, rating)])
        shares = prediction.probabilities.astype(np.float64)
        return prediction.moves[int(rng.choice(len(shares), p=shares / shares.sum()))]

    return opening_moves(rules, state, plies, draw)


def opening_moves(rules: Game[Any], state: Any, plies: int, choose: Callable[[Any], Any]) -> list[str]:
    """At most so many moves from a state, chosen one by one; a move that would end the game is not played."""
    moves: list[str] = []
    for _ in range(plies):
        move = choose(state)
        following = rules.play(state, move)
        if rules.outcome(following) is not None:
            break
        moves.append(rules.move_text(state, move))
        state = following
    return moves
