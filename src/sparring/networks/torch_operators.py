"""PyTorch implementations of the ONNX operators that our graphs use; most are one line of the table at the
end.

The semantics are those of opset 18 and later, which our readers write.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from sparring.networks.errors import BadNetwork
from sparring.networks.graph import OPSET

try:
    import torch
    from torch import Tensor, nn
    from torch.nn import functional
except ImportError:
    raise ImportError("PyTorch is not installed: pip install 'sparring[train]'") from None

__all__ = ["OPERATORS", "OPSET", "Attributes", "Operator", "Tensor", "nn", "torch"]

Attributes: TypeAlias = Mapping[str, Any]
Operator: TypeAlias = Callable[..., Any]
"""Takes the node's attributes and its inputs (None for an omitted one); returns one output or a tuple."""


def _numbers(setting: Any) -> list[int]:
    """A shape or axes as a list, also if the graph computes them."""
    found = setting.tolist() if isinstance(setting, Tensor) else setting
    return list(found) if isinstance(found, Sequence) else [found]


def _conv(a: Attributes, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    rank = x.dim() - 2
    if a.get("auto_pad", "NOTSET") != "NOTSET":
        raise BadNetwork(f"PyTorch cannot run a convolution with auto_pad {a['auto_pad']}")
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
        raise BadNetwork(f"PyTorch cannot pad in the mode {mode}")
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


def _batch_norm(a: Attributes, x: Tensor, scale: Tensor, bias: Tensor, mean: Tensor, var: Tensor) -> Tensor:
    return functional.batch_norm(x, mean, var, scale, bias, eps=a.get("epsilon", 1e-5))


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
        raise BadNetwork("PyTorch cannot run blocked quantisation here")
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


def _selu(a: Attributes, x: Tensor) -> Tensor:
    alpha, gamma = a.get("alpha", 1.6732632423543772), a.get("gamma", 1.0507009873554805)
    return functional.elu(x, alpha).mul(gamma)


def _divide(a: Attributes, x: Tensor, y: Tensor) -> Tensor:
    return x / y if x.is_floating_point() else torch.div(x, y, rounding_mode="trunc")


def _clip(a: Attributes, x: Tensor, low: Tensor | None = None, high: Tensor | None = None) -> Tensor:
    return x if low is None and high is None else torch.clamp(x, low, high)


def _expand(a: Attributes, x: Tensor, shape: Any) -> Tensor:
    return x.expand(np.broadcast_shapes(tuple(x.shape), tuple(_numbers(shape))))


def _cast(a: Attributes, x: Tensor) -> Tensor:
    dtype = helper.tensor_dtype_to_np_dtype(a["to"]) if a["to"] != TensorProto.BFLOAT16 else None
    if dtype is None:
        return x.to(torch.bfloat16)
    return x.to(torch.int64 if dtype == np.uint64 else torch.from_numpy(np.empty(0, dtype)).dtype)


def _each(run: Callable[[Tensor], Tensor]) -> Operator:
    return lambda a, x: run(x)


def _pair(run: Callable[[Tensor, Tensor], Tensor]) -> Operator:
    return lambda a, x, y: run(x, y)


OPERATORS: dict[str, Operator] = {
    "Abs": _each(torch.abs),
    "Add": _pair(torch.add),
    "BatchNormalization": _batch_norm,
    "BitShift": _bit_shift,
    "BitwiseAnd": _pair(torch.bitwise_and),
    "Cast": _cast,
    "Clip": lambda a, x, low=None, high=None: (
        x if low is None and high is None else torch.clamp(x, low, high)
    ),
    "Concat": lambda a, *xs: torch.cat(xs, a["axis"]),
    "ConstantOfShape": _constant_of_shape,
    "Conv": _conv,
    "DequantizeLinear": _dequantize,
    "Div": _divide,
    "Elu": lambda a, x: functional.elu(x, a.get("alpha", 1.0)),
    "Equal": _pair(torch.eq),
    "Erf": _each(torch.erf),
    "Exp": _each(torch.exp),
    "Expand": _expand,
    "Flatten": lambda a, x: x.reshape(math.prod(x.shape[: a.get("axis", 1)]), -1),
    "Gather": _gather,
    "Gelu": lambda a, x: functional.gelu(x, approximate=a.get("approximate", "none")),
    "Gemm": _gemm,
    "GlobalAveragePool": lambda a, x: x.mean(tuple(range(2, x.dim())), keepdim=True),
    "Greater": _pair(torch.gt),
    "HardSigmoid": lambda a, x: torch.clamp(a.get("alpha", 0.2) * x + a.get("beta", 0.5), 0, 1),
    "Identity": lambda a, x: x,
    "LayerNormalization": _layer_norm,
    "Less": _pair(torch.lt),
    "LogSoftmax": lambda a, x: torch.log_softmax(x, a.get("axis", -1)),
    "MatMul": _pair(torch.matmul),
    "Max": lambda a, *xs: functools.reduce(torch.maximum, xs),
    "Min": lambda a, *xs: functools.reduce(torch.minimum, xs),
    "Mish": _each(functional.mish),
    "Mul": _pair(torch.mul),
    "Neg": _each(torch.neg),
    "Pad": _pad,
    "Pow": lambda a, x, y: torch.pow(x, y).to(x.dtype),
    "QuantizeLinear": _quantize,
    "ReduceMax": _reduce(torch.amax),
    "ReduceMean": _reduce(torch.mean),
    "ReduceSum": _reduce(torch.sum),
    "Relu": _each(torch.relu),
    "Reshape": _reshape,
    "Selu": _selu,
    "Shape": _shape,
    "Sigmoid": _each(torch.sigmoid),
    "Slice": _slice,
    "Softmax": lambda a, x: torch.softmax(x, a.get("axis", -1)),
    "Softplus": _each(functional.softplus),
    "Split": _split,
    "Sqrt": _each(torch.sqrt),
    "Squeeze": _squeeze,
    "Sub": _pair(torch.sub),
    "Tanh": _each(torch.tanh),
    "Transpose": lambda a, x: x.permute(a.get("perm", tuple(reversed(range(x.dim()))))),
    "Unsqueeze": _unsqueeze,
    "Where": lambda a, condition, x, y: torch.where(condition, x, y),
}
