"""Agreement with KataGo: our predictions against what KataGo itself answered (`kata-raw-nn`, symmetry 0).

A reference file holds positions as moves with komi and rules, and for each the probabilities of all points
in rows from the top, of the pass, of a win and a loss for White, and White's lead in points.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

from sparring.games.go import Go
from sparring.networks import Position, Prediction
from sparring.networks.card import read_card
from sparring.networks.katago import KataGoCodec, read

_BATCH = 16


def agreement(network: Path, references: Path) -> dict[str, object]:
    """The greatest and mean differences of probabilities, win rates and leads over all positions."""
    model = read(gzip.decompress(network.read_bytes()), network.name)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    card = read_card({entry.key: entry.value for entry in model.metadata_props})
    codec = KataGoCodec(card.settings)

    entries = json.loads(references.read_text())["positions"]
    positions = [_position(entry) for entry in entries]
    names = [output.name for output in session.get_outputs()]
    predictions: list[Prediction] = []
    for start in range(0, len(positions), _BATCH):
        batch = positions[start : start + _BATCH]
        outputs = session.run(names, dict(codec.encode(batch)))
        predictions += codec.decode(batch, dict(zip(names, outputs, strict=True)))

    found = np.array([_differences(*each) for each in zip(entries, positions, predictions, strict=True)])
    policy, win_rate, lead = found.T
    return {
        "network": network.name,
        "positions": len(positions),
        "policy": _summary(policy),
        "win_rate": _summary(win_rate),
        "lead": _summary(lead),
        "same_first_choice": float(
            np.mean([_first(e, p, x) for e, p, x in zip(entries, positions, predictions, strict=True)])
        ),
    }


def _position(entry: dict[str, Any]) -> Position:
    state = Go.by_rules(entry["rules"], komi=entry["komi"]).initial()
    for player, move in entry["moves"]:
        if (player == "W") != (state.to_move == 1):
            raise ValueError(f"{player} {move} is out of turn")
        state = state.play(state.parse_move(move))
    return Position(state)


def _reference(entry: dict[str, Any], size: int) -> dict[int, float]:
    """KataGo's probabilities by our moves; nothing for illegal ones."""
    rows = np.array(entry["out"]["policy"], dtype=np.float64).reshape(size, size)[::-1].reshape(-1)
    by_move = {point: float(p) for point, p in enumerate(rows) if not np.isnan(p)}
    return {**by_move, size * size: float(entry["out"]["policyPass"])}


def _differences(
    entry: dict[str, Any], position: Position, prediction: Prediction
) -> tuple[float, float, float]:
    """The greatest of any move's probability, the win rate's and the lead's."""
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


def _summary(differences: np.ndarray[Any, np.dtype[np.float64]]) -> dict[str, float]:
    return {"greatest": float(differences.max()), "mean": float(differences.mean())}
