"""The student: positions are the native encoders', it trains, and its ONNX file agrees with PyTorch."""

from __future__ import annotations

import io
import itertools
import json
import lzma
import shutil
import subprocess
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch

from sparring.games import Chess, describe
from sparring.networks import maia3
from sparring.networks.card import read_card
from sparring.networks.prediction import Position
from sparring.records import PositionFilter, Split
from sparring.records.game_rows import read_rows
from sparring.records.table import table_shards
from sparring.training import muon
from studies.student.blend_gain import Sample, Weights, fit, gain
from studies.student.blocks import Shape
from studies.student.curve import draw, read_run
from studies.student.export import export
from studies.student.network import (
    Student,
    encode_context,
    input_ranges,
    load_student,
    policy_columns,
    quantise,
    save_student,
)
from studies.student.optimiser import orthogonalise
from studies.student.options import Options
from studies.student.pack_games import pack
from studies.student.packed_weights import read_weights, write_weights
from studies.student.positions import Records, load_library, policy_moves, read_games, student_tokens
from studies.student.positions import teacher_tokens as maia3_tokens
from studies.student.sizes import draw_sizes, read_sizes
from studies.student.train import Trainer
from tests.matching.tables import chess_table
from tests.networks.onnx_session import run

CARD = {"name": "tiny", "source": "a test"}
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder: the library, 24 random games, and a tiny student as the teacher."""
    if shutil.which("g++") is None:
        pytest.skip("no C++ compiler")
    folder = tmp_path_factory.mktemp("data")
    build = ["bash", str(ROOT / "studies/student/build_pool.sh"), str(folder / "libpool.so")]
    subprocess.run(build, check=True, env={"PATH": "/usr/bin:/bin", "OPTIMISE": "1"})
    rng, games = np.random.default_rng(0), list[list[int]]()
    for _ in range(24):
        state, moves = Chess().initial(), list[int]()
        while len(moves) < 60 and (legal := state.legal_moves()):
            moves.append(int(rng.integers(len(legal))))
            state = state.play(legal[moves[-1]])
        games.append(moves)
    arrays = {
        "moves": np.concatenate(games).astype(np.uint8),
        "lengths": np.array([len(moves) for moves in games], np.uint16),
        "ratings": np.full((len(games), 2), 1550, np.int16),
        "results": rng.integers(0, 3, len(games)).astype(np.int8),
        "splits": (np.arange(len(games)) % 4 == 0).astype(np.uint8),
        "has_clocks": np.arange(len(games)) == 1,
        "clocks": np.full(len(games[1]), 128, np.uint8),
    }
    file = io.BytesIO()
    np.savez(file, **arrays)
    (folder / "games.xz").write_bytes(lzma.compress(file.getvalue()))
    teacher = tiny_student(policy_columns(policy_moves(load_library(folder / "libpool.so"))))
    save_student(folder / "teacher.pt", teacher, dict(teacher.named_parameters()), {})
    return folder


def tiny_student(columns: torch.Tensor) -> Student:
    torch.manual_seed(0)
    student = Student(Shape(layers=2, width=32, heads=2, hidden=64, templates=8, asked=16), columns)
    with torch.no_grad():  # the policy and the value start out uniform
        student.query.weight.normal_()
        student.promotion.weight.normal_()
        student.wdl.weight.normal_()
    return student


def test_tokens_and_legal_moves_are_the_native_encoders(data: Path) -> None:
    records = Records(
        read_games(data / "games.xz"), load_library(data / "libpool.so"), 1, torch.device("cpu")
    )
    states = []
    for game in (0, 3):
        state, (begin, end) = Chess().initial(), records.games.offsets[game : game + 2]
        for move in records.games.moves[begin:end]:
            states.append(state)
            state = state.play(state.legal_moves()[move])
    offsets = records.games.offsets
    at = torch.cat([torch.arange(offsets[game], offsets[game + 1]) for game in (0, 3)])
    positions = records.positions(at)
    planes = describe("chess").samples_class.encode_states(states, "lc0", 1)
    tokens = student_tokens(positions, torch.ones(len(at), dtype=torch.bool), torch.float32)
    ours = tokens.transpose(1, 2).reshape(-1, 112, 8, 8)
    ours[:, 109] *= 100
    np.testing.assert_array_equal(ours.round().numpy(), planes)
    theirs = maia3.Maia3Codec({}).encode([Position(state) for state in states])["tokens"]
    np.testing.assert_array_equal(maia3_tokens(positions, torch.float32).numpy(), theirs)
    assert positions.legal.sum(1).tolist() == [len(state.legal_moves()) for state in states]
    assert positions.legal[torch.arange(len(at)), records.played(at)].all()


def test_a_student_trains_two_steps_in_8_bits_and_is_saved(data: Path, tmp_path: Path) -> None:
    options = Options(
        data, tmp_path, "tiny", teacher="teacher.pt", layers=1, width=32, batch=16, validation=16,
        groups=1, threads=1, seconds=0.2, points=1, finish=0.5, bits8="start",
    )  # fmt: skip
    trainer = Trainer(options)
    before = {name: p.detach().clone() for name, p in trainer.student.named_parameters()}
    trainer.train()
    losses = [trainer.step(step, finishing=step == 1).item() for step in range(2)]
    assert all(np.isfinite(losses))
    after = dict(trainer.student.named_parameters())
    for name in ("embed.weight", "tower.blocks.0.qkv.weight", "query.weight", "wdl.weight"):
        assert not torch.equal(before[name], after[name])
    trainer.save()
    student, ranges = load_student(tmp_path / "tiny.pt")
    assert set(ranges) == {f"0.{name}" for name in ("qkv", "project", "ffn_in", "ffn_out")}
    assert student.shape == trainer.student.shape
    assert len((tmp_path / "tiny.jsonl").read_text().splitlines()) == 2


@pytest.mark.parametrize("in_8_bits", [False, True])
def test_the_onnx_file_agrees_with_pytorch(in_8_bits: bool) -> None:
    student = tiny_student(torch.randperm(64 * 64 + 192, generator=torch.Generator().manual_seed(0))[:1858])
    rng = np.random.default_rng(0)
    planes = (rng.random((6, 112, 8, 8)) < 0.1).astype(np.uint8)
    ratings, clock = rng.random((6, 2)).astype(np.float32), rng.random(6).astype(np.float32)
    ones = np.ones(6, np.float32)
    context = np.stack([ratings[:, 0], ones, ratings[:, 1], ones, clock, ones], axis=1)
    tokens = torch.from_numpy(planes).float().flatten(2).transpose(1, 2).clone()
    tokens[..., 109] /= 100
    known = torch.ones(6)
    encoded = encode_context(
        torch.from_numpy(600 + 2000 * ratings), torch.ones(6, 2), torch.from_numpy(clock), known
    )
    if in_8_bits:
        quantise(student, tokens, encoded)
    with torch.no_grad():
        policy, value = student(tokens, encoded)
    model = export(student, CARD, input_ranges(student))
    kinds = {node.op_type for node in model.graph.node}
    assert ("QuantizeLinear" in kinds) == in_8_bits
    found = run(model, {"planes": planes, "context": context})
    tolerance = 0.05 if in_8_bits else 0.002  # float16 weights; a step of 8 bits
    np.testing.assert_allclose(found["wdl"], value.softmax(1).numpy(), atol=tolerance)
    scale = policy.abs().max().item()
    np.testing.assert_allclose(found["policy"] / scale, policy.numpy() / scale, atol=tolerance)
    single = run(model, {"planes": planes[:1], "context": context[:1]})
    np.testing.assert_allclose(single["policy"], found["policy"][:1], atol=1e-5 * scale)
    onnx.checker.check_model(model)


def test_packed_games_come_back_without_the_test_split(tmp_path: Path) -> None:
    table = chess_table(tmp_path / "table")
    count = pack(table, tmp_path / "games.xz")
    games = read_games(tmp_path / "games.xz")
    shards = table_shards(table)
    rows = [read_rows(path, "chess", split, 0, PositionFilter()) for path in shards for split in Split]
    everything = {moves for part in rows for moves in part.moves}
    packed = {games.moves[a:b].tobytes() for a, b in itertools.pairwise(games.offsets)}
    assert len(games.ratings) == count < sum(len(part) for part in rows)
    assert packed < everything
    assert set(games.splits.tolist()) == {0, 1}


def test_the_curve_has_all_measurements_of_a_run(tmp_path: Path) -> None:
    line = {"seconds": 1.0, "positions": 16, "top1": 0.5, "nats": 1.4, "kl": 0.1, "by_group": {}}
    teacher = {"teacher_top1": 0.6, "teacher_nats": 1.3}
    lines = [{"event": "ready"}, {**line, **teacher}, {**line, **teacher, "positions": 32, "nats": 1.2}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, lines)))
    measured = read_run(tmp_path / "a.jsonl")
    assert measured["teacher"] == {"top1": 0.6, "nats": 1.3}
    assert [point["nats"] for point in measured["points"]] == [1.4, 1.2]
    assert draw({"a": measured}, tmp_path).read_text().count("Maia-3 5M") == 1
    divergence = draw({"a": measured}, tmp_path, "strong", "kl")
    assert divergence.name == "strong.svg"
    assert "Maia-3" not in divergence.read_text()


def test_sizes_are_sorted_by_parameters_and_drawn(tmp_path: Path) -> None:
    for name, parameters in (("b", 200), ("a", 100)):
        lines = [
            {"positions": 16 * i, "parameters": parameters, "top1": 0.5, "nats": 2.0 - i / parameters}
            | {"teacher_top1": 0.6, "teacher_nats": 1.3}
            for i in range(4)
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    runs = read_sizes([tmp_path / "b.jsonl", tmp_path / "a.jsonl"])
    assert [(name, run["parameters"]) for name, run in runs.items()] == [("a", 100), ("b", 200)]
    assert "million parameters" in draw_sizes(runs, tmp_path).read_text()


def test_a_second_network_plays_and_a_strong_student_ignores_ratings(data: Path, tmp_path: Path) -> None:
    options = Options(
        data, tmp_path, "strong", teacher="teacher.pt", player="teacher.pt", conditioned=0, layers=1,
        width=32, batch=16, validation=16, groups=3, threads=1, seconds=0.2, points=1, value_weight=1.0,
    )  # fmt: skip
    trainer = Trainer(options)
    for step in range(4):
        trainer.step(step, finishing=False)
    assert not trainer.student.conditioning.weight.any()
    trainer.save()
    student, _ = load_student(tmp_path / "strong.pt")
    tokens = torch.zeros(2, 64, 112)
    context = encode_context(torch.tensor([[800.0, 800], [2400, 2400]]), torch.ones(2, 2), *torch.ones(2, 2))
    policy, value = student(tokens, context)
    assert torch.equal(policy[0], policy[1])
    assert torch.equal(value[0], value[1])
    card = read_card({entry.key: entry.value for entry in export(student, CARD).metadata_props})
    assert (card.settings["lowest"], card.settings["highest"]) == (0, 1)
    assert "ratings" not in card.architecture


def test_packed_weights_come_back_rounded(tmp_path: Path) -> None:
    large, small = torch.randn(64, 128), torch.randn(7)
    write_weights(tmp_path / "w.xz", {"large": large, "small": small}, lambda name: 7)
    found = read_weights(tmp_path / "w.xz")
    step = large.abs().amax(1, keepdim=True) / 63
    assert ((found["large"] - large).abs() <= step / 2 + 1e-6).all()
    assert torch.equal(found["small"], small)


def test_a_strong_policy_that_knows_the_moves_gains(tmp_path: Path) -> None:
    torch.manual_seed(0)
    n, moves = 512, 8
    human = torch.zeros(n, moves).log_softmax(1)
    played = torch.randint(moves, (n,))
    strong = (2.0 * torch.nn.functional.one_hot(played, moves)).log_softmax(1)
    features = torch.stack([torch.ones(n), torch.randn(n)], 1)
    sample = Sample(human, strong, played, features, torch.arange(n) // 8, torch.full((n,), 1600))
    nats, error = gain(fit(Weights(2), sample, 100), sample)["nats all"]
    assert nats > 0.2
    assert error < 0.05


def test_its_own_newton_schulz_iteration_is_that_of_training() -> None:
    matrices = torch.randn(3, 24, 40, generator=torch.Generator().manual_seed(1))
    assert torch.equal(orthogonalise(matrices), muon.orthogonalise(matrices))
    assert torch.equal(orthogonalise(matrices.mT), muon.orthogonalise(matrices.mT))
