"""Engines that misbehave in every way lose that game, with a reason, and the match goes on."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from pathlib import Path

import pytest

from sparring.arena.tournament import Adjudication
from sparring.games import EngineProtocol, load_game
from sparring.players import GameStart, SearchLimits, TimeControl, Turn
from sparring.players.engine_player import EnginePlayer
from sparring.players.engines import EngineConfig, EngineFailure, EngineProcess, FailureReason
from tests.arena.tournaments import fake, play, tournament

IN_GAME = [
    ("uci", "crash", "died"),
    ("uci", "flood", "flooded its output"),
    ("uci", "endless-line", "flooded its output"),
    ("uci", "illegal", "illegal move"),
    ("uci", "nonsense", "illegal move"),
    ("uci", "san", "illegal move"),
    ("uci", "none", "false claim"),
    ("uci", "silent", "broke the protocol"),
    ("uci", "resign", "resignation"),
    ("usi", "crash", "died"),
    ("usi", "illegal", "illegal move"),
    ("usi", "win", "false claim"),
    ("usi", "resign", "resignation"),
    ("gtp", "crash", "died"),
    ("gtp", "flood", "flooded its output"),
    ("gtp", "illegal", "illegal move"),
    ("gtp", "denies", "false claim"),
    ("gtp", "resign", "resignation"),
]


@pytest.mark.parametrize(("protocol", "fault", "reason"), IN_GAME)
def test_trouble_loses_the_game_and_the_match_goes_on(
    protocol: EngineProtocol, fault: str, reason: str
) -> None:
    short = Adjudication(plies=60)
    games = play(tournament(fake(protocol, fault), fake(protocol), adjudication=short))
    assert [(each.first, each.result, each.reason) for each, _ in games] == [
        (fault, 0.0, reason),
        ("good", 1.0, reason),
    ]


@pytest.mark.parametrize("protocol", ["uci", "gtp"])
def test_an_engine_that_hangs_loses_and_is_replaced(protocol: EngineProtocol) -> None:
    games = play(tournament(fake(protocol, "hang", move_seconds=0.3, stop_seconds=0.2), fake(protocol)))
    assert [each.reason for each, _ in games] == ["did not answer"] * 2
    assert all(each.plies > 1 for each, _ in games), "the second game was played too"


@pytest.mark.parametrize(
    ("fault", "reason"),
    [("think", "time forfeit"), ("ignore-stop", "did not answer"), ("hang", "did not answer")],
)
def test_a_flag_falls_and_stop_is_obeyed_or_not(fault: str, reason: str) -> None:
    slow = fake("uci", fault, limits=SearchLimits(), stop_seconds=0.3)
    clock = TimeControl(0.5, margin=0.1)
    games = play(tournament(slow, fake("uci", limits=SearchLimits()), clock=clock))
    assert [(each.result, each.reason) for each, _ in games] == [(0.0, reason), (1.0, reason)]


def test_gtp_time_is_watched_too() -> None:
    games = play(tournament(fake("gtp", "hang"), fake("gtp"), clock=TimeControl(0.0, byoyomi=1.0)))
    assert [each.reason for each, _ in games] == ["time forfeit"] * 2


def test_gtp_engines_receive_the_periods_of_byoyomi(tmp_path: Path) -> None:
    log = tmp_path / "commands.txt"
    clock = TimeControl(0.0, byoyomi=20.0, periods=3)
    told = fake("gtp", env={"LOG": str(log)})
    play(tournament(told, fake("gtp"), clock=clock, adjudication=Adjudication(plies=4)))
    commands = log.read_text().splitlines()
    assert "kgs-time_settings byoyomi 0 20 3" in commands
    assert not [command for command in commands if command.startswith("time_settings")]
    assert "time_left b 20 3" in commands


@pytest.mark.parametrize("fault", ["chatter", "garbage"])
def test_noise_is_passed_over(fault: str) -> None:
    noisy = fake("uci", fault, options={"Odd": "3"} if fault == "garbage" else {})
    games = play(tournament(noisy, fake("uci"), adjudication=Adjudication(plies=8)))
    assert [each.reason for each, _ in games] == ["length limit"] * 2


def test_usi_engines_receive_the_result() -> None:
    games = play(
        tournament(fake("usi", "wants-gameover"), fake("usi"), adjudication=Adjudication(plies=8), games=4)
    )
    assert [each.reason for each, _ in games] == ["length limit"] * 4


def test_hanging_at_quit_is_ended() -> None:
    began = time.monotonic()
    games = play(
        tournament(
            fake("uci", "hang-quit", stop_seconds=0.3), fake("uci"), adjudication=Adjudication(plies=4)
        )
    )
    assert [each.reason for each, _ in games] == ["length limit"] * 2
    assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    ("engine", "why"),
    [
        (fake("uci", "hang-start", start_seconds=0.3), "no uciok"),
        (fake("uci", "crash-start"), "no such network"),
        (fake("gtp", "crash-start"), "exit status 1"),
        (EngineConfig("missing", "uci", ("no-such-program",), limits=SearchLimits(nodes=1)), "No such file"),
        (fake("uci", "", "option", options={"Hush": "1"}), "no option 'Hush'; it has Hash"),
        (fake("uci", "", "option", options={"Hash": "65"}), "from 1 to 64"),
        (fake("uci", "", "option", options={"Style": "Wild"}), "one of Solid, Risky Play"),
        (fake("uci", "", "option", options={"Own Book": "yes"}), "true or false"),
        (fake("gtp", "", "commands", commands=("list_commands", "quit")), "died"),
    ],
)
def test_a_player_that_cannot_start_forfeits(engine: EngineConfig, why: str) -> None:
    games = play(tournament(engine, fake(engine.protocol)))
    assert [(each.result, each.reason) for each, _ in games] == [
        (0.0, "could not be started"),
        (1.0, "could not be started"),
    ]
    assert why in games[0][0].detail
    assert not games[0][0].counts


def test_two_players_that_cannot_start_have_no_result() -> None:
    games = play(tournament(fake("uci", "crash-start"), fake("uci", "crash-start", "other")))
    assert [(each.result, record) for each, record in games] == [(None, None)] * 2


def test_options_env_and_folder_reach_the_engine(tmp_path: Path) -> None:
    asked = {"Hash": "32", "Style": "Risky Play", "Own Book": "true"}
    engine = fake("uci", "", "set", options=asked, env={"SCORE": "77"}, folder=tmp_path)
    games = play(tournament(engine, fake("uci"), adjudication=Adjudication(plies=4)))
    record = games[0][1]
    assert record is not None
    assert record.evals is not None
    assert record.evals[:2] == (77).to_bytes(2, "little")


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks into /proc")
@pytest.mark.parametrize("arguments", ["", "start_new_session=True", "start_new_session=True, env={}"])
def test_everything_that_an_engine_started_ends_with_it(arguments: str) -> None:
    command = [
        sys.executable,
        "-c",
        f"import subprocess; c = subprocess.Popen(['sleep', '99'], {arguments}); "
        "print(c.pid, flush=True); c.wait()",
    ]
    process = EngineProcess(command, {}, None)
    child = process.receive(time.monotonic() + 20)
    assert child is not None
    process.kill()
    for _ in range(200):
        if not Path(f"/proc/{child}").exists() or "Z" in Path(f"/proc/{child}/stat").read_text().split()[2]:
            return
        time.sleep(0.05)
    pytest.fail("the engine's child is still there")


def test_a_program_that_does_not_read_is_no_trap() -> None:
    process = EngineProcess([sys.executable, "-c", "import time; time.sleep(99)"], {}, None)
    with pytest.raises(EngineFailure) as failure:
        process.send("x" * (1 << 20), time.monotonic() + 0.3)
    process.kill()
    assert failure.value.reason is FailureReason.STALLED


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed")


@pytest.mark.parametrize(
    "engine",
    [
        pytest.param(
            EngineConfig("stockfish", "uci", ("stockfish",), limits=SearchLimits(nodes=500)),
            marks=needs("stockfish"),
        ),
        pytest.param(
            EngineConfig("fairy", "usi", ("fairy-stockfish",), limits=SearchLimits(nodes=500)),
            marks=needs("fairy-stockfish"),
        ),
        pytest.param(
            EngineConfig("gnugo", "gtp", ("gnugo", "--mode", "gtp", "--level", "1")), marks=needs("gnugo")
        ),
    ],
)
def test_real_engines_play_without_a_fault(engine: EngineConfig) -> None:
    games = play(tournament(engine, fake(engine.protocol), adjudication=Adjudication(plies=80)))
    assert not {each.reason for each, _ in games} & set(FailureReason)


@pytest.mark.parametrize("protocol", ["uci", "usi"])
def test_an_engine_that_searches_on_is_stopped_and_answers(protocol: EngineProtocol) -> None:
    game = load_game("chess" if protocol == "uci" else "shogi")
    state, stop = game.initial(), threading.Event()
    with EnginePlayer(fake(protocol, "think")) as player:
        player.new_game(GameStart(game, 0, state))
        assert player.choose(Turn.of(state)).move in state.legal_moves()
        threading.Timer(0.2, stop.set).start()
        began = time.monotonic()
        decision = player.choose(Turn.of(state, SearchLimits(infinite=True), stop))
        assert 0.1 < time.monotonic() - began < 4
        assert decision.move in state.legal_moves()


def test_limits_of_a_turn_go_before_those_of_the_engine() -> None:
    state = load_game("chess").initial()
    entry = fake("uci", "think", limits=SearchLimits(nodes=5), stop_seconds=1.0)
    with EnginePlayer(entry) as player:
        player.new_game(GameStart(load_game("chess"), 0, state))
        player.choose(Turn.of(state))
        began = time.monotonic()
        with pytest.raises(EngineFailure) as failure:  # the engine answers only to `stop`
            player.choose(Turn.of(state, SearchLimits(seconds=0.2)))
        assert failure.value.reason is FailureReason.TIME
        assert time.monotonic() - began < 5
