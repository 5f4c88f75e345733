"""Weights in few bits: matrices as integers with one scale for each output, compressed."""

from __future__ import annotations

import io
import lzma
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

_SMALL = 4096
"""Tensors with fewer numbers stay in float32."""


def write_weights(path: Path, weights: dict[str, Tensor], bits_of: Callable[[str], int]) -> None:
    """Writes tensors by name. Large ones are rounded to `bits_of` bits, with one scale for each row."""
    arrays = {}
    for name, tensor in weights.items():
        array = tensor.detach().float().cpu().numpy()
        if array.size < _SMALL:
            arrays[name] = array
            continue
        rows = array.reshape(len(array), -1)
        scale = np.abs(rows).max(1, keepdims=True) / (2 ** (bits_of(name) - 1) - 1) + 1e-12
        arrays[name] = np.round(rows / scale).astype(np.int8).reshape(array.shape)
        arrays[f"{name}/scale"] = scale.astype(np.float32)
    file = io.BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type]
    path.write_bytes(lzma.compress(file.getvalue(), preset=6))


def read_weights(path: Path) -> dict[str, Tensor]:
    """Reads tensors in float32."""
    with np.load(io.BytesIO(lzma.decompress(path.read_bytes()))) as file:
        arrays = dict(file)
    found = {}
    for name, array in arrays.items():
        if name.endswith("/scale"):
            continue
        if (scale := arrays.get(f"{name}/scale")) is not None:
            array = (array.reshape(len(array), -1) * scale).reshape(array.shape)
        found[name] = torch.from_numpy(array.astype(np.float32))
    return found
