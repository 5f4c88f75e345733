"""The engine behind `sparring engine gtp`: GTP 2 and the extensions that GUIs use."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib.metadata import version

from sparring.engines.gtp_board import GtpError
from sparring.engines.gtp_game import Arguments, GtpGame, GtpResponse
from sparring.engines.gtp_search import GtpSearch
from sparring.engines.option import BadOption
from sparring.engines.settings import EngineSettings
from sparring.engines.stdio import SendLine, StdinReader
from sparring.players import LOAD_ERRORS

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_NUMBER = re.compile(r"[0-9]{1,9}")


class GtpServer:
    """Answers one command after the other. An analysis ends when the next command comes."""

    def __init__(self, settings: EngineSettings, send_line: SendLine, reader: StdinReader) -> None:
        self._send_line, self._reader = send_line, reader
        game = GtpGame()
        search = GtpSearch(game, settings, reader.waiting)
        reader.at_end = search.end_input
        self._commands: dict[str, Callable[[Arguments], GtpResponse]] = {
            "protocol_version": lambda words: "2",
            "name": lambda words: "Sparring",
            "version": lambda words: version("sparring"),
            "known_command": lambda words: str(" ".join(words) in self._commands).lower(),
            "list_commands": lambda words: "\n".join(self._commands),
            "quit": lambda words: "",
            **game.commands(),
            **search.commands(),
        }

    def run(self) -> None:
        """Answers commands until `quit` or the end of the input."""
        for line in self._reader:
            words = _CONTROL.sub("", line.partition("#")[0]).split()
            if words:
                number = words.pop(0) if _NUMBER.fullmatch(words[0]) else ""
                self._answer(number, words)
            if words[:1] == ["quit"]:
                break

    def _answer(self, number: str, words: Arguments) -> None:
        try:
            if not words or words[0] not in self._commands:
                raise GtpError("unknown command")
            answer = self._commands[words[0]](words[1:])
        except Exception as error:
            self._refuse(number, error)
            return
        if isinstance(answer, str):
            self._send_line(f"={number} {answer}".rstrip(" ") + "\n")
            return
        self._send_line(f"={number}")
        try:
            answer(self._send_line)
        except Exception as error:  # the answer has begun: GTP has no place for an error in it
            print(f"sparring: {words[0]}: {error}", file=sys.stderr)
        self._send_line("")

    def _refuse(self, number: str, error: Exception) -> None:
        """Sends an error as one line; the engine goes on."""
        expected = isinstance(error, (GtpError, BadOption, ValueError, *LOAD_ERRORS))
        message = " ".join(str(error).split())
        self._send_line(f"?{number} {message if expected else f'{type(error).__name__}: {message}'}\n")
