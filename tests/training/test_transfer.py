"""Host-to-device transfer keeps arrays of all types."""

from __future__ import annotations

import numpy as np
import torch

from sparring.training.batches import to_device


def test_arrays_arrive_as_they_are() -> None:
    rng = np.random.default_rng(1)
    arrays = {
        "bytes": rng.integers(0, 256, (3, 7), np.uint8),
        "labels": rng.integers(0, 1 << 16, 11, np.uint16),
        "long": rng.integers(-5, 5, (2, 2), np.int64),
        "nothing": np.empty((4, 0), np.uint8),
        "floats": rng.random((5, 3), np.float32),
        "turned": rng.random((5, 3), np.float32).T,
        "flags": rng.random(9) < 0.5,
    }
    tensors = to_device(arrays, torch.device("cpu"))
    assert list(tensors) == list(arrays)
    for name, array in arrays.items():
        assert tensors[name].numpy().dtype == array.dtype
        np.testing.assert_array_equal(tensors[name].numpy(), array)
