"""What every game in the terminal needs: the console, typed lines, commands, and the file of the game."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from threading import Timer
from typing import Any, Protocol

from sparring.cli.board_view import board_text, has_colours
from sparring.cli.errors import UserError
from sparring.cli.game_file import GameFile
from sparring.cli.interrupts import exiting_on_termination
from sparring.cli.line_input import EndOfInput, LineInput
from sparring.cli.printing import foreign, make_console, visible
from sparring.games import Game, Outcome, describe
from sparring.games.diagrams import Diagram
from sparring.networks.store import user_data_folder
from sparring.players import Player, TimeControl
from sparring.players.player import RandomSeed
from sparring.records.played_game import UNFINISHED, EndOfGame, outcome_text

ALIASES = {
    "?": "help",
    "h": "help",
    "-h": "help",
    "--help": "help",
    "exit": "quit",
    "q": "quit",
    "bye": "quit",
}
"""Other spellings of commands."""
_LEAVING = ("quit", "exit", "bye", "q", "resign")
"""Commands that end the game. They are suggested only for a word that is very close to them."""
PERSON = "You"
"""The person's name in records."""
_MOMENT = 1.0
"""Seconds for which a person waits without a sign."""


class LeftGame(Exception):
    """The person left the game."""


class GameOver(Exception):
    """The game has ended; the message says how, in words for the person."""

    def __init__(self, end: EndOfGame, message: str) -> None:
        super().__init__(message)
        self.end = end


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


class TerminalPlay(Protocol):
    """A game that a session plays: `TerminalGame`, or the one with hidden information."""

    opponent: Player

    @property
    def state(self) -> Any:
        """The present state, which is saved."""
        ...

    @property
    def clocks(self) -> Sequence[float]:
        """Seconds that the mover had left after each move; empty without a clock."""
        ...

    def take_turns(self) -> None:
        """Plays. Raises GameOver or LeftGame."""
        ...

    def show_end(self, message: str) -> None:
        """Shows how the game ended."""
        ...


class TerminalSession:
    """Console, input and file of one game in the terminal."""

    def __init__(self, game: Game[Any], human: int, opponent: str, options: TerminalOptions) -> None:
        self.game, self.human, self.options = game, human, options
        self.letters = options.letters
        self.console = make_console()
        self._lines = LineInput(user_data_folder() / "history")
        names, ratings = (PERSON, opponent), (options.my_rating, options.rating)
        folder = options.save or _games_folder()
        self._target = None if folder.suffix == "" or folder.is_dir() else folder
        self.file = GameFile(
            game,
            names if human == 0 else names[::-1],
            ratings if human == 0 else ratings[::-1],
            folder if self._target is None else self._target.parent,
            None if options.time_control is None else str(options.time_control),
            datetime.datetime.now(),
        )

    def play(self, game: TerminalPlay) -> None:
        """Plays to the end, or until the person leaves. The game is saved in any case."""
        end = UNFINISHED
        with exiting_on_termination():
            try:
                game.take_turns()
            except GameOver as over:
                end = over.end
                game.show_end(str(over))
            except LeftGame:
                self.say("You leave the game.")
            finally:
                self.close(game.state, end, game.clocks)
        if end.result is not None:
            game.opponent.end_game(end.result if self.human == 1 else 1 - end.result)

    @property
    def you(self) -> str:
        """The name of the person's side, such as White."""
        return self.game.spec.players[self.human]

    @property
    def they(self) -> str:
        """The name of the opponent's side."""
        return self.game.spec.players[1 - self.human]

    def result_text(self, outcome: Outcome) -> str:
        """The result of a game by the rules, in words for the person."""
        return outcome_text(self.game, outcome, self.human)

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

    def save(self, state: Any, end: EndOfGame, clocks: Sequence[float], name: str) -> None:
        """The command `save`: writes the game to the named file, or to a new one, and says where it is."""
        if state.previous is None:
            self.say("There is no move to save yet.")
            return
        self._write(state, end, clocks, Path(name) if name else self._target)

    def close(self, state: Any, end: EndOfGame = UNFINISHED, clocks: Sequence[float] = ()) -> None:
        """Saves the game unless its file has all of it, and the history of typed lines.

        A game that cannot be saved where it should goes to the user's folder of games, else to the console.
        """
        self._lines.close()
        if state.previous is None or self.file.is_saved(state, end, clocks):
            return
        path = self.file.path or self._target
        if self._write(state, end, clocks, path):
            return
        if (self.file.folder if path is None else path.parent) != _games_folder():
            self.file.folder = _games_folder()
            if self._write(state, end, clocks, None):
                return
        self.say(f"The game, to copy:\n{self.file.text(state, end, clocks)}", wrap=False)

    def _write(self, state: Any, end: EndOfGame, clocks: Sequence[float], path: Path | None) -> bool:
        """Writes the game and says where it is; returns whether it is saved."""
        try:
            saved = self.file.save(state, end, clocks, path)
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
