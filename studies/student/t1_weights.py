"""Extracts T1's weights from Lc0's file into a small one.

python -m studies.student.t1_weights t1-256x10-distilled-swa-2432500.pb.gz OUT.xz
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparring.networks.lc0.attention import positional_encoding
from sparring.networks.lc0.reader import read_weights
from sparring.networks.lc0.weights import AttentionBody, AttentionPolicyHead, LayerNorm, Lc0Dense
from studies.student.packed_weights import write_weights

_RULE_50 = 109


def extract(data: bytes) -> dict[str, Tensor]:
    """The weights by their names in `t1.T1`."""
    network = read_weights(data)
    body, head = network.body, network.policy
    assert isinstance(body, AttentionBody)
    assert isinstance(head, AttentionPolicyHead)
    assert body.gate is not None
    assert body.smolgen is not None
    embedding = body.embedding.weights[:, :112].copy()
    embedding[:, _RULE_50] *= 100  # the student's tokens have the counter divided by 100
    found: dict[str, NDArray[np.floating]] = {
        "embed.weight": embedding,
        "squares": positional_encoding() @ body.embedding.weights[:, 112:].T + body.embedding.biases,
        "factors": body.gate.factors,
        "addends": body.gate.addends,
        "smolgen": body.smolgen.T,
        "promotion.weight": head.promotion[:3] + head.promotion[3],
    }

    def dense(name: str, layer: Lc0Dense) -> None:
        found[f"{name}.weight"], found[f"{name}.bias"] = layer.weights, layer.biases

    def norm(name: str, layer: LayerNorm) -> None:
        found[f"{name}.weight"], found[f"{name}.bias"] = layer.gammas, layer.betas

    for i, layer in enumerate(body.layers):
        at, parts = f"layers.{i}.", (layer.query, layer.key, layer.value)
        found[f"{at}qkv.weight"] = np.concatenate([part.weights for part in parts])
        found[f"{at}qkv.bias"] = np.concatenate([part.biases for part in parts])
        assert layer.smolgen is not None
        found[f"{at}compress.weight"] = layer.smolgen.compress
        dense(f"{at}output", layer.output)
        dense(f"{at}first", layer.smolgen.first)
        dense(f"{at}second", layer.smolgen.second)
        dense(f"{at}ffn_in", layer.feed_forward.first)
        dense(f"{at}ffn_out", layer.feed_forward.second)
        norm(f"{at}attention_norm", layer.attention_norm)
        norm(f"{at}first_norm", layer.smolgen.first_norm)
        norm(f"{at}second_norm", layer.smolgen.second_norm)
        norm(f"{at}ffn_norm", layer.feed_forward_norm)
    dense("policy_embed", head.embedding)
    dense("query", head.query)
    dense("key", head.key)
    entry = network.value.entry
    assert isinstance(entry, Lc0Dense)
    dense("value_embed", entry)
    dense("value_hidden", network.value.hidden)
    dense("wdl", network.value.output)
    return {name: torch.from_numpy(np.array(array, np.float32)) for name, array in found.items()}


def bits_of(name: str) -> int:
    """Smolgen has more than half of the weights and stands fewer bits."""
    return 6 if name.endswith(("first.weight", "second.weight")) else 8


if __name__ == "__main__":
    write_weights(Path(sys.argv[2]), extract(gzip.decompress(Path(sys.argv[1]).read_bytes())), bits_of)
