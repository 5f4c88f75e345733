"""A small network with random weights for any game, in Sparring's own plain format."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx

from sparring.games import load_game
from sparring.networks.card import ModelCard
from sparring.networks.graph import GraphBuilder


def tiny_network(game: str, seed: int = 1, *, codec: str = "plain", scale: float = 3.0) -> onnx.ModelProto:
    """Two thin layers from the game's planes to its moves, and a value."""
    rng = np.random.default_rng(seed)
    spec = load_game(game).spec
    inputs = len(spec.planes) * spec.board[0] * spec.board[1]
    graph = GraphBuilder()
    planes = graph.input("planes", [len(spec.planes), *spec.board])
    hidden = graph.op("MatMul", graph.reshape(planes, 0, -1), graph.weights(_random(rng, inputs, 4) * 0.3))
    hidden = graph.op("Tanh", hidden)
    graph.output(
        "policy", graph.op("MatMul", hidden, graph.weights(_random(rng, 4, spec.moves) * scale)), [spec.moves]
    )
    value = graph.op("Tanh", graph.op("MatMul", hidden, graph.weights(_random(rng, 4, 1))))
    graph.output("value", value, [1])
    card = ModelCard(
        name=f"small-{game}",
        game=game,
        codec=codec,
        architecture="two thin layers",
        parameters=graph.parameters,
        source="tests",
        licence="GPL-3.0-or-later",
        trained_on="nothing",
        settings={"game": game},
    )
    return graph.build(card)


def write(model: onnx.ModelProto, path: Path) -> Path:
    path.write_bytes(model.SerializeToString())
    return path


def _random(rng: np.random.Generator, *shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return rng.standard_normal(shape).astype(np.float32)
