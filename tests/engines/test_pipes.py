"""The pipes of a program, with and without threads, behave alike."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from sparring.players import engines
from sparring.players.engines import (
    COMPLAINTS,
    OUTPUT,
    EngineFailure,
    EngineProcess,
    FailureReason,
    Pipes,
    PolledPipes,
    PumpedPipes,
)

KINDS = [PolledPipes, PumpedPipes]
ECHO = "import sys\nfor line in sys.stdin: print(line.strip().upper(), flush=True)"
FLOOD = "while True: print('x' * 1000)"
DEAF = "import time; time.sleep(60)"
FAILS = "import sys; print('no network', file=sys.stderr); sys.exit(3)"


@pytest.fixture(params=KINDS, ids=["polled", "pumped"])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> type[Pipes]:
    monkeypatch.setattr(engines, "pipes_of", request.param)
    chosen: type[Pipes] = request.param
    return chosen


@contextmanager
def started(program: str) -> Iterator[EngineProcess]:
    process = EngineProcess([sys.executable, "-u", "-c", program], {}, None)
    try:
        yield process
    finally:
        process.kill()


def soon(seconds: float = 30.0) -> float:
    return time.monotonic() + seconds


def read_all(process: EngineProcess) -> None:
    while process.receive(soon()) is not None:
        pass


@pytest.mark.usefixtures("kind")
def test_lines_are_answered() -> None:
    with started(ECHO) as process:
        for word in ("uci", "go", "quit"):
            process.send(word, soon())
            assert process.receive(soon()) == word.upper()
        assert process.receive(soon(0.05)) is None


@pytest.mark.usefixtures("kind")
def test_a_flood_is_stopped() -> None:
    with started(FLOOD) as process, pytest.raises(EngineFailure) as failure:
        read_all(process)
    assert failure.value.reason is FailureReason.OUTPUT_OVERFLOW


@pytest.mark.usefixtures("kind")
def test_a_program_that_does_not_read_stalls() -> None:
    with started(DEAF) as process, pytest.raises(EngineFailure) as failure:
        process.send("x" * (1 << 22), soon(0.5))
    assert failure.value.reason is FailureReason.STALLED


@pytest.mark.usefixtures("kind")
def test_the_last_words_of_a_program_are_kept() -> None:
    with (
        started(FAILS) as process,
        pytest.raises(EngineFailure, match="exit status 3: no network") as failure,
    ):
        process.receive(soon())
    assert failure.value.reason is FailureReason.CRASHED


@pytest.mark.parametrize("pipes", KINDS)
def test_chunks_name_their_pipe(pipes: type[PolledPipes | PumpedPipes]) -> None:
    program = "import sys; sys.stdout.write('out'); sys.stderr.write('err')"
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0
    ) as run:
        both, seen = pipes(run), {OUTPUT: b"", COMPLAINTS: b""}
        ends, limit = 0, soon()
        while ends < 2 and time.monotonic() < limit:
            for number, chunk in both.read(0.5):
                seen[number] += chunk
                ends += not chunk
        run.wait()
        both.close()
    assert seen == {OUTPUT: b"out", COMPLAINTS: b"err"}
