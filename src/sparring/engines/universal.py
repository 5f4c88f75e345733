"""The engine behind `sparring engine uci` and `sparring engine usi`: what it makes of the GUI's lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import Any

from sparring.engines.dialects import Dialect
from sparring.engines.dials import Dials
from sparring.engines.going import read_go
from sparring.engines.option import BadOption
from sparring.engines.options import FORGETS, declaration, options_of
from sparring.engines.pipes import Say
from sparring.engines.settings import Settings
from sparring.engines.thinker import Task, Thinker
from sparring.games import BadText, IllegalMove

_GRANTED = {"uci_chess960": "false", "uci_variant": "chess"}
"""What GUIs may set although it is not offered, and the one value that it has."""
_SHOWN = 80
"""Characters of a GUI's mistake that are repeated to it."""


class UniversalEngine:
    """Takes the GUI's lines and says its own."""

    def __init__(self, dialect: Dialect, settings: Settings, say: Say) -> None:
        self._dialect, self._say = dialect, say
        self._dials = Dials(dialect.name, settings)
        self._state: Any = dialect.game.initial()
        self._thinker = Thinker(dialect, say)
        self._debug = False
        self._commands: dict[str, Callable[[Sequence[str]], None]] = {
            dialect.name: self._introduce,
            "isready": lambda words: self._thinker.get_ready(self._dials.settings),
            f"{dialect.name}newgame": self._new_game,
            "position": self._set_position,
            "go": self._go,
            "stop": lambda words: self._thinker.halt(),
            "ponderhit": self._ponder_hit,
            "setoption": self._set_option,
            "debug": self._set_debug,
            "gameover": lambda words: self._thinker.halt(),
        }

    def run(self, lines: Iterable[str]) -> None:
        """Until `quit`, or the end of the lines: then what was asked is still answered."""
        for line in lines:
            words = line.split()
            if words[:1] == ["quit"]:
                self._thinker.leave()
                return
            if words:
                self._obey(words)
        self._thinker.finish()

    def _obey(self, words: Sequence[str]) -> None:
        command = self._commands.get(words[0])
        try:
            if command is None:
                raise BadText(f"unknown command: {' '.join(words)[:_SHOWN]}")
            command(words[1:])
        except Exception as error:
            self._thinker.tell_error(error)

    def _introduce(self, words: Sequence[str]) -> None:
        self._say(f"id name Sparring {version('sparring')}")
        self._say("id author the Sparring developers")
        for option in options_of(self._dialect.name):
            self._say(declaration(option, self._dialect.name, self._dials.declared))
        self._say(f"{self._dialect.name}ok")

    def _new_game(self, words: Sequence[str]) -> None:
        self._state = self._dialect.game.initial()
        self._thinker.minds.start_anew()

    def _set_position(self, words: Sequence[str]) -> None:
        """Takes a position; a broken one leaves the last that was good."""
        at = words.index("moves") if "moves" in words else len(words)
        try:
            state = self._start(words[:at])
            for number, text in enumerate(words[at + 1 :], start=1):
                state = self._played(state, text, number)
        except (BadText, IllegalMove) as error:
            raise BadText(f"position: {error}; the last position stays") from None
        self._state = state

    def _start(self, words: Sequence[str]) -> Any:
        dialect = self._dialect
        if list(words) == ["startpos"]:
            return dialect.game.initial()
        if words[:1] != [dialect.setup]:
            raise BadText(f"startpos or {dialect.setup} expected")
        return dialect.game.parse(" ".join(words[1:]))

    def _played(self, state: Any, text: str, number: int) -> Any:
        """After a move, also where a draw by rule has ended the game: GUIs may go on."""
        try:
            return state.play_on(state.parse_move(text))
        except (BadText, IllegalMove) as error:
            raise IllegalMove(f"move {number}, {text[:_SHOWN]}: {error}") from None

    def _go(self, words: Sequence[str]) -> None:
        going, tell = read_go(words), self._thinker.tell
        if going.wrong:
            tell(f"go: not understood and left out: {' '.join(going.wrong)[:_SHOWN]}")
        if "mate" in going.numbers and self._dialect.name == "usi":
            self._say("checkmate notimplemented")
            return
        if not {"depth", "mate"}.isdisjoint(going.numbers):
            tell("go: depth and mate do not bound this search: it thinks as Nodes and Seconds say")
        moves = []
        for text in going.moves:
            try:
                moves.append(self._dialect.game.parse_move(self._state, text))
            except (BadText, IllegalMove) as error:
                tell(f"go: searchmoves: {error}")
        self._thinker.begin(Task(self._state, going, self._dials.settings, tuple(moves), self._debug))

    def _ponder_hit(self, words: Sequence[str]) -> None:
        """The expected move came: thinks on with the clock running, and keeps what it knows."""
        task = self._thinker.task
        if task is None or not task.going.ponder or task.stop.is_set():
            return
        self._thinker.halt(abandon=True)
        going = replace(task.going, ponder=False)
        self._thinker.begin(Task(task.state, going, task.settings, task.only, task.debug))

    def _set_option(self, words: Sequence[str]) -> None:
        """setoption name N [value V]: names and values may have spaces."""
        lowered = [word.lower() for word in words]
        if lowered[:1] != ["name"]:
            raise BadOption("setoption: 'name' expected")
        at = lowered.index("value") if "value" in lowered else len(words)
        name, value = " ".join(words[1:at]), " ".join(words[at + 1 :])
        if (granted := _GRANTED.get(name.lower())) is not None:
            if value.lower() != granted:
                raise BadOption(f"{name} {value}: Chess960 and other variants are not played here")
            return
        if self._dials.set(name, value).flag == FORGETS:
            self._thinker.minds.start_anew()

    def _set_debug(self, words: Sequence[str]) -> None:
        self._debug = list(words) != ["off"]
