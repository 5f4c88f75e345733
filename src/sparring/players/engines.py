"""Requests to engines and their answers, common to all protocols."""

from __future__ import annotations

import contextlib
import os
import queue
import select
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from threading import Event
from typing import IO, Any, Protocol

from sparring.base.clock import GameClock
from sparring.base.errors import SparringError
from sparring.games.description import EngineProtocol
from sparring.search.limits import SearchLimits


@dataclass(frozen=True)
class EngineConfig:
    """An external program that speaks a protocol."""

    name: str
    protocol: EngineProtocol
    command: tuple[str, ...]
    options: Mapping[str, str] = field(default_factory=dict)
    """Values for `setoption`; the engine must declare every one of them."""
    preferences: Mapping[str, str] = field(default_factory=dict)
    """Values for `setoption` of the options that the engine declares."""
    commands: tuple[str, ...] = ()
    """GTP commands that are sent at the start."""
    env: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None
    limits: SearchLimits = field(default_factory=SearchLimits)
    """Nodes, depth and seconds of a move, besides the clock."""
    start_seconds: float = 20.0
    """Time limit of the handshake, and of getting ready for a game."""
    move_seconds: float = 120.0
    """Time limit of a move without a clock."""
    stop_seconds: float = 2.0
    """Time limit of `stop` and `quit`; then the engine is killed."""


@dataclass(frozen=True)
class PositionHistory:
    """A position and the game that led to it."""

    start: Any
    """The state before the first move."""
    moves: tuple[str, ...]
    """The moves since, in the game's notation."""
    state: Any
    """The state after them."""

    @classmethod
    def of(cls, state: Any) -> PositionHistory:
        """The history that a state holds."""
        moves: list[str] = []
        at = state
        while (before := at.previous) is not None:
            moves.append(before.move_text(at.last_move))
            at = before
        return cls(at, tuple(moves[::-1]), state)


def option_text(value: object) -> str:
    """The value of an engine's option as its protocol writes it: `true` and `false` for booleans."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(frozen=True)
class PlayResult:
    """An engine's answer."""

    move: str | None
    """The move as the engine wrote it; None if it resigns."""
    score: int | None
    """The last score that it reported, in centipawns for itself; None if it reported none."""
    spent: float
    """Seconds from the request to the answer."""
    expected: float | None = None
    """Its expected score by the chances of a win, a draw and a loss that it reported; None without them."""
    line: tuple[str, ...] = ()
    """The last line of best play that it reported."""


# A subprocess that communicates in lines. Every wait has a deadline.
#
# Pipes are read while an answer is awaited (`Pipes`). A program that floods its output is blocked by
# its full pipe, and memory stays bounded.


_LIMITS = (1 << 16, 200_000, 1 << 25)
"""Limits of one answer: bytes of a line, lines, bytes. An engine that reports for an hour stays far below."""
_MARK = "SPARRING_ENGINE"
"""Name of the variable that marks the processes of an engine."""
_KILL_ROUNDS = 10
"""Most rounds of killing: a process may start another while it is looked for."""
_TAIL = 2000


class FailureReason(StrEnum):
    """Kinds of engine failures."""

    NOT_STARTED = "could not be started"
    CRASHED = "died"
    STALLED = "did not answer"
    TIME = "time forfeit"
    OUTPUT_OVERFLOW = "flooded its output"
    ILLEGAL = "illegal move"
    FALSE_CLAIM = "false claim"
    PROTOCOL_ERROR = "broke the protocol"


class EngineFailure(SparringError):
    """A failure of an engine, which loses it the game."""

    def __init__(self, reason: FailureReason, detail: str) -> None:
        super().__init__(f"{reason}: {detail}" if detail else str(reason))
        self.reason = reason
        self.detail = detail


_running: dict[int, EngineProcess] = {}


def kill_all() -> None:
    """Kills every running engine of this process."""
    for process in list(_running.values()):
        process.kill()


class EngineProcess:
    """A running program in a process group of its own.

    A variable in its environment marks the program and everything that it starts, so that a child that leaves
    the group is killed too. The mark is read from /proc: on Linux only.
    """

    def __init__(self, command: Sequence[str], env: Mapping[str, str], folder: Path | None) -> None:
        mark = uuid.uuid4().hex
        self._mark = f"{_MARK}={mark}".encode()
        try:
            self._process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                env={**os.environ, **env, _MARK: mark},
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same on Windows
                bufsize=0,
            )
        except (OSError, ValueError) as error:
            raise EngineFailure(FailureReason.NOT_STARTED, f"{command[0]}: {error}") from None
        self._pipes = pipes_of(self._process)
        self._open = {OUTPUT, COMPLAINTS}
        self._lines: deque[str] = deque()
        self._partial = b""
        self._complaints = b""
        self._taken_lines = self._taken_bytes = 0
        _running[self._process.pid] = self

    def send(self, line: str, deadline: float) -> None:
        """Writes a line and begins a new answer. Raises EngineFailure if it is not read in time."""
        self._taken_lines = self._taken_bytes = 0
        try:
            rest = self._pipes.write(line.encode() + b"\n", deadline)
        except OSError:
            self._read(0.0)
            raise self._died() from None
        if rest:
            raise EngineFailure(FailureReason.STALLED, f"it does not read {line[:60]!r}")

    def receive(self, deadline: float) -> str | None:
        """The next line; None at the deadline. Raises EngineFailure."""
        while not self._lines:
            left = deadline - time.monotonic()
            if OUTPUT not in self._open:
                raise self._died()
            if not self._read(max(0.0, left)) and left <= 0:
                return None
            if time.monotonic() > deadline and not self._lines:
                return None
        return self._lines.popleft()

    def drain(self) -> None:
        """Discards pending output."""
        while OUTPUT in self._open and self._read(0.0):
            self._lines.clear()
        self._lines.clear()

    def close(self, quit_command: str, timeout: float) -> None:
        """Asks the program to quit; kills it after `timeout` seconds."""
        deadline = time.monotonic() + timeout
        with contextlib.suppress(EngineFailure):
            self.send(quit_command, deadline)
            while self.receive(deadline) is not None:
                pass
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(max(0.0, deadline - time.monotonic()))
        self.kill()

    def kill(self) -> None:
        """Kills the program and its children."""
        _running.pop(self._process.pid, None)
        # A process that is just being started has no environment yet, so it is known by its parents alone.
        descendants = _descendants(self._process.pid)
        _kill_group(self._process)
        _kill(descendants)
        self._process.wait()
        _kill_marked(self._mark)
        self._pipes.close()
        self._open = set()

    def _read(self, wait: float) -> bool:
        """Reads available output, waiting up to `wait` seconds; returns whether there was any."""
        chunks = self._pipes.read(wait)
        for pipe, chunk in chunks:
            if not chunk:
                self._open.discard(pipe)
            elif pipe == COMPLAINTS:
                self._complaints = (self._complaints + chunk)[-_TAIL:]
            else:
                self._take(chunk)
        return bool(chunks)

    def _take(self, chunk: bytes) -> None:
        *lines, self._partial = (self._partial + chunk).split(b"\n")
        self._taken_lines += len(lines)
        self._taken_bytes += len(chunk)
        taken = (len(self._partial), self._taken_lines, self._taken_bytes)
        if any(size > limit for size, limit in zip(taken, _LIMITS, strict=True)):
            raise EngineFailure(FailureReason.OUTPUT_OVERFLOW, f"{self._taken_bytes:,} bytes for one answer")
        self._lines.extend(line.decode(errors="replace").strip() for line in lines)

    def _died(self) -> EngineFailure:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        status = self._process.returncode
        while COMPLAINTS in self._open and self._read(0.0):
            pass
        words = "it closed its output" if status is None else f"exit status {status}"
        if error_lines := self._complaints.decode(errors="replace").strip().splitlines():
            words += f": {error_lines[-1][:200]}"
        return EngineFailure(FailureReason.CRASHED, words)


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kills a program and what it started, as far as the system knows."""
    if sys.platform == "win32":
        tree = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(tree, capture_output=True, timeout=10, check=False)
        process.kill()
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _kill_marked(mark: bytes) -> None:
    """Kills every process whose environment has the mark."""
    for _ in range(_KILL_ROUNDS):
        pids = [pid for pid in _process_ids() if mark in _proc(pid, "environ").split(b"\0")]
        if not pids:
            return
        _kill(pids)


def _kill(pids: Iterable[int]) -> None:
    if sys.platform == "win32":
        return  # `_process_ids` finds none
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _descendants(pid: int) -> list[int]:
    """The running processes that a process started, and those that they started."""
    children: dict[int, list[int]] = {}
    for process in _process_ids():
        if stat := _proc(process, "stat"):  # the state and the parent follow the name, which may be any text
            children.setdefault(int(stat.rpartition(b")")[2].split()[1]), []).append(process)
    descendants = [pid]
    for process in descendants:
        descendants.extend(children.get(process, ()))
    return descendants[1:]


def _process_ids() -> list[int]:
    try:
        return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]
    except OSError:
        return []


def _proc(pid: int, name: str) -> bytes:
    """A file of a process in /proc; empty if the process has ended or belongs to somebody else."""
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


class EngineClient:
    """A running engine: base of the clients. Every method raises EngineFailure if the engine fails."""

    stops = True
    """Whether a search can be stopped. An engine that exceeds its time is killed otherwise."""

    def __init__(self, entry: EngineConfig) -> None:
        self._entry = entry
        self._process = EngineProcess(entry.command, entry.env, entry.folder)
        try:
            self._shake_hands(time.monotonic() + entry.start_seconds)
        except EngineFailure:
            self._process.kill()
            raise

    def _shake_hands(self, deadline: float) -> None:
        """Begins the dialogue with the engine that was started."""
        raise NotImplementedError

    def new_game(self, start: Any, clocks: GameClock | None) -> None:
        """Begins a game from a state and waits until the engine is ready."""
        raise NotImplementedError

    def choose(
        self,
        line: PositionHistory,
        clocks: GameClock | None,
        limits: SearchLimits | None = None,
        stop: Event | None = None,
    ) -> PlayResult:
        """Requests a move. `limits` replace those of the configuration."""
        raise NotImplementedError

    def analyse(self, line: PositionHistory) -> int:
        """The score of the position in hundredths for the player to move."""
        raise NotImplementedError

    def game_over(self, score: float) -> None:
        """Sends the result of the game, if the protocol has a command for it."""

    def close(self) -> None:
        """Asks the engine to quit; kills it if it does not."""
        self._process.close("quit", self._entry.stop_seconds)

    def kill(self) -> None:
        """Kills the engine."""
        self._process.kill()


# The pipes of a program that was started, read and written with a limit of time.


OUTPUT, COMPLAINTS = 1, 2
"""Numbers of the pipes that are read."""
_CHUNK = 1 << 16
_CHUNKS = 16
"""Most chunks that a thread reads ahead."""


class Pipes(Protocol):
    """The three pipes of a program."""

    def write(self, data: bytes, deadline: float) -> bytes:
        """Writes to the program; returns what it did not take by then. Raises OSError."""

    def read(self, seconds: float) -> list[tuple[int, bytes]]:
        """Chunks of pipes by number, waiting for the first; an empty chunk is the end of a pipe."""

    def close(self) -> None:
        """Closes the pipes of a program that has ended."""


class PolledPipes:
    """Pipes for which the system can wait."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._pipes = _pipes(process)
        self._stdin, stdout, stderr = (pipe.fileno() for pipe in self._pipes)
        for pipe in (self._stdin, stdout, stderr):
            os.set_blocking(pipe, False)
        self._open = {stdout: OUTPUT, stderr: COMPLAINTS}

    def write(self, data: bytes, deadline: float) -> bytes:
        """Writes to the program; returns what it did not take by then. Raises OSError."""
        while data:
            _, ready, _ = select.select([], [self._stdin], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                break
            with contextlib.suppress(BlockingIOError):
                data = data[os.write(self._stdin, data) :]
        return data

    def read(self, seconds: float) -> list[tuple[int, bytes]]:
        """Chunks of pipes by number, waiting for the first; an empty chunk is the end of a pipe."""
        chunks = []
        ready, _, _ = select.select(list(self._open), [], [], seconds)
        for pipe in ready:
            with contextlib.suppress(BlockingIOError):
                chunks.append((self._open[pipe], os.read(pipe, _CHUNK)))
                if not chunks[-1][1]:
                    del self._open[pipe]
        return chunks

    def close(self) -> None:
        """Closes the pipes of a program that has ended."""
        self._open = {}
        for pipe in self._pipes:
            pipe.close()


class PumpedPipes:
    """Pipes that threads read and write."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        stdin, stdout, stderr = _pipes(process)
        self._chunks: queue.Queue[tuple[int, bytes]] = queue.Queue(_CHUNKS)
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._written, self._closed = threading.Event(), threading.Event()
        self._error: OSError | None = None
        for work, arguments in (
            (self._pump, (stdout, OUTPUT)),
            (self._pump, (stderr, COMPLAINTS)),
            (self._feed, (stdin,)),
        ):
            threading.Thread(target=work, args=arguments, name="engine pipe", daemon=True).start()

    def write(self, data: bytes, deadline: float) -> bytes:
        """Writes to the program; returns what it did not take by then. Raises OSError."""
        self._written.clear()
        self._lines.put(data)
        if not self._written.wait(max(0.0, deadline - time.monotonic())):
            return data
        if self._error is not None:
            raise self._error
        return b""

    def read(self, seconds: float) -> list[tuple[int, bytes]]:
        """Chunks of pipes by number, waiting for the first; an empty chunk is the end of a pipe."""
        chunks: list[tuple[int, bytes]] = []
        with contextlib.suppress(queue.Empty):
            chunks.append(self._chunks.get(timeout=max(seconds, 1e-3)))
            while True:
                chunks.append(self._chunks.get_nowait())
        return chunks

    def close(self) -> None:
        """Closes the pipes of a program that has ended: the threads do."""
        self._closed.set()
        self._lines.put(b"")

    def _pump(self, pipe: IO[bytes], number: int) -> None:
        with pipe:
            chunk = b"begin"
            while chunk and not self._closed.is_set():
                try:
                    chunk = os.read(pipe.fileno(), _CHUNK)
                except OSError:
                    chunk = b""
                self._put(number, chunk)

    def _put(self, number: int, chunk: bytes) -> None:
        while not self._closed.is_set():
            with contextlib.suppress(queue.Full):
                self._chunks.put((number, chunk), timeout=0.1)
                return

    def _feed(self, pipe: IO[bytes]) -> None:
        try:
            with pipe:
                while data := self._lines.get():
                    while data:
                        data = data[os.write(pipe.fileno(), data) :]
                    self._written.set()
        except OSError as error:
            self._error = error
            self._written.set()


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    return process.stdin, process.stdout, process.stderr


def pipes_of(process: subprocess.Popen[bytes]) -> Pipes:
    """The pipes of a program that was started with all three and `bufsize=0`."""
    return PumpedPipes(process) if sys.platform == "win32" else PolledPipes(process)
