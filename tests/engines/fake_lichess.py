"""A server with the parts of the Lichess bot API that bots use, and with the faults that they meet.

It has one account and one game at a time. The opponent is a function. A stream is a chunked answer of JSON
lines, as on Lichess, and breaks off in the middle of its chunks when it is cut. Clocks start with the third
ply.
`python -m tests.engines.fake_lichess` serves a bot that is started by hand.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Empty, SimpleQueue
from typing import Any, Self, TypeAlias
from urllib.parse import parse_qsl, urlsplit

import chess
import chess.pgn

TOKEN = "lip_fake"
"""The token that the server knows."""
_BOT = {"id": "sparringbot", "name": "SparringBot", "rating": 1500}
_OPPONENT = {"id": "somebody", "name": "Somebody", "title": None, "rating": 1450}
_VARIANT = {"key": "standard", "name": "Standard", "short": "Std"}
_KEEP_ALIVE_SECONDS = 1.0
"""Seconds after which a silent stream gets an empty line. Lichess takes seven."""

_Json: TypeAlias = dict[str, Any]
Opponent: TypeAlias = Callable[[chess.Board], chess.Move | None]
"""The other player's move in a position; None resigns."""


@dataclass(frozen=True)
class Faults:
    """What goes wrong. Plies count from 0, and each happens once."""

    cut: frozenset[int] = frozenset()
    """Plies of the bot's moves after which the game's stream breaks off, before the opponent's answer."""
    late: Mapping[int, float] = field(default_factory=dict)
    """Seconds by which the answer to the bot's move of a ply comes late; the move counts at once."""
    refused: frozenset[int] = frozenset()
    """Plies at which the bot's move is answered by 429."""


class _Stream:
    """The lines that wait for one connection."""

    def __init__(self) -> None:
        self.lines: SimpleQueue[_Json | None] = SimpleQueue()
        """None is the end."""
        self.is_cut = False

    def end(self, *, cut: bool = False) -> None:
        self.is_cut = cut
        self.lines.put(None)


class FakeGame:
    """A game of the bot."""

    def __init__(self, name: str, *, bot_is_white: bool, seconds: int, increment: int) -> None:
        self.name, self.bot_is_white, self.seconds, self.increment = name, bot_is_white, seconds, increment
        self.board = chess.Board()
        self.status, self.winner = "started", ""
        self.clocks = {chess.WHITE: seconds * 1000.0, chess.BLACK: seconds * 1000.0}
        """Milliseconds left."""
        self.chat: list[tuple[str, str]] = []
        """Rooms and texts of what the bot said."""
        self.streams: list[_Stream] = []
        self.since = time.monotonic()

    @property
    def is_bots_turn(self) -> bool:
        return self.status == "started" and (self.board.turn == chess.WHITE) == self.bot_is_white

    @property
    def state(self) -> _Json:
        """The event `gameState`."""
        left = {side: int(self.clocks[side]) for side in chess.COLORS}
        state = {
            "type": "gameState", "moves": " ".join(move.uci() for move in self.board.move_stack),
            "wtime": left[chess.WHITE], "btime": left[chess.BLACK],
            "winc": self.increment * 1000, "binc": self.increment * 1000, "status": self.status,
        }  # fmt: skip
        return {**state, "winner": self.winner} if self.winner else state

    @property
    def full(self) -> _Json:
        """The event `gameFull`, the first of a stream."""
        bot = {**_BOT, "title": "BOT"}
        white, black = (bot, _OPPONENT) if self.bot_is_white else (_OPPONENT, bot)
        return {
            "type": "gameFull", "id": self.name, "variant": _VARIANT, "speed": "blitz",
            "perf": {"name": "Blitz"}, "rated": False, "createdAt": 0, "initialFen": "startpos",
            "white": white, "black": black, "state": self.state,
            "clock": {"initial": self.seconds * 1000, "increment": self.increment * 1000},
        }  # fmt: skip

    @property
    def summary(self) -> _Json:
        """The game as `gameStart` and the list of games have it."""
        return {
            "id": self.name, "gameId": self.name, "fullId": self.name + "abcd",
            "color": "white" if self.bot_is_white else "black", "fen": self.board.fen(),
            "hasMoved": bool(self.board.move_stack), "isMyTurn": self.is_bots_turn, "lastMove": "",
            "opponent": {"id": _OPPONENT["id"], "username": _OPPONENT["name"], "rating": _OPPONENT["rating"]},
            "perf": "blitz", "rated": False, "secondsLeft": self.seconds, "source": "friend",
            "speed": "blitz",
            "status": {"id": 20, "name": self.status}, "variant": _VARIANT,
            "compat": {"bot": True, "board": True},
        }  # fmt: skip

    @property
    def pgn(self) -> str:
        record = chess.pgn.Game.from_board(self.board)
        white, black = ("SparringBot", "Somebody") if self.bot_is_white else ("Somebody", "SparringBot")
        result = {"white": "1-0", "black": "0-1"}.get(
            self.winner, "1/2-1/2" if self.status == "draw" else "*"
        )
        record.headers.update(
            Result=result, White=white, Black=black, Event="Casual blitz game", Termination=self.status
        )
        return str(record)

    def push(self, move: chess.Move) -> None:
        """Makes a move, takes its time from the clock and looks whether the game is over."""
        side, now = self.board.turn, time.monotonic()
        if len(self.board.move_stack) >= 2:
            self.clocks[side] += (self.since - now) * 1000
            if self.clocks[side] <= 0:
                self.end("outoftime", not side)
                return
            self.clocks[side] += self.increment * 1000
        self.since = now
        self.board.push(move)
        outcome = self.board.outcome(claim_draw=True)
        if outcome is not None:
            mate = outcome.termination == chess.Termination.CHECKMATE
            stalemate = outcome.termination == chess.Termination.STALEMATE
            self.end("mate" if mate else "stalemate" if stalemate else "draw", outcome.winner)
        else:
            self.send(self.state)

    def end(self, status: str, winner: chess.Color | None) -> None:
        """Ends the game and its streams."""
        self.status, self.winner = status, "" if winner is None else chess.COLOR_NAMES[winner]
        self.send(self.state)
        self.hang_up()

    def send(self, event: _Json) -> None:
        for stream in self.streams:
            stream.lines.put(event)

    def hang_up(self, *, cut: bool = False) -> None:
        while self.streams:
            self.streams.pop().end(cut=cut)


class FakeLichess:
    """The server; a context manager. Every method may be called from any thread."""

    def __init__(self, opponent: Opponent, faults: Faults | None = None, *, port: int = 0) -> None:
        self.opponent, self.faults = opponent, faults or Faults()
        self.is_bot = False
        """Whether the account was upgraded."""
        self.game: FakeGame | None = None
        self.requests: list[tuple[str, str, int]] = []
        """Method, path and status of each request, without the streams that are open."""
        self._offer: tuple[str, bool, int, int] | None = None
        self._events: list[_Stream] = []
        self._refused: set[int] = set()
        self._lock = threading.RLock()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), type("Handler", (_Handler,), {"site": self}))
        self._server.daemon_threads = True

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            for stream in self._events:
                stream.end()
            if self.game is not None:
                self.game.hang_up()
        self._server.shutdown()
        self._server.server_close()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/"

    def statuses(self, path: str) -> list[int]:
        """The answers to requests whose path matches a pattern as a whole."""
        return [status for _, asked, status in self.requests if re.fullmatch(path, asked)]

    def challenge(
        self, name: str, *, bot_is_white: bool = True, seconds: int = 60, increment: int = 1
    ) -> None:
        """Challenges the bot."""
        with self._lock:
            self._offer = (name, bot_is_white, seconds, increment)
            self._send_event(self._challenge_event())

    def resign(self) -> None:
        """The opponent gives up."""
        with self._lock:
            assert self.game is not None
            self._end("resign", chess.WHITE if self.game.bot_is_white else chess.BLACK)

    def say(self, text: str) -> None:
        """The opponent writes to the bot."""
        with self._lock:
            assert self.game is not None
            line = {"type": "chatLine", "room": "player", "username": _OPPONENT["name"], "text": text}
            self.game.send(line)

    # The API.

    def get(self, path: str) -> tuple[int, Any]:
        """Answers GET: a status, and JSON or text."""
        with self._lock:
            if path == "/api/account":
                return 200, {
                    "id": _BOT["id"],
                    "username": _BOT["name"],
                    "title": "BOT" if self.is_bot else None,
                }
            if path == "/api/account/playing":
                running = self.game is not None and self.game.status == "started"
                return 200, {"nowPlaying": [self.game.summary] if self.game and running else []}
            if path.startswith("/game/export/") and self._named(path.split("/")[3]):
                assert self.game is not None
                return 200, self.game.pgn
            return 404, {"error": "Not found"}

    def post(self, path: str, body: str) -> tuple[int, Any]:
        """Answers POST."""
        with self._lock:
            words = path.split("/")[2:]
            match words:
                case ["token", "test"]:
                    known = {"userId": _BOT["id"], "scopes": "bot:play", "expires": None}
                    return 200, {token: known if token == TOKEN else None for token in body.split(",")}
                case ["bot", "account", "upgrade"]:
                    self.is_bot = True
                    return 200, {"ok": True}
                case ["challenge", name, ("accept" | "decline") as answer]:
                    return self._answered(name, accepted=answer == "accept")
                case ["bot", "game", name, *action] if self._named(name):
                    if not self.is_bot:
                        return 403, {"error": "This endpoint can only be used with a Bot account"}
                    return self._act(action, body)
            return 404, {"error": "Not found"}

    def open_stream(self, path: str) -> _Stream | None:
        """The stream of a path; None if there is none."""
        with self._lock:
            stream = _Stream()
            if path == "/api/stream/event":
                for old in self._events:  # Lichess closes the older one
                    old.end()
                self._events = [stream]
                if self._offer is not None:
                    stream.lines.put(self._challenge_event())
                if self.game is not None and self.game.status == "started":
                    stream.lines.put({"type": "gameStart", "game": self.game.summary})
                return stream
            name = path.removeprefix("/api/bot/game/stream/")
            if name == path or not self._named(name):
                return None
            assert self.game is not None
            stream.lines.put(self.game.full)
            if self.game.status == "started":
                self.game.streams.append(stream)
            else:
                stream.end()
            return stream

    def _named(self, name: str) -> bool:
        return self.game is not None and self.game.name == name

    def _send_event(self, event: _Json) -> None:
        for stream in self._events:
            stream.lines.put(event)

    def _challenge_event(self) -> _Json:
        assert self._offer is not None
        name, bot_is_white, seconds, increment = self._offer
        clock = {"type": "clock", "limit": seconds, "increment": increment, "show": f"{seconds}+{increment}"}
        challenge = {
            "id": name, "url": f"{self.address}{name}", "status": "created", "rated": False, "speed": "blitz",
            "challenger": {**_OPPONENT, "online": True}, "destUser": {**_BOT, "title": "BOT"},
            "variant": _VARIANT, "timeControl": clock, "color": "black" if bot_is_white else "white",
            "finalColor": "black" if bot_is_white else "white", "perf": {"icon": "", "name": "Blitz"},
        }  # fmt: skip
        return {"type": "challenge", "challenge": challenge, "compat": {"bot": True, "board": True}}

    def _answered(self, name: str, *, accepted: bool) -> tuple[int, Any]:
        if self._offer is None or self._offer[0] != name:
            return 404, {"error": "Not found"}
        (_, bot_is_white, seconds, increment), self._offer = self._offer, None
        if accepted:
            self.game = FakeGame(name, bot_is_white=bot_is_white, seconds=seconds, increment=increment)
            self._refused = set()
            self._opponent_moves()
            self._send_event({"type": "gameStart", "game": self.game.summary})
        return 200, {"ok": True}

    def _act(self, action: list[str], body: str) -> tuple[int, Any]:
        """What the bot does in its game."""
        assert self.game is not None
        if action == ["chat"]:
            # Lichess takes forms, which lichess-bot sends, and JSON, which berserk sends.
            form = json.loads(body) if body.startswith("{") else dict(parse_qsl(body))
            if not {"room", "text"} <= form.keys():
                return 400, {"error": "room and text expected"}
            self.game.chat.append((form["room"], form["text"]))
            return 200, {"ok": True}
        if self.game.status != "started":
            return 400, {"error": "Not your turn, or game already over"}
        if action == ["abort"] and len(self.game.board.move_stack) < 2:
            self._end("aborted", None)
        elif action == ["resign"]:
            self._end("resign", chess.BLACK if self.game.bot_is_white else chess.WHITE)
        elif action[0] == "move":
            return self._move(action[1])
        else:
            return 400, {"error": "This action is not possible"}
        return 200, {"ok": True}

    def _move(self, text: str) -> tuple[int, Any]:
        assert self.game is not None
        ply = len(self.game.board.move_stack)
        if not self.game.is_bots_turn:
            return 400, {"error": "Not your turn, or game already over"}
        if ply in self.faults.refused - self._refused:
            self._refused.add(ply)
            return 429, {"error": "Too many requests. Try again later."}
        try:
            move = self.game.board.parse_uci(text)
        except ValueError:
            return 400, {"error": f"Piece on {text[:2]} cannot move to {text[2:]}"}
        self.game.push(move)
        if self.game.status != "started":
            self._send_event({"type": "gameFinish", "game": self.game.summary})
            return 200, {"ok": True}
        if ply in self.faults.cut:
            self.game.hang_up(cut=True)
        self._opponent_moves()
        return 200, {"ok": True}

    def _opponent_moves(self) -> None:
        assert self.game is not None
        if self.game.is_bots_turn or self.game.status != "started":
            return
        move = self.opponent(self.game.board.copy())
        if move is None:
            self.resign()
            return
        self.game.push(move)
        if self.game.status != "started":
            self._send_event({"type": "gameFinish", "game": self.game.summary})

    def _end(self, status: str, winner: chess.Color | None) -> None:
        assert self.game is not None
        self.game.end(status, winner)
        self._send_event({"type": "gameFinish", "game": self.game.summary})

    def lateness(self, path: str) -> float:
        """Seconds by which the answer to a request comes late."""
        move = re.fullmatch(r"/api/bot/game/\w+/move/\w+", path)
        with self._lock:
            if move is None or self.game is None:
                return 0.0
            return (
                self.faults.late.get(len(self.game.board.move_stack), 0.0) if self.game.is_bots_turn else 0.0
            )


class _Handler(BaseHTTPRequestHandler):
    site: FakeLichess
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if "/stream/" in path and self._authorized():
            stream = self.site.open_stream(path)
            if stream is not None:
                self.site.requests.append(("GET", path, 200))
                self._send_lines(stream)
                return
        self._send(path, *(self.site.get(path) if self._authorized() else _NO_TOKEN))

    def do_POST(self) -> None:
        path = urlsplit(self.path).path
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        seconds = self.site.lateness(path)
        answer = self.site.post(path, body) if self._authorized() else _NO_TOKEN
        time.sleep(seconds)
        self._send(path, *answer)

    def _authorized(self) -> bool:
        return self.headers.get("Authorization") == f"Bearer {TOKEN}"

    def _send(self, path: str, status: int, answer: Any) -> None:
        self.site.requests.append((self.command, path, status))
        content = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
        self.send_response(status)
        kind = "application/x-chess-pgn" if isinstance(answer, str) else "application/json"
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _send_lines(self, stream: _Stream) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.close_connection = True
        try:
            while True:
                try:
                    event = stream.lines.get(timeout=_KEEP_ALIVE_SECONDS)
                except Empty:
                    self._chunk(b"\n")
                    continue
                if event is None:
                    break
                self._chunk(json.dumps(event).encode() + b"\n")
            if not stream.is_cut:
                self._chunk(b"")
        except OSError:  # the bot has gone
            pass

    def _chunk(self, content: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))
        self.wfile.flush()

    def log_message(self, *_: Any) -> None:
        pass


_NO_TOKEN = (401, {"error": "No such token"})


def random_mover(seed: int, plies: int) -> Opponent:
    """An opponent that plays any move after which it is not mated at once, and resigns after `plies`."""
    generator = random.Random(seed)

    def choose(board: chess.Board) -> chess.Move | None:
        moves = list(board.legal_moves)
        generator.shuffle(moves)
        if len(board.move_stack) >= plies:
            return None
        return next((move for move in moves if not _allows_mate(board, move)), moves[0])

    return choose


def _allows_mate(board: chess.Board, move: chess.Move) -> bool:
    after = board.copy(stack=False)
    after.push(move)
    for answer in list(after.legal_moves):
        after.push(answer)
        if after.is_checkmate():
            return True
        after.pop()
    return after.is_game_over()


def main() -> None:
    """Challenges the bot that connects to one game, and prints its record and the requests."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument("--seconds", type=int, default=120, help="the clock")
    parser.add_argument("--plies", type=int, default=200, help="the opponent resigns after so many plies")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cut", type=int, nargs="*", default=[], help="plies at which the stream breaks off")
    parser.add_argument("--refused", type=int, nargs="*", default=[], help="plies at which the answer is 429")
    parser.add_argument("--late", type=int, nargs="*", default=[], help="plies with an answer 1.5 s late")
    options = parser.parse_args()
    faults = Faults(frozenset(options.cut), dict.fromkeys(options.late, 1.5), frozenset(options.refused))
    with FakeLichess(random_mover(options.seed, options.plies), faults, port=options.port) as site:
        print(f"{site.address} token {TOKEN}", flush=True)
        site.challenge("fakegame", bot_is_white=False, seconds=options.seconds)
        while site.game is None or site.game.status == "started":
            time.sleep(0.2)
        time.sleep(3)  # the bot's last requests
        print(site.game.pgn)
        for request in site.requests:
            print(*request)


if __name__ == "__main__":
    main()
