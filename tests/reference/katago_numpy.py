"""KataGo's forward pass in plain NumPy, one position at a time, on the board's points alone.

There is no mask: each position is cut out of its tensor, so that errors at the border of a graph show.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.networks.katago_files import Part

Array = NDArray[np.float64]


def forward(
    net: Part,
    spatial: NDArray[np.float32],
    numbers: NDArray[np.float32],
    metadata: NDArray[np.float32] | None = None,
    optimism: float = 0.2,
) -> dict[str, Any]:
    """The outputs for one position, [22, side, side] and [19]; policy and ownership on the board's points."""
    rows, columns = np.nonzero(spatial[0])
    size = rows.max() + 1
    assert size == columns.max() + 1
    kind = net["activation"]
    x = conv(net["conv1"], spatial[:, :size, :size].astype(np.float64))
    bias = numbers @ net["ginputw"]
    if metadata is not None:
        encoder = net["metadata"]
        hidden = act(metadata @ encoder["mul1"] + encoder["bias1"], kind)
        hidden = act(hidden @ encoder["mul2"] + encoder["bias2"], kind)
        bias = bias + hidden @ encoder["mul3"]
    x = x + bias[:, None, None]
    for part in net["blocks"]:
        x = block(part, x, kind)
    x = act(tip(net, x), kind)
    points, passing = policy(net, x, kind)
    if points.shape[0] > 1:
        points = points[:1] + optimism * (points[1:2] - points[:1])
        passing = passing[:1] + optimism * (passing[1:2] - passing[:1])
    value, score, ownership = values(net, x, kind)
    return {
        "size": int(size),
        "policy": points[0],
        "pass": float(passing[0]),
        "value": value,
        "score": score,
        "ownership": ownership,
    }


def act(x: Array, kind: str) -> Array:
    match kind:
        case "RELU":
            return np.asarray(np.maximum(x, 0))
        case "MISH":
            return np.asarray(x * np.tanh(np.log1p(np.exp(x))))
        case "SILU":
            return np.asarray(x / (1 + np.exp(-x)))
    return x


def conv(part: Part, x: Array) -> Array:
    """A convolution with zero padding; weights [rows, columns, in, out]."""
    weights = part["w"].astype(np.float64)
    reach = weights.shape[0] // 2
    padded = np.pad(x, ((0, 0), (reach, reach), (reach, reach)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, weights.shape[:2], axis=(1, 2))
    return np.asarray(np.einsum("iyxrc,rcio->oyx", windows, weights))


def norm(part: Part, x: Array) -> Array:
    deviation = np.sqrt(part["variance"].astype(np.float64) + part["epsilon"])
    scale = part["scale"] / deviation
    return np.asarray(x * scale[:, None, None] + (part["bias"] - part["mean"] * scale)[:, None, None])


def pool(x: Array) -> Array:
    mean, width = x.mean(axis=(1, 2)), np.sqrt(x.shape[1] * x.shape[2])
    return np.concatenate([mean, mean * (width - 14) / 10, x.max(axis=(1, 2))])


def block(part: Part, x: Array, kind: str) -> Array:
    match part["kind"]:
        case "ordinary_block" | "gpool_block":
            inner = act(norm(part["pre_bn"], x), kind)
            regular = conv(part["regular"], inner)
            if part["kind"] == "gpool_block":
                pooled = pool(act(norm(part["gpool_bn"], conv(part["gpool"], inner)), kind))
                regular = regular + (pooled @ part["to_bias"])[:, None, None]
            return x + conv(part["final"], act(norm(part["mid_bn"], regular), kind))
        case "nested_bottleneck_block":
            inner = conv(part["pre"], act(norm(part["pre_bn"], x), kind))
            for each in part["blocks"]:
                inner = block(each, inner, kind)
            return x + conv(part["post"], act(norm(part["post_bn"], inner), kind))
        case "transformer_attention_block":
            return x + attention(part, x)
    inner = points_of(part["ln"], x)
    hidden = act(inner @ part["first"], "SILU") * (inner @ part["gate"])
    return x + planes_of(hidden @ part["second"], x.shape[1])


def points_of(weights: NDArray[np.float32], x: Array) -> Array:
    """RMS normalisation of [points, channels]."""
    flat = x.reshape(x.shape[0], -1).T
    return np.asarray(flat / np.sqrt((flat**2).mean(axis=1, keepdims=True) + 1e-6) * weights)


def planes_of(x: Array, size: int) -> Array:
    return x.T.reshape(-1, size, size)


def attention(part: Part, x: Array) -> Array:
    size, edge = part["size"], x.shape[1]
    inner = points_of(part["ln"], x)
    outs = []
    for head in range(part["heads"]):
        shared = head * part["keys"] // part["heads"]
        query = inner @ part["q"][:, head * size : (head + 1) * size]
        key = inner @ part["k"][:, shared * size : (shared + 1) * size]
        value = inner @ part["v"][:, shared * (size + 1) : (shared + 1) * (size + 1)]
        query, key = (rotate(part, side, shared, edge) for side in (query, key))
        scores = np.exp(query @ key.T / np.sqrt(size))
        outs.append(scores / scores.sum(axis=1, keepdims=True) @ value)
    return planes_of(np.concatenate(outs, axis=1) @ part["out"], edge)


def rotate(part: Part, x: Array, head: int, edge: int) -> Array:
    """Rotary embedding: each pair of channels is rotated by an angle of the point's place."""
    if part["rope"] == "none":
        return x
    rows, columns = np.divmod(np.arange(edge * edge), edge)
    pairs = part["size"] // 2
    if part["rope"] == "learned":
        across, down = part["freqs"][head].T
        angles = np.outer(columns, across) + np.outer(rows, down)
    else:
        speeds = 100.0 ** (-2.0 * np.arange(pairs // 2) / pairs)
        angles = np.concatenate([np.outer(rows, speeds), np.outer(columns, speeds)], axis=1)
    turned = (x[:, 0::2] + 1j * x[:, 1::2]) * np.exp(1j * angles)
    return np.stack([turned.real, turned.imag], axis=2).reshape(x.shape)


def tip(net: Part, x: Array) -> Array:
    if net["tip"] == "bn":
        return norm(net["tip_bn"], x)
    mean = (x**2).mean() if net["tip"] == "spatial rms" else (x**2).mean(axis=0)
    scale, bias = net["tip_bn"]["scale"][:, None, None], net["tip_bn"]["bias"][:, None, None]
    return np.asarray(x / np.sqrt(mean + 1e-6) * scale + bias)


def policy(net: Part, x: Array, kind: str) -> tuple[Array, Array]:
    """Logits [channels, size, size] and [channels]."""
    pooled = pool(act(norm(net["g1_bn"], conv(net["g1"], x)), kind))
    points = conv(net["p1"], x) + (pooled @ net["to_bias"])[:, None, None]
    points = conv(net["p2"], act(norm(net["p1_bn"], points), kind))
    passing = pooled @ net["pass"]["mul"]
    if "mul2" in net["pass"]:
        passing = act(passing + net["pass"]["bias"], kind) @ net["pass"]["mul2"]
    return points, passing


def values(net: Part, x: Array, kind: str) -> tuple[Array, Array, Array]:
    inner = act(norm(net["v1_bn"], conv(net["v1"], x)), kind)
    mean, width = inner.mean(axis=(1, 2)), np.sqrt(x.shape[1] * x.shape[2]) - 14
    pooled = np.concatenate([mean, mean * width / 10, mean * (width**2 / 100 - 0.1)])
    hidden = act(pooled @ net["v2"] + net["v2_bias"], kind)
    ownership = np.tanh(conv(net["ownership"], inner))[0]
    return hidden @ net["v3"] + net["v3_bias"], hidden @ net["sv3"] + net["sv3_bias"], ownership
