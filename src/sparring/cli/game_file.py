"""Files of games that were played in the terminal: PGN, SGF, KIF, CSA, a referee's log or JSON."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from sparring.cli.errors import UserError
from sparring.games import Game
from sparring.records.played_game import EndOfGame, GameFacts
from sparring.records.readers import written_formats
from sparring.storage import atomic_write


@dataclass
class GameFile:
    """Saves one game: to a file that the person names, or to a new one in the folder of saved games."""

    game: Game[Any]
    players: tuple[str, str]
    """Names of player 0 and player 1."""
    ratings: tuple[int | None, int | None]
    folder: Path
    """Where games are saved by default."""
    time_control: str | None = None
    started: datetime.datetime = datetime.datetime.min
    path: Path | None = None
    """The file that this game was saved to last."""
    _saved_text: str | None = None
    """What that file has."""

    def save(self, state: Any, end: EndOfGame, clocks: Sequence[float], path: Path | None = None) -> Path:
        """Writes the game up to `state` and returns the file. `clocks`: seconds left after each move.

        The suffix of `path` chooses the format. Raises UserError for a suffix without a format of the game,
        for another game's file, and if the file cannot be written.
        """
        try:
            path = self._new_path() if path is None else expand_user(path)
            text = self.text(state, end, clocks, path)
            if path.exists() and path != self.path:
                raise UserError(f"{path} exists already: choose another name")
            atomic_write(path, text)
        except (OSError, ValueError) as error:
            raise UserError(f"{path or self.folder} cannot be written: {_reason(error)}") from None
        self.path, self._saved_text = path, text
        return path

    def text(self, state: Any, end: EndOfGame, clocks: Sequence[float], path: Path | None = None) -> str:
        """The game as a file has it: in the format of the suffix of `path`, else in the game's first format.

        Raises UserError for a suffix that the game has no format for.
        """
        name = self.game.spec.name
        known = written_formats(name)
        suffix = known[0] if path is None else path.suffix.removeprefix(".").lower()
        if suffix not in known:
            raise UserError(f"'{path}' needs one of these endings: .{', .'.join(known)}")
        played = GameFacts(
            self.game, self.players, self.ratings, self.started, "A game in the terminal", self.time_control
        )
        return played.text(state, end, clocks, suffix)

    def is_saved(self, state: Any, end: EndOfGame, clocks: Sequence[float]) -> bool:
        """Whether the file has this game, move by move: after `undo` another game may be as long."""
        return self.path is not None and self._saved_text == self.text(state, end, clocks, self.path)

    def _new_path(self) -> Path:
        """A file that does not exist, named after the game and the time of its start."""
        if self.path is not None and self.path.parent == self.folder:
            return self.path
        stem = f"{self.game.spec.name}-{self.started:%Y-%m-%d-%H%M%S}"
        suffix = written_formats(self.game.spec.name)[0]
        path, number = self.folder / f"{stem}.{suffix}", 1
        while path.exists():
            number += 1
            path = self.folder / f"{stem}-{number}.{suffix}"
        return path


def expand_user(path: Path) -> Path:
    """The path with ~ replaced by the person's home; as it is if there is no such home."""
    try:
        return path.expanduser()
    except RuntimeError:
        return path


def check_writable(path: Path) -> None:
    """Raises UserError if no file can be created at `path`, whose folders need not exist yet."""
    folder = path.parent
    try:
        path.exists()  # raises OSError for a name that is too long
        while not folder.exists():
            folder = folder.parent
        with TemporaryFile(dir=folder):
            pass
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be written: {_reason(error)} ({folder})") from None


def _reason(error: OSError | ValueError) -> str:
    """Why a file could not be written, in a few words."""
    match error:
        case FileExistsError() | NotADirectoryError():
            return "a part of its path is a file, not a folder"
        case FileNotFoundError():
            return "its folder cannot be created"
        case OSError(strerror=str(text)):
            return text.lower()
        case _:
            return str(error)
