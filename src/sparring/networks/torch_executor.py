"""Runs our ONNX graphs in PyTorch: for bfloat16 on a GPU without ONNX Runtime's CUDA build, and for
fine-tuning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

from sparring.networks.errors import BadNetwork
from sparring.networks.torch_operators import OPERATORS, OPSET, Attributes, Operator, Tensor, nn, torch

__all__ = ["TorchGraph", "fold_constants", "torch"]

_STATIC_INPUTS = {
    "Expand": (1,), "Pad": (1, 3), "ReduceMax": (1,), "ReduceMean": (1,), "ReduceSum": (1,), "Reshape": (1,),
    "Slice": (1, 2, 3, 4), "Split": (1,), "Squeeze": (1,), "Unsqueeze": (1,),
}  # fmt: skip
"""Inputs that parametrise an operator (shapes, axes, bounds). They are passed as lists of Python numbers."""


@dataclass(frozen=True)
class _Step:
    """A node prepared for execution."""

    operator: Operator
    attributes: Attributes
    inputs: tuple[str, ...]
    settings: Mapping[int, Any]
    """Constant inputs by index, so that the GPU is not queried for them."""
    outputs: tuple[str, ...]
    last_uses: tuple[str, ...]
    """Values that no later step needs."""


class TorchGraph(nn.Module):
    """An ONNX model as a PyTorch module. Raises BadNetwork for an unknown operator, with its name.

    Floating-point weights are parameters. Integers, scalars and batch normalisation statistics are buffers,
    so training does not change formulas.
    """

    def __init__(self, model: onnx.ModelProto) -> None:
        super().__init__()
        opset = max((entry.version for entry in model.opset_import if not entry.domain), default=0)
        if opset < OPSET:
            raise BadNetwork(f"PyTorch runs graphs of ONNX opset {OPSET} and later, not {opset}")
        constants = _constants(model)
        self._names = self._register(model, constants)
        self._outputs = [output.name for output in model.graph.output]
        self._steps = _steps(model, constants, keep={*self._names, *self._outputs})

    def forward(self, **inputs: Tensor) -> dict[str, Tensor]:
        """The graph's outputs by name, from its inputs by name."""
        values: dict[str, Tensor] = {
            name: getattr(self, attribute) for name, attribute in self._names.items()
        }
        values.update((name, _signed(value)) for name, value in inputs.items())
        for step in self._steps:
            arguments = [
                step.settings[i] if i in step.settings else values[name] if name else None
                for i, name in enumerate(step.inputs)
            ]
            results = step.operator(step.attributes, *arguments)
            values.update(
                zip(step.outputs, results if isinstance(results, tuple) else (results,), strict=False)
            )
            for name in step.last_uses:
                values.pop(name, None)
        return {name: values[name] for name in self._outputs}

    def _register(self, model: onnx.ModelProto, constants: Mapping[str, NDArray[Any]]) -> dict[str, str]:
        """Registers the constants as parameters and buffers; returns the attribute name of each."""
        statistics = {
            name
            for node in model.graph.node
            if node.op_type == "BatchNormalization"
            for name in node.input[3:5]
        }
        weights = {tensor.name for tensor in model.graph.initializer} - statistics
        names = {}
        for index, (name, array) in enumerate(constants.items()):
            tensor = _signed(torch.from_numpy(array.copy()))
            names[name] = f"{name.replace('.', '_')}_{index}"
            if name in weights and array.ndim > 0 and tensor.is_floating_point():
                self.register_parameter(names[name], nn.Parameter(tensor))
            else:
                self.register_buffer(names[name], tensor)
        return names


def fold_constants(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with nodes of constants replaced by their values, such as quantised weights. For inference:
    training would not keep them quantised."""
    constants = _constants(model)
    folded: dict[str, NDArray[Any]] = {}
    nodes = [node for node in model.graph.node if node.op_type == "Constant"]
    others = (node for node in model.graph.node if node.op_type != "Constant")
    for node, step in zip(others, _steps(model, constants, keep=set()), strict=True):
        if len(node.output) > 1 or not all(name in constants for name in node.input):
            nodes.append(node)
            continue
        arguments = [
            step.settings.get(i, torch.from_numpy(constants[name].copy()))
            for i, name in enumerate(step.inputs)
        ]
        value = step.operator(step.attributes, *arguments)
        if isinstance(value, tuple) or value.dtype == torch.bfloat16:
            nodes.append(node)
            continue
        constants[node.output[0]] = folded[node.output[0]] = value.contiguous().numpy()
    result = type(model)()
    result.CopyFrom(model)
    del result.graph.node[:]
    result.graph.node.extend(nodes)
    result.graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in folded.items())
    return result


def _constants(model: onnx.ModelProto) -> dict[str, NDArray[Any]]:
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "Constant":
            constants[node.output[0]] = _constant(node.attribute[0])
    return constants


def _constant(attribute: onnx.AttributeProto) -> NDArray[Any]:
    value = helper.get_attribute_value(attribute)
    if attribute.name == "value":
        return numpy_helper.to_array(value)
    return np.asarray(value, np.float32 if attribute.name.startswith("value_float") else np.int64)


def _steps(model: onnx.ModelProto, constants: Mapping[str, NDArray[Any]], keep: set[str]) -> list[_Step]:
    nodes = [node for node in model.graph.node if node.op_type != "Constant"]
    last_use = {name: i for i, node in enumerate(nodes) for name in (*node.output, *node.input)}
    steps = []
    for i, node in enumerate(nodes):
        if node.op_type not in OPERATORS:
            raise BadNetwork(f"PyTorch cannot run the operator {node.op_type} here")
        places = [*_STATIC_INPUTS.get(node.op_type, ())]
        if node.op_type == "Gather" and constants.get(node.input[1], np.empty(1)).ndim == 0:
            places.append(1)
        steps.append(
            _Step(
                operator=OPERATORS[node.op_type],
                attributes={a.name: _plain(helper.get_attribute_value(a)) for a in node.attribute}
                | {"outputs": len(node.output)},
                inputs=tuple(node.input),
                settings={
                    place: constants[node.input[place]].tolist()
                    for place in places
                    if place < len(node.input) and node.input[place] in constants
                },
                outputs=tuple(node.output),
                last_uses=tuple(
                    name for name in {*node.input, *node.output} if last_use[name] == i and name not in keep
                ),
            )
        )
    return steps


def _plain(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value


def _signed(tensor: Tensor) -> Tensor:
    """Reinterprets uint64 as int64, which PyTorch can compute with: enough for bit planes."""
    return tensor.view(torch.int64) if tensor.dtype == torch.uint64 else tensor
