"""One game: adjudication, clocks and records."""

from __future__ import annotations

import io
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import chess.pgn
import numpy as np
import pytest

from sparring.arena.run_tournament import adjudicate, play_tournament_game
from sparring.arena.tournament import Adjudication, DrawRule, OpeningSuite, ResignRule
from sparring.chess.pgn import to_pgn
from sparring.networks import Prediction
from sparring.players import (
    Decision,
    GameStart,
    Player,
    PlayerConfig,
    PolicyPlayer,
    SearchLimits,
    SearchPlayer,
    TimeControl,
    Turn,
)
from sparring.players.engines import EngineConfig
from tests.arena.tournaments import fake, play, small, tournament


def scored(name: str, score: int) -> EngineConfig:
    return fake("uci", "", name, env={"SCORE": str(score)})


def test_a_win_needs_both_engines_word() -> None:
    rules = Adjudication(resign=ResignRule(score=600, moves=3), plies=20)
    sure = play(tournament(scored("up", 700), scored("down", -650), adjudication=rules))
    assert [(each.result, each.reason, each.plies) for each, _ in sure] == [
        (1.0, "adjudicated win", 6),
        (0.0, "adjudicated win", 6),
    ]
    boasting = play(tournament(scored("up", 700), scored("level", 0), adjudication=rules))
    assert [each.reason for each, _ in boasting] == ["length limit"] * 2


def test_a_draw_needs_both_and_not_too_early() -> None:
    rules = Adjudication(draw=DrawRule(score=10, moves=2, after=9), plies=30)
    games = play(tournament(scored("a", 5), scored("b", -9), adjudication=rules))
    assert [(each.result, each.reason, each.plies) for each, _ in games] == [(0.5, "adjudicated draw", 9)] * 2


def test_players_without_scores_are_never_adjudicated() -> None:
    rules = Adjudication(resign=ResignRule(100, 1), draw=DrawRule(1000, 1, 0))
    assert adjudicate(rules, ([None], [900]), 2) is None
    assert adjudicate(rules, ([900], [900]), 2) is not None


def test_the_record_has_moves_scores_clocks_and_the_opening(tmp_path: Path) -> None:
    book = tmp_path / "book.pgn"
    book.write_text("1. e4 c5 *")
    games = play(
        tournament(
            fake("uci", "", "a", limits=SearchLimits(), env={"SCORE": "31"}),
            fake("uci", "", "b", limits=SearchLimits()),
            openings=OpeningSuite(book),
            clock=TimeControl(60, increment=1),
            adjudication=Adjudication(plies=6),
        )
    )
    record = games[0][1]
    assert record is not None
    read = chess.pgn.read_game(io.StringIO(to_pgn(record)))
    assert read is not None
    nodes = list(read.mainline())
    assert [node.san() for node in nodes][:2] == ["e4", "c5"]
    assert [node.clock() for node in nodes][:2] == [None, None]
    score = nodes[2].eval()
    assert score is not None
    assert score.white().score() == 31
    left = nodes[2].clock()
    assert left is not None
    assert 50 < left <= 61
    assert read.headers["Result"] == "1/2-1/2"
    assert read.headers["TimeControl"] == "60+1"


@pytest.mark.parametrize("game", ["chess", "shogi", "go", "expendibots"])
def test_small_players_play_every_game_to_its_end(game: str) -> None:
    rules = {"size": 5} if game == "go" else {}
    games = play(tournament(*small(1, 1), game=game, rules=rules, adjudication=Adjudication(plies=600)))
    for each, record in games:
        assert each.result in (0.0, 0.5, 1.0)
        assert each.reason
        assert record is not None
        assert record.plies(game) == each.plies
    assert games[0][1] != games[1][1]


def test_an_engine_plays_go_and_shogi_to_the_end() -> None:
    (go, record), _ = play(tournament(fake("gtp", "", "a"), fake("gtp", "", "b")))
    assert go.reason in ("score", "length limit")
    assert record is not None
    (shogi, _), _ = play(
        tournament(fake("usi", "", "a"), fake("usi", "", "b"), adjudication=Adjudication(plies=40))
    )
    assert shogi.reason in ("length limit", "repetition", "checkmate", "perpetual check")


class Faulty(Player):
    """Plays the first move, and misbehaves at its third turn."""

    def __init__(self, fault: str) -> None:
        super().__init__(fault)
        self.fault, self.turns = fault, 0

    def new_game(self, start: GameStart) -> None:
        super().new_game(start)
        self.turns = 0
        if self.fault == "no start":
            raise RuntimeError("cannot begin")

    def choose(self, turn: Turn) -> Decision:
        self.turns += 1
        if self.turns == 3 and self.fault == "raises":
            raise RuntimeError("no idea")
        if self.turns == 3 and self.fault == "illegal":
            return Decision(-5)
        return Decision(turn.legal_moves[0], resign=self.turns == 3 and self.fault == "resigns")


@pytest.mark.parametrize(
    ("fault", "reason", "detail"),
    [
        ("raises", "died", "RuntimeError: no idea"),
        ("illegal", "illegal move", "move -5"),
        ("resigns", "resignation", ""),
        ("no start", "could not be started", "cannot begin"),
    ],
)
def test_every_fault_of_a_player_loses_the_game(fault: str, reason: str, detail: str) -> None:
    cup = tournament(*small(1, 1), adjudication=Adjudication(plies=20))
    for side in (0, 1):
        pair = (Faulty(fault), Faulty("")) if side == 0 else (Faulty(""), Faulty(fault))
        game = cup.load_game()
        live, _ = play_tournament_game(game, game.initial(), pair, (1, 2), cup)
        assert live.end is not None
        assert live.end.first_score == float(side)
        assert str(live.end.reason) == reason
        assert detail in live.end.detail


def test_a_slow_evaluation_does_not_lose_on_time() -> None:
    evaluations: list[int] = []
    released = threading.Event()

    class SlowPolicy:
        name, game = "slow", "chess"

        def predict(self, positions: Sequence[Any]) -> list[Prediction]:
            evaluations.append(len(positions))
            if len(evaluations) > 1:  # the root is quick
                released.wait(60)
            moves = [position.state.legal_moves() for position in positions]
            return [Prediction(tuple(m), np.full(len(m), 1 / len(m), np.float32), 0.0) for m in moves]

    cup = tournament(*small(1, 1), adjudication=Adjudication(plies=1), clock=TimeControl(10))
    slow, game = SearchPlayer(PlayerConfig("chess", nodes=1000), SlowPolicy()), cup.load_game()
    live, _ = play_tournament_game(game, game.initial(), (slow, Faulty("")), (1, 2), cup)
    released.set()
    assert len(evaluations) > 1
    assert live.end is not None
    assert str(live.end.reason) == "length limit"


def test_players_observe_every_move_and_get_the_result() -> None:
    class Listener(Faulty):
        def __init__(self) -> None:
            super().__init__("")
            self.seen: list[int] = []
            self.score: float | None = None

        def observe(self, observation: int) -> None:
            self.seen.append(observation)

        def end_game(self, score: float | None) -> None:
            self.score = score

    cup = tournament(*small(1, 1), adjudication=Adjudication(plies=6))
    pair, game = (Listener(), Listener()), cup.load_game()
    live, _ = play_tournament_game(game, game.initial(), pair, (1, 2), cup)
    assert pair[0].seen == pair[1].seen
    assert len(pair[0].seen) == live.states[-1].ply == 6
    assert (pair[0].score, pair[1].score) == (0.5, 0.5)


def test_a_player_that_thinks_like_people_uses_its_clock_without_waiting() -> None:
    control = TimeControl(600.0)
    settings = tournament(*small(1, 2), clock=control, adjudication=Adjudication(plies=60))
    players = [PolicyPlayer(PlayerConfig("chess", think_time="human"), UniformPolicy()) for _ in range(2)]
    game = settings.load_game()
    live, seconds = play_tournament_game(game, game.initial(), (players[0], players[1]), (1, 2), settings)
    left = live.moves[-1].left
    assert left is not None
    assert left < 600 - 10 < 600 - seconds  # it counts more time than has passed
    assert live.end is not None
    assert live.end.reason != "time forfeit"


class UniformPolicy:
    """All moves are equally likely."""

    name, game = "uniform", "chess"

    def predict(self, positions: Sequence[Any]) -> list[Prediction]:
        moves = [tuple(position.state.legal_moves()) for position in positions]
        return [Prediction(legal, np.full(len(legal), 1 / len(legal), np.float32), 0.0) for legal in moves]
