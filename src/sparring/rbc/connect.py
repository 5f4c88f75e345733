"""Games on a server of reconchess, as `sparring rbc connect` plays them.

rc-connect of reconchess does the same, but loses games by faults of the network: it waits for ever for an
answer that does not come, and resigns if the server refuses a sense or move that it had already counted when
its answer was lost. Here requests have time limits, such refusals count as done, and nothing resigns.
"""

from __future__ import annotations

import re
import signal
import sys
import time
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import TypeVar

import chess
import requests
from reconchess import __version__ as client_version
from reconchess import play_turn
from reconchess.game import RemoteGame
from reconchess.scripts.rc_connect import RBCServer

from sparring.base.errors import UserError
from sparring.cli.console import foreign, make_console
from sparring.rbc.reconchess import SparringBot

_FIRST_TIMEOUT, _LAST_TIMEOUT = 5.0, 80.0
"""Seconds that a request may take. The limit doubles with each request that exceeds it, so that a slow server
is waited for, and falls back with an answer."""
_POLL_SECONDS = 5.0
"""Seconds between two looks at the invitations."""
_PAUSE_SECONDS = 0.5
_MOST_REFUSALS = 60
"""Turns that the server refuses one after the other before a game is given up."""
_T = TypeVar("_T")


class PatientSession(requests.Session):
    """Sends requests with a time limit."""

    def __init__(self, auth: tuple[str, str]) -> None:
        super().__init__()
        self.auth = auth
        self.unanswered = False
        """Whether a request may have been counted without an answer. The caller sets it to False."""
        self._timeout = _FIRST_TIMEOUT

    def request(self, *arguments: object, **options: object) -> requests.Response:
        """The response of `requests.Session.request`. Raises requests.RequestException."""
        try:
            limited = options | {"timeout": self._timeout}
            response = super().request(*arguments, **limited)  # type: ignore[arg-type]
        except requests.RequestException as error:
            self.unanswered = True
            if isinstance(error, requests.Timeout):
                self._timeout = min(2 * self._timeout, _LAST_TIMEOUT)
            raise
        self._timeout = _FIRST_TIMEOUT
        return response


class ServerGame(RemoteGame):  # type: ignore[misc]  # reconchess has no types
    """A game on a server. What it refuses has been counted if an earlier answer was lost."""

    def __init__(self, url: str, game: object, auth: tuple[str, str]) -> None:
        super().__init__(url, game, auth)
        self.session = PatientSession(auth)

    def sense(self, square: int | None) -> list[tuple[int, chess.Piece | None]]:
        """The result of the sense; empty if it was lost."""
        return self._once(lambda: super(ServerGame, self).sense(square), [])

    def move(
        self, requested_move: chess.Move | None
    ) -> tuple[chess.Move | None, chess.Move | None, int | None]:
        """The result of the move; if it was lost, that of a move which met nothing."""
        lost = (requested_move, requested_move, None)
        return self._once(lambda: super(ServerGame, self).move(requested_move), lost)

    def end_turn(self) -> None:
        """Ends the turn."""
        self._once(super().end_turn, None)

    def _once(self, act: Callable[[], _T], lost: _T) -> _T:
        self.session.unanswered = False
        try:
            return act()
        except ValueError:
            if not self.session.unanswered:
                raise
            return lost


def play_server_game(url: str, game_id: object, auth: tuple[str, str], folder: Path | None) -> None:
    """Plays a game to its end, and saves its history in a folder. Errors of the server do not end it.

    Raises ValueError if the server refuses everything.
    """
    game, bot = ServerGame(url, game_id, auth), SparringBot()
    color, opponent = game.get_player_color(), game.get_opponent_name()
    bot.handle_game_start(color, game.get_starting_board(), opponent)
    game.start()
    refusals = 0
    while True:
        try:
            if game.is_over():
                break
            play_turn(game, bot)
            refusals = 0
        except (KeyError, ValueError) as error:  # what a server answers that is not in reconchess's protocol
            refusals += 1
            if refusals > _MOST_REFUSALS:
                raise
            print(f"sparring: game {game_id}: {error!r}; the game goes on", file=sys.stderr)
            time.sleep(_PAUSE_SECONDS)
    winner, reason, history = game.get_winner_color(), game.get_win_reason(), game.get_game_history()
    bot.handle_game_end(winner, reason, history)
    if folder is not None and history is not None:
        history.save(folder / f"{re.sub(r'[^0-9A-Za-z-]', '_', str(game_id))}.json")
    result = "drawn" if winner is None else "won" if winner == color else "lost"
    why = str(getattr(reason, "name", "no reason given")).replace("_", " ").lower()
    name = foreign(f"game {game_id} against {opponent}")
    make_console().print(f"{name} as {chess.COLOR_NAMES[color]}: {result} ({foreign(why)})")


def _work(url: str, invitation: object, game_id: object, auth: tuple[str, str], folder: Path | None) -> None:
    """The process of a game. The first Ctrl-C is for the process that accepts invitations."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        play_server_game(url, game_id, auth, folder)
    finally:
        _server(url, auth).finish_invitation(invitation)


def _server(url: str, auth: tuple[str, str]) -> RBCServer:
    server = RBCServer(url, auth)
    server.session = PatientSession(auth)
    return server


class Connection:
    """Accepts invitations and plays their games, each in a process."""

    def __init__(self, url: str, auth: tuple[str, str], most: int, folder: Path | None) -> None:
        """`most` is the number of games at a time."""
        self._url, self._auth, self._most, self._folder = url, auth, most, folder
        self._server = _server(url, auth)
        self._playing: dict[object, SpawnProcess] = {}
        self._is_connected = True
        self.finished = 0
        """Games that have ended."""

    def begin(self, *, ranked: bool, new_version: bool) -> None:
        """Tells the server what the bot plays. Raises UserError if it cannot play there."""
        try:
            version = self._server.get_reconchess_version()
            if version != client_version:
                raise UserError(
                    f"the server plays reconchess {version}, and {client_version} is installed: "
                    f"pip install reconchess=={version}"
                )
            if ranked and (new_version or self._server.get_bot_version() == 0):
                self._server.increment_version()
            self._server.set_ranked(ranked)
            self._server.set_max_games(self._most)
        except SystemExit:  # of reconchess, which has printed the server's answer
            raise UserError(f"{self._url} does not know this name with this password") from None
        except (requests.RequestException, KeyError) as error:
            raise UserError(f"{self._url} does not answer as a server of reconchess: {error!r}") from None

    def run(self, games: int | None, poll_seconds: float = _POLL_SECONDS) -> None:
        """Plays until so many games have ended; None is without end. An interrupt waits for the games that
        are played, a second one abandons them."""
        try:
            while games is None or self.finished < games:
                self._accept(games)
                time.sleep(poll_seconds)
        except KeyboardInterrupt:
            count = len(self._playing)
            make_console().print(f"{count} games are played to their end; Ctrl-C again abandons them")
            try:
                for process in self._playing.values():
                    process.join()
            except KeyboardInterrupt:
                for process in self._playing.values():
                    process.terminate()

    def _accept(self, games: int | None) -> None:
        """Counts games that have ended, and starts those of new invitations, as many as there is room for."""
        ended = [key for key, process in self._playing.items() if not process.is_alive()]
        for invitation in ended:
            del self._playing[invitation]
        self.finished += len(ended)
        try:
            invitations = self._server.get_invitations()
            if not self._is_connected:  # it may have been started anew
                self._server.set_max_games(self._most)
            self._is_connected = True
            for invitation in invitations:
                room = self._most if games is None else min(self._most, games - self.finished)
                if invitation not in self._playing and len(self._playing) < room:
                    self._start(invitation, self._server.accept_invitation(invitation))
        except (requests.RequestException, KeyError) as error:
            if self._is_connected:
                make_console().print(foreign(f"no answer from {self._url} ({error!r}); asking again"))
            self._is_connected = False

    def _start(self, invitation: object, game_id: object) -> None:
        task = (self._url, invitation, game_id, self._auth, self._folder)
        process = self._playing[invitation] = get_context("spawn").Process(target=_work, args=task)
        process.start()
