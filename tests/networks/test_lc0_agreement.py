"""Every supported body and head against Lc0's own code, on positions with history."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparring.chess.lc0_graph import read
from tests.networks.lc0_games import predictions, random_lines
from tests.networks.lc0_writer import NetworkKind, small_network
from tests.reference.lc0 import evaluate_with_lc0

KINDS = {
    "oldest residual: no format, batch norm": NetworkKind(
        policy=1, value=1, format_given=False, batch_norm="without biases"
    ),
    "residual: structure 1, batch norm with gammas": NetworkKind(
        structure=1, policy=1, value=1, batch_norm="with gammas"
    ),
    "squeeze-and-excitation: structure 2": NetworkKind(structure=2, policy=1, value=1, excitation=4),
    "residual, classical policy, WDL, moves left, mish": NetworkKind(
        structure=3, policy=1, moves_left=1, mish=1
    ),
    "Maia's kind": NetworkKind(excitation=4, batch_norm="with gammas"),
    "convolution policy, classical value": NetworkKind(excitation=4, value=1),
    "residual, attention policy": NetworkKind(
        excitation=4, policy=3, policy_encoders=1, moves_left=1, mish=1
    ),
    "T1's kind: attention in the old numbers": NetworkKind(
        policy=3, moves_left=1, mish=1, smolgen=6, gate=True, heads=2
    ),
    "attention body, plain": NetworkKind(structure=6, policy=3, embedding=1, value=1, seed=4),
    "attention body, policy encoders, mish": NetworkKind(
        structure=6, policy=3, embedding=1, policy_encoders=2, mish=1, gate=True, heads=4
    ),
    "several heads, dense embedding": NetworkKind(
        structure=7, policy=3, embedding=2, smolgen=5, mish=1, moves_left=1, ffn_activation=1,
        smolgen_activation=7,
    ),
    "several heads in an old number": NetworkKind(structure=134, policy=3, embedding=1, smolgen=5, gate=True),
    "several heads, dense embedding, gate": NetworkKind(
        structure=7, policy=3, embedding=2, gate=True, ffn_activation=8
    ),
    **{
        f"activation {activation}": NetworkKind(
            structure=6, policy=3, embedding=1, smolgen=4,
            ffn_activation=activation, smolgen_activation=activation,
        )
        for activation in (1, 2, 3, 4, 5, 6, 7, 8)
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_networks_agree_with_lc0(kind: NetworkKind, tmp_path: Path) -> None:
    content = small_network(kind).content()
    path = tmp_path / "small.pb"
    path.write_bytes(content)
    lines, positions = random_lines(100)
    ours = predictions(read(content, "small"), positions)
    greatest = 0.0
    for position, prediction, output in zip(positions, ours, evaluate_with_lc0(path, lines), strict=True):
        named = {
            position.state.move_text(move): p
            for move, p in zip(prediction.moves, prediction.probabilities, strict=True)
        }
        assert named == pytest.approx(output.probabilities, abs=0.002)
        assert prediction.value == pytest.approx(output.value, abs=0.002)
        if prediction.wdl is not None:
            assert prediction.wdl[1] == pytest.approx(output.draw, abs=0.002)
        if prediction.moves_left is not None:
            assert prediction.moves_left == pytest.approx(output.moves_left, abs=0.002, rel=0.001)
        greatest = max(greatest, prediction.probabilities.max())
    assert greatest > 0.2, "the policies are too flat to prove anything"
    assert (ours[0].wdl is not None) == (kind.value == 2)
    assert (ours[0].moves_left is not None) == bool(kind.moves_left)
