"""A trained network as ONNX by `torch.onnx.export`: the peer of `sparring.training.export`.

Needs onnxscript.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from sparring.training.config import TrainingConfig
from sparring.training.model import PolicyValueNetwork, input_spec_of, layout_of

_LARGE = 512
"""Arrays of this many numbers are stored in float16, as `sparring.training.export` does."""


class _WithProbabilities(nn.Module):
    def __init__(self, model: PolicyValueNetwork) -> None:
        super().__init__()
        self.model = model

    def forward(self, planes: Tensor, context: Tensor) -> tuple[Tensor, Tensor]:
        policy, result, *_ = self.model(planes, context)
        return policy, result.softmax(dim=-1)


def torch_export(model: PolicyValueNetwork, config: TrainingConfig) -> onnx.ModelProto:
    """Exports with a dynamic batch, and a dynamic board if the game has several board sizes."""
    layout = layout_of(config)
    planes = torch.zeros(2, layout.planes, layout.rows, layout.columns, dtype=torch.uint8)
    batch = torch.export.Dim("batch")
    dynamic: dict[int, Any] = {0: batch}
    if layout.any_board_size:
        dynamic |= {2: torch.export.Dim("rows"), 3: torch.export.Dim("columns")}
    # Fused attention kernels have other strides than their decomposition, which the exporter trips over.
    with warnings.catch_warnings(), sdpa_kernel(SDPBackend.MATH):
        warnings.simplefilter("ignore")
        program = torch.onnx.export(
            _WithProbabilities(model).eval(),
            (planes, torch.zeros(2, input_spec_of(config).context_width)),
            dynamo=True,
            dynamic_shapes=(dynamic, {0: batch}),
            input_names=["planes", "context"],
            output_names=["policy", "wdl"],
            opset_version=20,
            verbose=False,
        )
    assert program is not None
    exported: onnx.ModelProto = program.model_proto
    _strip_metadata(exported.graph)
    _store_in_float16(exported.graph)
    return exported


def _strip_metadata(graph: onnx.GraphProto) -> None:
    """Removes the stack traces, which are larger than the graph."""
    for holder in (graph, *graph.node, *graph.value_info, *graph.input, *graph.output, *graph.initializer):
        del holder.metadata_props[:]


def _store_in_float16(graph: onnx.GraphProto) -> None:
    casts = []
    for tensor in graph.initializer:
        array = numpy_helper.to_array(tensor)
        if array.dtype == np.float32 and array.size >= _LARGE:
            name = tensor.name
            tensor.CopyFrom(numpy_helper.from_array(array.astype(np.float16), f"{name}_float16"))
            casts.append(helper.make_node("Cast", [tensor.name], [name], to=TensorProto.FLOAT))
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
