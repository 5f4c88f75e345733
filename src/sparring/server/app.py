"""The web application: the HTTP API, its WebSockets, and the files of the page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

import sparring
from sparring.base.errors import Abandoned, CannotWrite, SparringError
from sparring.base.sentences import Sentence
from sparring.server import deck, history, progress, reports, teacher
from sparring.server import review as study_routes
from sparring.server import routes as game_routes
from sparring.server import tournaments as tournament_routes
from sparring.server import turing as turing_routes
from sparring.server.game_host import GameHost
from sparring.server.live_tournament import TournamentStore
from sparring.server.messages import text_of
from sparring.server.opponents import Opponents
from sparring.server.persons import PersonJobs
from sparring.server.persons import router as person_routes
from sparring.server.refusal import Refused, refusal_text
from sparring.server.review import Reviews
from sparring.server.safer import router as safer_routes
from sparring.server.security import Access, Guard, refusal_response
from sparring.server.store import Database, GameStore
from sparring.server.tournaments import Tournaments
from sparring.server.turing import TuringRounds


def create_app(
    store: Path | str,
    access: Access,
    page: Path | None = None,
    results: Path | None = None,
    threads: int = 1,
    keep: int | None = None,
) -> FastAPI:
    """The application.

    Args:
        store: the SQLite file of games.
        page: folder of the built page; None serves the API alone.
        results: folder of measurements for the gallery; None if there is none.
        threads: threads of each network.
        keep: finished games that stay stored, the oldest are deleted; None for all.

    Raises BadFile.
    """
    opponents = Opponents(threads)
    checked = Database(store)  # refuses another kind of file before the server starts
    checked.close()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        database = Database(store)
        app.state.host = host = GameHost(GameStore(database), opponents, keep)
        app.state.reviews = reviews = Reviews(host)
        app.state.deck = deck.Deck(database)
        app.state.persons = persons = PersonJobs(database)
        app.state.turing = TuringRounds(database)
        app.state.tournaments = tournaments = Tournaments(TournamentStore(database), host)
        await host.tidy()
        await tournaments.resume_all()
        persons.resume_all()
        try:
            yield
        finally:
            await persons.close()
            await tournaments.close()
            await reviews.close()
            await host.close()
            database.close()

    app = FastAPI(
        title="Sparring",
        version=sparring.__version__,
        summary="Play and study games against human-like opponents.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.add_middleware(Guard, access=access)
    app.add_exception_handler(SparringError, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _not_answered)
    app.include_router(game_routes.router)
    app.include_router(history.router)
    app.include_router(study_routes.router)
    app.include_router(safer_routes)
    app.include_router(deck.router)
    app.include_router(progress.router)
    app.include_router(teacher.router)
    app.include_router(person_routes)
    app.include_router(turing_routes.router)
    app.include_router(tournament_routes.router)
    app.include_router(reports.router)
    app.state.adopted = 0 if access.token else checked.adopted
    app.state.gallery = reports.Gallery(results)
    if page is not None:
        app.mount("/", StaticFiles(directory=page, html=True), name="page")
    return app


async def _refused(request: Request, error: Exception) -> JSONResponse:
    """One sentence for what cannot be done: a format that needs an extra, a full disk, a damaged game."""
    not_now = isinstance(error, CannotWrite | Abandoned)
    status = error.status if isinstance(error, Refused) else 503 if not_now else 422
    return refusal_response(refusal_text(error), status)


async def _invalid(request: Request, error: Exception) -> JSONResponse:
    """One sentence for a request that does not fit its message."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part != "body")
    where = where[:100]
    return refusal_response(text_of(Sentence("{where}: {error}", where=where, error=first["msg"])), 422)


async def _not_answered(request: Request, error: Exception) -> JSONResponse:
    """One sentence for an address that does not exist, or a body that is too large."""
    assert isinstance(error, HTTPException)
    return refusal_response(text_of(error.detail), error.status_code)
