"""The registry of games: the folders of this package that are games, and the games of other packages.

A folder of `sparring` with a module `plugin.py` is a game; the module's `DESCRIPTION` describes it. Another
package adds a game by an entry point of the group "sparring.games", whose name is the game's and whose object
is its `GameDescription` (docs/add-a-game.md).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sparring
from sparring.base.errors import BadConfig
from sparring.games.description import EngineProtocol, GameDescription

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from sparring.games.game import Game, Move

GROUP = "sparring.games"
"""Group of the entry points by which other packages add games."""


class GameRegistry(Mapping[str, GameDescription]):
    """The descriptions by name, in the order in which lists show the games.

    A lookup imports the plug-in of that game only. A listing imports all plug-ins, but no game's rules; a
    plug-in of another package that cannot be loaded is left out with a warning.
    """

    def __init__(self) -> None:
        self._loaded: dict[str, GameDescription] = {}

    def __getitem__(self, name: str) -> GameDescription:
        """The description of a game. Raises KeyError where there is none, BadConfig."""
        if name not in self._loaded:
            if name in self._folders:
                module = import_module(f"sparring.{name}.plugin")
                self._loaded[name] = _checked(name, module.DESCRIPTION, f"sparring.{name}")
            else:
                self._loaded[name] = _load(self._entry_points[name])
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed())

    def __len__(self) -> int:
        return len(self._listed())

    def __contains__(self, name: object) -> bool:
        return name in self._loaded or name in self._folders or name in self._entry_points

    @cached_property
    def _folders(self) -> frozenset[str]:
        return frozenset(
            path.parent.name for folder in sparring.__path__ for path in Path(folder).glob("*/plugin.py")
        )

    @cached_property
    def _entry_points(self) -> dict[str, EntryPoint]:
        from importlib.metadata import entry_points  # takes as long as everything else here

        return {point.name: point for point in entry_points(group=GROUP) if point.name not in self._folders}

    def _listed(self) -> list[str]:
        for name in (*self._folders, *self._entry_points):
            try:
                self[name]
            except BadConfig as error:
                warnings.warn(str(error), stacklevel=3)
        return sorted(self._loaded, key=lambda name: (self._loaded[name].order, name))


def _load(point: EntryPoint) -> GameDescription:
    source = point.value if point.dist is None else f"{point.value} of the package {point.dist.name}"
    try:
        made = point.load()
    except Exception as error:  # another package's code may raise anything
        raise BadConfig(f"the game {point.name!r} ({source}) cannot be loaded: {error}") from error
    return _checked(point.name, made, source)


def _checked(name: str, made: object, source: str) -> GameDescription:
    if not isinstance(made, GameDescription):
        raise BadConfig(f"the game {name!r} ({source}) is a {type(made).__name__}, not a GameDescription")
    if made.name != name:
        raise BadConfig(f"the game {name!r} ({source}) describes itself as {made.name!r}")
    return made


GAMES: GameRegistry = GameRegistry()
"""Every game by name."""


def describe(name: str) -> GameDescription:
    """The description of a game by its name. Raises ValueError where there is none."""
    try:
        return GAMES[name]
    except KeyError:
        raise ValueError(f"unknown game {name!r}; there are {', '.join(GAMES)}") from None


def describe_state(state: object) -> GameDescription:
    """The description of the game that a state belongs to. Raises TypeError."""
    for description in GAMES.values():
        if isinstance(state, description.state_class):
            return description
    raise TypeError(f"{type(state).__name__} is not a state of any game")


def load_game(name: str, **options: object) -> Game[Any]:
    """A game with rule options, such as `load_game("go", size=9)`.

    Raises ValueError for an unknown name, ParseError for options that do not go together.
    """
    game: Game[Any] = describe(name).rules(**options)
    return game


def game_of(state: object) -> Game[Any]:
    """The game that a state belongs to, with the rules that the state carries. Raises TypeError."""
    game: Game[Any] = describe_state(state).rules.of(state)
    return game


def move_name(state: Any, move: Move) -> str:
    """A legal move as people write it, such as Nf3, P-7f or D4. `Game.parse_move` reads it."""
    display = describe_state(state).display_move
    return str(state.move_text(move)) if display is None else display(state, move)


def protocol_games() -> dict[EngineProtocol, str]:
    """The game that each engine protocol plays."""
    return {
        description.engine.protocol: name
        for name, description in GAMES.items()
        if description.engine is not None
    }
