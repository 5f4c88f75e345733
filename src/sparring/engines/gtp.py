"""The engine behind `sparring engine gtp`: GTP 2 and the extensions that GUIs use."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib.metadata import version

from sparring.engines.gtp_board import Refused
from sparring.engines.gtp_table import Answer, Table, Words
from sparring.engines.gtp_thinking import Thinking
from sparring.engines.minds import LOAD_ERRORS
from sparring.engines.option import BadOption
from sparring.engines.pipes import Inbox, Say
from sparring.engines.settings import Settings

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_NUMBER = re.compile(r"[0-9]{1,9}")


class GtpEngine:
    """Answers one command after the other; an analysis ends when the next one comes."""

    def __init__(self, settings: Settings, say: Say, inbox: Inbox) -> None:
        self._say, self._inbox = say, inbox
        table = Table()
        self._commands: dict[str, Callable[[Words], Answer]] = {
            "protocol_version": lambda words: "2",
            "name": lambda words: "Sparring",
            "version": lambda words: version("sparring"),
            "known_command": lambda words: str(" ".join(words) in self._commands).lower(),
            "list_commands": lambda words: "\n".join(self._commands),
            "quit": lambda words: "",
            **table.commands(),
            **Thinking(table, settings, inbox.waiting).commands(),
        }

    def run(self) -> None:
        """Until `quit`, or the end of the lines."""
        for line in self._inbox:
            words = _CONTROL.sub("", line.partition("#")[0]).split()
            if words:
                number = words.pop(0) if _NUMBER.fullmatch(words[0]) else ""
                self._answer(number, words)
            if words[:1] == ["quit"]:
                break

    def _answer(self, number: str, words: Words) -> None:
        try:
            if not words or words[0] not in self._commands:
                raise Refused("unknown command")
            answer = self._commands[words[0]](words[1:])
        except Exception as error:
            self._refuse(number, error)
            return
        if isinstance(answer, str):
            self._say(f"={number} {answer}".rstrip(" ") + "\n")
            return
        self._say(f"={number}")
        try:
            answer(self._say)
        except Exception as error:  # its answer has begun: there is no place for an error in it
            print(f"sparring: {words[0]}: {error}", file=sys.stderr)
        self._say("")

    def _refuse(self, number: str, error: Exception) -> None:
        """An answer in one line: an engine that dies tells nobody why."""
        expected = isinstance(error, (Refused, BadOption, ValueError, *LOAD_ERRORS))
        message = " ".join(str(error).split())
        self._say(f"?{number} {message if expected else f'{type(error).__name__}: {message}'}\n")
