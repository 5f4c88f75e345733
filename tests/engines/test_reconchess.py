"""Bots in reconchess: real local games, missing calls, failures of the bot."""

from __future__ import annotations

import random
import re
from pathlib import Path
from threading import Event
from typing import Any

import chess
import pytest
from reconchess import LocalGame, load_player, play_local_game
from reconchess.bots.attacker_bot import AttackerBot
from reconchess.bots.random_bot import RandomBot

from sparring.base.errors import BadConfig
from sparring.players import Decision, Player, Turn
from sparring.rbc.evaluators import NetworkEvaluator
from sparring.rbc.game import NO_SENSE, MoveResult, Observation, OpponentMoveResult
from sparring.rbc.planner import PlannerBot
from sparring.rbc.reconchess import SparringBot

KING = chess.Piece.from_symbol("K")
MODULE = "sparring.rbc.reconchess"


@pytest.fixture(autouse=True)
def _compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARRING_RBC_BOT", "inference-1")
    monkeypatch.setenv("SPARRING_RBC_SEED", "1")
    random.seed(1)


def play(ours: SparringBot, theirs: Any, *, white: bool) -> tuple[Any, Any, Any]:
    pair = (ours, theirs) if white else (theirs, ours)
    return play_local_game(*pair, game=LocalGame(seconds_per_player=60, full_turn_limit=60))  # type: ignore[no-any-return]


def test_reconchess_loads_the_module_as_one_bot() -> None:
    name, player = load_player(MODULE)
    assert player is SparringBot
    assert name == "SparringBot"


@pytest.mark.parametrize(("opponent", "white"), [(RandomBot, True), (AttackerBot, False)])
def test_whole_games_are_won_without_a_failure(opponent: type, white: bool) -> None:
    ours = SparringBot()
    winner, _, history = play(ours, opponent(), white=white)
    assert winner is white
    assert ours.failures == []
    assert history.num_turns(white) > 3


@pytest.mark.parametrize("bot", ["random", "attacker", "guesser", "sneaky"])
def test_the_environment_names_the_bot(bot: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARRING_RBC_BOT", bot)
    ours = SparringBot()
    play(ours, RandomBot(), white=True)
    assert ours.failures == []


class Clocked(Player):
    """Passes. Its methods take time on a clock that moves by nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.choosing, self.observing, self.own_result = 0.5, 0.0, 0.0
        self.increments: list[float] = []

    def observe(self, observation: Observation) -> None:
        self.now += self.observing if isinstance(observation, OpponentMoveResult) else 0.0
        self.now += self.own_result if isinstance(observation, MoveResult) else 0.0

    def choose(self, turn: Turn) -> Decision:
        self.now += self.choosing
        assert turn.limits.clock is not None
        self.increments.append(turn.limits.clock.increment)
        return Decision(turn.legal_moves[-1 if turn.legal_moves[-1] == NO_SENSE else 0])


@pytest.mark.parametrize("increment", [0.0, 0.5, 5.0])
@pytest.mark.parametrize("local", [True, False])
def test_the_increment_of_the_clock_is_estimated(
    increment: float, local: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server ends our turn before the result of our move is processed, a local game after it."""
    bot = Clocked()
    monkeypatch.setattr("time.perf_counter", lambda: bot.now)
    monkeypatch.setattr(f"{MODULE}.make_bot", lambda *_: bot)
    ours, moves, began = SparringBot(), [chess.Move.null()], 0.0
    ours.handle_game_start(chess.WHITE, chess.Board(), "somebody")
    left = 900.0
    # One turn of three has a slow result of the opponent's move, one a slow result of ours.
    for bot.observing, bot.own_result in ((0.0, 0.0), (4.0, 0.0), (0.0, 3.0), (0.0, 0.0)):
        ours.handle_opponent_move_result(False, None)
        ours.choose_sense(list(range(64)), moves, left - (bot.now - began))
        ours.handle_sense_result([])
        ours.choose_move(moves, left - (bot.now - began))
        if not local:
            left, began = left - (bot.now - began) + increment, bot.now
        ours.handle_move_result(None, None, False, None)
        if local:
            left, began = left - (bot.now - began) + increment, bot.now
        else:
            began = bot.now  # the opponent thinks longer than this takes
    ours.handle_game_end(None, None, None)
    assert ours.failures == []
    assert bot.increments == pytest.approx([5.0, 5.0] + [increment] * 6)


class Pondering(Clocked):
    """Ponders until it is stopped."""

    def __init__(self) -> None:
        super().__init__()
        self.events: list[str] = []

    def observe(self, observation: Observation) -> None:
        self.events.append(type(observation).__name__)

    def choose(self, turn: Turn) -> Decision:
        self.events.append("choose")
        return super().choose(turn)

    def ponder(self, stop: Event | None = None) -> None:
        assert stop is not None
        assert stop.wait(20)
        self.events.append("stopped")


def test_pondering_ends_when_the_opponent_has_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    bot = Pondering()
    monkeypatch.setattr(f"{MODULE}.make_bot", lambda *_: bot)
    ours = SparringBot()
    ours.handle_move_result(None, None, False, None)
    ours.handle_opponent_move_result(False, None)
    ours.handle_move_result(None, None, False, None)
    ours.choose_sense(list(range(64)), [], 10.0)  # the result of the opponent's move was lost
    ours.handle_move_result(None, None, False, None)
    ours.handle_game_end(None, None, None)
    assert ours.failures == []
    own = ["MoveResult", "stopped"]
    assert bot.events == [*own, "OpponentMoveResult", *own, "choose", *own]


def test_without_a_name_the_planner_plays_with_its_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPARRING_RBC_BOT")
    ours = SparringBot()
    assert isinstance(ours._bot, PlannerBot)
    assert isinstance(ours._bot.evaluator, NetworkEvaluator)
    game = LocalGame(seconds_per_player=8, seconds_increment=0, full_turn_limit=4)
    play_local_game(ours, RandomBot(), game=game)
    assert ours.failures == []


def test_a_bot_that_does_not_exist_is_refused_before_the_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARRING_RBC_BOT", "nobody")
    with pytest.raises(BadConfig, match="no bot 'nobody'"):
        SparringBot()


class Broken(Player):
    """Fails at everything, and asks for what cannot be asked for."""

    def __init__(self, *, raises: bool) -> None:
        super().__init__()
        self.raises = raises

    def observe(self, observation: Observation) -> None:
        raise RuntimeError("no ears")

    def choose(self, turn: Turn) -> Decision:
        if self.raises:
            raise RuntimeError("no idea")
        return Decision(4095, {4095: 1.0}, "h8h8")

    def ponder(self, stop: Event | None = None) -> None:
        raise RuntimeError("no thoughts")

    def close(self) -> None:
        raise RuntimeError("no end")


@pytest.mark.parametrize("raises", [True, False])
def test_the_game_continues_after_any_failure_of_the_bot(
    raises: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(f"{MODULE}.make_bot", lambda *_: Broken(raises=raises))
    ours = SparringBot()
    _, reason, history = play(ours, RandomBot(), white=True)
    assert reason is not None
    assert history.num_turns(chess.WHITE) > 1
    assert any("no ears" in failure for failure in ours.failures)
    assert "the game goes on" in capsys.readouterr().err


@pytest.fixture(params=["inference-2", "planner"])
def bot(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Names a bot in the environment: a planner with its network, and what it is built on."""
    name = str(request.param)
    if name == "planner":
        file = tmp_path / "planner.toml"
        file.write_text(
            'kind = "planner"\nboards = 2000\n[planner]\nparticles = 8\nplayouts = 4\nbatch = 4\n'
            "rating_visits = 10\nrationality = 5\nnative_weight = 1\nmove_depth = 3\n"
        )
        name = str(file)
    monkeypatch.setenv("SPARRING_RBC_BOT", name)
    return name


def test_calls_that_were_lost_with_the_connection_do_not_stop_it(bot: str) -> None:
    ours = SparringBot()
    board = chess.Board()
    ours.handle_game_start(chess.WHITE, board, "somebody")
    moves = list(board.pseudo_legal_moves)
    ours.handle_opponent_move_result(False, None)
    ours.handle_sense_result([])
    first = ours.choose_move(moves, 60.0)
    assert first is None or first in moves
    ours.handle_move_result(first, first, False, None)
    # The connection was lost: the opponent's move is never told, the turn begins with the sense.
    assert ours.choose_sense(list(range(64)), moves, 60.0) in [None, *range(64)]
    ours.handle_sense_result([(chess.E7, chess.Piece.from_symbol("p")), (chess.E6, None)])
    again = ours.choose_move(moves, 60.0)
    assert again is None or again in moves
    ours.handle_move_result(None, None, False, None)
    ours.handle_game_end(None, None, None)
    assert ours.failures == []


def test_results_that_contradict_one_another_do_not_stop_it(bot: str) -> None:
    ours = SparringBot()
    board = chess.Board()
    ours.handle_game_start(chess.BLACK, board, "TroutBot")
    moves = list(chess.Board("rnbqkbnr/pppppppp/8/8/8/8/8/4K3 b kq - 0 1").pseudo_legal_moves)
    for _ in range(
        3
    ):  # three times a piece is lost that had been lost before, and a king is seen at both ends
        ours.handle_opponent_move_result(True, chess.A7)
        ours.choose_sense(list(range(64)), moves, 30.0)
        ours.handle_sense_result([(chess.A1, KING), (chess.H1, KING), (chess.H8, None)])
        request = ours.choose_move(moves, 30.0)
        assert request is None or request in moves
        ours.handle_move_result(request, None, True, chess.E4)
    ours.handle_game_end(None, None, None)
    assert ours.failures == []


@pytest.mark.parametrize("seconds", [0.0, -3.0])
def test_it_acts_at_once_with_no_time_left(bot: str, seconds: float) -> None:
    ours = SparringBot()
    moves = list(chess.Board().pseudo_legal_moves)
    ours.handle_game_start(chess.WHITE, chess.Board(), "somebody")
    ours.handle_opponent_move_result(False, None)
    assert ours.choose_sense(list(range(64)), moves, seconds) in [None, *range(64)]
    ours.handle_sense_result([])
    request = ours.choose_move(moves, seconds)
    assert request is None or request in moves
    ours.handle_game_end(None, None, None)
    assert ours.failures == []


def test_a_log_has_a_line_for_each_decision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log.txt"
    monkeypatch.setenv("SPARRING_RBC_LOG", str(log))
    ours = SparringBot()
    _, _, history = play(ours, RandomBot(), white=False)
    begin, *decisions, end = [line.partition(" ")[2] for line in log.read_text().splitlines()]
    assert "is black against RandomBot" in begin
    assert end == "game over: black won (king capture)"
    turns = list(history.turns(chess.BLACK))
    assert len(decisions) == 2 * len(turns)
    for turn, sensed, moved in zip(turns, decisions[::2], decisions[1::2], strict=True):
        square = history.sense(turn)
        name = "none" if square is None else chess.square_name(square)
        assert sensed.startswith(f"black turn {turn.turn_number + 1} sense {name}; ")
        move = history.requested_move(turn)
        assert moved.startswith(f"black turn {turn.turn_number + 1} {move.uci() if move else 'pass'}; ")
        for line in (sensed, moved):
            assert re.search(r"; [\d,]+ boards?; .+; \d+\.\d\d s, \d+\.\d s left$", line)


def test_the_log_names_the_headset_of_the_opponent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log.txt"
    monkeypatch.setenv("SPARRING_RBC_LOG", str(log))
    monkeypatch.setenv("SPARRING_RBC_BOT", "planner")
    ours = SparringBot()
    ours.handle_game_start(chess.WHITE, chess.Board(), "TroutBot")
    ours.handle_game_end(None, None, None)
    begin, end = log.read_text().splitlines()
    assert begin.endswith("against TroutBot, predicted by the headset trout")
    assert end.endswith("game over: nobody won (no reason given)")


def test_a_log_that_cannot_be_written_is_reported_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SPARRING_RBC_LOG", str(tmp_path / "no folder" / "log.txt"))
    monkeypatch.setenv("SPARRING_RBC_BOT", "random")
    ours = SparringBot()
    play(ours, RandomBot(), white=True)
    assert ours.failures == []
    (line,) = capsys.readouterr().err.splitlines()
    assert "log.txt (No such file or directory); the game goes on" in line


@pytest.mark.parametrize("seed", ["abc", "-1", "1.5", ""])
def test_a_wrong_seed_is_reported_and_the_game_is_played(
    seed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SPARRING_RBC_SEED", seed)
    monkeypatch.setenv("SPARRING_RBC_BOT", "random")
    ours = SparringBot()
    play(ours, RandomBot(), white=True)
    assert ours.failures == []
    assert capsys.readouterr().err == (
        f"sparring: SPARRING_RBC_SEED is '{seed}', not an integer from 0; the seed is random\n"
    )
