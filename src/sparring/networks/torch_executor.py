"""Runs our ONNX graphs in PyTorch: for bfloat16 on a GPU without ONNX Runtime's CUDA build, and for
fine-tuning."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring.base.errors import BadFile
from sparring.networks.graph import OPSET

try:
    import onnx
    import torch
    from onnx import TensorProto, helper, numpy_helper
    from torch import Tensor, nn
    from torch.fx.experimental.proxy_tensor import make_fx
    from torch.nn import functional
except ImportError:
    raise ImportError("PyTorch or onnx is not installed: pip install 'sparring[train]'") from None


# PyTorch implementations of the ONNX operators that our graphs use, by the semantics of opset 18 and later.
# Most are one line of the table at the end.


Attributes: TypeAlias = Mapping[str, Any]
Operator: TypeAlias = Callable[..., Any]
"""Takes the node's attributes and its inputs (None for an omitted one); returns one output or a tuple."""


def _numbers(setting: Any) -> list[int]:
    """A shape or axes as a list, also if the graph computes them."""
    numbers = setting.tolist() if isinstance(setting, Tensor) else setting
    return list(numbers) if isinstance(numbers, Sequence) else [numbers]


def _conv(a: Attributes, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    rank = x.dim() - 2
    if a.get("auto_pad", "NOTSET") != "NOTSET":
        raise BadFile(f"PyTorch cannot run a convolution with auto_pad {a['auto_pad']}")
    begins, ends = _pads(a.get("pads", [0] * 2 * rank))
    if begins != ends:
        x, begins = functional.pad(x, _torch_pads(begins, ends)), [0] * rank
    run = (functional.conv1d, functional.conv2d, functional.conv3d)[rank - 1]
    strides, dilations = a.get("strides", 1), a.get("dilations", 1)
    return run(x, weight, bias, strides, begins, dilations, a.get("group", 1))


def _pads(pads: Sequence[int]) -> tuple[list[int], list[int]]:
    return list(pads[: len(pads) // 2]), list(pads[len(pads) // 2 :])


def _torch_pads(begins: Sequence[int], ends: Sequence[int]) -> list[int]:
    """Converts ONNX pads (all begins, then all ends) to PyTorch's order (pairs, last dimension first)."""
    return [n for pair in zip(reversed(begins), reversed(ends), strict=True) for n in pair]


def _pad(a: Attributes, x: Tensor, pads: Any, value: Tensor | None = None, axes: Any = None) -> Tensor:
    begins, ends = [0] * x.dim(), [0] * x.dim()
    places = range(x.dim()) if axes is None else _numbers(axes)
    for axis, begin, end in zip(places, *_pads(_numbers(pads)), strict=True):
        begins[axis], ends[axis] = begin, end
    if (mode := a.get("mode", "constant")) != "constant":
        raise BadFile(f"PyTorch cannot pad in the mode {mode}")
    return functional.pad(x, _torch_pads(begins, ends), value=0.0 if value is None else float(value))


def _gemm(a: Attributes, x: Tensor, y: Tensor, z: Tensor | None = None) -> Tensor:
    x, y = x.t() if a.get("transA") else x, y.t() if a.get("transB") else y
    alpha = a.get("alpha", 1.0)
    return alpha * (x @ y) if z is None else torch.addmm(z, x, y, beta=a.get("beta", 1.0), alpha=alpha)


def _reshape(a: Attributes, x: Tensor, shape: Any) -> Tensor:
    sizes = _numbers(shape)
    if not a.get("allowzero"):
        sizes = [x.shape[i] if size == 0 else size for i, size in enumerate(sizes)]
    return x.reshape(sizes)


def _squeeze(a: Attributes, x: Tensor, axes: Any = None) -> Tensor:
    return x.squeeze() if axes is None else x.squeeze(tuple(_numbers(axes)))


def _unsqueeze(a: Attributes, x: Tensor, axes: Any) -> Tensor:
    places = _numbers(axes)
    for axis in sorted(axis % (x.dim() + len(places)) for axis in places):
        x = x.unsqueeze(axis)
    return x


def _split(a: Attributes, x: Tensor, sizes: Any = None) -> tuple[Tensor, ...]:
    axis = a.get("axis", 0)
    equal = math.ceil(x.shape[axis] / a.get("num_outputs", a["outputs"]))
    return torch.split(x, equal if sizes is None else _numbers(sizes), axis)


def _slice(a: Attributes, x: Tensor, starts: Any, ends: Any, axes: Any = None, steps: Any = None) -> Tensor:
    starts, ends = _numbers(starts), _numbers(ends)
    axes = range(len(starts)) if axes is None else _numbers(axes)
    steps = [1] * len(starts) if steps is None else _numbers(steps)
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        kept = range(*slice(start, end, step).indices(x.shape[axis]))
        if step > 0:
            x = x[(slice(None),) * (axis % x.dim()) + (slice(kept.start, kept.stop, step),)]
        else:
            x = x.index_select(axis, torch.tensor(list(kept), dtype=torch.int64, device=x.device))
    return x


def _gather(a: Attributes, x: Tensor, indices: Any) -> Tensor:
    axis = a.get("axis", 0) % x.dim()
    if isinstance(indices, int):
        return x.select(axis, indices)
    flat = torch.where(indices < 0, indices + x.shape[axis], indices).flatten()
    return x.index_select(axis, flat).reshape(*x.shape[:axis], *indices.shape, *x.shape[axis + 1 :])


def _reduce(run: Operator) -> Operator:
    def reduce(a: Attributes, x: Tensor, axes: Any = None) -> Tensor:
        places = [] if axes is None else _numbers(axes)
        if not places and a.get("noop_with_empty_axes"):
            return x
        reduced: Tensor = run(x, tuple(places or range(x.dim())), bool(a.get("keepdims", 1)))
        return reduced

    return reduce


def _constant_of_shape(a: Attributes, shape: Tensor) -> Tensor:
    value = numpy_helper.to_array(a["value"]) if "value" in a else np.zeros(1, np.float32)
    return torch.from_numpy(value.copy()).to(shape.device).reshape(()).expand(_numbers(shape)).clone()


def _shape(a: Attributes, x: Tensor) -> Tensor:
    return torch.tensor(x.shape[a.get("start", 0) : a.get("end")], dtype=torch.int64, device=x.device)


def _layer_norm(a: Attributes, x: Tensor, scale: Tensor, bias: Tensor | None = None) -> Tensor:
    return functional.layer_norm(x, x.shape[a.get("axis", -1) :], scale, bias, a.get("epsilon", 1e-5))


def _bit_shift(a: Attributes, x: Tensor, by: Tensor) -> Tensor:
    if a["direction"] == "LEFT":
        return x << by
    if x.dtype != torch.int64:
        return x >> by
    kept = (torch.ones_like(x) << (64 - by)) - 1  # not the copies of the sign that int64 shifts in
    return torch.where(by == 0, x, (x >> by) & kept)


def _along(axis: int, values: Tensor, x: Tensor) -> Tensor:
    """Reshapes scales or zero points to broadcast over `x`: one for all, or one for each index of `axis`."""
    if values.dim() == 0:
        return values
    if values.dim() > 1:
        raise BadFile("PyTorch cannot run blocked quantisation here")
    return values.reshape([-1 if i == axis % x.dim() else 1 for i in range(x.dim())])


def _quantize(a: Attributes, x: Tensor, scale: Tensor, zero: Tensor | None = None) -> Tensor:
    """Rounds half to even and saturates, as ONNX does. The type is the zero point's, uint8 by default."""
    axis, dtype = a.get("axis", 1), torch.uint8 if zero is None else zero.dtype
    steps = torch.round(x.float() / _along(axis, scale, x).float())
    if zero is not None:
        steps = steps + _along(axis, zero, x)
    limits = torch.iinfo(dtype)
    return steps.clamp(limits.min, limits.max).to(dtype)


def _dequantize(a: Attributes, x: Tensor, scale: Tensor, zero: Tensor | None = None) -> Tensor:
    axis = a.get("axis", 1)
    steps = x.to(torch.int32) if zero is None else x.to(torch.int32) - _along(axis, zero, x)
    return steps.to(scale.dtype) * _along(axis, scale, x)


def _cast(a: Attributes, x: Tensor) -> Tensor:
    if a["to"] == TensorProto.BFLOAT16:
        return x.to(torch.bfloat16)
    dtype = helper.tensor_dtype_to_np_dtype(a["to"])
    return x.to(torch.int64 if dtype == np.uint64 else torch.from_numpy(np.empty(0, dtype)).dtype)


def _function(run: Callable[..., Tensor]) -> Operator:
    """The operator of a function of the inputs that has no attributes."""
    return lambda a, *xs: run(*xs)


OPERATORS: dict[str, Operator] = {
    "Abs": _function(torch.abs),
    "Add": _function(torch.add),
    "BatchNormalization": lambda a, x, scale, bias, mean, variance: functional.batch_norm(
        x, mean, variance, scale, bias, eps=a.get("epsilon", 1e-5)
    ),
    "BitShift": _bit_shift,
    "BitwiseAnd": _function(torch.bitwise_and),
    "Cast": _cast,
    "Clip": lambda a, x, low=None, high=None: (
        x if low is None and high is None else torch.clamp(x, low, high)
    ),
    "Concat": lambda a, *xs: torch.cat(xs, a["axis"]),
    "ConstantOfShape": _constant_of_shape,
    "Conv": _conv,
    "DequantizeLinear": _dequantize,
    "Div": lambda a, x, y: x / y if x.is_floating_point() else torch.div(x, y, rounding_mode="trunc"),
    "Elu": lambda a, x: functional.elu(x, a.get("alpha", 1.0)),
    "Equal": _function(torch.eq),
    "Erf": _function(torch.erf),
    "Exp": _function(torch.exp),
    "Expand": lambda a, x, shape: x.expand(np.broadcast_shapes(tuple(x.shape), tuple(_numbers(shape)))),
    "Flatten": lambda a, x: x.reshape(math.prod(x.shape[: a.get("axis", 1)]), -1),
    "Gather": _gather,
    "Gelu": lambda a, x: functional.gelu(x, approximate=a.get("approximate", "none")),
    "Gemm": _gemm,
    "GlobalAveragePool": lambda a, x: x.mean(tuple(range(2, x.dim())), keepdim=True),
    "Greater": _function(torch.gt),
    "HardSigmoid": lambda a, x: torch.clamp(a.get("alpha", 0.2) * x + a.get("beta", 0.5), 0, 1),
    "Identity": lambda a, x: x,
    "LayerNormalization": _layer_norm,
    "Less": _function(torch.lt),
    "LogSoftmax": lambda a, x: torch.log_softmax(x, a.get("axis", -1)),
    "MatMul": _function(torch.matmul),
    "Max": lambda a, *xs: functools.reduce(torch.maximum, xs),
    "Min": lambda a, *xs: functools.reduce(torch.minimum, xs),
    "Mish": _function(functional.mish),
    "Mul": _function(torch.mul),
    "Neg": _function(torch.neg),
    "Pad": _pad,
    "Pow": lambda a, x, y: torch.pow(x, y).to(x.dtype),
    "QuantizeLinear": _quantize,
    "ReduceMax": _reduce(torch.amax),
    "ReduceMean": _reduce(torch.mean),
    "ReduceSum": _reduce(torch.sum),
    "Relu": _function(torch.relu),
    "Reshape": _reshape,
    "Selu": lambda a, x: functional.elu(x, a.get("alpha", 1.6732632423543772)).mul(
        a.get("gamma", 1.0507009873554805)
    ),
    "Shape": _shape,
    "Sigmoid": _function(torch.sigmoid),
    "Slice": _slice,
    "Softmax": lambda a, x: torch.softmax(x, a.get("axis", -1)),
    "Softplus": _function(functional.softplus),
    "Split": _split,
    "Sqrt": _function(torch.sqrt),
    "Squeeze": _squeeze,
    "Sub": _function(torch.sub),
    "Tanh": _function(torch.tanh),
    "Transpose": lambda a, x: x.permute(a.get("perm", tuple(reversed(range(x.dim()))))),
    "Unsqueeze": _unsqueeze,
    "Where": lambda a, condition, x, y: torch.where(condition, x, y),
}


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
    """An ONNX model as a PyTorch module. Raises BadFile for an unknown operator, with its name.

    Floating-point weights are parameters. Integers, scalars and batch normalisation statistics are buffers,
    so training does not change formulas.
    """

    def __init__(self, model: onnx.ModelProto) -> None:
        super().__init__()
        opset = max((entry.version for entry in model.opset_import if not entry.domain), default=0)
        if opset < OPSET:
            raise BadFile(f"PyTorch runs graphs of ONNX opset {OPSET} and later, not {opset}")
        constants = _constants(model)
        self._names = self._register(model, constants)
        self._outputs = [output.name for output in model.graph.output]
        self._steps = _steps(model, constants, keep={*self._names, *self._outputs})

    def forward(self, **inputs: Tensor) -> dict[str, Tensor]:
        """The graph's outputs by name, from its inputs by name."""
        values: dict[str, Any] = {name: getattr(self, attribute) for name, attribute in self._names.items()}
        values.update((name, _signed(value)) for name, value in inputs.items())
        for step in self._steps:
            arguments = [
                step.settings[i] if i in step.settings else values[name] if name else None
                for i, name in enumerate(step.inputs)
            ]
            results = step.operator(step.attributes, *arguments)
            results = results if isinstance(results, tuple) else (results,)
            values.update(zip(step.outputs, results, strict=False))
            for name in step.last_uses:
                values.pop(name, None)
        return {name: values[name] for name in self._outputs}

    def _register(self, model: onnx.ModelProto, constants: Mapping[str, NDArray[Any]]) -> dict[str, str]:
        """Registers the constants as parameters and buffers; returns the attribute name of each."""
        normalisations = (node for node in model.graph.node if node.op_type == "BatchNormalization")
        statistics = {name for node in normalisations for name in node.input[3:5]}
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
    for node in (node for node in model.graph.node if node.op_type == "Constant"):
        kind, value = node.attribute[0].name, helper.get_attribute_value(node.attribute[0])
        dtype = np.float32 if kind.startswith("value_float") else np.int64
        constant = numpy_helper.to_array(value) if kind == "value" else np.asarray(value, dtype)
        constants[node.output[0]] = constant
    return constants


def _steps(model: onnx.ModelProto, constants: Mapping[str, NDArray[Any]], keep: set[str]) -> list[_Step]:
    nodes = [node for node in model.graph.node if node.op_type != "Constant"]
    last_use = {name: i for i, node in enumerate(nodes) for name in (*node.output, *node.input)}
    steps = []
    for i, node in enumerate(nodes):
        if node.op_type not in OPERATORS:
            raise BadFile(f"PyTorch cannot run the operator {node.op_type} here")
        places = [*_STATIC_INPUTS.get(node.op_type, ())]
        if node.op_type == "Gather" and constants.get(node.input[1], np.empty(1)).ndim == 0:
            places.append(1)
        attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
        attributes = {name: v.decode() if isinstance(v, bytes) else v for name, v in attributes.items()}
        settings = {
            place: constants[node.input[place]].tolist()
            for place in places
            if place < len(node.input) and node.input[place] in constants
        }
        names = {*node.input, *node.output} - keep
        steps.append(
            _Step(
                OPERATORS[node.op_type],
                attributes | {"outputs": len(node.output)},
                tuple(node.input),
                settings,
                tuple(node.output),
                tuple(name for name in names if last_use[name] == i),
            )
        )
    return steps


def _signed(tensor: Tensor) -> Tensor:
    """Reinterprets uint64 as int64, which PyTorch can compute with: enough for bit planes."""
    return tensor.view(torch.int64) if tensor.dtype == torch.uint64 else tensor


# CUDA graphs: runs a captured function with a single launch. A training step of a small network is hundreds
# of small kernels, and launching them takes longer than running them.


_WARMUP_RUNS = 3


def compile_traced(function: Callable[..., Any], example: Sequence[Tensor]) -> Callable[..., Any]:
    """Compiles a function of tensors for the shapes of `example`.

    It is traced first, because torch.compile cannot follow TorchGraph's loop over its nodes.
    """
    return torch.compile(make_fx(function)(*example), dynamic=False)


class GraphedCallable:
    """A function of tensors, captured as a CUDA graph for the shapes of `example`.

    The outputs are overwritten by the next call. Capturing needs warm-up runs; `restore` is called after them
    to undo their effects. With `memory_of`, the graph shares the memory of another one, which never runs at
    the same time.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        example: Sequence[Tensor],
        restore: Callable[[], None] = lambda: None,
        memory_of: GraphedCallable | None = None,
    ) -> None:
        self._inputs = [tensor.clone() for tensor in example]
        # Each graph is captured on its own stream: cuBLAS has one workspace per stream, and graphs captured
        # on the same stream would overwrite each other's when they run concurrently.
        side = torch.cuda.Stream()  # type: ignore[no-untyped-call]  # untyped in PyTorch
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(_WARMUP_RUNS):
                function(*self._inputs)
            restore()
        torch.cuda.current_stream().wait_stream(side)
        self._graph = torch.cuda.CUDAGraph()
        pool = None if memory_of is None else memory_of._graph.pool()
        with torch.cuda.graph(self._graph, pool=pool, stream=side, capture_error_mode="thread_local"):
            self._outputs = function(*self._inputs)

    def __call__(self, *tensors: Tensor) -> Any:
        """Copies the tensors into the graph's inputs, replays it, and returns its outputs."""
        torch._foreach_copy_(self._inputs, tensors, non_blocking=True)
        self._graph.replay()
        return self._outputs
