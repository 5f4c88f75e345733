"""Routes of tournaments."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request, Response, WebSocket

from sparring.server.followers import send_until_left
from sparring.server.refusal import REFUSALS, Refused
from sparring.server.requests import Host, Visitor
from sparring.server.tournament_messages import (
    NewTournament,
    TournamentGame,
    TournamentSummary,
    TournamentView,
)
from sparring.server.tournaments import Tournaments

_INTERVAL = 0.2
"""Seconds between two views of a WebSocket, at least."""

router = APIRouter(prefix="/api/tournaments", tags=["tournaments"], responses=REFUSALS)


def get_tournaments(request: Request) -> Tournaments:
    """The tournaments of the application."""
    tournaments: Tournaments = request.app.state.tournaments
    return tournaments


TournamentsOfApp = Annotated[Tournaments, Depends(get_tournaments)]


@router.get("")
async def list_tournaments(visitor: Visitor, tournaments: TournamentsOfApp) -> list[TournamentSummary]:
    """The visitor's tournaments, the latest first."""
    return await tournaments.recent(visitor)


@router.post("", status_code=201)
async def new_tournament(
    wanted: NewTournament, visitor: Visitor, tournaments: TournamentsOfApp
) -> TournamentView:
    """Begins a tournament, which goes on without a page, also after a restart of the server."""
    return await tournaments.create(visitor, wanted)


@router.get("/{tournament_id}")
async def get_tournament(
    tournament_id: str, visitor: Visitor, tournaments: TournamentsOfApp
) -> TournamentView:
    """A tournament so far."""
    return await tournaments.view(await tournaments.find(visitor, tournament_id))


@router.get("/{tournament_id}/games/{number}")
async def get_tournament_game(
    tournament_id: str,
    number: Annotated[int, Path(ge=0, le=100_000)],
    host: Host,
    visitor: Visitor,
    tournaments: TournamentsOfApp,
) -> TournamentGame:
    """A finished game with its moves."""
    return await host.run((await tournaments.find(visitor, tournament_id)).game_view, number)


@router.post("/{tournament_id}/stop")
async def stop_tournament(
    tournament_id: str, visitor: Visitor, tournaments: TournamentsOfApp
) -> TournamentView:
    """Stops a tournament. Its finished games stay; games in progress are dropped."""
    return await tournaments.stop(visitor, tournament_id)


@router.post("/{tournament_id}/resume")
async def resume_tournament(
    tournament_id: str, visitor: Visitor, tournaments: TournamentsOfApp
) -> TournamentView:
    """Plays the games that are left."""
    return await tournaments.resume(visitor, tournament_id)


@router.delete("/{tournament_id}", status_code=204)
async def delete_tournament(tournament_id: str, visitor: Visitor, tournaments: TournamentsOfApp) -> Response:
    """Deletes a tournament."""
    await tournaments.delete(visitor, tournament_id)
    return Response(status_code=204)


@router.websocket("/{tournament_id}/live")
async def live_tournament(socket: WebSocket, tournament_id: str) -> None:
    """Sends the tournament at once, and again after changes, at most five times a second."""
    tournaments: Tournaments = socket.app.state.tournaments
    await socket.accept()
    try:
        live = await tournaments.find(socket.state.visitor, tournament_id)
    except Refused as refusal:
        await socket.close(1008, str(refusal))
        return

    changed = live.changed

    async def view() -> TournamentView:
        nonlocal changed
        changed = live.changed
        return await tournaments.view(live)

    async def following() -> TournamentView:
        await asyncio.sleep(_INTERVAL)
        await changed.wait()
        return await view()

    await send_until_left(socket, await view(), following)
