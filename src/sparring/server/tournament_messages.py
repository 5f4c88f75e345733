"""Messages of tournaments."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sparring.server.messages import ApiMessage, BoardView, GameName, MoveView, OpponentChoice


class NewTournament(ApiMessage):
    """A request for a tournament."""

    game: GameName
    options: dict[str, bool | int | float | str] = Field(default_factory=dict, max_length=16)
    players: list[OpponentChoice] = Field(min_length=2, max_length=8)
    games: int = Field(default=20, ge=1, le=500, description="Number of all games.")
    format: Literal["round-robin", "gauntlet"] = Field(
        default="round-robin", description="gauntlet: the first player meets each other player."
    )
    concurrency: int = Field(default=4, ge=1, le=6, description="Games that are played at once.")
    pace: float = Field(default=0.3, ge=0, le=60, description="Seconds between two moves, at least.")
    seed: int | None = Field(
        default=None, ge=0, le=2**53 - 1, description="The same seed gives the same games."
    )


class TournamentSettings(ApiMessage):
    """All that decides which games are played. It is stored."""

    game: str
    options: dict[str, bool | int | float | str]
    players: list[OpponentChoice]
    names: list[str]
    about: list[str]
    games: int
    format: Literal["round-robin", "gauntlet"]
    concurrency: int
    pace: float
    seed: int
    created: float


class Participant(ApiMessage):
    """A player of a tournament."""

    name: str
    about: str


class StandingView(ApiMessage):
    """A line of the standings."""

    player: int = Field(description="Index of the player.")
    games: int
    wins: int
    draws: int
    losses: int
    score: float = Field(description="Points.")
    elo: float | None = Field(description="Rating; the mean of all players is 0. Null before the first game.")
    interval: tuple[float, float] | None = Field(description="95 % interval of the rating.")


class BoardOfGame(ApiMessage):
    """A game that is being played."""

    number: int
    first: int
    second: int
    ply: int
    position: str
    board: BoardView
    last: str | None = Field(description="Text of the last move; null if there is none.")


class FinishedGame(ApiMessage):
    """A game that was played."""

    number: int
    first: int
    second: int
    score: float = Field(description="Of the first player.")
    text: str = Field(description="How it ended.")
    plies: int


class TournamentView(ApiMessage):
    """A tournament so far."""

    id: str
    version: int = Field(description="Grows with every change, also over restarts.")
    game: str
    title: str
    sides: tuple[str, str]
    players: list[Participant]
    games: int
    done_games: int
    over: bool = Field(description="Whether no game is being played or will be, unless it is resumed.")
    stopped: bool = Field(description="Whether it was stopped before its last game.")
    error: str | None
    standings: list[StandingView] = Field(description="The best player first.")
    running: list[BoardOfGame]
    finished: list[FinishedGame] = Field(description="At most 50, the latest last.")


class TournamentSummary(ApiMessage):
    """A line in the list of tournaments."""

    id: str
    game: str
    title: str
    players: list[str]
    games: int
    done_games: int
    over: bool
    updated: float = Field(description="Unix time of the last change.")


class TournamentGame(ApiMessage):
    """A finished game with its moves."""

    number: int
    first: int
    second: int
    score: float
    text: str
    moves: list[MoveView]
    positions: list[str] = Field(description="Before the first move, and after each one.")
    boards: list[BoardView] = Field(description="The same as boards.")
