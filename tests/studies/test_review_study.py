"""The study of reviews: losses, recall and precision, mates, moments, and the training of the network."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from sparring._core import ChessLineSearch
from sparring.base.errors import BadFile
from sparring.chess.game import Chess
from sparring.records.readers import RecordedGame, open_records
from studies.review.judge import Judged, losses, win_points
from studies.review.measure import (
    Judge,
    ReviewedGame,
    close_plies,
    mates,
    moment_share,
    report,
    table,
)

GAME = """[White "a"]
[Black "b"]
[WhiteElo "1500"]
[BlackElo "1400"]

1. e4 {[%eval 0.2]} e5 {[%eval 0.3]} 2. Nf3 {[%eval 0.3]} Nc6 {[%eval 0.2]} 3. Bc4 {[%eval 0.1]}
Nf6 {[%eval 0.3]} *
"""


@pytest.fixture
def game(tmp_path: Path) -> RecordedGame:
    path = tmp_path / "game.pgn"
    path.write_text(GAME)
    return next(iter(open_records(path)))


def journal(path: Path, nodes: int, game: RecordedGame, scores: dict[int, int]) -> Path:
    rows: list[dict[str, object]] = [{"nodes": nodes, "engine": "stockfish"}]
    rows += [{"game": game.id, "ply": ply, "centipawns": s, "best": None} for ply, s in scores.items()]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_win_points_are_lichess_s() -> None:
    assert win_points(0) == 50
    assert win_points(100) == pytest.approx(59.1, abs=0.05)
    assert win_points(31_999) == win_points(1000) == pytest.approx(97.54, abs=0.01)
    rows = [Judged("g", 0, 100, None), Judged("g", 1, 0, None), Judged("g", 2, -300, None)]
    found = losses(rows)
    assert found["g", 0] == pytest.approx(9.1, abs=0.05)
    assert found["g", 1] == pytest.approx(50 - win_points(300))


def test_recall_precision_mates_and_moments(tmp_path: Path, game: RecordedGame) -> None:
    # Losses in win points: ply 0 none, 1 about 9, 2 about 25, 3 none, 4 about 40 with a mate, 5 none.
    few = journal(tmp_path / "few", 50, game, {0: 0, 1: 0, 2: 100, 3: 200, 4: 31_998, 5: 0, 6: 0})
    judge = Judge.read(few)
    assert judge.mate(game.id, 4) == 2
    assert judge.mate(game.id, 3) == 0
    bad = {ply for ply in range(6) if (judge.loss(game.id, ply) or 0) >= 15}
    assert bad == {2, 3, 4}
    assert set(close_plies(game, judge)) == {1, 2}
    found = table([game], judge, {game.id: {2, 0}})
    assert found["all"]["recall"]["value"] == pytest.approx(1 / 3, abs=1e-3)
    assert found["all"]["precision"]["value"] == 0.5
    assert "from 1600" not in found
    marks = ["mistake", "", "blunder", "", "", ""]
    row = ReviewedGame(game.id, 3.0, 1.0, [12.0, 0, 30.0, 0, 0, 0], marks, [0, 0, 0, 0, 2, 0], [""] * 6)
    assert mates([row], judge) == {
        "up to 3": {"positions": 1, "found": 1},
        "4 or 5": {"positions": 0, "found": 0},
    }
    assert moment_share([row], judge) == {"moments": 2, "among_the_four": 1, "share": 0.5}
    empty = journal(tmp_path / "many", 1000, game, {})
    assert "own" not in report([game], few, empty, [row], []), "a close move is not judged again yet"
    many = journal(tmp_path / "many", 1000, game, {1: 0, 2: 0})
    whole = report([game], few, many, [row], [])["own"]
    assert whole["all"]["bad_moves"] == 3
    assert whole["core_seconds"]["of_80_plies"] == 40


def test_the_network_is_trained_as_the_search_reads_it(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from studies.review.network import _inputs, _Network, read_examples, train

    path = tmp_path / "games.pgn"
    path.write_text((GAME + "\n") * 3)
    examples = read_examples(path)
    assert len(examples.places) == 3 * 5
    assert examples.centipawns[:2].tolist() == [-20, 30]
    train(examples, 2, tmp_path / "run", lambda _: None, batch=4)
    layers = dict(np.load(tmp_path / "run" / "chess.npz"))
    search = ChessLineSearch(**layers, megabytes=1)
    state = Chess().parse("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")
    network = _Network()
    with torch.no_grad():
        network.first.weight[:768] = torch.from_numpy(layers["first"].astype(np.float32) / 255)
        network.first_bias[:] = torch.from_numpy(layers["first_bias"].astype(np.float32) / 255)
        network.last[:] = torch.from_numpy(layers["last"].astype(np.float32) / 64)
        network.last_bias[:] = torch.from_numpy(layers["last_bias"].astype(np.float32) / (255 * 64))
        own, other, bucket, _ = _inputs(examples, np.array([0]))
        centipawns = float(network(own, other, bucket)[0]) / 0.00368208
    assert search.evaluate(state) == pytest.approx(centipawns, abs=3)
    path.write_text("1. e4 e5 *")
    with pytest.raises(BadFile, match="no game has evaluations"):
        read_examples(path)


def test_the_training_of_the_network_lowers_the_loss_and_resumes_with_equal_weights(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from sparring.training.trainer import Trainer, read_metrics
    from studies.review.network import LineNetworkTask, read_examples

    path = tmp_path / "games.pgn"
    path.write_text((GAME + "\n") * 12)
    task = LineNetworkTask(read_examples(path), epochs=20, batch=8)
    whole = Trainer(task, tmp_path / "whole", device="cpu")
    assert whole.train()
    losses = [entry["loss"] for entry in read_metrics(tmp_path / "whole")]
    assert losses[-1] < 0.5 * losses[0]

    halves = LineNetworkTask(read_examples(path), epochs=20, batch=8)
    first = Trainer(halves, tmp_path / "halves", device="cpu")
    assert not first.train(stop_at=0.0)  # after one step
    second = Trainer(halves, tmp_path / "halves", device="cpu")
    assert second.step == 1
    assert second.train()
    written = [(tmp_path / name / "chess.npz").read_bytes() for name in ("whole", "halves")]
    assert written[0] == written[1]
