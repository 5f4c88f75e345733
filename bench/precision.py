"""Predictions in float32 and in bfloat16 against ONNX Runtime: `python -m bench.precision`.

The reason for the backend `torch-float32`. It runs PyTorch on the CPU, where bfloat16 rounds as on a GPU but
adds in another order. Positions are of random games; intervals are Wilson's, over positions, at 95 %.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch

from sparring.base.provenance import provenance
from sparring.games import load_game
from sparring.measure.reports import write_json
from sparring.networks import Network, Position, Prediction, load_network
from sparring.networks.codec import Tensors
from sparring.networks.network import BACKENDS, Outputs, TorchSession

COMMAND = "python -m bench.precision"
RATINGS = {"chess": 1500, "shogi": None}
NETWORKS = ("human-chess", "human-shogi")
POSITIONS = 600


class Bfloat16Session(TorchSession):
    """PyTorch on the CPU in bfloat16."""

    def run(self, inputs: Tensors) -> Outputs:
        """All outputs of the graph by name."""
        tensors = {name: torch.as_tensor(array) for name, array in inputs.items()}
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16):
            outputs = self.graph(**tensors)
        return {name: value.float().numpy() for name, value in outputs.items()}


def positions(game: str) -> list[Position]:
    """Positions of random games, one of every tenth ply."""
    rules, rng, chosen = load_game(game), np.random.default_rng(1), list[Position]()
    state: Any = rules.initial()
    while len(chosen) < POSITIONS:
        state = rules.initial() if state.outcome is not None or state.ply > 120 else state
        if state.ply % 10 == 5:
            chosen.append(Position(state, RATINGS[game], RATINGS[game]))
        legal = state.legal_moves()
        state = state.play(legal[rng.integers(len(legal))])
    return chosen


def row(backend: str, exact: list[Prediction], network: Network, at: list[Position]) -> dict[str, Any]:
    """How far predictions are from the exact ones."""
    predicted = network.predict(at)
    pairs = [(a.probabilities.astype(float), b.probabilities) for a, b in zip(exact, predicted, strict=True)]
    changed = sum(int(a.argmax() != b.argmax()) for a, b in pairs)
    divergence = [float((a * np.log(np.maximum(a, 1e-12) / np.maximum(b, 1e-12))).sum()) for a, b in pairs]
    n, z = len(pairs), 1.96
    middle, spread = changed + z * z / 2, z * (changed * (n - changed) / n + z * z / 4) ** 0.5
    interval = [max(middle - spread, 0.0) / (n + z * z), (middle + spread) / (n + z * z)]
    return {
        "network": network.card.name,
        "backend": backend,
        "n": n,
        "other_likeliest_move": changed / n,
        "interval": interval,
        "mean_divergence_nats": float(np.mean(divergence)),
        "largest_difference": max(float(np.abs(a - b).max()) for a, b in pairs),
    }


def main() -> None:
    """Prints and stores a row for each network and precision."""
    BACKENDS["bfloat16"] = Bfloat16Session
    rows = []
    for name in NETWORKS:
        game = name.rsplit("-", 1)[1]
        at = positions(game)
        exact = load_network(name).predict(at)
        for backend in ("torch-float32", "bfloat16"):
            rows.append(row(backend, exact, load_network(name, backend=backend), at))
            print(rows[-1])
    out = Path(__file__).parent.parent / "results" / "bench" / "precision.json"
    write_json({**provenance(COMMAND), "interval": "Wilson, 95 %, over positions", "rows": rows}, out)


if __name__ == "__main__":
    main()
