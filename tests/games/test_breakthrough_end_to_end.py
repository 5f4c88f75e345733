"""Breakthrough through every part of the package: recorded, trained on, searched, matched and played.

Nothing outside its own files (`core/breakthrough`, its binding, `breakthrough/game.py`, a preset and a
training configuration) names it, so this is what a new game gets.
"""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest

from sparring.cli import main
from sparring.games import describe, load_game
from sparring.networks import Position, load_network
from sparring.players import GameStart, Turn, make_strength_player
from sparring.policies import load_policy
from sparring.records import Batches, GameRecord
from sparring.records.readers import writer_of
from sparring.search import Puct, SearchLimits

GAME = "breakthrough"
CONFIG = """
game = "breakthrough"
[network]
blocks = 1
width = 16
history = 2
[training]
steps = 12
batch = 32
validate_every = 6
validation_positions = 100
"""


def played_game(seed: int) -> GameRecord:
    """A game of the search player against itself after four random plies."""
    game, rng = load_game(GAME), np.random.default_rng(seed)
    player, state = make_strength_player(GAME, 1), load_game(GAME).initial()
    player.new_game(GameStart(game, seed=rng))
    while (outcome := game.outcome(state)) is None:
        random = state.ply < 4
        move = int(rng.choice(game.legal_moves(state))) if random else player.choose(Turn.of(state)).move
        state = game.play(state, move)
    packed = state.pack_moves(describe(GAME).packed_move_bytes)
    return GameRecord(packed, 1.0 - (outcome.winner or 0), first="Anna", second="Ben")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of 30 games, written as PGN and built by the command."""
    folder = tmp_path_factory.mktemp("breakthrough")
    write = writer_of(GAME)
    (folder / "games.pgn").write_text("\n".join(write(played_game(seed)) for seed in range(30)))
    main(["records", "build", str(folder / "games.pgn"), "--preset", GAME, "--out", str(folder / "table")])
    return folder / "table"


@pytest.fixture(scope="module")
def model(table: Path) -> Path:
    """A tiny network that `train people` made of the table."""
    config, run = table.parent / "tiny.toml", table.parent / "run"
    config.write_text(CONFIG)
    train = ["train", "people", GAME, "--records", str(table), "--config", str(config), "--out", str(run)]
    main([*train, "--device", "cpu", "--threads", "1"])
    return run / "model.onnx"


def test_games_are_recorded_and_exported_as_they_were(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["records", "export", str(table), "--game", "all"])
    texts = capsys.readouterr().out
    assert texts.count('[Variant "Breakthrough"]') == 30
    assert all(writer_of(GAME)(played_game(seed)) in texts for seed in (0, 7, 29))


def test_recorded_positions_are_encoded_with_labels_of_their_legal_moves(table: Path) -> None:
    batch = next(iter(Batches([table], size=64, split=None, encoding="boards", history=2, mirrored=True)))
    assert batch.planes.shape == (64, 4, 8, 8)
    assert batch.planes.dtype == np.uint8
    assert batch.labels.max() < 3 * 64
    assert (batch.legal[batch.offsets[:-1] + batch.index] == batch.move).all()


def test_a_trained_network_predicts_the_legal_moves(model: Path) -> None:
    game = load_game(GAME)
    state = game.initial()
    prediction = load_network(model).predict([Position(state)])[0]
    assert prediction.moves == tuple(game.legal_moves(state))
    assert prediction.probabilities.sum() == pytest.approx(1, abs=1e-5)


def test_a_network_sees_a_mirrored_position_as_the_mirror_image(model: Path) -> None:
    """Averaged over the symmetries, a move and its mirror image are equally likely at the start."""
    policy = load_policy(str(model), GAME, symmetries=True)
    game = load_game(GAME)
    state = game.initial()
    prediction = policy.predict([Position(state)])[0]
    shares = dict(zip(prediction.moves, prediction.probabilities.tolist(), strict=True))
    mirror = str.maketrans("abcdefgh", "hgfedcba")
    for move, share in shares.items():
        image = game.parse_move(state, game.move_text(state, move).translate(mirror))
        assert shares[image] == pytest.approx(share, abs=1e-5)


def test_puct_searches_with_the_network(model: Path) -> None:
    network = load_network(model)
    search = Puct(lambda states: network.predict([Position(state) for state in states]))
    found = search.search(load_game(GAME).initial(), SearchLimits(nodes=60))
    assert found.visits.sum() >= 59
    won = load_game(GAME).parse("7p/4P3/8/8/8/8/8/8 w")
    found = Puct(lambda states: network.predict([Position(state) for state in states])).search(
        won, SearchLimits(nodes=60)
    )
    best = int(found.moves[found.ranked()[0]])
    assert load_game(GAME).move_text(won, best) in {"e7d8", "e7e8", "e7f8"}


def test_matching_measures_the_network(model: Path, table: Path, tmp_path: Path) -> None:
    measure = ["measure", "matching", GAME, "--policy", f"net={model}", "--records", str(table)]
    main([*measure, "--split", "all", "--out", str(tmp_path)])
    report = json.loads((tmp_path / "report.json").read_text())
    assert "net" in json.dumps(report)


def test_play_is_a_game_against_the_network(
    model: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("a2a3\nquit\n"))
    main(["play", GAME, "--model", str(model), "--seed", "1"])
    assert "Black plays" in capsys.readouterr().out


def test_a_tournament_keeps_its_games_as_pgn(tmp_path: Path) -> None:
    players = "".join(f'[[player]]\nname = "{name}"\nstrength = 1\n' for name in "ab")
    (tmp_path / "two.toml").write_text(f'game = "breakthrough"\ngames = 2\n{players}')
    main(["arena", "run", str(tmp_path / "two.toml"), "--out", str(tmp_path / "out")])
    assert (tmp_path / "out" / "games.pgn").read_text().count('[Variant "Breakthrough"]') == 2
