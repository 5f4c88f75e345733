"""Bots in reconchess: real local games, missing calls, failures of the bot."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import chess
import pytest
from reconchess import LocalGame, load_player, play_local_game
from reconchess.bots.attacker_bot import AttackerBot
from reconchess.bots.random_bot import RandomBot

from sparring.engines.reconchess import SparringBot
from sparring.games.rbc import Observation
from sparring.players import BasePlayer, Decision, Turn
from sparring.players.rbc import BadBotConfig
from sparring.players.rbc.planner import PlannerBot
from sparring.players.rbc.synopsis_evaluators import NetworkEvaluator

KING = chess.Piece.from_symbol("K")
MODULE = "sparring.engines.reconchess"


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


@pytest.mark.parametrize("increment", [0.0, 1.0, 5.0])
def test_the_increment_of_the_clock_is_estimated(increment: float) -> None:
    ours = SparringBot()
    game = LocalGame(seconds_per_player=1_000, seconds_increment=increment, full_turn_limit=6)
    play_local_game(ours, RandomBot(), game=game)
    assert ours._increment == pytest.approx(increment, abs=0.3)


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
    with pytest.raises(BadBotConfig, match="no bot 'nobody'"):
        SparringBot()


class Broken(BasePlayer):
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

    def ponder(self) -> None:
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
