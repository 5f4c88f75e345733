"""The games: rules, notation, diagrams, encodings, and one description of each for the rest of the package.

`DESCRIPTIONS` is the only list of games. `docs/add-a-game.md` says how to add one.
"""

from __future__ import annotations

from typing import Any

from sparring.games import breakthrough, chess, expendibots, go, rbc, shogi
from sparring.games.breakthrough import Breakthrough
from sparring.games.chess import Chess
from sparring.games.description import EngineProtocol, GameDescription, NetworkLayout, resolve
from sparring.games.expendibots import Expendibots
from sparring.games.game import Game, HiddenGame, IllegalMove, Move, Outcome, ParseError, Spec
from sparring.games.go import Go
from sparring.games.ratings import RatingSystem
from sparring.games.rbc import Rbc
from sparring.games.shogi import Shogi

__all__ = [
    "DESCRIPTIONS",
    "GAMES",
    "PROTOCOL_GAMES",
    "Breakthrough",
    "Chess",
    "EngineProtocol",
    "Expendibots",
    "Game",
    "GameDescription",
    "Go",
    "HiddenGame",
    "IllegalMove",
    "Move",
    "NetworkLayout",
    "Outcome",
    "ParseError",
    "RatingSystem",
    "Rbc",
    "Shogi",
    "Spec",
    "describe",
    "describe_state",
    "game_of",
    "load_game",
    "move_name",
    "resolve",
]

DESCRIPTIONS: tuple[GameDescription, ...] = (
    chess.DESCRIPTION,
    rbc.DESCRIPTION,
    shogi.DESCRIPTION,
    go.DESCRIPTION,
    expendibots.DESCRIPTION,
    breakthrough.DESCRIPTION,
)
"""Every game of the package."""

GAMES: dict[str, type[Any]] = {each.name: each.rules for each in DESCRIPTIONS}
"""The rules by name. Each is a frozen dataclass whose fields are its options."""

PROTOCOL_GAMES: dict[EngineProtocol, str] = {
    each.engine.protocol: each.name for each in DESCRIPTIONS if each.engine is not None
}
"""The game that each engine protocol plays."""

_BY_NAME = {each.name: each for each in DESCRIPTIONS}


def describe(name: str) -> GameDescription:
    """The description of a game by its name. Raises ValueError where there is none."""
    if name not in _BY_NAME:
        raise ValueError(f"unknown game {name!r}; there are {', '.join(GAMES)}")
    return _BY_NAME[name]


def describe_state(state: object) -> GameDescription:
    """The description of the game that a native state belongs to. Raises TypeError."""
    for each in DESCRIPTIONS:
        if isinstance(state, each.state_class):
            return each
    raise TypeError(f"{type(state).__name__} is not a state of any game")


def load_game(name: str, **options: object) -> Game[Any]:
    """A game with rule options, such as `load_game("go", size=9)`.

    Raises ValueError for an unknown name, ParseError for options that do not go together.
    """
    game: Game[Any] = describe(name).rules(**options)
    return game


def game_of(state: object) -> Game[Any]:
    """The game that a native state belongs to, with the rules that the state carries. Raises TypeError."""
    game: Game[Any] = describe_state(state).rules.of(state)
    return game


def move_name(state: Any, move: Move) -> str:
    """A legal move as people write it, such as Nf3, P-7f or D4. `Game.parse_move` reads it."""
    display = describe_state(state).display_move
    return str(state.move_text(move)) if display is None else display(state, move)
