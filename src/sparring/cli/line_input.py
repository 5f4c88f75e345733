"""Lines that a person types: editing, history and completion through readline."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

try:
    import readline as _readline
except ImportError:  # not part of Python on every system
    readline: Any = None
else:
    readline = _readline

_HISTORY_LINES = 1000


class EndOfInput(Exception):
    """There is no more input: end of file, or a closed terminal."""


class LineInput:
    """Reads lines. A history file makes earlier lines of this and of other games available."""

    def __init__(self, history: Path | None = None) -> None:
        self._history = history
        self._words: Sequence[str] = ()
        if readline is not None and sys.stdin is not None and sys.stdin.isatty():
            self._set_up()

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

    def _set_up(self) -> None:
        readline.set_completer(self._complete)
        readline.set_completer_delims(" ")
        readline.parse_and_bind("tab: complete")
        if self._history is not None:
            with contextlib.suppress(OSError):
                readline.read_history_file(str(self._history))

    def _complete(self, text: str, index: int) -> str | None:
        found = [word for word in self._words if word.lower().startswith(text.lower())]
        return found[index] if index < len(found) else None
