"""Agreement of KataGo networks with KataGo's own outputs (`kata-raw-nn`, symmetry 0).

A reference file has positions as moves with komi and rules. For each it has the policy of all points in rows
from the top, the policy of the pass, the win probabilities of White, and White's lead in points.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from sparring.go.game import Go
from sparring.networks import Position, Prediction, load_network


def agreement(network: Path, references: Path) -> dict[str, object]:
    """The differences between our predictions and the recorded outputs of a reference file."""
    entries = json.loads(references.read_text())["positions"]
    positions = [_position(entry) for entry in entries]
    predictions = load_network(network).predict(positions)
    cases = list(zip(entries, positions, predictions, strict=True))
    differences = np.array([_differences(*case) for case in cases])
    report: dict[str, object] = {"positions": len(positions)}
    for name, column in zip(("policy", "win_rate", "lead"), differences.T, strict=True):
        report[f"greatest_{name}_difference"] = float(column.max())
        report[f"mean_{name}_difference"] = float(column.mean())
    report["same_first_choice"] = float(np.mean([_first(*case) for case in cases]))
    return report


def _position(entry: dict[str, Any]) -> Position:
    state = Go.by_rules(entry["rules"], komi=entry["komi"]).initial()
    for player, move in entry["moves"]:
        if (player == "W") != (state.to_move == 1):
            raise ValueError(f"{player} {move} is out of turn")
        state = state.play(state.parse_move(move))
    return Position(state)


def _reference(entry: dict[str, Any], size: int) -> dict[int, float]:
    """KataGo's probabilities of the legal moves, by our move numbers."""
    rows = np.array(entry["out"]["policy"], dtype=np.float64).reshape(size, size)[::-1].reshape(-1)
    by_move = {point: float(p) for point, p in enumerate(rows) if not np.isnan(p)}
    return {**by_move, size * size: float(entry["out"]["policyPass"])}


def _differences(
    entry: dict[str, Any], position: Position, prediction: Prediction
) -> tuple[float, float, float]:
    """The differences of the policy (largest over moves), the win rate and the lead."""
    reference = _reference(entry, position.state.size)
    if reference.keys() != set(prediction.moves):
        raise ValueError(f"KataGo has other legal moves in {position.state.text()}")
    probabilities = dict(zip(prediction.moves, prediction.probabilities.tolist(), strict=True))
    policy = max(abs(probabilities[move] - reference[move]) for move in reference)
    if prediction.wdl is None or prediction.lead is None:
        raise ValueError("a network for Go gives results and a lead")
    sign = 1 if position.state.to_move == 1 else -1
    white_win = prediction.wdl[0] if sign == 1 else prediction.wdl[2]
    out = entry["out"]
    return policy, abs(white_win - out["whiteWin"]), abs(sign * prediction.lead - out["whiteLead"])


def _first(entry: dict[str, Any], position: Position, prediction: Prediction) -> bool:
    reference = _reference(entry, position.state.size)
    return max(reference, key=lambda move: reference[move]) == prediction.top(1)[0][0]
