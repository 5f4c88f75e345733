"""Small KataGo networks with random weights, and a writer of KataGo's file format.

A network is a tree of dictionaries with the file's own names. Nothing here knows the reader.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Part: TypeAlias = dict[str, Any]

SPATIAL, GLOBAL, METADATA = 22, 19, 192


class RandomParts:
    """Random parts. Weights are scaled so that activations stay near 1."""

    def __init__(self, seed: int, version: int, activation: str = "RELU") -> None:
        self.rng = np.random.default_rng(seed)
        self.version = version
        self.activation = activation if version >= 11 else "RELU"

    def floats(self, *shape: int, scale: float = 1.0) -> NDArray[np.float32]:
        return (self.rng.standard_normal(shape) * scale).astype(np.float32)

    def conv(self, kernel: int, ins: int, outs: int) -> Part:
        return {"w": self.floats(kernel, kernel, ins, outs, scale=1.4 / np.sqrt(kernel * kernel * ins))}

    def norm(self, channels: int) -> Part:
        return {
            "mean": self.floats(channels, scale=0.1),
            "variance": self.rng.uniform(0.5, 2.0, channels).astype(np.float32),
            "scale": self.floats(channels, scale=0.2) + np.float32(1),
            "bias": self.floats(channels, scale=0.2),
            "epsilon": 1e-4,
        }

    def matmul(self, ins: int, outs: int) -> NDArray[np.float32]:
        return self.floats(ins, outs, scale=1.0 / np.sqrt(ins))

    def ordinary(self, channels: int, middle: int) -> Part:
        return {
            "kind": "ordinary_block",
            "pre_bn": self.norm(channels),
            "regular": self.conv(3, channels, middle),
            "mid_bn": self.norm(middle),
            "final": self.conv(3, middle, channels),
        }

    def gpool(self, channels: int, middle: int, pools: int) -> Part:
        return {
            **self.ordinary(channels, middle),
            "kind": "gpool_block",
            "gpool": self.conv(3, channels, pools),
            "gpool_bn": self.norm(pools),
            "to_bias": self.matmul(3 * pools, middle),
        }

    def nested(self, channels: int, middle: int, blocks: list[Part]) -> Part:
        return {
            "kind": "nested_bottleneck_block",
            "pre_bn": self.norm(channels),
            "pre": self.conv(1, channels, middle),
            "blocks": blocks,
            "post_bn": self.norm(middle),
            "post": self.conv(1, middle, channels),
        }

    def attention(self, channels: int, heads: int, keys: int, size: int, rope: str) -> Part:
        part = {
            "kind": "transformer_attention_block",
            "ln": self.floats(channels, scale=0.2) + np.float32(1),
            "heads": heads,
            "keys": keys,
            "size": size,
            "q": self.matmul(channels, heads * size),
            "k": self.matmul(channels, keys * size),
            "v": self.matmul(channels, keys * (size + 1)),
            "out": self.matmul(heads * (size + 1), channels),
            "rope": rope,
        }
        if rope == "learned":
            part["freqs"] = self.floats(keys, size // 2, 2, scale=0.3)
        return part

    def ffn(self, channels: int, hidden: int) -> Part:
        return {
            "kind": "transformer_ffn_block",
            "ln": self.floats(channels, scale=0.2) + np.float32(1),
            "first": self.matmul(channels, hidden),
            "gate": self.matmul(channels, hidden),
            "second": self.matmul(hidden, channels),
        }

    def network(self, channels: int, blocks: list[Part], metadata: bool = False, tip: str = "bn") -> Part:
        outs = 1 if self.version < 12 else 2 if self.version < 16 else 4
        pools, middle, hidden = 3, 5, 6
        passes: Part = {"mul": self.matmul(3 * pools, outs)}
        if self.version >= 15:
            passes = {
                "mul": self.matmul(3 * pools, middle),
                "bias": self.floats(middle, scale=0.3),
                "mul2": self.matmul(middle, outs),
            }
        scores = 4 if self.version == 8 else 6
        return {
            "version": self.version,
            "activation": self.activation,
            "channels": channels,
            "conv1": self.conv(5, SPATIAL, channels),
            "ginputw": self.matmul(GLOBAL, channels),
            "metadata": self._metadata(channels) if metadata else None,
            "blocks": blocks,
            "tip": tip,
            "tip_bn": self.norm(channels),
            "p1": self.conv(1, channels, middle),
            "g1": self.conv(1, channels, pools),
            "g1_bn": self.norm(pools),
            "to_bias": self.matmul(3 * pools, middle),
            "p1_bn": self.norm(middle),
            "p2": self.conv(1, middle, outs),
            "pass": passes,
            "v1": self.conv(1, channels, middle),
            "v1_bn": self.norm(middle),
            "v2": self.matmul(3 * middle, hidden),
            "v2_bias": self.floats(hidden, scale=0.3),
            "v3": self.matmul(hidden, 3),
            "v3_bias": self.floats(3),
            "sv3": self.matmul(hidden, scores),
            "sv3_bias": self.floats(scores),
            "ownership": self.conv(1, middle, 1),
        }

    def _metadata(self, channels: int) -> Part:
        return {
            "mul1": self.matmul(METADATA, 7),
            "bias1": self.floats(7),
            "mul2": self.matmul(7, 5),
            "bias2": self.floats(5),
            "mul3": self.matmul(5, channels),
        }


class KataGoWriter:
    """Writes a network as KataGo's exporter does."""

    def __init__(self, net: Part, text: bool = False) -> None:
        self.net = net
        self.version = net["version"]
        self.text = text
        self.out = bytearray()

    def file(self, name: str = "test-s1000-d2000", version: int | None = None) -> bytes:
        net = self.net
        self.lines(name, self.version if version is None else version, SPATIAL, GLOBAL)
        if self.version >= 13:
            self.lines(20.0, 20.0, 20.0, 15.0, 40.0, 0.25, 30.0)
        if self.version >= 15:
            self.lines(int(net["metadata"] is not None), *[0] * 7)
        self.trunk()
        self.policy_head()
        self.value_head()
        return bytes(self.out)

    def lines(self, *values: object) -> None:
        for value in values:
            self.out += f"{value}\n".encode()

    def floats(self, values: NDArray[np.float32]) -> None:
        if self.text:
            self.lines(" ".join(repr(float(v)) for v in values.reshape(-1)))
        else:
            self.out += b"@BIN@" + values.astype("<f4").tobytes() + b"\n"

    def conv(self, part: Part) -> None:
        self.lines("conv", *part["w"].shape, 1, 1)
        self.floats(part["w"])

    def bn(self, part: Part, name: str = "bn") -> None:
        self.lines(name, part["mean"].size, part["epsilon"], 1, 1)
        for key in ("mean", "variance", "scale", "bias"):
            self.floats(part[key])

    def act(self, part: Part | None = None) -> None:
        """The normalisation, if there is one, and the activation behind it."""
        if part is not None:
            self.bn(part)
        self.lines("act")
        if self.version >= 11:
            self.lines(f"ACTIVATION_{self.net['activation']}")

    def matmul(self, weights: NDArray[np.float32]) -> None:
        self.lines("matmul", *weights.shape)
        self.floats(weights)

    def bias(self, weights: NDArray[np.float32]) -> None:
        self.lines("bias", weights.size)
        self.floats(weights)

    def block(self, part: Part) -> None:
        self.lines(part["kind"], "block")
        match part["kind"]:
            case "ordinary_block" | "gpool_block":
                self.act(part["pre_bn"])
                self.conv(part["regular"])
                if part["kind"] == "gpool_block":
                    self.conv(part["gpool"])
                    self.act(part["gpool_bn"])
                    self.matmul(part["to_bias"])
                self.act(part["mid_bn"])
                self.conv(part["final"])
            case "nested_bottleneck_block":
                self.lines(len(part["blocks"]))
                self.act(part["pre_bn"])
                self.conv(part["pre"])
                for inner in part["blocks"]:
                    self.block(inner)
                self.act(part["post_bn"])
                self.conv(part["post"])
            case "transformer_attention_block":
                self.attention(part)
            case "transformer_ffn_block":
                self.lines(*part["first"].shape, 1)
                self.rms(part["ln"])
                for key in ("first", "gate", "second"):
                    self.matmul(part[key])

    def rms(self, weights: NDArray[np.float32]) -> None:
        self.lines("ln", weights.size, 1e-6)
        self.floats(weights)

    def attention(self, part: Part) -> None:
        size, rope = part["size"], part["rope"]
        self.lines(part["heads"], part["keys"], size, size + 1, int(rope != "none"), int(rope == "learned"))
        self.rms(part["ln"])
        for key in ("q", "k", "v", "out"):
            self.matmul(part[key])
        if rope == "learned":
            self.lines("rope", *part["freqs"].shape)
            self.floats(part["freqs"])
        elif rope == "fixed":
            self.lines("rope", 100.0)

    def trunk(self) -> None:
        net = self.net
        self.lines("trunk", len(net["blocks"]), net["channels"], 8, 8, 8, 4)
        if self.version >= 15:
            self.lines(int(net["tip"] != "bn"), *[0] * 5)
        self.conv(net["conv1"])
        self.matmul(net["ginputw"])
        if net["metadata"] is not None:
            self.lines("metadata", METADATA)
            for layer in "12":
                self.matmul(net["metadata"][f"mul{layer}"])
                self.bias(net["metadata"][f"bias{layer}"])
                self.act()
            self.matmul(net["metadata"]["mul3"])
        for part in net["blocks"]:
            self.block(part)
        if net["tip"] == "bn":
            self.act(net["tip_bn"])
        else:
            self.lines("tip", net["channels"], 1e-6, int(net["tip"] == "spatial rms"), 0)
            self.floats(net["tip_bn"]["scale"])
            self.floats(net["tip_bn"]["bias"])
            self.act()

    def policy_head(self) -> None:
        net = self.net
        self.lines("policyhead")
        if self.version >= 17:
            self.lines(net["p2"]["w"].shape[-1], 0, 0, 0)
        self.conv(net["p1"])
        self.conv(net["g1"])
        self.act(net["g1_bn"])
        self.matmul(net["to_bias"])
        self.act(net["p1_bn"])
        self.conv(net["p2"])
        self.matmul(net["pass"]["mul"])
        if self.version >= 15:
            self.bias(net["pass"]["bias"])
            self.act()
            self.matmul(net["pass"]["mul2"])

    def value_head(self) -> None:
        net = self.net
        self.lines("valuehead")
        if self.version >= 17:
            self.lines(0, 0, 0)
        self.conv(net["v1"])
        self.act(net["v1_bn"])
        self.matmul(net["v2"])
        self.bias(net["v2_bias"])
        self.act()
        for head in ("v3", "sv3"):
            self.matmul(net[head])
            self.bias(net[f"{head}_bias"])
        self.conv(net["ownership"])


def small_network(version: int, seed: int = 1) -> Part:
    """One block of each kind that existed when the version appeared, and the usual heads."""
    make = RandomParts(seed, version, "MISH")
    blocks = [make.ordinary(8, 6), make.gpool(8, 5, 3)]
    if version >= 11:
        blocks.append(make.nested(8, 4, [make.ordinary(4, 4), make.gpool(4, 4, 2)]))
    return make.network(8, blocks)
