"""Extracts Maia-3's weights from its ONNX file into a small .npz in float16.

python -m studies.student.maia3_weights maia3-5m.onnx OUT.npz
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

LAYERS = 8


def extract(model: onnx.ModelProto) -> dict[str, NDArray[np.float16]]:
    """The weights by their names in `teacher.Maia3`."""
    tensors = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    matrices = (
        tensors[n.input[1]].T for n in model.graph.node if n.op_type == "MatMul" and n.input[1] in tensors
    )  # the export keeps no names of them, but their order
    found = {
        "low": tensors["elo_embedding_low.weight"],
        "high": tensors["elo_embedding_high.weight"],
        "embed.weight": next(matrices),
        "embed.bias": tensors["token_projection.bias"],
        "tower.templates": tensors[f"transformer.layers.{LAYERS - 1}.self_attn.gab_weight"],
        "tower.norm.weight": tensors["transformer.norm.weight"],
        "tower.norm.bias": tensors["transformer.norm.bias"],
    }
    for i in range(LAYERS):
        ours, theirs = f"tower.blocks.{i}.", f"transformer.layers.{i}."
        for name in ("qkv", "project", "ffn_in", "ffn_out"):
            found[f"{ours}{name}.weight"] = next(matrices)
        for mine, their in (
            ("ffn_in.bias", "linear1.bias"),
            ("ffn_out.bias", "linear2.bias"),
            ("norm1.weight", "norm1.weight"),
            ("norm2.weight", "norm2.weight"),
            *_both("compress", "self_attn.sm2"),
            *_both("compress_norm", "self_attn.ln1"),
            *_both("mix", "self_attn.sm3"),
            *_both("mix_norm", "self_attn.ln2"),
        ):
            found[ours + mine] = tensors[theirs + their]
    for name in ("query", "key", "promotion"):
        found[f"{name}.weight"] = next(matrices)
    for mine, their in (
        *_both("value_norm", "last_ln"),
        *_both("value_embed", "fc_value_hid"),
        *_both("wdl", "fc_value"),
    ):
        found[mine] = tensors[their]
    return {name: np.asarray(array, np.float16) for name, array in found.items()}


def _both(mine: str, their: str) -> list[tuple[str, str]]:
    return [(f"{mine}.{kind}", f"{their}.{kind}") for kind in ("weight", "bias")]


if __name__ == "__main__":
    np.savez(Path(sys.argv[2]), **extract(onnx.load(sys.argv[1])))  # type: ignore[arg-type]
