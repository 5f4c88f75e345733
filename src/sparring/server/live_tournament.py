"""A tournament that is being played: its games at once, its standings and its boards."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sparring.arena.results import GameResult
from sparring.arena.schedule import meeting_of
from sparring.arena.standings import compute_standings
from sparring.games import Game, describe, load_game, resolve
from sparring.players import Player
from sparring.server.board_views import board_view
from sparring.server.game_host import GameHost
from sparring.server.game_settings import GameSettings
from sparring.server.game_views import move_view
from sparring.server.live_game import LiveGame, first_version
from sparring.server.new_game import opening_moves, people_moves
from sparring.server.refusal import Refused
from sparring.server.tournament_messages import (
    BoardOfGame,
    FinishedGame,
    Participant,
    StandingView,
    TournamentGame,
    TournamentSettings,
    TournamentView,
)
from sparring.server.tournament_store import TournamentResult

_SHOWN = 50
"""Finished games of a view."""
_OPENING_PLIES = 6
"""Plies of an opening, which the two games of a meeting share."""
_LONGEST = 1_000
"""Plies after which a game is a draw."""
_SEED_OF_OPENING = 1 << 32
"""Added to the number of a round, so that its opening has other random numbers than its games."""


class LiveTournament:
    """A tournament in memory. All methods are called from one event loop, except `view`."""

    def __init__(
        self,
        tournament_id: str,
        visitor: str,
        settings: TournamentSettings,
        results: Sequence[TournamentResult],
        host: GameHost,
        save: Callable[[TournamentResult], None],
    ) -> None:
        """`save` stores a finished game."""
        self.id, self.visitor, self.settings = tournament_id, visitor, settings
        self.results = {each.number: each for each in results}
        self.stopped = False
        self.error: str | None = None
        self.changed = asyncio.Event()
        """Set, and replaced, at every change."""
        self._version = first_version()
        self._host, self._save = host, save
        self._rules = load_game(settings.game, **settings.options)
        self._running: dict[int, LiveGame] = {}
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def runs(self) -> bool:
        """Whether games are being played."""
        return any(not each.done() for each in self._tasks)

    @property
    def over(self) -> bool:
        """Whether no game is being played or will be, unless it is resumed."""
        return self.stopped or self.error is not None or len(self.results) >= self.settings.games

    def start(self) -> None:
        """Plays the games that are missing."""
        self.stopped, self.error = False, None
        if not self.runs:
            count = min(self.settings.concurrency, self.settings.games - len(self.results))
            self._tasks = [asyncio.create_task(self._play_games()) for _ in range(count)]

    async def stop(self) -> None:
        """Ends all games; those in progress do not count and are played again if it is resumed."""
        self.stopped = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []
        self._bump()

    async def _play_games(self) -> None:
        """Plays one game after the other, until all are played or are being played by others."""
        try:
            while (number := self._next()) is not None:
                await self._play(number)
        except Exception as error:  # the page shows it; other tournaments go on
            self.error = f"The tournament ended: {error}"
            self.stopped = True  # it can be resumed
            self._bump()

    def _next(self) -> int | None:
        if self.error is not None:
            return None
        taken = (*self.results, *self._running)
        return next((each for each in range(self.settings.games) if each not in taken), None)

    async def _play(self, number: int) -> None:
        game: LiveGame | None = None
        began = time.monotonic()
        self._running[number] = LiveGame(self._settings_of(number), {})  # until its players are loaded
        try:
            game = self._running[number] = await self._host.compute(self._open, number)
            while (pending := game.pending_turn()) is not None:
                turn = time.monotonic()
                decision = await self._host.compute(game.decide, pending)
                await asyncio.sleep(max(0.0, self.settings.pace - (time.monotonic() - turn)))
                await self._host.run(game.accept, pending, decision)
                if len(game.moves) >= _LONGEST and game.end is None:
                    game.adjudicate_draw(f"A draw after {_LONGEST:,} moves.")
                self._bump()
            score = None if game.end is None else game.end.result
            assert score is not None
            moves, seconds = [each.text for each in game.moves], time.monotonic() - began
            result = TournamentResult(number, score, game.message, moves, seconds)
            await self._host.run(self._save, result)
            self.results[number] = result
        finally:
            del self._running[number]
            if game is not None:
                game.close()
            self._bump()

    def _open(self, number: int) -> LiveGame:
        """A game after its opening."""
        settings, rules = self._settings_of(number), self._rules
        players: dict[int, Player] = {
            side: self._host.opponents.make(rules, settings.opponents[side]) for side in (0, 1)
        }
        game: LiveGame = resolve(describe(settings.game).players.live_game)(settings, players)
        if moves := self._opening(number):
            game.play_record(moves)
        return game

    def _opening(self, number: int) -> list[str]:
        """A few plies as people play them, or at random in games without a network of people's moves."""
        rules = self._rules
        if rules.spec.hidden:
            return []
        *_, round_ = meeting_of(len(self.settings.players), self.settings.format, number)
        seed = [self.settings.seed, _SEED_OF_OPENING + round_]
        rng, start = np.random.default_rng(seed), rules.initial()
        if describe(self.settings.game).players.has_human_network:
            return people_moves(
                rules, start, _OPENING_PLIES, self.settings.players[0], self._host.opponents, rng
            )
        return _random_moves(rules, start, _OPENING_PLIES // 2, rng)

    def _settings_of(self, number: int) -> GameSettings:
        first, second, _ = meeting_of(len(self.settings.players), self.settings.format, number)
        players = self.settings.players
        seed = int(np.random.SeedSequence([self.settings.seed, number]).generate_state(1, np.uint32)[0])
        return GameSettings(
            game=self.settings.game,
            you=None,
            opponents=(players[first], players[second]),
            seed=seed,
            created=self.settings.created,
            options=self.settings.options,
        )

    def _bump(self) -> None:
        self._version += 1
        self.changed.set()
        self.changed = asyncio.Event()

    # Views

    def view(self) -> TournamentView:
        """The tournament so far."""
        spec, results = self._rules.spec, sorted(self.results.values(), key=lambda each: each.number)
        return TournamentView(
            id=self.id,
            version=self._version,
            game=spec.name,
            title=spec.title,
            sides=(spec.players[0], spec.players[1]),
            players=[
                Participant(name=name, about=about)
                for name, about in zip(self.settings.names, self.settings.about, strict=True)
            ],
            games=self.settings.games,
            done_games=len(results),
            over=self.over,
            stopped=self.stopped,
            error=self.error,
            standings=standings_of(self.settings, results),
            running=[self._board(number, game) for number, game in sorted(self._running.items())],
            finished=[self._finished(each) for each in list(self.results.values())[-_SHOWN:]],
        )

    def game_view(self, number: int) -> TournamentGame:
        """A finished game with its moves. Raises Refused."""
        if (result := self.results.get(number)) is None:
            raise Refused("There is no such finished game.", 404)
        game = LiveGame(self._settings_of(number), {})
        game.play_record(result.moves)
        finished = self._finished(result)
        return TournamentGame(
            number=number,
            first=finished.first,
            second=finished.second,
            score=result.score,
            text=result.text,
            moves=[move_view(each) for each in game.moves],
            positions=[self._rules.text(state) for state in game.states],
            boards=[board_view(self._rules.diagram(state)) for state in game.states],
        )

    def _board(self, number: int, game: LiveGame) -> BoardOfGame:
        first, second, _ = meeting_of(len(self.settings.players), self.settings.format, number)
        moves = list(game.moves)
        state = game.states[len(moves)]
        return BoardOfGame(
            number=number,
            first=first,
            second=second,
            ply=len(moves),
            position=self._rules.text(state),
            board=board_view(self._rules.diagram(state)),
            last=moves[-1].text if moves else None,
        )

    def _finished(self, result: TournamentResult) -> FinishedGame:
        first, second, _ = meeting_of(len(self.settings.players), self.settings.format, result.number)
        return FinishedGame(
            number=result.number,
            first=first,
            second=second,
            score=result.score,
            text=result.text,
            plies=len(result.moves),
        )


def standings_of(settings: TournamentSettings, results: list[TournamentResult]) -> list[StandingView]:
    """The standings, the best player first."""
    games = []
    for each in results:
        first, second, _ = meeting_of(len(settings.players), settings.format, each.number)
        names = settings.names[first], settings.names[second]
        games.append(
            GameResult(each.number, *names, 0, each.score, each.text, "", len(each.moves), each.seconds)
        )
    found = compute_standings(games, settings.names)
    views = []
    for index in found.order:
        row, ratings = found.rows[index], found.ratings
        elo = None if ratings is None else float(ratings.elo[index])
        half = 0.0 if ratings is None else float(ratings.half_widths[index])
        views.append(
            StandingView(
                player=index,
                games=row.games,
                wins=row.wins,
                draws=row.draws,
                losses=row.losses,
                score=row.wins + row.draws / 2,
                elo=None if elo is None else round(elo, 1),
                interval=None if elo is None else (round(elo - half, 1), round(elo + half, 1)),
            )
        )
    return views


def _random_moves(rules: Game[Any], state: Any, plies: int, rng: np.random.Generator) -> list[str]:
    def draw(state: Any) -> Any:
        legal = rules.legal_moves(state)
        return legal[int(rng.integers(len(legal)))]

    return opening_moves(rules, state, plies, draw)
