"""What every game in the terminal needs: the console, typed lines, commands, and the file of the game."""

from __future__ import annotations

import contextlib
import datetime
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from itertools import chain, count
from pathlib import Path
from tempfile import TemporaryFile
from threading import Timer
from typing import Any

from rich.console import Console
from rich.text import Text

from sparring.base.errors import UserError
from sparring.base.storage import atomic_write
from sparring.cli.console import exiting_on_termination, foreign, make_console, visible
from sparring.games import Game, describe
from sparring.games.diagrams import BoardPart, Diagram, coloured_lines, marked_lines
from sparring.networks.store import user_data_folder
from sparring.play.game import LiveGame
from sparring.play.result import PlayedRecord
from sparring.players import TimeControl
from sparring.players.player import RandomSeed
from sparring.records.readers import written_formats

# Boards in the terminal: in colours that are right on dark and on light backgrounds, or in letters.


# The board paints its own background, so that the terminal's does not matter. White and black stand out on
# each of these colours (contrast of at least 3 to 1).
SQUARES = {
    "checkered": ("color(137)", "color(94)"),
    "grid": ("color(137)", "color(137)"),
    "points": ("color(137)", "color(137)"),
}
"""Colours of light and dark squares by the style of the board."""
LAST_MOVE = "color(64)"
LIGHT, DARK = "color(231)", "color(16)"


def board_text(console: Console, diagram: Diagram, *, letters: bool = False) -> Text:
    """The board as the console can show it. `letters` replaces pictures and kanji by Latin letters."""
    if letters and diagram.letters is not None:
        diagram = diagram.letters()
    if has_colours(console):
        lines = [
            Text.assemble(*(_painted(diagram, part) for part in line))
            for line in coloured_lines(diagram, not letters)
        ]
    else:
        lines = [Text(line) for line in marked_lines(diagram)]
    above, below = ([Text(text)] if text else [] for text in (diagram.above, diagram.below))
    return Text("\n").join([*above, *lines, *below])


def has_colours(console: Console) -> bool:
    """Whether the console shows at least 256 colours. It does not in files, with NO_COLOR or TERM=dumb."""
    return console.is_terminal and not console.no_color and console.color_system in ("256", "truecolor")


def _painted(diagram: Diagram, part: BoardPart) -> tuple[str, str]:
    """A part's text and style. Empty squares of a checkered board need no dot."""
    if part.square is None:
        return part.text, ""
    is_checkered = diagram.style == "checkered"
    is_last = part.square in diagram.highlights
    background = LAST_MOVE if is_last else SQUARES[diagram.style][sum(part.square) % 2]
    if part.owner is None:
        return part.text.replace(diagram.empty, " ") if is_checkered else part.text, f"{DARK} on {background}"
    # Player 0 is White, except where the boards are not checkered: Black begins in Go and shogi.
    ink = LIGHT if (part.owner == 0) == is_checkered else DARK
    return part.text, f"bold {ink} on {background}"


def has_pictures(diagram: Diagram) -> bool:
    """Whether pieces are shown as pictures or kanji, which letters can replace. Stones need no letters."""
    pieces = (piece for row in diagram.cells for piece in row if piece is not None)
    return diagram.letters is not None or any(piece.glyph and piece.shape != "stone" for piece in pieces)


# Lines that a person types: editing, history and completion through readline.


# It is not part of Python on every system.
readline: Any = import_module("readline") if find_spec("readline") else None

_HISTORY_LINES = 1000


class EndOfInput(Exception):
    """There is no more input: end of file, or a closed terminal."""


class LineInput:
    """Reads lines. A history file makes earlier lines of this and of other games available."""

    def __init__(self, history: Path | None = None) -> None:
        self._history = history
        self._words: Sequence[str] = ()
        if readline is not None and sys.stdin is not None and sys.stdin.isatty():
            readline.set_completer(self._complete)
            readline.set_completer_delims(" ")
            readline.parse_and_bind("tab: complete")
            if history is not None:
                with contextlib.suppress(OSError):
                    readline.read_history_file(str(history))

    def read(self, prompt: str, words: Sequence[str] = ()) -> str:
        """Reads a line without the spaces around it; Tab completes `words`. Raises EndOfInput."""
        self._words = words
        try:
            return input(prompt).strip()
        except UnicodeDecodeError:
            return "?!"  # bytes that are no text: no command and no move
        except (EOFError, OSError, RuntimeError, ValueError) as error:  # the last three: input is closed
            if isinstance(error, EOFError):
                print()
            raise EndOfInput from None

    def close(self) -> None:
        """Saves the history. A folder that cannot be written is no error."""
        if self._history is not None and readline is not None and readline.get_current_history_length():
            with contextlib.suppress(OSError):
                self._history.parent.mkdir(parents=True, exist_ok=True)
                readline.set_history_length(_HISTORY_LINES)
                readline.write_history_file(str(self._history))

    def _complete(self, text: str, index: int) -> str | None:
        matches = [word for word in self._words if word.lower().startswith(text.lower())]
        return matches[index] if index < len(matches) else None


# Files of games that were played in the terminal: PGN, SGF, KIF, CSA, a referee's log or JSON.


class GameFile:
    """Saves one game: to a file that the person names, or to a new one in the folder of saved games."""

    def __init__(self, game: str, folder: Path, started: datetime.datetime) -> None:
        """`folder` is where games are saved by default."""
        self.folder = folder
        self.path: Path | None = None
        """The file that this game was saved to last."""
        self._game, self._started = game, started
        self._saved_text: str | None = None
        """What that file has."""

    def save(self, record: PlayedRecord, path: Path | None = None) -> Path:
        """Writes the game so far and returns the file.

        The suffix of `path` chooses the format. Raises UserError for a suffix without a format of the game,
        for another game's file, and if the file cannot be written.
        """
        try:
            path = self._new_path() if path is None else expand_user(path)
            text = self._text(record, path)
            if path.exists() and path != self.path:
                raise UserError(f"{path} exists already: choose another name")
            atomic_write(path, text)
        except (OSError, ValueError) as error:
            raise UserError(f"{path or self.folder} cannot be written: {_reason(error)}") from None
        self.path, self._saved_text = path, text
        return path

    def is_saved(self, record: PlayedRecord) -> bool:
        """Whether the file has this game, move by move: after `undo` another game may be as long."""
        return self.path is not None and self._saved_text == self._text(record, self.path)

    def _text(self, record: PlayedRecord, path: Path) -> str:
        """The game in the format of the suffix of a path. Raises UserError if the game has no such format."""
        formats = written_formats(self._game)
        suffix = path.suffix.removeprefix(".").lower()
        if suffix not in formats:
            raise UserError(f"'{path}' needs one of these endings: .{', .'.join(formats)}")
        return record.text(suffix)

    def _new_path(self) -> Path:
        """A file that does not exist, named after the game and the time of its start."""
        if self.path is not None and self.path.parent == self.folder:
            return self.path
        stem = f"{self._game}-{self._started:%Y-%m-%d-%H%M%S}"
        suffix = written_formats(self._game)[0]
        names = chain([stem], (f"{stem}-{number}" for number in count(2)))
        return next(path for name in names if not (path := self.folder / f"{name}.{suffix}").exists())


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


ALIASES = dict.fromkeys(("?", "h", "-h", "--help"), "help") | dict.fromkeys(("exit", "q", "bye"), "quit")
"""Other spellings of commands."""
_LEAVING = ("quit", "exit", "bye", "q", "resign")
"""Commands that end the game. They are suggested only for a word that is very close to them."""
PERSON = "You"
"""The person's name in records."""
_MOMENT = 1.0
"""Seconds for which a person waits without a sign."""


class LeftGame(Exception):
    """The person left the game."""


@dataclass(frozen=True)
class TerminalOptions:
    """Choices of the person who plays in the terminal."""

    about: str = ""
    """A sentence or two on the opponent."""
    seed: RandomSeed = None
    """Seed of the opponent."""
    letters: bool = False
    """Shows pieces as Latin letters instead of pictures and kanji."""
    time_control: TimeControl | None = None
    rating: int | None = None
    """The opponent's rating, for the record."""
    my_rating: int | None = None
    save: Path | None = None
    """Where the game is saved at its end: a file, or a folder; None for the user's folder of games."""


DEFAULTS = TerminalOptions()


class TerminalSession:
    """Console, input and file of one game in the terminal."""

    def __init__(self, game: Game[Any], human: int, opponent: str, options: TerminalOptions) -> None:
        self.game, self.human, self.options = game, human, options
        self.you, self.they = game.spec.players[human], game.spec.players[1 - human]
        """The names of the person's and of the opponent's side, such as White."""
        self.letters = options.letters
        self.console = make_console()
        self._lines = LineInput(user_data_folder() / "history")
        names, ratings = (PERSON, opponent), (options.my_rating, options.rating)
        folder = options.save or _games_folder()
        self._target = None if folder.suffix == "" or folder.is_dir() else folder
        self._facts: dict[str, Any] = {
            "players": names if human == 0 else names[::-1],
            "ratings": ratings if human == 0 else ratings[::-1],
            "started": datetime.datetime.now(),
            "event": "A game in the terminal",
        }
        self.file = GameFile(
            game.spec.name, folder if self._target is None else self._target.parent, self._facts["started"]
        )

    @contextmanager
    def saving(self, live: LiveGame) -> Iterator[None]:
        """Saves the game when the block ends, however it ends."""
        with exiting_on_termination():
            try:
                yield
            finally:
                self._close(live)

    def say(self, text: str, *, wrap: bool = True) -> None:
        """Prints a line as it is. In a terminal a long one wraps between words, unless it is a path."""
        lines = "\n".join(map(visible, text.split("\n")))
        self.console.print(lines, markup=False, soft_wrap=not (wrap and self.console.is_terminal))

    def show(self, diagram: Diagram) -> None:
        """Draws a board with the person's side below."""
        board = board_text(self.console, diagram.seen_by(self.human), letters=self.letters)
        self.console.print(board, soft_wrap=True)

    def ask(self, prompt: str, commands: Mapping[str, str], words: Sequence[str] = ()) -> tuple[str, str]:
        """Reads a line: (command, the rest), or ("", the line) for what is no command. Raises LeftGame."""
        try:
            line = self._lines.read(prompt, [*commands, *words])
        except EndOfInput:
            raise LeftGame from None
        first, _, rest = line.partition(" ")
        command = ALIASES.get(first.lower(), first.lower())
        return (command, rest.strip()) if command in commands else ("", line)

    @contextmanager
    def thinking(self) -> Iterator[None]:
        """Says that the opponent is thinking if the block takes longer than a moment."""
        if not has_colours(self.console):
            yield
            return
        status = self.console.status(f"{self.they} is thinking ...")
        timer = Timer(_MOMENT, status.start)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()
            status.stop()

    def refuse(
        self, text: str, complaint: str, commands: Mapping[str, str], moves: Sequence[str] = ()
    ) -> None:
        """Says why a line is no move. A line that resembles a command, or a move that is a word such as
        `pass`, gets it as the answer.
        """
        words = [*commands, *ALIASES, *(move for move in moves if move.isalpha())]
        meant = _close_word(text.lower(), words) if text.isalpha() else None
        if meant is not None:
            self.say(f"'{text}' is not a command: did you mean '{meant}'?")
        else:
            complaint = complaint[:1].upper() + complaint[1:] if complaint.startswith("there") else complaint
            self.say(f"{visible(complaint)}. Type 'moves' to see what is possible.")

    def help(self, commands: Mapping[str, str]) -> None:
        """Prints how moves are written, the rules where they are not well known, and the commands."""
        description = describe(self.game.spec.name)
        for text in filter(None, (description.rules_summary, description.how_to_move)):
            self.say(f"{text}\n")
        self.list_commands(commands)

    def list_commands(self, commands: Mapping[str, str]) -> None:
        """Prints the commands and their meanings."""
        for command, meaning in commands.items():
            self.console.print(f"  [bold]{command:8}[/]{foreign(meaning)}")

    def save(self, live: LiveGame, name: str) -> None:
        """The command `save`: writes the game to the named file, or to a new one, and says where it is."""
        if live.states[-1].previous is None:
            self.say("There is no move to save yet.")
            return
        self._write(live.record(**self._facts), Path(name) if name else self._target)

    def _close(self, live: LiveGame) -> None:
        """Saves the game unless its file has all of it, and the history of typed lines.

        A game that cannot be saved where it should goes to the user's folder of games, else to the console.
        """
        self._lines.close()
        record = live.record(**self._facts)
        if live.states[-1].previous is None or self.file.is_saved(record):
            return
        path = self.file.path or self._target
        if self._write(record, path):
            return
        if (self.file.folder if path is None else path.parent) != _games_folder():
            self.file.folder = _games_folder()
            if self._write(record, None):
                return
        self.say(f"The game, to copy:\n{record.text()}", wrap=False)

    def _write(self, record: PlayedRecord, path: Path | None) -> bool:
        """Writes the game and says where it is; returns whether it is saved."""
        try:
            saved = self.file.save(record, path)
        except UserError as error:
            self.say(f"Not saved: {visible(error)}", wrap=False)
            return False
        self.say(f"Saved: {visible(saved)}", wrap=False)
        return True


def _close_word(text: str, words: Sequence[str]) -> str | None:
    """The word that a text resembles most, or None."""
    surely = get_close_matches(text, words, cutoff=0.8)
    for word in get_close_matches(text, words, cutoff=0.7):
        if word not in _LEAVING or word in surely or sorted(word) == sorted(text):
            return word
    return None


def _games_folder() -> Path:
    return user_data_folder() / "games"
