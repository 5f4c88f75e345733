"""Divides the policy logits of a shogi network by a temperature, in its weights.

    python -m studies.student.fold_temperature NETWORK.onnx 1.92

The temperature is fitted on the validation split by `sparring measure matching --calibrate`. The likeliest
move stays the same.
"""

from __future__ import annotations

import sys
from pathlib import Path

import onnx
from onnx import numpy_helper


def fold_temperature(model: onnx.ModelProto, temperature: float) -> None:
    """Divides weights and bias of the convolution that gives the policy. Raises ValueError without one."""
    makers = {output: node for node in model.graph.node for output in node.output}
    node = makers["policy"]
    while node.op_type in ("Identity", "Flatten"):
        node = makers[node.input[0]]
    if node.op_type != "Conv":
        raise ValueError(f"the policy comes from {node.op_type}, not from a convolution")
    names = [makers[name].input[0] if name in makers else name for name in node.input[1:]]  # casts of float16
    for tensor in model.graph.initializer:
        if tensor.name in names:
            array = numpy_helper.to_array(tensor)
            tensor.CopyFrom(numpy_helper.from_array((array / temperature).astype(array.dtype), tensor.name))


if __name__ == "__main__":
    path = Path(sys.argv[1])
    network = onnx.load(path)
    fold_temperature(network, float(sys.argv[2]))
    onnx.save(network, path)
