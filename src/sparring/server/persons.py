"""Making a player that plays like one person, on the page: names in a file, the work, its progress."""

from __future__ import annotations

import asyncio
import json
import secrets
import sqlite3
import sys
import zlib
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event
from typing import Annotated, Any

from fastapi import APIRouter, Response
from pydantic import Field

from sparring.base.errors import CannotWrite
from sparring.base.sentences import Sentence
from sparring.games import GAMES
from sparring.server.messages import ApiMessage, GameName, Text, encodable, text_of
from sparring.server.pasted import read_records
from sparring.server.person_job import cannot_make, learned, named_games
from sparring.server.refusal import REFUSALS, Refused
from sparring.server.routes import AskingVisitor, Visitor, of_app
from sparring.server.store import Database

_RUNNING, _ALL_RUNNING = 1, 2
"""Persons of a visitor, and of all visitors, that are made at once."""
_KEPT = 50
"""Jobs that are remembered."""
_MINUTES = 10.0
"""Time that a person may take; the earliest games are left out beyond it."""
_STARTS = 3
"""How often work is begun that ends with the server each time."""
_SHOWN_NAMES = 500
_LONGEST_LINE = 1 << 20
_LONGEST_TEXT = 16_000_000
_STARTING = Sentence("Starting: this takes a minute or two on a slow machine.")
_STAGES = {
    "trying ratings": Sentence("Trying ratings."),
    "checking on the latest games": Sentence("Checking on the latest games."),
    "fitting": Sentence("Learning habits and openings."),
}

GamesText = Annotated[str, Field(max_length=_LONGEST_TEXT, description="A file of games as text.")]


class NamesRequest(ApiMessage):
    """A file of games."""

    game: GameName
    text: GamesText


class PersonName(ApiMessage):
    """A player of a file of games."""

    name: str
    games: int


class NewPerson(ApiMessage):
    """A person to make."""

    game: GameName
    text: GamesText
    name: str = Field(min_length=1, max_length=200, description="The person's name in the games.")


class StartedJob(ApiMessage):
    """Work that has begun."""

    job: str


class JobView(ApiMessage):
    """How far the work is."""

    done: bool
    share: float = Field(description="From 0 to 1.")
    message: Text = Field(description="What is done now; at the end, what was learned.")
    person: str | None = Field(description="At the end: for `person` of an opponent.")
    error: Text | None = Field(description="Why it ended without a person.")


@dataclass
class _Job:
    visitor: str
    process: asyncio.subprocess.Process | None = None
    task: asyncio.Task[None] | None = None
    share: float = 0.0
    message: str = field(default_factory=lambda: _STARTING)
    person: str | None = None
    error: str | None = None

    @property
    def done(self) -> bool:
        """Whether nothing is done any more."""
        return self.task is None or self.task.done()


class PersonJobs:
    """The persons that are being made, each in a process of its own. They go on when the page is closed. They
    end with the server, and begin again with it: the games are stored until the person is made."""

    def __init__(self, database: Database) -> None:
        self._jobs: OrderedDict[str, _Job] = OrderedDict()
        self._database = database

    def resume_all(self) -> None:
        """Begins again what was going on when the server ended."""
        for job_id, visitor, task, starts in self._database.read(
            "SELECT id, visitor, task, starts FROM persons_to_make"
        ):
            job = self._jobs[job_id] = _Job(visitor)
            try:
                wanted = json.loads(zlib.decompress(task))
            except (zlib.error, ValueError, TypeError):
                starts = _STARTS
            if starts < _STARTS:
                job.message = Sentence("The server ended meanwhile. The work begins again.")
                job.task = asyncio.create_task(self._run(job_id, job, wanted))
            else:
                job.error = Sentence(
                    "The server ended while it learned this person. Choose the file again to start anew."
                )
                self._forget(job_id)

    def begin(self, visitor: str, wanted: NewPerson) -> str:
        """Starts to make a person, and returns the job. Raises Refused."""
        _check_game(wanted.game)
        running = [job for job in self._jobs.values() if not job.done]
        if sum(job.visitor == visitor for job in running) >= _RUNNING or len(running) >= _ALL_RUNNING:
            raise Refused(Sentence("Wait until the other person is made, or stop it."), 429)
        job_id = secrets.token_urlsafe(9)
        job = self._jobs[job_id] = _Job(visitor)
        task = {"game": wanted.game, "name": wanted.name, "text": wanted.text, "minutes": _MINUTES}
        job.task = asyncio.create_task(self._run(job_id, job, task))
        while len(self._jobs) > _KEPT:
            oldest = next((name for name, other in self._jobs.items() if other.done), job_id)
            del self._jobs[oldest]
        return job_id

    def view(self, visitor: str, job_id: str) -> JobView:
        """How far a job is. Raises Refused."""
        job = self._find(visitor, job_id)
        return JobView(
            done=job.done,
            share=1.0 if job.person is not None else round(job.share, 3),
            message=text_of(job.message),
            person=job.person,
            error=None if job.error is None else text_of(job.error),
        )

    async def stop(self, visitor: str, job_id: str) -> None:
        """Ends a job; a person that is made already stays. Raises Refused."""
        await _end(self._find(visitor, job_id))
        self._jobs.pop(job_id, None)
        await asyncio.to_thread(self._forget, job_id)

    async def close(self) -> None:
        """Ends all jobs."""
        await asyncio.gather(*map(_end, self._jobs.values()))

    def _find(self, visitor: str, job_id: str) -> _Job:
        job = self._jobs.get(job_id)
        if job is None or job.visitor != visitor:
            raise Refused(
                Sentence(
                    "This work is over: it was stopped, or the server was started again after it. A person "
                    "that was made is among the opponents."
                ),
                404,
            )
        return job

    async def _run(self, job_id: str, job: _Job, task: dict[str, Any]) -> None:
        try:
            await asyncio.to_thread(self._remember, job_id, job.visitor, task)
            await _work(job, task)
        except OSError as error:
            job.error = Sentence("The person could not be made: {reason}.", reason=str(error))
        finally:
            if job.process is not None and job.process.returncode is None:
                with suppress(ProcessLookupError):
                    job.process.kill()
                await job.process.wait()
        if job.person is None and job.error is None:  # Ctrl-C ends it with the server: it stays stored
            job.error = Sentence("The work ended before the person was made.")
        else:
            await asyncio.to_thread(self._forget, job_id)

    def _remember(self, job_id: str, visitor: str, task: dict[str, Any]) -> None:
        """Stores the work, and counts that it begins."""
        values = (job_id, visitor, zlib.compress(json.dumps(task).encode()))

        def work(file: sqlite3.Connection) -> None:
            if job_id not in self._jobs:
                return  # it was stopped meanwhile
            file.execute(
                "INSERT INTO persons_to_make VALUES (?, ?, ?, 1)"
                " ON CONFLICT (id) DO UPDATE SET starts = starts + 1",
                values,
            )

        with suppress(CannotWrite):  # it is made nevertheless
            self._database.write(work)

    def _forget(self, job_id: str) -> None:
        with suppress(CannotWrite):
            self._database.write(
                lambda file: file.execute("DELETE FROM persons_to_make WHERE id = ?", (job_id,))
            )


async def _work(job: _Job, task: dict[str, Any]) -> None:
    """Has a process make a person, and follows it."""
    pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    command = (sys.executable, "-m", "sparring.server.person_job")
    job.process = process = await asyncio.create_subprocess_exec(
        *command, stdin=pipe, stdout=pipe, stderr=nothing, limit=_LONGEST_LINE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(ConnectionError):  # it ended; its last line says why
        process.stdin.write(json.dumps(task).encode() + b"\n")
        await process.stdin.drain()
    while line := await process.stdout.readline():
        _follow(job, json.loads(line))


def _follow(job: _Job, message: dict[str, Any]) -> None:
    """Takes a message of the process."""
    if "error" in message:
        job.error = Sentence("The person could not be made: {reason}.", reason=message["error"].rstrip("."))
    elif "person" in message:
        job.person = message["person"]
        job.message = Sentence("Learned from {games} games.", games=message["games"])
        if what := learned(message["measured"]):
            job.message = Sentence("{first} {second}", first=job.message, second=what)
    else:
        job.share = max(job.share, message["share"])
        job.message = _STAGES.get(message["stage"]) or Sentence(
            "Reading the games: {done} of {total}.", done=message["done"], total=message["total"]
        )


async def _end(job: _Job) -> None:
    if job.task is not None:
        job.task.cancel()
        await asyncio.gather(job.task, return_exceptions=True)


def _check_game(game: str) -> None:
    """Raises Refused for a game without persons."""
    if game not in GAMES:
        raise Refused(
            Sentence("There is no game {game}: choose {games}.", game=game, games=", ".join(GAMES)), 422
        )
    if reason := cannot_make(game):
        raise Refused(reason, 422)


# Routes.


router = APIRouter(prefix="/api/persons", tags=["persons"], responses=REFUSALS)


Jobs = Annotated[PersonJobs, of_app("persons")]


@router.post("/names")
async def list_names(wanted: NamesRequest, asker: AskingVisitor) -> list[PersonName]:
    """The names in a file of games, those with the most games first."""
    _check_game(wanted.game)

    def names(stop: Event) -> list[PersonName]:
        counts = named_games(read_records(wanted.game, wanted.text, stop))
        if not counts:
            raise Refused(Sentence("No game with a player's name can be read in the file."), 422)
        return [
            PersonName(name=encodable(name), games=count)
            for name, count in list(counts.items())[:_SHOWN_NAMES]
        ]

    return await asker.answer(names)


@router.post("", status_code=201)
async def make_person(wanted: NewPerson, visitor: Visitor, jobs: Jobs) -> StartedJob:
    """Begins to make a person. It goes on in the background: ask for the job until it is done."""
    return StartedJob(job=jobs.begin(visitor, wanted))


@router.get("/jobs/{job_id}")
async def get_job(job_id: str, visitor: Visitor, jobs: Jobs) -> JobView:
    """How far a job is."""
    return jobs.view(visitor, job_id)


@router.delete("/jobs/{job_id}", status_code=204)
async def stop_job(job_id: str, visitor: Visitor, jobs: Jobs) -> Response:
    """Stops a job, or forgets one that is done."""
    await jobs.stop(visitor, job_id)
    return Response(status_code=204)
