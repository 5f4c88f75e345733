"""The games: rules, text, pictures and encodings behind one small surface."""

from __future__ import annotations

from typing import Any

from sparring.games.breakthrough import Breakthrough
from sparring.games.chess import Chess
from sparring.games.expendibots import Expendibots
from sparring.games.game import Game, HiddenGame, IllegalMove, Move, Outcome, ParseError, Spec
from sparring.games.go import Go
from sparring.games.rbc import Rbc
from sparring.games.shogi import Shogi

__all__ = [
    "GAMES",
    "Breakthrough",
    "Chess",
    "Expendibots",
    "Game",
    "Go",
    "HiddenGame",
    "IllegalMove",
    "Move",
    "Outcome",
    "ParseError",
    "Rbc",
    "Shogi",
    "Spec",
    "game_of",
    "load",
]

GAMES: dict[str, type[Any]] = {
    "chess": Chess,
    "rbc": Rbc,
    "shogi": Shogi,
    "go": Go,
    "expendibots": Expendibots,
    "breakthrough": Breakthrough,
}
"""Every game by name. Each is a frozen dataclass whose fields are its options."""


def load(name: str, **options: object) -> Game[Any]:
    """The game of that name with the given options, such as `load("go", size=9)`."""
    if name not in GAMES:
        raise ValueError(f"unknown game {name!r}; there are {', '.join(GAMES)}")
    game: Game[Any] = GAMES[name](**options)
    return game


def game_of(state: object) -> Game[Any]:
    """The game that a native state belongs to, by the rules that the state carries."""
    for kind in GAMES.values():
        if isinstance(state, kind.state_type):
            game: Game[Any] = kind.of(state)
            return game
    raise TypeError(f"{type(state).__name__} is not a state of any game")
