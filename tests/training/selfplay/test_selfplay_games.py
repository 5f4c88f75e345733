"""Games of self-play: search targets, ends of games, and the positions that are learned from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from sparring.base.errors import BadFile
from sparring.games import describe, load_game
from sparring.records.batches import NO_LABEL
from sparring.training.model import make_network
from sparring.training.selfplay.games import (
    BY_RULES,
    RESIGNED,
    TOO_LONG,
    GameBlock,
    SelfPlayer,
    read_block,
)
from sparring.training.selfplay.matches import fixed_opponent, network_mover, play_match
from sparring.training.selfplay.window import (
    Window,
    board_layout,
    encode_block,
    training_batch,
    value_targets,
    window_size,
)
from tests.training.selfplay.selfplay_factories import ConstantPolicy, tiny_config


def play(value: float = 0.0, **keys: Any) -> GameBlock:
    config = tiny_config(play={"max_plies": 300, "block": 4, **keys})
    return SelfPlayer(config, ConstantPolicy(value)).play_block(3, 0, 4)


def test_a_block_depends_on_its_arguments_alone_and_is_read_as_it_was_written(tmp_path: Path) -> None:
    block, again, alone = play(), play(), play(parallel=1)
    assert block.content() == again.content() == alone.content()
    (tmp_path / "block.npz").write_bytes(block.content())
    assert read_block(tmp_path / "block.npz").content() == block.content()
    (tmp_path / "block.npz").write_bytes(block.content()[:-200])
    with pytest.raises(BadFile):
        read_block(tmp_path / "block.npz")


def test_every_game_is_whole_and_ends_by_the_rules() -> None:
    block, start = play(), load_game("breakthrough").initial()
    assert (block.ends == BY_RULES).all()
    moves, at = block.moves.tobytes(), 0
    for length, result in zip(block.lengths, block.results, strict=True):
        last = start.unpack_moves(moves[at : at + length], 1)
        at += length
        assert last.outcome is not None
        assert (last.outcome.winner == 0) == (result == 1)
    assert at == len(moves)
    assert len(block.values) == len(block.full) == block.lengths.sum()
    assert block.policy.sum() == pytest.approx(block.full.sum(), abs=0.5)


def test_a_side_resigns_after_two_low_values_unless_the_game_is_played_out() -> None:
    resigned = play(-0.97, resign_below=0.02, play_out=0.0)
    assert (resigned.ends == RESIGNED).all()
    assert (resigned.results == -1).all()
    assert (resigned.lengths == 3).all(), "White's second turn"
    assert (resigned.saved == -1).all()
    played = play(-0.97, resign_below=0.02, play_out=1.0)
    assert (played.ends == BY_RULES).all()
    assert (played.saved == (played.results == 1)).all(), "White would have resigned, and some games it wins"


def test_a_long_game_is_a_draw() -> None:
    block = play(max_plies=6)
    assert (block.ends == TOO_LONG).all()
    assert (block.results == 0).all()
    assert (block.lengths == 6).all()


def test_only_full_searches_give_policy_targets() -> None:
    block = play(full_share=0.5, fast_visits=2, random_plies=4)
    assert 0.3 < block.full.mean() < 0.7
    assert len(block.policy) == block.sizes[block.full].sum()
    assert block.skipped.max() > 0
    assert np.isnan(block.values[: block.skipped[0]]).all()
    config = tiny_config()
    positions = encode_block(block, config, board_layout(config))
    assert len(positions) == block.lengths.sum() - block.skipped.sum()
    shares = np.add.reduceat(positions.policy.astype(float), positions.offsets[:-1])
    assert set(np.round(shares, 1)) == {0.0, 1.0}


@pytest.mark.parametrize("reuse", [False, True])
def test_puct_with_noise_draws_by_visits(reuse: bool) -> None:
    block = play(search="puct", visits=12, reuse_tree=reuse, temperature_plies=6)
    assert len({bytes(block.moves[:4]), bytes(block.moves[block.lengths[0] :][:4])}) == 2
    nonzero = block.policy[block.policy > 1e-3]
    assert len(nonzero) < len(block.policy), "shares of few visits"


def test_a_proven_win_is_played() -> None:
    """The last move of every game wins, and its target is on wins alone."""
    block = play()
    last = np.cumsum(block.lengths) - 1
    assert (block.values[last] == 1).all()


def test_value_targets_mix_the_result_and_the_search() -> None:
    targets = value_targets(np.array([1, 0, -1]), np.array([0.5, 0.0, -1.0], np.float32), 0.5)
    assert targets == pytest.approx(np.array([[0.875, 0, 0.125], [0.25, 0.5, 0.25], [0, 0, 1]]))


def test_the_window_grows_by_the_power_law() -> None:
    learn = tiny_config(learn={"window": 1000}).learn
    assert window_size(700, learn) == 700
    assert window_size(1000, learn) == 1000
    assert 1000 < window_size(10_000, learn) < 4000


@pytest.mark.parametrize(
    ("game", "rules", "symmetry"),
    [("breakthrough", {}, 1), ("shogi", {}, 1), ("go", {"size": 7}, 5)],
)
def test_positions_of_a_game_are_learned_from_and_turned_as_the_core_turns_them(
    game: str, rules: dict[str, Any], symmetry: int
) -> None:
    config = tiny_config(game, rules=rules, play={"max_plies": 9, "visits": 2})
    block = SelfPlayer(config, ConstantPolicy(0.0, game)).play_block(0, 0, 3)
    layout, width = board_layout(config), block.about["width"]
    positions = encode_block(block, config, layout)
    rows = np.arange(len(positions))
    batch = training_batch([(positions, rows)], layout, torch.device("cpu"))
    policy, wdl = make_network(config)(batch.planes, batch.context)
    assert policy.shape == batch.teacher_policy.shape == (len(rows), layout.moves)
    assert wdl.shape == batch.teacher_wdl.shape
    cells = np.asarray(config.load_game().initial().transformed_cells(symmetry), np.int64)
    turned = training_batch([(positions, rows)], layout, torch.device("cpu"), cells)
    ends = np.cumsum(block.lengths) * width
    samples = describe(game).samples_class.unpack(
        [block.about["start"]] * 3,
        [block.moves[a:b].tobytes() for a, b in zip(ends - block.lengths * width, ends, strict=True)],
        [None] * 3, np.zeros((3, 2), np.int64), width,
    )  # fmt: skip
    symmetries = np.full(len(rows), symmetry, np.uint8)
    planes, _, labels, offsets, _, _, applied = samples.encode(rows, layout.encoding, 1, symmetries)
    assert (applied == symmetry).all()
    assert (turned.planes.numpy() == planes).all()
    for row in rows:
        legal = np.flatnonzero(turned.legal[row].numpy())
        assert legal.tolist() == sorted(set(labels[offsets[row] : offsets[row + 1]]) - {NO_LABEL})
        assert turned.teacher_policy[row].sum() == pytest.approx(1, abs=0.01)
        assert turned.teacher_policy[row][~turned.legal[row]].sum() == 0


def test_positions_of_chess_are_not_turned() -> None:
    config = tiny_config("chess", play={"max_plies": 4, "visits": 2})
    block = SelfPlayer(config, ConstantPolicy(0.0, "chess")).play_block(0, 0, 2)
    assert len(encode_block(block, config, board_layout(config))) == 8
    assert Window(config, board_layout(config)).symmetries == 1


def test_matches_are_in_pairs_and_the_stronger_side_wins() -> None:
    rules = load_game("breakthrough")
    strong, weak = fixed_opponent("strength-1", rules, 1), fixed_opponent("random", rules, 1)
    options: dict[str, Any] = {"seed": 1, "opening_plies": 2, "max_plies": 200}
    score = play_match(rules, strong, weak, range(6), **options)
    assert score.share == 1
    assert score.elo > 300
    assert play_match(rules, weak, strong, range(6), **options).share == 0
    network = network_mover(ConstantPolicy(0), 4)
    assert play_match(rules, network, network, range(2), **options).share == 0.5
