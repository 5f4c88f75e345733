"""Arrays to a device in one transfer: many small ones cost the processor more than one large one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

_ALIGNED = 16
"""Where an array may begin: at a multiple of any number's size."""


def to_device(arrays: Mapping[str, NDArray[np.generic]], device: torch.device) -> dict[str, Tensor]:
    """The arrays as tensors on the device, by the same names."""
    begins: dict[str, int] = {}
    size = 0
    for name, array in arrays.items():
        begins[name] = size
        size += -(-array.nbytes // _ALIGNED) * _ALIGNED
    buffer = torch.empty(size, dtype=torch.uint8, pin_memory=device.type == "cuda")
    packed = buffer.numpy()
    for name, array in arrays.items():
        packed[begins[name] :][: array.nbytes] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    there = buffer.to(device, non_blocking=True)
    return {
        name: there[begins[name] :][: array.nbytes].view(_kind(array.dtype)).view(array.shape)
        for name, array in arrays.items()
    }


def _kind(dtype: np.dtype[np.generic]) -> torch.dtype:
    return torch.from_numpy(np.empty(0, dtype)).dtype
