"""All tournaments of the server: those that run are in memory, and go on after a restart."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict
from collections.abc import Sequence
from functools import partial
from itertools import count

from sparring.games import load_game
from sparring.server.game_host import GameHost
from sparring.server.live_tournament import LiveTournament
from sparring.server.opponents import about
from sparring.server.refusal import Refused
from sparring.server.tournament_messages import (
    NewTournament,
    TournamentSettings,
    TournamentSummary,
    TournamentView,
)
from sparring.server.tournament_store import StoredTournament, TournamentResult, TournamentStore

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
            raise Refused(f"You have {_STORED} tournaments: delete some.", 429)
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
                live = await self._open(stored) if stored is not None and stored.visitor == visitor else None
        if live is None or live.visitor != visitor:
            raise Refused("There is no such tournament of yours.", 404)
        self._live.move_to_end(tournament_id)
        return live

    async def recent(self, visitor: str) -> list[TournamentSummary]:
        """A visitor's tournaments, the latest first."""
        return [_summary(each) for each in await self._host.run(self._store.of_visitor, visitor)]

    async def view(self, live: LiveTournament) -> TournamentView:
        """A tournament so far."""
        return await self._host.run(live.view)

    async def stop(self, visitor: str, tournament_id: str) -> TournamentView:
        """Stops a tournament; its finished games stay. Raises Refused."""
        live = await self.find(visitor, tournament_id)
        if live.over:
            raise Refused("The tournament is over.")
        await live.stop()
        await self._host.run(self._store.set_stopped, tournament_id, True)
        return await self.view(live)

    async def resume(self, visitor: str, tournament_id: str) -> TournamentView:
        """Plays the games that are left. Raises Refused."""
        live = await self.find(visitor, tournament_id)
        if len(live.results) >= live.settings.games:
            raise Refused("All games are played.")
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
        running = [each for each in self._live.values() if each.runs]
        own = sum(each.visitor == visitor for each in running)
        if own >= _RUNNING or len(running) >= _ALL_RUNNING:
            raise Refused("Wait until other tournaments are over, or stop one.", 429)

    def _settings(self, wanted: NewTournament) -> TournamentSettings:
        try:
            rules = load_game(wanted.game, **wanted.options)
            rules.initial()
        except (ValueError, TypeError) as error:
            raise Refused(str(error), 422) from None
        if any(each.adapt for each in wanted.players):
            raise Refused("The level of a player of a tournament does not adapt.", 422)
        players = [self._host.opponents.complete(rules, each) for each in wanted.players]
        for player in players:
            self._host.opponents.make(rules, player).close()  # refuses what cannot be loaded
        named = [about(rules, each) for each in players]
        return TournamentSettings(
            game=wanted.game,
            options=wanted.options,
            players=players,
            names=_unique([name for name, _ in named]),
            about=[text for _, text in named],
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
        save = partial(self._store.add_result, tournament_id)
        live = LiveTournament(tournament_id, visitor, settings, results, self._host, save)
        self._live[tournament_id] = live
        for each in list(self._live.values()):
            if len(self._live) > _IN_MEMORY and not each.runs:
                del self._live[each.id]
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
    found: list[str] = []
    for name in names:
        numbered = (name if i == 1 else f"{name} ({i})" for i in count(1))
        found.append(next(each for each in numbered if each not in found))
    return found
