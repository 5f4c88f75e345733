"""A bot's life on Lichess: an engine as the file for lichess-bot starts it, over HTTP, on a server of ours.

The bot is a loop with the requests of lichess-bot: streams of events, moves, chat. docs/engines.md says which
programs of other people were tried by hand with the same server.
"""

from __future__ import annotations

import json
import re
import time
import urllib.request
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode

import chess
import chess.engine
import pytest

from sparring.engines.guis import GUIS, install
from tests.engines.fake_lichess import TOKEN, FakeLichess, Faults, random_mover

TIMEOUT_SECONDS = 60.0


class Bot:
    """A bot with the keys of one of our files for lichess-bot."""

    def __init__(self, address: str, fragment: str, token: str = TOKEN) -> None:
        self.address, self.token = address.rstrip("/"), token
        words = {key: json.loads(text) for key, text in re.findall(r'^  (dir|name): (".*")$', fragment, re.M)}
        self.command = str(Path(words["dir"]) / words["name"])
        options = re.findall(r"^    ([A-Z][\w ]*): (\S+)", fragment, re.M)
        self.options = {name: json.loads(text) for name, text in options}

    def open(self, method: str, path: str, form: dict[str, str] | None = None) -> Any:
        """A response; one of 429 is asked for again. Raises HTTPError."""
        content = None if method == "GET" else urlencode(form or {}).encode()
        request = urllib.request.Request(
            self.address + path, content, {"Authorization": f"Bearer {self.token}"}, method=method
        )
        while True:
            try:
                return urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS)
            except HTTPError as error:
                if error.code != 429:
                    raise
                time.sleep(0.05)  # a minute on Lichess

    def ask(self, method: str, path: str, form: dict[str, str] | None = None) -> Any:
        with self.open(method, path, form) as response:
            return json.load(response)

    def events(self, path: str) -> Iterator[Any]:
        """The events of a stream up to its end or to where it breaks off."""
        with self.open("GET", path) as response:
            try:
                for line in response:
                    if line.strip():
                        yield json.loads(line)
            except (HTTPException, OSError):
                return

    def play(self, name: str) -> None:
        """Plays a game with an engine of its own, and opens its stream again as often as it breaks off."""
        with chess.engine.SimpleEngine.popen_uci(self.command, timeout=TIMEOUT_SECONDS) as engine:
            engine.configure(self.options)
            played, status = -1, "started"
            while status == "started":
                for event in self.events(f"/api/bot/game/stream/{name}"):
                    if event["type"] == "gameFull":
                        is_white = event["white"]["id"] == "sparringbot"
                        other = event["black" if is_white else "white"]
                        opponent = chess.engine.Opponent(
                            other["name"], other["title"], other["rating"], False
                        )
                        engine.send_opponent_information(opponent=opponent)
                        event = event["state"]
                    if event["type"] != "gameState":
                        continue
                    status, moves = event["status"], event["moves"].split()
                    is_mine = len(moves) % 2 == (0 if is_white else 1)
                    if status == "started" and is_mine and len(moves) > played:
                        move = self.choose(engine, name, moves, event)
                        self.ask("POST", f"/api/bot/game/{name}/move/{move}?offeringDraw=false")
                        played = len(moves)

    @staticmethod
    def choose(
        engine: chess.engine.SimpleEngine, name: str, moves: list[str], state: dict[str, Any]
    ) -> chess.Move:
        """The engine's move."""
        board = chess.Board()
        for move in moves:
            board.push_uci(move)
        clocks = {"white_clock": "wtime", "black_clock": "btime", "white_inc": "winc", "black_inc": "binc"}
        limit = chess.engine.Limit(**{key: state[field] / 1000 for key, field in clocks.items()})
        chosen = engine.play(board, limit, info=chess.engine.INFO_ALL, game=name).move
        assert chosen is not None
        return chosen


@pytest.fixture
def fragment(tmp_path: Path) -> str:
    """The file of level 1200."""
    (file,) = install(GUIS["lichess-bot"], "uci", [1200], tmp_path, own_place=False, force=False).files
    return file.read_text()


def test_a_bot_plays_games_through_cut_streams_slow_answers_and_refusals(fragment: str) -> None:
    faults = Faults(cut=frozenset({2, 5, 6}), late={3: 0.5, 4: 0.5}, refused=frozenset({0, 1, 8, 9}))
    with FakeLichess(random_mover(3, plies=12), faults) as site:
        bot = Bot(site.address, fragment)
        assert bot.ask("GET", "/api/account")["title"] is None
        bot.ask("POST", "/api/bot/account/upgrade")
        assert bot.ask("GET", "/api/account")["title"] == "BOT"
        events = bot.events("/api/stream/event")
        for name, is_white, cuts in (("whitegame", True, 2), ("blackgame", False, 1)):
            site.challenge(name, bot_is_white=is_white, seconds=30, increment=1)
            challenge = next(event for event in events if event["type"] == "challenge")
            assert challenge["challenge"]["id"] == name
            bot.ask("POST", f"/api/challenge/{name}/accept")
            assert next(event for event in events if event["type"] == "gameStart")["game"]["gameId"] == name
            bot.ask("POST", f"/api/bot/game/{name}/chat", {"room": "player", "text": "Good luck!"})
            bot.play(name)
            assert next(event for event in events if event["type"] == "gameFinish")["game"]["id"] == name
            assert site.game is not None
            assert site.game.chat == [("player", "Good luck!")]
            assert (site.game.status, site.game.winner) == ("resign", "white" if is_white else "black")
            moves = site.statuses(f"/api/bot/game/{name}/move/.*")
            assert moves.count(429) == 2
            assert set(moves) == {200, 429}  # every move was legal, and none was sent twice
            assert len(site.statuses(f"/api/bot/game/stream/{name}")) == 1 + cuts
            record = bot.open("GET", f"/game/export/{name}").read().decode()
            assert f'[Result "{"1-0" if is_white else "0-1"}"]' in record


def test_the_server_refuses_what_lichess_refuses(fragment: str) -> None:
    def status(bot: Bot, path: str) -> int:
        try:
            with bot.open("POST", path) as response:
                return int(response.status)
        except HTTPError as error:
            return error.code

    with FakeLichess(random_mover(1, plies=99)) as site:
        bot = Bot(site.address, fragment)
        assert status(Bot(site.address, fragment, token="lip_other"), "/api/bot/account/upgrade") == 401
        site.challenge("declined")
        assert status(bot, "/api/challenge/declined/decline") == 200
        assert status(bot, "/api/challenge/declined/accept") == 404
        site.challenge("game")
        assert status(bot, "/api/challenge/game/accept") == 200
        assert status(bot, "/api/bot/game/game/move/e2e4") == 403  # not yet a bot
        assert status(bot, "/api/bot/account/upgrade") == 200
        assert status(bot, "/api/bot/game/game/move/e2e5") == 400
        assert status(bot, "/api/bot/game/game/move/e2e4") == 200
        assert status(bot, "/api/bot/game/game/abort") == 400  # both have moved
        assert status(bot, "/api/bot/game/game/resign") == 200
        assert status(bot, "/api/bot/game/game/move/d2d4") == 400
        assert site.game is not None
        assert (site.game.status, site.game.winner) == ("resign", "black")
        site.challenge("short")
        assert status(bot, "/api/challenge/short/accept") == 200
        assert status(bot, "/api/bot/game/short/abort") == 200
        assert site.game.status == "aborted"
