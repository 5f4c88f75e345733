"""Games on a server of reconchess: faults of the network lose no game, and nothing resigns."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import chess
import pytest
import requests
from reconchess import GameHistory, Player
from reconchess.scripts.rc_connect import RBCServer, accept_invitation_and_play

from sparring.base.errors import UserError
from sparring.rbc import connect
from sparring.rbc.connect import Connection, PatientSession, ServerGame, play_server_game
from sparring.rbc.reconchess import SparringBot
from tests.engines.fake_reconchess import PASSWORD, USER, FakeGame, FakeServer, Faults

AUTH = USER, PASSWORD


class Passing(Player):  # type: ignore[misc]  # reconchess has no types
    """Passes: games against it are short."""

    def handle_game_start(self, color: bool, board: chess.Board, opponent_name: str) -> None: ...
    def handle_opponent_move_result(self, captured_my_piece: bool, capture_square: int | None) -> None: ...
    def choose_sense(self, *_: Any) -> int | None: ...
    def handle_sense_result(self, sense_result: Any) -> None: ...
    def choose_move(self, *_: Any) -> chess.Move | None: ...
    def handle_move_result(self, *_: Any) -> None: ...
    def handle_game_end(self, *_: Any) -> None: ...


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quick bot, and a client that does not wait between its questions."""
    monkeypatch.setenv("SPARRING_RBC_BOT", "inference-1")
    monkeypatch.setenv("SPARRING_RBC_SEED", "1")
    monkeypatch.setattr("reconchess.game.time", SimpleNamespace(sleep=lambda _: time.sleep(0.002)))


def play(faults: Faults, folder: Path | None = None) -> FakeGame:
    """A game of our client on a server with these faults."""
    with FakeServer(lambda _: Passing(), 1, faults=faults) as server:
        game_id = RBCServer(server.address, AUTH).accept_invitation(0) if not faults.errors else 0
        play_server_game(server.address, game_id, AUTH, folder)
        return server.games[0]


@pytest.mark.parametrize(
    "faults",
    [
        Faults(errors=3, delay=0.002),
        Faults(cuts=5, outage=range(20, 40)),
        Faults(lost=3),
        Faults(lost=3, refuses_repeats=True),
    ],
    ids=["errors", "disconnects", "lost answers", "refused repeats"],
)
def test_a_game_is_won_through_faults_of_the_network(
    faults: Faults, capfd: pytest.CaptureFixture[str]
) -> None:
    game = play(faults)
    assert game.result == "won: king_capture"
    assert not game.error_resigned
    assert "the game goes on" not in capfd.readouterr().err or faults.refuses_repeats


@pytest.mark.parametrize("client", ["ours", "rc-connect"])
def test_an_opponent_who_leaves_in_our_turn_is_no_error(
    client: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeServer(lambda _: Passing(), 1, faults=Faults(quits_in_turn=3)) as server:
        if client == "ours":
            play_server_game(server.address, 0, AUTH, None)
        else:
            monkeypatch.setattr("signal.signal", lambda *_: None)
            finished = SimpleNamespace(value=False)
            accept_invitation_and_play(server.address, AUTH, 0, SparringBot, finished)
        assert server.games[0].result == "won: resign"
        assert not server.games[0].error_resigned
    assert "Error" not in capfd.readouterr().err


def test_histories_are_saved(tmp_path: Path) -> None:
    game = play(Faults(), tmp_path)
    history = GameHistory.from_file(str(tmp_path / "0.json"))
    assert history.get_winner_color() == game.color
    assert history.num_turns(game.color) == game.turns


def test_a_server_that_refuses_everything_ends_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connect, "_PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(connect, "_MOST_REFUSALS", 3)
    monkeypatch.setattr(FakeGame, "act", lambda *_: (400, "no"))
    with pytest.raises(ValueError, match="no"):
        play(Faults())


def test_time_limits_double_until_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[float] = []

    def request(self: requests.Session, *_: object, timeout: float) -> requests.Response:
        limits.append(timeout)
        if len(limits) in (1, 2, 4):
            raise requests.Timeout
        return requests.Response()

    monkeypatch.setattr(requests.Session, "request", request)
    game = ServerGame("http://localhost", 1, AUTH)
    for _ in range(5):
        try:
            game.session.request("GET", "/")
        except requests.Timeout:
            assert game.session.unanswered
    assert limits == [5.0, 10.0, 20.0, 5.0, 10.0]


@pytest.mark.parametrize(
    ("faults", "password", "says"),
    [
        (Faults(version="9.9"), PASSWORD, r"the server plays reconchess 9\.9"),
        (Faults(), "wrong", "does not know this name"),
    ],
)
def test_what_prevents_games_is_said(faults: Faults, password: str, says: str) -> None:
    with (
        FakeServer(lambda _: Passing(), 1, faults=faults) as server,
        pytest.raises(UserError, match=says),
    ):
        Connection(server.address, (USER, password), 4, None).begin(ranked=False, new_version=False)
    with pytest.raises(UserError, match="does not answer"):
        Connection(server.address, AUTH, 4, None).begin(ranked=False, new_version=False)


class Work:
    """Stands for the process of a game, which ends when it is asked the second time."""

    def __init__(self, started: list[object], game_id: object) -> None:
        started.append(game_id)
        self._looks = 0

    def is_alive(self) -> bool:
        self._looks += 1
        return self._looks < 2


def test_invitations_are_accepted_as_far_as_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[object] = []

    def start(self: Connection, invitation: object, game_id: object) -> None:
        self._playing[invitation] = Work(started, game_id)  # type: ignore[assignment]

    monkeypatch.setattr(Connection, "_start", start)
    with FakeServer(lambda _: Passing(), 5, faults=Faults(errors=4, outage=range(10, 12))) as server:
        connection = Connection(server.address, AUTH, 2, None)
        connection.begin(ranked=True, new_version=True)
        assert server.is_ranked
        assert server.max_games == 2
        connection._accept(None)
        assert started == [0, 1]
        connection.run(4, poll_seconds=0.0)
    assert connection.finished == 4
    assert started == [0, 1, 2, 3]


def test_the_command_plays_games_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sparring.rbc.commands import connect as command

    monkeypatch.setenv("SPARRING_RBC_PASSWORD", PASSWORD)
    monkeypatch.setattr("sparring.rbc.connect._POLL_SECONDS", 0.1)
    with FakeServer(lambda _: Passing(), 2) as server:
        command(USER, "inference-1", server.address, 2, 2, out=tmp_path / "games")
        assert [game.result for game in server.games] == ["won: king_capture"] * 2
        assert server.most_at_once == 2
        assert server.done
    assert sorted(path.name for path in (tmp_path / "games").iterdir()) == ["0.json", "1.json"]


def test_a_session_sends_the_name_and_the_password() -> None:
    with FakeServer(lambda _: Passing(), 1) as server:
        assert PatientSession(AUTH).get(f"{server.address}/api/users/").json() == {"usernames": [USER]}
