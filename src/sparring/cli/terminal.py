"""Games in the terminal: boards, typed lines, commands, files, and a person against a player."""

from __future__ import annotations

import contextlib
import datetime
import re
import signal
import sys
import time
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

from sparring.base.config import user_data_folder
from sparring.base.errors import UserError
from sparring.base.storage import atomic_write
from sparring.cli.console import exiting_on_termination, foreign, make_console, visible
from sparring.games import Game, IllegalMove, ParseError, describe, move_name
from sparring.games.diagrams import BoardPart, Diagram, coloured_lines, marked_lines
from sparring.play.game import LiveGame, NotAllowed
from sparring.play.result import PlayedRecord
from sparring.players import Decision, Player, TimeControl
from sparring.players.player import RandomSeed
from sparring.records.readers import written_formats
from sparring.search.limits import wait_out

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


# A game in the terminal: a person against a player.


_SHOWN = 5
"""Most moves that `why` and `hint` list."""

COMMANDS = {
    "help": "this list (also ?)",
    "moves": "the moves you can make",
    "list": "the moves played so far",
    "board": "draw the board again",
    "letters": "pieces as Latin letters, or as pictures again",
    "hint": "the likeliest move of a player like your opponent",
    "why": "candidates of the opponent's last move",
    "score": "who is ahead, and whose points are whose: an estimate",
    "undo": "take your last move back; undo 2 takes two back",
    "draw": "claim a draw, offer one, or accept one",
    "resign": "resign the game",
    "save": "save the game; save FILE chooses the file",
    "text": "the position as text",
    "quit": "leave the game, which is saved (also exit)",
}
_COUNTING_COMMANDS = {
    "help": "this list (also ?)",
    "resume": "take the passes back and play on",
    "none": "no stone is dead",
    "quit": "leave the game without a result",
}
"""Commands while both agree on the score."""


class FlagFell(Exception):
    """The person's time is up while a line is read."""


class TerminalGame:
    """A game of perfect information. Games of hidden information replace parts of it."""

    def __init__(
        self,
        game: Game[Any],
        state: Any,
        human: int,
        opponent: Player,
        options: TerminalOptions = DEFAULTS,
    ) -> None:
        """`human` is the person's side."""
        self.game, self.human = game, human
        self.session = TerminalSession(game, human, opponent.name, options)
        self.live = LiveGame(
            game,
            {1 - human: opponent},
            start=state,
            person=human,
            clock=options.time_control,
            seed_of=lambda side, ply: options.seed,
            observer=self.observe if game.spec.hidden else None,
        )
        self.decisions: dict[int, Decision] = {}
        """The opponent's decisions, by the number of moves before them."""

    def play(self) -> None:
        """Plays to the end, or until the person leaves. The game is saved in any case."""
        self.live.start_players()
        self.introduce()
        with self.session.saving(self.live):
            try:
                self.live.settle()
                turns = {"counting": self._count, "move": self.ask, "thinking": self._answer}
                while self.live.phase != "over":
                    turns[self.live.phase]()
                self.show_end(self.live.message)
            except LeftGame:
                self.session.say("You leave the game.")

    @property
    def state(self) -> Any:
        """The present state."""
        return self.live.states[-1]

    # Parts that games of hidden information replace

    def introduce(self) -> None:
        """Says who plays what."""
        self.session.console.print(
            f"[bold]{self.game.spec.title}[/]. You play {self.session.you}. Type a move, or 'help'."
        )
        about = self.session.options.about
        self.session.say(f"{about}\n" if about else "")

    def observe(self, seen: Any) -> None:
        """Receives what the person observes in a game of hidden information."""

    def show_end(self, message: str) -> None:
        """Draws the board and prints the result and the moves."""
        self.draw()
        self.session.console.print(f"[bold]{foreign(message)}[/]")
        if self.live.moves:
            self.session.say(f"The game: {self._move_list()}")

    def draw(self) -> None:
        """Draws the board."""
        self.session.show(self.game.diagram(self.state))

    def ask(self) -> None:
        """Lets the person move. Commands are carried out until a move is played or the game is over."""
        self.draw()
        self.live.clock.start()
        before = len(self.live.moves)
        while self.live.end is None and len(self.live.moves) == before:
            command, text = self._read()
            if command:
                self._run_command(command, text)
                before = min(before, len(self.live.moves))
                if self.live.phase != "move":
                    return
            elif text:
                try:
                    self.live.play(text)
                except (ParseError, IllegalMove) as error:
                    self.session.refuse(text, str(error), COMMANDS, self._move_names())

    def show_move(self, decision: Decision) -> None:
        """Says what the opponent has played."""
        played = self.live.moves[-1]
        reason = f" [dim]({foreign(decision.reason)})[/]" if decision.reason else ""
        does = "passes" if played.name == "pass" else f"plays [bold]{foreign(played.name)}[/]"
        left = "" if played.left is None else f", {self.live.clock.text(played.player)} left"
        self.session.console.print(f"\n{self.session.they} {does}{reason}{left}")
        if self.live.draw_offered:
            self.session.say(f"{self.session.they} offers a draw: type 'draw' to take it, or move on.")

    # Turns

    def _answer(self) -> None:
        live, ply = self.live, len(self.live.moves)
        pending = live.pending_turn()
        assert pending is not None
        with self.session.thinking():
            began = time.perf_counter()
            decision = live.decide(pending)
            if live.clock.control is not None:
                wait_out(decision.seconds, began)
        live.accept(pending, decision)
        if len(live.moves) > ply:
            self.decisions[ply] = decision
            self.show_move(decision)

    def _read(self) -> tuple[str, str]:
        """The next command or move; ("", "") if the person's time is up."""
        words, you, clock = self._move_names(), self.session.you, self.live.clock
        seconds = clock.until_flag(self.human)
        if seconds is None:
            return self.session.ask(f"{you} to move> ", COMMANDS, words)
        left = clock.text(self.human, clock.turn_seconds)
        try:
            with _alarm(seconds):
                return self.session.ask(f"{you} to move, {left} left> ", COMMANDS, words)
        except FlagFell:
            self.live.check_flag()
            return "", ""

    def _move_names(self) -> list[str]:
        state = self.state
        return [move_name(state, move) for move in self.game.legal_moves(state)]

    def _count(self) -> None:
        """Both passed: proposes dead stones and lets the person correct them."""
        live, session = self.live, self.session
        session.say("\nBoth passed. Stones that are shown as x and o are dead and will be taken off.")
        while live.phase == "counting":
            assert live.dead is not None
            session.show(live.counting.diagram(self.state, live.dead))
            session.say(live.counted()[0])
            try:
                command, text = session.ask(
                    "Enter to agree, points to change, or 'resume'> ", _COUNTING_COMMANDS
                )
            except LeftGame:  # no more input: nobody objects
                command, text = "", ""
            if command == "help":
                session.say(
                    "Press Enter to agree. A point such as D4 makes its stones dead, or alive again.\n"
                )
                session.list_commands(_COUNTING_COMMANDS)
            elif command == "resume":
                try:
                    live.resume()
                except NotAllowed:
                    session.say("There is nothing to take back.")
                else:
                    self._drop_decisions()
                return
            elif command == "none":
                live.dead.clear()
            elif command == "quit":
                raise LeftGame
            elif not text:
                live.agree()
            else:
                try:
                    live.mark(text.replace(",", " ").split())
                except ParseError as error:
                    message = str(error)
                    session.say(f"{message[0].upper()}{message[1:]}.")

    # Commands

    def _run_command(self, command: str, argument: str) -> None:
        state, session = self.state, self.session
        match command:
            case "help":
                shown = has_pictures(self.game.diagram(self.live.states[0]))
                has = {"letters": shown, "score": self.live.counting is not None}
                session.help({name: COMMANDS[name] for name in COMMANDS if has.get(name, True)})
            case "moves":
                session.say(" ".join(sorted(self._move_names())))
            case "list":
                session.say(self._move_list() or "No move has been played.")
            case "board":
                self.draw()
            case "letters":
                session.letters = not session.letters
                self.draw()
            case "hint":
                decision = self.live.hint()
                session.say(f"Hint: {move_name(state, decision.move)}")
                self._show_candidates(state, decision)
            case "why":
                ply = len(self.live.moves) - 1
                if ply in self.decisions:
                    self._show_candidates(self.live.states[ply], self.decisions[ply])
                else:
                    session.say("The opponent has not moved yet.")
            case "score":
                self._show_score()
            case "undo":
                self._take_back(argument)
            case "text":
                session.say(self.game.text(state))
            case "draw":
                self.live.propose_draw()
                session.say("" if self.live.end else self.live.message)
            case "save":
                session.save(self.live, argument)
            case "resign":
                self.live.resign()
            case "quit":
                raise LeftGame

    def _show_candidates(self, state: Any, decision: Decision) -> None:
        likely = sorted(decision.distribution.items(), key=lambda entry: -entry[1])[:_SHOWN]
        names = [f"{move_name(state, move)} {share:.0%}" for move, share in likely]
        if names:
            self.session.say(f"Candidates: {', '.join(names)}.")

    def _show_score(self) -> None:
        """The command `score`: who is ahead, and the board with territory."""
        session = self.session
        try:
            estimate = self.live.estimate()
        except NotAllowed as error:
            session.say(str(error))
            return
        session.show(self.live.counting.territory(self.state, estimate))
        marks = "Squares" if has_colours(session.console) else "b and w"
        session.say(f"{marks} mark points that will likely be Black's or White's; x and o are likely dead.")
        session.say(f"{estimate.text} {estimate.note}")

    def _take_back(self, argument: str) -> None:
        """The command `undo`, with the number of the person's moves to take back (1)."""
        if argument and re.fullmatch("[1-9][0-9]{0,3}", argument) is None:
            self.session.say(f"'{argument}' is not a number of moves to take back, such as undo 2.")
        elif "undo" not in self.live.commands():
            self.session.say("There is nothing to take back.")
        else:
            try:
                self.live.take_back(int(argument or 1))
            except NotAllowed as error:
                self.session.say(str(error))
                return
            self._drop_decisions()
            self.draw()

    def _drop_decisions(self) -> None:
        plies = len(self.live.moves)
        self.decisions = {ply: decision for ply, decision in self.decisions.items() if ply < plies}

    def _move_list(self) -> str:
        """The moves with their numbers: by pairs where White begins, one by one in Go and shogi."""
        names = [played.name for played in self.live.moves]
        if self.game.spec.players[0] == "Black":
            return " ".join(f"{number}.{name}" for number, name in enumerate(names, 1))
        words = []
        first = self.game.to_move(self.live.states[0])
        for ply, name in enumerate(names, first):
            if ply % 2 == 0 or ply == first:
                words.append(f"{ply // 2 + 1}{'.' if ply % 2 == 0 else '...'}")
            words.append(name)
        return " ".join(words)


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    """Raises FlagFell within the block after some seconds, where the system has such signals."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def fall(*_: object) -> None:
        raise FlagFell

    before = signal.signal(signal.SIGALRM, fall)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
