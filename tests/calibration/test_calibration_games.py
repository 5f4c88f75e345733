"""Games of a calibration: in lockstep, diluted, resumed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Self, cast

import numpy as np
import pytest

from sparring.base.errors import BadConfig
from sparring.base.storage import Journal
from sparring.base.workers import SerialWorkerPool, WorkerPool
from sparring.games import Move, load_game
from sparring.measure.calibration import (
    Anchor,
    CalibrationGame,
    CalibrationPlan,
    CalibrationWorker,
    DilutedMover,
    GamesTask,
    PolicyMover,
    Results,
    link_anchors,
    missing,
    play_rounds,
    read_anchors,
)
from sparring.networks import Position
from sparring.play.match import GIVEN_UP, LockstepGame, play_together
from sparring.play.result import GameResult
from sparring.players import PlayerConfig
from sparring.policies import load_policy

FAMILY = """
game = "chess"
[[anchor]]
name = "weak"
strength = 1
random_share = 0.9
[[anchor]]
name = "small"
elo = 1000
strength = 1
"""


class First:
    """Plays the first legal move, and counts the games in which it is asked at once."""

    def __init__(self) -> None:
        self.batches: list[int] = []

    def choose(self, games: Sequence[LockstepGame]) -> list[Move]:
        self.batches.append(len(games))
        return [game.state.legal_moves()[0] for game in games]


def started(mover: First | DilutedMover, count: int, seed: int = 0) -> list[LockstepGame]:
    game = load_game("breakthrough")
    return [
        LockstepGame(n, (mover, mover), np.random.default_rng([seed, n]), game.initial())
        for n in range(count)
    ]


def family(tmp_path: Path) -> list[Anchor]:
    (tmp_path / "family.toml").write_text(FAMILY)
    return read_anchors(str(tmp_path / "family.toml"), "chess")


def test_all_games_are_moved_in_together_and_end() -> None:
    mover = First()
    ended = list(play_together(started(mover, 5), max_plies=400))
    assert sorted(game.number for game in ended) == [0, 1, 2, 3, 4]
    assert mover.batches[0] == 5
    assert all(game.state.outcome is not None and game.result.first_score in (0.0, 1.0) for game in ended)


def test_long_games_are_drawn() -> None:
    (ended,) = play_together(started(First(), 1), max_plies=3)
    assert (ended.plies, ended.result) == (3, GameResult(0.5, "length limit"))


def test_a_share_of_the_moves_is_random() -> None:
    mover = First()
    games = list(play_together(started(DilutedMover(mover, 0.5), 40), max_plies=10))
    asked, moves = sum(mover.batches), sum(game.plies for game in games)
    assert 0.35 < asked / moves < 0.65
    again = play_together(started(DilutedMover(First(), 0.5), 40), max_plies=10)
    assert [game.state for game in games] == [game.state for game in again]


@pytest.mark.parametrize("nodes", [0, 4])
def test_a_policy_moves_with_its_search_and_its_ratings(nodes: int) -> None:
    config = PlayerConfig("chess", model="human", rating=1500, temperature=0, nodes=nodes)
    mover = PolicyMover(config, load_policy("human", "chess"))
    game = load_game("chess")
    mate = game.parse("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1")
    games = [
        LockstepGame(0, (mover, mover), np.random.default_rng(0), state) for state in (mate, game.initial())
    ]
    moves = mover.choose(games)
    if nodes:
        assert len(moves) == 2
        assert mate.move_text(moves[0]) == "a1a8"
    else:
        positions = [Position(state, 1500, 1500) for state in (mate, game.initial())]
        assert moves == [
            prediction.top(1)[0].move for prediction in load_policy("human", "chess").predict(positions)
        ]


def test_a_player_resigns_by_the_rule_of_its_configuration() -> None:
    """Without a queen the expected score stays below 0.3: it resigns at its third move, else never."""
    policy, lost = load_policy("human", "chess"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1"
    lengths = []
    for below in (0.3, 0.0):
        config = PlayerConfig("chess", model="human", rating=1500, resign_below=below, resign_after=3)
        mover = PolicyMover(config, policy)
        state = load_game("chess").parse(lost)
        game = LockstepGame(0, (mover, First()), np.random.default_rng(1), state)
        (ended,) = play_together([game], max_plies=12)
        lengths.append((ended.plies, ended.result.reason == GIVEN_UP))
    assert lengths == [(4, True), (12, False)]


def test_shipped_families_can_be_read() -> None:
    stockfish, maia = read_anchors("stockfish", "chess"), read_anchors("maia", "chess")
    assert {anchor.family for anchor in stockfish} == {"stockfish"}
    nominal = [anchor.elo for anchor in stockfish if anchor.elo is not None]
    assert nominal == sorted(nominal)
    assert len(maia) == 9


def test_games_of_go_are_played_to_their_end() -> None:
    """Our player passes after 722 plies on the large board; other games are drawn after 400."""
    limits = {game: CalibrationPlan(game, {}, ()).length_limit for game in ("chess", "shogi", "go")}
    assert limits == {"chess": 400, "shogi": 400, "go": 1083}
    assert CalibrationPlan("go", {}, (), max_plies=4).length_limit == 4


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('game = "go"\nanchor = []', "anchors of go"),
        ('game = "chess"\n[[anchor]]\nelo = 3', "anchor\\[1\\]"),
        (FAMILY.replace("0.9", "1.9"), "random_share"),
        (FAMILY.replace("strength = 1", "strength = 77"), "strength"),
    ],
)
def test_faults_of_a_family_are_named(tmp_path: Path, text: str, fault: str) -> None:
    (tmp_path / "family.toml").write_text(text)
    with pytest.raises(BadConfig, match=fault):
        read_anchors(str(tmp_path / "family.toml"), "chess")
    with pytest.raises(BadConfig, match=r"one of .*maia, stockfish"):
        read_anchors("crafty", "chess")


def test_missing_games_are_those_that_the_journal_does_not_have(tmp_path: Path) -> None:
    results = Results(Journal(tmp_path / "games.jsonl", kind=CalibrationGame))
    results.add([CalibrationGame("a", "b", 1, 1.0, "checkmate", 9)])
    assert missing(results, "a", {"b": 4}, 2) == [
        GamesTask("a", (("b", 0), ("b", 3))),
        GamesTask("a", (("b", 2),)),
    ]
    again = Results(Journal(tmp_path / "games.jsonl", kind=CalibrationGame))
    assert again.between("a", "b") == {1: 1.0}


class FixedScores:
    """A pool whose games all have the same scores: the player of a task wins three of four."""

    def run(self, tasks: Iterator[GamesTask]) -> Iterator[list[CalibrationGame]]:
        for task in tasks:
            yield [
                CalibrationGame(task.player, anchor, number, float(number % 4 < 3), "", 1)
                for anchor, number in task.pairings
            ]


def test_anchors_above_the_nominal_ratings_are_linked_to_those_below(tmp_path: Path) -> None:
    names = [("low", ""), ("middle", "elo = 1600\n"), ("high", ""), ("highest", "")]
    tables = [f'[[anchor]]\nname = "{name}"\nstrength = 1\n{elo}' for name, elo in names]
    (tmp_path / "family.toml").write_text("\n".join(['game = "chess"', *tables]))
    results = Results(Journal(tmp_path / "games.jsonl", kind=CalibrationGame))
    elo = link_anchors(
        read_anchors(str(tmp_path / "family.toml"), "chess"),
        results,
        cast("WorkerPool[GamesTask, list[CalibrationGame]]", FixedScores()),
        games=8,
    )
    pairs = {(game.player, game.anchor) for game in results.games}
    assert pairs == {
        ("low", "middle"), ("low", "high"),
        ("high", "low"), ("high", "middle"),
        ("highest", "middle"), ("highest", "high"),
    }  # fmt: skip
    assert elo["middle"] == 1600
    assert elo["highest"] > elo["high"]


class Announcing:
    """A pool that only notes whose tasks come in which order."""

    def __init__(self) -> None:
        self.players: list[str] = []

    def run(self, tasks: Iterator[GamesTask]) -> Iterator[list[CalibrationGame]]:
        self.players = [task.player for task in tasks]
        return iter(())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def test_the_players_tasks_alternate(tmp_path: Path) -> None:
    results, pool = Results(Journal(tmp_path / "games.jsonl", kind=CalibrationGame)), Announcing()
    starts = {"1800": 1800.0, "2400": 2400.0}
    play_rounds(starts, {"engine": 2000.0}, results, pool, games=12, rounds=1, chunk=4)
    assert pool.players == ["1800", "2400"] * 3


def test_anchors_are_linked_and_a_run_is_resumed(tmp_path: Path) -> None:
    anchors = family(tmp_path)
    players = {"human": PlayerConfig("chess", model="human", rating=1500)}
    plan = CalibrationPlan("chess", players, tuple(anchors), max_plies=30)
    path, played = tmp_path / "games.jsonl", []
    for _ in range(2):
        results = Results(Journal(path, kind=CalibrationGame))
        with SerialWorkerPool(lambda: CalibrationWorker(plan)) as pool:
            elo = link_anchors(anchors, results, pool, games=4)
            play_rounds({"human": 1000.0}, elo, results, pool, games=4, rounds=2)
        played.append(len(results.games))
    assert played == [8, 8]
    assert elo["small"] == 1000
    assert set(elo) == {"weak", "small"}
