"""Messages of the Turing game."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sparring.server.messages import ApiMessage, BoardView


class TuringKitOffer(ApiMessage):
    """A collection of games to judge."""

    name: str
    title: str
    game: str
    games: int
    levels: list[int]


class CalledHuman(ApiMessage):
    """How often games of a source were called human."""

    called: int
    shown: int


class TuringScore(ApiMessage):
    """A visitor's verdicts so far."""

    answered: int
    right: int
    interval: tuple[float, float] | None = Field(
        description="95 % interval of the share of right verdicts; null before the first."
    )
    streak: int = Field(description="Right verdicts in a row, up to the last.")
    called_human: dict[str, CalledHuman] = Field(description="By source: people, engine, ours.")


class TuringOffer(ApiMessage):
    """The kits, and the visitor's score."""

    kits: list[TuringKitOffer]
    score: TuringScore


class TuringRequest(ApiMessage):
    """A request for a round."""

    kit: str | None = Field(default=None, max_length=32, description="Name of a kit; the first one without.")
    mode: Literal["pair", "single"] = Field(
        default="pair", description="pair: one game of people and one of a program. single: one of either."
    )
    level: int | None = Field(default=None, ge=-100, le=10_000, description="A level of the kit.")


class JudgedMove(ApiMessage):
    """A move of a game to judge."""

    text: str
    name: str
    seconds: float | None = Field(description="Time of the move; null if unknown.")


class JudgedGame(ApiMessage):
    """A game to judge."""

    players_about: str
    start: str | None = Field(description="The first position; null for the usual one.")
    moves: list[JudgedMove]
    positions: list[str] = Field(description="Before the first move, and after each one.")
    boards: list[BoardView] = Field(description="The same as boards, where positions are not FEN or SFEN.")
    result: str


class TuringRound(ApiMessage):
    """Games to judge. Who played is told after the verdict."""

    id: str
    game: str
    mode: Literal["pair", "single"]
    level: int
    sides: tuple[str, str]
    games: list[JudgedGame]


class TuringAnswer(ApiMessage):
    """A verdict."""

    human: Literal[0, 1] = Field(
        description="pair: the number of the game that people played. single: 1 for people, 0 for a program."
    )


class TuringVerdict(ApiMessage):
    """Who played."""

    right: bool
    sources: list[str] = Field(description="Of each game: people, engine or ours.")
    about: list[str]
    score: TuringScore
