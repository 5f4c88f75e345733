"""Style networks: features of moves in which people differ, computed from the trunk of a policy network.

A style network reads the last features that policy and value of a network share (the trunk's output) and
gives each move d features. A person is a vector z of d numbers and a sharpness w: the logits of their moves
are w * logit + z . features. With z = 0 and w = 1 they are the network's own.

For a policy over pairs of squares the features of a move are q[from] * k[to] + f[from] + t[to], each [d] and
a function of the square; for a policy over points they are a function of the point."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.base.errors import BadFile, first_line
from sparring.base.storage import read_npz
from sparring.games import describe, load_game
from sparring.networks.codec import Codec, Position, Tensors
from sparring.networks.graph import GraphBuilder
from sparring.networks.network import Model, open_session, serialized
from sparring.networks.onnx_reader import (
    INPUTS,
    NODE_INPUTS,
    NODE_OUTPUTS,
    NODES,
    OUTPUTS,
    parse_model,
    read_onnx,
)

Array = NDArray[np.float32]
FEATURES = "style"
"""The name of the output that `with_features` adds."""
_POLICY, _VALUES = "policy", ("wdl", "value")
_PROBE_TOLERANCE = 0.02
"""Processors round differently; another network differs by far more."""


@dataclass(frozen=True)
class StyleNetwork:
    """A perceptron with one hidden layer over the trunk's features of a square or point (c channels)."""

    game: str
    head: str
    """The policy of the network that it belongs to: "from-to" or "points"."""
    hidden: Array
    """[c, h]"""
    bias: Array
    """[h]"""
    output: Array
    """[h, 4 * d] for from-to (q, k, f and t), [h, d] for points."""
    passing: Array
    """[c, d]: features of a pass from the mean over all points; empty for from-to."""
    squares: Array
    """[2, labels]: the squares that each label of a from-to policy leads from and to; empty for points."""
    sharpness: Array
    """[1]: prior standard deviation of a person's sharpness w around 1. That of each number of z is 1."""
    probe: Array
    """[c]: mean of the trunk's features in the game's initial position without ratings. Another network has
    others."""

    @property
    def dimensions(self) -> int:
        """The number d of features of a move."""
        return int(self.output.shape[1]) // (4 if self.head == "from-to" else 1)

    def to_bytes(self) -> bytes:
        """The content of its file; `read_style` reads it."""
        stream = io.BytesIO()
        arrays: dict[str, Any] = {name: np.asarray(getattr(self, name), np.float16) for name in _ARRAYS}
        np.savez_compressed(stream, game=np.array(self.game), head=np.array(self.head), **arrays)
        return stream.getvalue()


_ARRAYS = ("hidden", "bias", "output", "passing", "squares", "sharpness", "probe")


def read_style(path: Path) -> StyleNetwork:
    """Reads a style network. Raises BadFile or OSError."""
    try:
        file = read_npz(path)
        arrays = {name: np.asarray(file[name], np.float32) for name in _ARRAYS}
        if (head := str(file["head"])) not in ("from-to", "points"):
            raise ValueError(f"the head is {head[:20]!r}, not from-to or points")
        style = StyleNetwork(str(file["game"]), head, **arrays)
    except (ValueError, KeyError, TypeError) as error:
        raise BadFile(f"{path}: not a style network, or damaged ({error})") from None
    _check(style, path)
    return style


def _check(style: StyleNetwork, path: Path) -> None:
    channels, width = style.hidden.shape if style.hidden.ndim == 2 else (0, 0)
    d = style.dimensions if style.output.ndim == 2 else 0
    shapes = {
        "bias": (width,),
        "output": (width, 4 * d if style.head == "from-to" else d),
        "passing": (0, 0) if style.head == "from-to" else (channels, d),
        "squares": (2, style.squares.shape[-1]),
        "sharpness": (1,),
        "probe": (channels,),
    }
    if style.squares.size and not ((style.squares >= 0) & (style.squares < 64)).all():
        raise BadFile(f"{path}: a damaged style network (squares beyond the board)")
    for name, shape in shapes.items():
        array = getattr(style, name)
        if array.shape != shape or not d or not np.isfinite(array).all():
            raise BadFile(f"{path}: a damaged style network ('{name}' is {list(array.shape)})")


def trunk_output(model: Model) -> str:
    """The value that the policy and the value head share: the last one on which both depend. Raises
    BadFile."""
    _, graph = parse_model(serialized(model))
    nodes = [
        (node.texts(NODE_INPUTS, "input"), node.texts(NODE_OUTPUTS, "output"))
        for node in graph.messages(NODES, "node")
    ]
    outputs = {output.text(1, "name") for output in graph.messages(OUTPUTS, "output")}
    value = next((name for name in _VALUES if name in outputs), None)
    if value is None or _POLICY not in outputs:
        raise BadFile("it has no policy or no value, so that nothing is shared by both")
    shared = _ancestors(nodes, _POLICY) & _ancestors(nodes, value)
    dynamic = {entry.text(1, "name") for entry in graph.messages(INPUTS, "input")}
    last = ""
    for taken, given in nodes:
        if dynamic.isdisjoint(taken):
            continue  # computed from weights alone
        dynamic.update(given)
        if given[0] in shared:
            last = given[0]
    if not last:
        raise BadFile("its policy and its value share nothing")
    return last


def _ancestors(nodes: list[tuple[list[str], list[str]]], name: str) -> set[str]:
    names = {name}
    for taken, given in reversed(nodes):
        if names.intersection(given):
            names.update(taken)
    return names


def with_features(model: Model, style: StyleNetwork) -> bytes:
    """The network with a further output `FEATURES`: [n, 64, 4 * d] for from-to, [n, points + 1, d] for
    points, the pass last. Raises BadFile."""
    new = GraphBuilder(serialized(model), "style_")
    cells = _cells(model, new, style)
    features = _perceptron(new, cells, style, style.output)
    if style.head == "points":
        mean = new.op("ReduceMean", cells, _axis(new, 1), keepdims=1)
        passing = new.op("MatMul", mean, new.constant(style.passing))
        features = new.op("Concat", features, passing, axis=1)
    new.output(FEATURES, features, ["cells", style.output.shape[1]])
    return new.content()


def with_person(model: Model, style: StyleNetwork, vector: Array, sharpness: float) -> bytes:
    """The network whose policy is that of a person with the vector z [d] and the sharpness w. Raises
    BadFile."""
    new = GraphBuilder(serialized(model), "style_")
    cells = _cells(model, new, style)
    new.rename(_POLICY, "style_base_policy")
    z = vector.astype(np.float32)
    if style.head == "points":
        change = new.op("Squeeze", _perceptron(new, cells, style, style.output @ z[:, None]), _axis(new, 2))
        mean = new.op("ReduceMean", cells, _axis(new, 1), keepdims=0)
        passing = new.op("MatMul", mean, new.constant(style.passing @ z[:, None]))
        change = new.op("Concat", change, passing, axis=1)
    else:
        change = _from_to_change(new, cells, style, z)
    scaled = new.op("Mul", "style_base_policy", new.constant(np.array(sharpness, np.float32)))
    new.rename(new.op("Add", scaled, change), _POLICY)
    return new.content()


def _from_to_change(new: GraphBuilder, cells: str, style: StyleNetwork, z: Array) -> str:
    """The change of the logits [n, 1858]."""
    d = len(z)
    q, k, f, t = np.split(style.output, 4, axis=1)
    folded = np.concatenate([q * z, k, f @ z[:, None], t @ z[:, None]], axis=1)
    query, key, start, end = new.split(_perceptron(new, cells, style, folded), [d, d, 1, 1], axis=2)
    pairs = new.op("MatMul", query, new.op("Transpose", key, perm=[0, 2, 1]))
    pairs = new.op("Add", new.op("Add", pairs, start), new.op("Transpose", end, perm=[0, 2, 1]))
    start_squares, end_squares = style.squares.astype(np.int64)
    flat = new.reshape(pairs, -1, 64 * 64)
    return new.op("Gather", flat, new.constant(start_squares * 64 + end_squares), axis=1)


def matches(model: Model, codec: Codec, style: StyleNetwork) -> bool:
    """Whether a style network was trained on this network: their features of the initial position are the
    same."""
    try:
        cells = trunk_cells(model, codec, style)
    except BadFile:
        return False
    gap = np.abs(cells.mean(axis=0) - style.probe).max()
    return bool(gap < _PROBE_TOLERANCE * (1 + np.abs(style.probe).max()))


def trunk_cells(model: Model, codec: Codec, style: StyleNetwork) -> Array:
    """The trunk's features [cells, c] of the initial position without ratings. Raises BadFile if the style
    network is for other channels."""
    trunk = _run_trunk(model, codec.encode([Position(load_game(style.game).initial())]))
    channels = _channels(trunk, style)
    return trunk[0].reshape(channels, -1).T if trunk.ndim == 4 else trunk.reshape(-1, channels)


def move_features(
    style: StyleNetwork, features: Array, rows: NDArray[np.integer], labels: NDArray[np.integer]
) -> Array:
    """The features [moves, d] of moves, given by the rows of their positions and their policy labels, both
    [moves].

    `features` is the output `FEATURES` of `with_features`."""
    if style.head == "points":
        points: Array = features[rows, labels]
        return points
    start_squares, end_squares = style.squares.astype(np.int64)
    d = style.dimensions
    start, end = features[rows, start_squares[labels]], features[rows, end_squares[labels]]
    features_of_moves: Array = start[:, :d] * end[:, d : 2 * d] + start[:, 2 * d : 3 * d] + end[:, 3 * d :]
    return features_of_moves


def _axis(new: GraphBuilder, axis: int) -> str:
    return new.constant(np.array([axis], np.int64))


def _perceptron(new: GraphBuilder, cells: str, style: StyleNetwork, output: Array) -> str:
    hidden = new.op("Add", new.op("MatMul", cells, new.constant(style.hidden)), new.constant(style.bias))
    return new.op("MatMul", new.op("Relu", hidden), new.constant(output))


def _cells(model: Model, new: GraphBuilder, style: StyleNetwork) -> str:
    """The trunk's output as [n, cells, c]. Raises BadFile if its channels are not those of the style
    network."""
    layout = describe(style.game).layout
    assert layout is not None
    planes = layout(1)
    shapes = {"planes": (1, planes.planes, planes.rows, planes.columns), "context": (1, 6)}
    inputs = read_onnx(serialized(model)).inputs
    trunk = _run_trunk(
        model, {value.name: np.zeros(shapes[value.name], value.numpy_type) for value in inputs}
    )
    name, channels = trunk_output(model), _channels(trunk, style)
    if trunk.ndim == 4:
        return new.op("Transpose", new.reshape(name, 0, channels, -1), perm=[0, 2, 1])
    return new.reshape(name, -1, 64, channels)


def _channels(trunk: Array, style: StyleNetwork) -> int:
    """The channels of the trunk's output. Raises BadFile if the style network is for others."""
    channels = int(trunk.shape[1 if trunk.ndim == 4 else -1])
    if channels != len(style.hidden) or trunk.ndim > 4:
        raise BadFile(f"the style network is for {len(style.hidden)} channels, not for {list(trunk.shape)}")
    return channels


def _run_trunk(model: Model, inputs: Tensors) -> Array:
    """The trunk's output for these inputs. Raises BadFile."""
    name, graph = trunk_output(model), GraphBuilder(serialized(model))
    graph.only_output(name)
    try:
        trunk: Array = open_session(graph.content()).run(inputs)[name]
    except BadFile:
        raise
    except Exception as error:  # the runtimes' errors have no common base class
        raise BadFile(f"it cannot be run ({first_line(error)})") from None
    return trunk
