"""All tournaments of the server: those that run are in memory, and go on after a restart."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict
from collections.abc import Sequence
from functools import partial
from itertools import count
from typing import Annotated

from fastapi import APIRouter, Path, Response, WebSocket

from sparring.base.sentences import Sentence, to_stored
from sparring.games import load_game
from sparring.server.game_host import GameHost, send_until_left
from sparring.server.live_tournament import (
    LiveTournament,
    NewTournament,
    StoredTournament,
    TournamentGame,
    TournamentResult,
    TournamentSettings,
    TournamentStore,
    TournamentSummary,
    TournamentView,
)
from sparring.server.opponents import about
from sparring.server.refusal import REFUSALS, Refused, message_of
from sparring.server.routes import Host, Visitor, of_app
from sparring.server.security import OWNER

_RUNNING, _ALL_RUNNING = 2, 6
"""Tournaments of a visitor, and of all visitors, that are played at once."""
_STORED = 100
"""Tournaments that a visitor may have."""
_IN_MEMORY = 50


class Tournaments:
    """Creates, finds and plays tournaments. All methods are called from one event loop."""

    def __init__(self, store: TournamentStore, host: GameHost) -> None:
        self._store, self._host = store, host
        self._live: OrderedDict[str, LiveTournament] = OrderedDict()
        self._loading = asyncio.Lock()

    async def resume_all(self) -> None:
        """Goes on with the tournaments that ran when the server ended, the latest first; stops the others."""
        unfinished = await self._host.run(self._store.unfinished)
        for stored in unfinished[_ALL_RUNNING:]:
            await self._host.run(self._store.set_stopped, stored.id, True)
        for stored in unfinished[:_ALL_RUNNING]:
            try:
                (await self._open(stored)).start()
            except (ValueError, TypeError):  # rules that this version does not have: the server starts anyway
                continue

    async def create(self, visitor: str, wanted: NewTournament) -> TournamentView:
        """Begins a tournament. Raises Refused."""
        self._check_room(visitor)
        if len(await self._host.run(self._store.of_visitor, visitor)) >= _STORED:
            raise Refused(Sentence("You have {count} tournaments: delete some.", count=_STORED), 429)
        settings = await self._host.compute(self._settings, wanted)
        tournament_id = secrets.token_urlsafe(9)
        async with self._loading:  # a tournament counts once it has started
            self._check_room(visitor)
            await self._host.run(self._store.create, tournament_id, visitor, settings)
            live = self._keep(tournament_id, visitor, settings)
            live.start()
        return await self.view(live)

    async def find(self, visitor: str, tournament_id: str) -> LiveTournament:
        """A tournament of a visitor. Raises Refused."""
        async with self._loading:
            live = self._live.get(tournament_id)
            if live is None:
                stored = await self._host.run(self._store.load, tournament_id)
                own = stored is not None and visitor in (stored.visitor, OWNER)
                live = await self._open(stored) if stored is not None and own else None
        if live is None or visitor not in (live.visitor, OWNER):
            raise Refused(Sentence("There is no such tournament of yours."), 404)
        self._live.move_to_end(tournament_id)
        return live

    async def recent(self, visitor: str) -> list[TournamentSummary]:
        """A visitor's tournaments, the latest first."""
        return [_summary(tournament) for tournament in await self._host.run(self._store.of_visitor, visitor)]

    async def view(self, live: LiveTournament) -> TournamentView:
        """A tournament so far."""
        return await self._host.run(live.view)

    async def stop(self, visitor: str, tournament_id: str) -> TournamentView:
        """Stops a tournament; its finished games stay. Raises Refused."""
        live = await self.find(visitor, tournament_id)
        if live.over:
            raise Refused(Sentence("The tournament is over."))
        await live.stop()
        await self._host.run(self._store.set_stopped, tournament_id, True)
        return await self.view(live)

    async def resume(self, visitor: str, tournament_id: str) -> TournamentView:
        """Plays the games that are left. Raises Refused."""
        live = await self.find(visitor, tournament_id)
        if len(live.results) >= live.settings.games:
            raise Refused(Sentence("All games are played."))
        if live.over or not live.runs:
            await live.stop()  # after an error, games may still be going on
            async with self._loading:
                self._check_room(visitor)
                await self._host.run(self._store.set_stopped, tournament_id, False)
                live.start()
        return await self.view(live)

    async def delete(self, visitor: str, tournament_id: str) -> None:
        """Deletes a tournament. Raises Refused."""
        live = await self.find(visitor, tournament_id)
        await live.stop()
        self._live.pop(tournament_id, None)
        await self._host.run(self._store.delete, tournament_id)

    async def close(self) -> None:
        """Ends all games. Tournaments that run go on when the server starts again."""
        for live in list(self._live.values()):
            await live.stop()

    def _check_room(self, visitor: str) -> None:
        """Raises Refused if too many tournaments run."""
        running = [tournament for tournament in self._live.values() if tournament.runs]
        own = sum(visitor in (tournament.visitor, OWNER) for tournament in running)
        if own >= _RUNNING or len(running) >= _ALL_RUNNING:
            raise Refused(Sentence("Wait until other tournaments are over, or stop one."), 429)

    def _settings(self, wanted: NewTournament) -> TournamentSettings:
        try:
            rules = load_game(wanted.game, **wanted.options)
            rules.initial()
        except (ValueError, TypeError) as error:
            raise Refused(message_of(error), 422) from None
        if any(choice.adapt for choice in wanted.players):
            raise Refused(Sentence("The level of a player of a tournament does not adapt."), 422)
        players = [self._host.opponents.complete(rules, choice) for choice in wanted.players]
        for player in players:
            self._host.opponents.make(rules, player).close()  # refuses what cannot be loaded
        named = [about(rules, choice) for choice in players]
        return TournamentSettings(
            game=wanted.game,
            options=wanted.options,
            players=players,
            names=_unique([name for name, _ in named]),
            about=[to_stored(text) for _, text in named],
            games=wanted.games,
            format=wanted.format,
            concurrency=wanted.concurrency,
            pace=wanted.pace,
            seed=secrets.randbelow(2**53) if wanted.seed is None else wanted.seed,
            created=time.time(),
        )

    async def _open(self, stored: StoredTournament) -> LiveTournament:
        results = await self._host.run(self._store.results, stored.id)
        live = self._keep(stored.id, stored.visitor, stored.settings, results)
        live.stopped = stored.stopped
        return live

    def _keep(
        self,
        tournament_id: str,
        visitor: str,
        settings: TournamentSettings,
        results: Sequence[TournamentResult] = (),
    ) -> LiveTournament:
        save, version = partial(self._store.add_result, tournament_id), self._host.store.database.version()
        live = LiveTournament(tournament_id, visitor, settings, results, self._host, save, version)
        self._live[tournament_id] = live
        for tournament in list(self._live.values()):
            if len(self._live) > _IN_MEMORY and not tournament.runs:
                del self._live[tournament.id]
        return live


def _summary(stored: StoredTournament) -> TournamentSummary:
    settings = stored.settings
    return TournamentSummary(
        id=stored.id,
        game=settings.game,
        title=load_game(settings.game).spec.title,
        players=settings.names,
        games=settings.games,
        done_games=stored.done_games,
        over=stored.stopped or stored.done_games >= settings.games,
        updated=stored.updated,
    )


def _unique(names: list[str]) -> list[str]:
    """Names with a number behind those that were there before."""
    unique: list[str] = []
    for name in names:
        numbered = (name if i == 1 else f"{name} ({i})" for i in count(1))
        unique.append(next(candidate for candidate in numbered if candidate not in unique))
    return unique


# Routes of tournaments.


_INTERVAL = 0.2
"""Seconds between two views of a WebSocket, at least."""

router = APIRouter(prefix="/api/tournaments", tags=["tournaments"], responses=REFUSALS)


TournamentsOfApp = Annotated[Tournaments, of_app("tournaments")]


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
