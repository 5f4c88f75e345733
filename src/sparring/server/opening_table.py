"""Openings and handicaps that the page offers, from the files of the package."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from typing import Any

from pydantic import Field

from sparring import data
from sparring.games import Game, load_game
from sparring.server.messages import ApiMessage


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
