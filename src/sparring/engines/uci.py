"""The engine behind `sparring engine uci` and `sparring engine usi`: the commands of the GUI."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import Any

from sparring.base.errors import BadConfig
from sparring.engines.options import CLEAR_HASH, EngineOptions, EngineSettings, declaration, declared_options
from sparring.engines.protocols import ProtocolSpec
from sparring.engines.search_thread import SearchTask, SearchThread, parse_go
from sparring.engines.server import SendLine
from sparring.games import IllegalMove, ParseError

_GRANTED = {"uci_chess960": "false", "uci_variant": "chess"}
"""Options that are not declared but accepted, with their only value."""
_SHOWN = 80
"""Most characters of a bad command that are quoted in the error."""


class UciServer:
    """Parses commands and sends answers. Searches run in a thread of their own."""

    def __init__(self, protocol: ProtocolSpec, settings: EngineSettings, send_line: SendLine) -> None:
        self._protocol, self._send_line = protocol, send_line
        self._options = EngineOptions(protocol.name, settings)
        self._state: Any = protocol.game.initial()
        self._search_thread = SearchThread(protocol, send_line)
        self._debug = False
        self._commands: dict[str, Callable[[Sequence[str]], None]] = {
            protocol.name: self._introduce,
            "isready": lambda words: self._search_thread.prepare(self._options.settings),
            f"{protocol.name}newgame": self._new_game,
            "position": self._set_position,
            "go": self._go,
            "stop": lambda words: self._search_thread.stop_search(),
            "ponderhit": self._ponder_hit,
            "setoption": self._set_option,
            "debug": self._set_debug,
            "gameover": lambda words: self._search_thread.stop_search(),
        }

    def run(self, lines: Iterable[str]) -> None:
        """Serves until `quit` or the end of the input; at its end a search under way still answers."""
        for line in lines:
            words = line.split()
            if words[:1] == ["quit"]:
                self._search_thread.shutdown_now()
                return
            if words:
                self._run_command(words)
        self._search_thread.finish()

    def _run_command(self, words: Sequence[str]) -> None:
        command = self._commands.get(words[0])
        try:
            if command is None:
                raise ParseError(f"unknown command: {' '.join(words)[:_SHOWN]}")
            command(words[1:])
        except Exception as error:
            self._search_thread.send_error(error)

    def _introduce(self, words: Sequence[str]) -> None:
        name = self._options.declared.engine_name
        if " " not in name:  # no level and no player
            name = f"{name} {version('sparring')}"
        self._send_line(f"id name {name}")
        self._send_line("id author the Sparring developers")
        for option in declared_options(self._protocol.name, self._options.declared):
            self._send_line(declaration(option, self._protocol.name, self._options.declared))
        self._send_line(f"{self._protocol.name}ok")

    def _new_game(self, words: Sequence[str]) -> None:
        self._state = self._protocol.game.initial()
        self._search_thread.player_cache.new_game()

    def _set_position(self, words: Sequence[str]) -> None:
        """Sets the position; an invalid one keeps the last."""
        at = words.index("moves") if "moves" in words else len(words)
        try:
            state = self._start(words[:at])
            for number, text in enumerate(words[at + 1 :], start=1):
                state = self._played(state, text, number)
        except (ParseError, IllegalMove) as error:
            raise ParseError(f"position: {error}; the last position stays") from None
        self._state = state

    def _start(self, words: Sequence[str]) -> Any:
        protocol = self._protocol
        if list(words) == ["startpos"]:
            return protocol.game.initial()
        if words[:1] != [protocol.position_keyword]:
            raise ParseError(f"startpos or {protocol.position_keyword} expected")
        return protocol.game.parse(" ".join(words[1:]))

    def _played(self, state: Any, text: str, number: int) -> Any:
        """The state after a move, also after a draw by rule: GUIs may go on."""
        try:
            return state.play_past_end(state.parse_move(text))
        except (ParseError, IllegalMove) as error:
            raise IllegalMove(f"move {number}, {text[:_SHOWN]}: {error}") from None

    def _go(self, words: Sequence[str]) -> None:
        go_command, send_info_string = parse_go(words), self._search_thread.send_info_string
        if go_command.unknown:
            send_info_string(f"go: unknown words are ignored: {' '.join(go_command.unknown)[:_SHOWN]}")
        if "mate" in go_command.numbers and self._protocol.name == "usi":
            self._send_line("checkmate notimplemented")
            return
        if not {"depth", "mate"}.isdisjoint(go_command.numbers):
            send_info_string("go: depth and mate do not limit this search; Nodes and Seconds do")
        moves = []
        for text in go_command.moves:
            try:
                moves.append(self._protocol.game.parse_move(self._state, text))
            except (ParseError, IllegalMove) as error:
                send_info_string(f"go: searchmoves: {error}")
        self._search_thread.start(
            SearchTask(self._state, go_command, self._options.settings, tuple(moves), self._debug)
        )

    def _ponder_hit(self, words: Sequence[str]) -> None:
        """The expected move was played: the search goes on with the clock, on the same tree."""
        task = self._search_thread.task
        if task is None or not task.go_command.ponder or task.stop.is_set():
            return
        self._search_thread.stop_search(discard=True)
        go_command = replace(task.go_command, ponder=False)
        self._search_thread.start(
            SearchTask(task.state, go_command, task.settings, task.searchmoves, task.debug)
        )

    def _set_option(self, words: Sequence[str]) -> None:
        """Handles `setoption name N [value V]`; names and values may have spaces."""
        lowered = [word.lower() for word in words]
        if lowered[:1] != ["name"]:
            raise BadConfig("setoption: 'name' expected")
        at = lowered.index("value") if "value" in lowered else len(words)
        name, value = " ".join(words[1:at]), " ".join(words[at + 1 :])
        if (granted := _GRANTED.get(name.lower())) is not None:
            if value.lower() != granted:
                raise BadConfig(f"{name} {value}: Chess960 and other variants are not played here")
            return
        if self._options.set(name, value).flag == CLEAR_HASH:
            self._search_thread.player_cache.new_game()

    def _set_debug(self, words: Sequence[str]) -> None:
        self._debug = list(words) != ["off"]
