"""The exceptions of Sparring. `except SparringError` catches them all.

A message is one line for the person who made the error: what is wrong, where, and what to do. The command
line prints it and exits with code 2; the engines answer with it. `ParseError` and `IllegalMove` of the native
core derive from SparringError too; they and BadConfig are also ValueErrors.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from threading import Event

from sparring.base.sentences import Sentence


class SparringError(Exception):
    """Base class of the exceptions of this package."""


class UserError(SparringError):
    """A request that cannot be carried out as it was given.

    `code` is the exit code of the command line: 2, 1 if the command was carried out and found nothing, or 130
    after Ctrl-C.
    """

    def __init__(self, message: str, *, code: int = 2) -> None:
        super().__init__(message)
        self.code = code


class BadConfig(SparringError, ValueError):
    """A game, an option, a clock, a player, a policy, a tournament or a configuration that cannot be used.

    For a TOML file the message names the file, the key path, the given value and what is allowed.
    `player[2].nodes` is the key `nodes` in the second `[[player]]`.
    """


class BadFile(SparringError):
    """A file that cannot be read or is no such file: a network, a table, a record, a book, a journal."""


class TruncatedFile(BadFile):
    """A compressed file is truncated or corrupt. What was read before is good."""


class JournalMismatch(BadFile):
    """The journal of a job has the header of another job."""


class NotFound(SparringError):
    """No such person, model or program; the message names the nearest or says how to get it."""


class CannotWrite(SparringError):
    """A file or folder cannot be written: another process is writing it, or the disk is full."""


class MissingExtra(SparringError):
    """An optional dependency is not installed or not reachable; the message names what to install."""


class Abandoned(SparringError):
    """A computation whose stop event was set: nobody waits for its result."""


class WorkerError(SparringError):
    """A task that a pool of workers could not do; the message names the task.

    Where the worker raised an exception, the message has its type and text, and the notes its traceback.
    """


def unknown_word(what: str, given: str, known: Iterable[str]) -> BadConfig:
    """The exception for a word that is not one of the known ones; it names the nearest of them."""
    from difflib import get_close_matches

    known = list(known)
    nearest = get_close_matches(given[:80], known, 1, cutoff=0.7)
    there_are = f"; did you mean '{nearest[0]}'? There are" if nearest else "; there are"
    shown = given if len(given) <= 80 else f"{given[:80]}..."
    return BadConfig(f"unknown {what} '{shown}'{there_are} {', '.join(known) or 'none'}")


def require(module: str, extra: str, purpose: str) -> None:
    """Imports an optional library.

    Raises MissingExtra with what `purpose` needs, such as "tables need".
    """
    try:
        import_module(module)
    except ImportError:
        raise MissingExtra(f"{purpose} {module}: pip install 'sparring[{extra}]'") from None


def raise_if_stopped(stop: Event | None) -> None:
    """Raises Abandoned if the event is set."""
    if stop is not None and stop.is_set():
        raise Abandoned(Sentence("Nobody waits for the answer."))


def first_line(error: BaseException) -> str:
    """The first line of an error's message, shortened."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)[:200]
