"""A server with reconchess's HTTP API, and with the faults that a bot meets on a network.

It has one account, which is invited to some games at once. The opponents are players of reconchess, and its
`LocalGame` is the referee. What the public server does with a request that comes twice is not documented:
both answers are here (`Faults.refuses_repeats`).
"""

from __future__ import annotations

import base64
import contextlib
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self, TypeAlias

import chess
import reconchess
from reconchess import ChessJSONDecoder, LocalGame, Player
from reconchess.history import GameHistoryEncoder

USER, PASSWORD = "sparringbot", "secret"
_Json: TypeAlias = dict[str, Any]
Answer: TypeAlias = tuple[int, Any]
"""Status and content."""


@dataclass(frozen=True)
class Faults:
    """What goes wrong. Requests count from 1 over all games; 0 means never."""

    version: str = reconchess.__version__
    """The version of reconchess that the server asks for."""
    delay: float = 0.0
    """Seconds by which every answer is late."""
    errors: int = 0
    """Every so many requests the answer is 503, and nothing is done."""
    cuts: int = 0
    """Every so many requests the connection ends without an answer, and nothing is done."""
    lost: int = 0
    """Every so many senses, moves and ends of turns count, but their answer is lost."""
    hangs: int = 0
    """Every so many requests are not answered for `hang_seconds`, and nothing is done."""
    hang_seconds: float = 60.0
    outage: range = range(0)
    """Numbers of requests that end without an answer."""
    refuses_repeats: bool = False
    """Whether a sense, a move or an end of a turn that comes twice is answered by 400. Else it gets the
    answer of the first."""
    quits_in_turn: int = 0
    """In every game the opponent leaves in this turn of the bot, after the bot has asked for its clock."""


class FakeGame:
    """A game of the account."""

    def __init__(self, number: int, color: chess.Color, opponent: Player, seconds: float, increment: float):
        self.id, self.color, self.opponent = number, color, opponent
        self.referee = LocalGame(seconds_per_player=seconds, seconds_increment=increment)
        self.lock = threading.Lock()
        self.accepted = self.finished = self.error_resigned = False
        self._is_bots_turn = False  # the referee's turn changes before the opponent's turn has ended
        self.turns = 0
        """Turns of the bot that have begun."""
        self._answers: dict[str, Any] = {}
        """Answers of this turn to what counts only once."""

    @property
    def opponent_name(self) -> str:
        """The opponent's name: that of its class."""
        return type(self.opponent).__name__

    @property
    def result(self) -> str:
        """The reason of the end and who won: won, lost or drawn."""
        if not self.referee.is_over():
            return "unfinished"
        winner, reason = self.referee.get_winner_color(), self.referee.get_win_reason()
        who = "drawn" if winner is None else "won" if winner == self.color else "lost"
        return f"{who}: {'error' if self.error_resigned else reason.name.lower()}"

    @property
    def seconds_left(self) -> float:
        """Seconds on the bot's clock."""
        if self.referee.turn == self.color:
            return float(self.referee.get_seconds_left())
        return float(self.referee.seconds_left_by_color[self.color])

    def is_bots_turn(self) -> bool:
        """Whether the bot is to sense or to move."""
        return self._is_bots_turn

    def ready(self) -> None:
        """Starts the clocks, once."""
        if self.referee.current_turn_start_time is None:
            names = ("the bot", self.opponent_name)
            self.referee.store_players(*(names if self.color else names[::-1]))
            self.opponent.handle_game_start(not self.color, chess.Board(), USER)
            self.referee.start()
            self._begin_turn()

    def act(self, action: str, body: _Json, refuses_repeats: bool) -> Answer:
        """A sense, a move or the end of a turn, each once a turn."""
        if action in self._answers:
            return (400, f"{action} is done") if refuses_repeats else (200, self._answers[action])
        if not self.is_bots_turn():
            return 400, "it is not your turn"
        try:
            if action == "sense":
                answer = {"sense_result": self.referee.sense(body["square"])}
            elif action == "move":
                answer = {"move_result": self.referee.move(body["requested_move"])}
            else:
                answer = {}
                if not self.referee.is_over():
                    self._is_bots_turn = False
                    self.referee.end_turn()
                    threading.Thread(target=self._opponents_turn, daemon=True).start()
        except (KeyError, ValueError) as error:
            return 400, str(error)
        self._answers[action] = answer
        return 200, answer

    def leave(self, color: chess.Color) -> None:
        """A player leaves, which loses."""
        if not self.referee.is_over():
            self.referee._resignee = color
            self.referee.end()

    def _begin_turn(self) -> None:
        if self.referee.turn == self.color:
            self.turns += 1
            self._answers = {}
            self._is_bots_turn = True
        else:
            threading.Thread(target=self._opponents_turn, daemon=True).start()

    def _opponents_turn(self) -> None:
        if not self.referee.is_over():
            reconchess.play_turn(self.referee, self.opponent)
        with self.lock:
            self._begin_turn()


class FakeServer:
    """The server, on a port of its own; a context manager."""

    def __init__(
        self,
        opponents: Callable[[int], Player],
        games: int,
        *,
        faults: Faults | None = None,
        seconds: float = 900.0,
        increment: float = 5.0,
    ) -> None:
        """`opponents` makes the opponent of the game of a number. The bot has White in even games."""
        self.faults = faults or Faults()
        self.games = [
            FakeGame(number, number % 2 == 0, opponents(number), seconds, increment)
            for number in range(games)
        ]
        self.max_games = 0
        """Games at a time that the account asked for."""
        self.is_ranked: bool | None = None
        self.most_at_once = 0
        """Most games that were played at a time."""
        self._requests = self._acts = 0
        self._lock = threading.Lock()
        handler = type("_BoundHandler", (_Handler,), {"server_of": self})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._http.daemon_threads = True

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    @property
    def address(self) -> str:
        """The URL to connect to."""
        return f"http://127.0.0.1:{self._http.server_port}"

    @property
    def done(self) -> bool:
        """Whether the account has finished all games."""
        return all(game.finished for game in self.games)

    def fault(self, is_act: bool) -> str:
        """The fault of the next request; empty for none."""
        with self._lock:
            self._requests += 1
            self._acts += is_act
            if self._requests in self.faults.outage:
                return "cuts"
            for name in ("errors", "cuts", "hangs"):
                every = getattr(self.faults, name)
                if every and self._requests % every == 0:
                    return name
            return "lost" if is_act and self.faults.lost and self._acts % self.faults.lost == 0 else ""

    def answer(self, method: str, path: list[str], body: _Json) -> Answer:
        """The answer to a request; `path` begins behind /api."""
        match method, *path:
            case "GET", "version":
                return 200, {"version": self.faults.version}
            case "GET", "users":
                return 200, {"usernames": [USER]}
            case "GET", "users", "me", "version":
                return 200, {"version": 1}
            case "POST", "users", "me", *setting:
                self.max_games = body.get("max_games", self.max_games)
                self.is_ranked = body.get("ranked", self.is_ranked)
                return 200, {"version": 2} if setting == ["version"] else {}
            case "GET", "invitations":
                return 200, {"invitations": [game.id for game in self.games if not game.accepted]}
            case "POST", "invitations", number, *finish:
                game = self.games[int(number)]
                if finish:
                    game.finished = True
                    return 200, {}
                game.accepted = True
                playing = sum(game.accepted and not game.finished for game in self.games)
                self.most_at_once = max(self.most_at_once, playing)
                return 200, {"game_id": game.id}
            case method, "games", number, action:
                game = self.games[int(number)]
                with game.lock:
                    return self._play(method, game, action, body)
        return 404, "not found"

    def _play(self, method: str, game: FakeGame, action: str, body: _Json) -> Answer:
        referee = game.referee
        if method == "POST":
            if action == "ready":
                game.ready()
            elif action == "error_resign":
                game.error_resigned = True
                game.leave(game.color)
            else:
                return game.act(action, body, self.faults.refuses_repeats)
            return 200, {}
        values: dict[str, Callable[[], Any]] = {
            "color": lambda: game.color,
            "starting_board": chess.Board,
            "opponent_name": lambda: game.opponent_name,
            "sense_actions": referee.sense_actions,
            "move_actions": referee.move_actions,
            "seconds_left": referee.get_seconds_left,
            "is_my_turn": game.is_bots_turn,
            "opponent_move_results": referee.opponent_move_results,
            "winner_color": referee.get_winner_color,
            "win_reason": referee.get_win_reason,
            "game_history": referee.get_game_history,
        }
        if action == "game_status":
            over = referee.current_turn_start_time is not None and referee.is_over()
            if over:
                referee.end()  # stops the clocks
            mine = referee.current_turn_start_time is not None and game.is_bots_turn()
            if mine and 0 < game.turns == self.faults.quits_in_turn:
                game.leave(not game.color)
            return 200, {"is_over": over, "is_my_turn": mine}
        key = "board" if action == "starting_board" else action
        return (200, {key: values[action]()}) if action in values else (404, "not found")


class _Handler(BaseHTTPRequestHandler):
    server_of: FakeServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # an answer would wait 40 ms for its second part

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        path = [word for word in self.path.split("/") if word][1:]
        site, fault = self.server_of, ""
        is_act = path[-1:] in (["sense"], ["move"], ["end_turn"])
        fault = site.fault(is_act)
        time.sleep(site.faults.hang_seconds if fault == "hangs" else site.faults.delay)
        if fault in ("cuts", "hangs"):
            self.close_connection = True
            return
        token = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        if fault == "errors":
            status, answer = 503, "try again"
        elif self.headers.get("Authorization") != f"Basic {token}":
            status, answer = 401, "wrong name or password"
        else:
            body = json.loads(content, cls=ChessJSONDecoder) if content else {}
            status, answer = site.answer(self.command, path, body)
        if fault == "lost":
            self.close_connection = True
            return
        encoded = answer.encode() if isinstance(answer, str) else _encode(answer)
        self.send_response(status)
        self.send_header("Content-Length", str(len(encoded)))
        self.end_headers()
        self.wfile.write(encoded)

    def handle(self) -> None:
        """Serves a connection until the client has gone."""
        with contextlib.suppress(ConnectionError):
            super().handle()

    def log_message(self, *_: Any) -> None:
        pass


def _encode(answer: Any) -> bytes:
    return json.dumps(answer, cls=GameHistoryEncoder).encode()
