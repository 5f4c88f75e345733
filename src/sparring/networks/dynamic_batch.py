"""Gives graphs that were exported with batch size 1 a dynamic batch dimension.

Such an export has the number 1 in its inputs, its outputs and the shape constants of its operators. These
are rewritten. The result is then verified: for a batch it must give the outputs that the original graph
gives for single positions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from sparring.base.errors import BadFile
from sparring.networks.graph import BATCH_DIMENSION
from sparring.networks.onnx_files import check_memory, convert_opset, to_array
from sparring.networks.onnx_reader import read_onnx

if TYPE_CHECKING:
    import onnxruntime

_TOLERANCE = 1e-3
_VERIFY_BATCH = 3
_FIXED = "its batch is fixed at one position in a way that cannot be undone"


def with_dynamic_batch(
    model: onnx.ModelProto,
    outputs: Sequence[str],
    rewrite: Callable[[onnx.ModelProto], None] = lambda _: None,
) -> onnx.ModelProto:
    """The model with only these outputs, in our opset, with a dynamic batch dimension. Raises BadFile.

    `rewrite` may change the new graph before it is verified.
    """
    check_memory(model, {value.name: _single(value) for value in model.graph.input})
    freed = _free_batch(convert_opset(model))
    rewrite(freed)
    kept = onnx.ModelProto()
    kept.ParseFromString(read_onnx(freed.SerializeToString()).keep_outputs(outputs))
    _verify_batches(model, kept)
    return kept


def _single(value: onnx.ValueInfoProto) -> tuple[int, ...]:
    """The shape of an input for one position."""
    return (1, *(dim.dim_value for dim in value.type.tensor_type.shape.dim[1:]))


def _free_batch(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with a dynamic first dimension in every input and output.

    Assumes that the batch is the outermost dimension of every reshaped value, as exporters write it;
    `_verify_batches` checks this.
    """
    freed = onnx.ModelProto()
    freed.CopyFrom(model)
    ranks = _ranks(model)
    nodes: list[onnx.NodeProto] = []
    fed = {value.name for value in freed.graph.input}
    constants = _constants(freed)
    for node in freed.graph.node:
        if fed.intersection(node.input):
            fed.update(node.output)
            if node.op_type == "Reshape" and node.input[0] in fed and node.input[1] in constants:
                _free_reshape(node, constants[node.input[1]].astype(np.int64), freed.graph)
            elif node.op_type == "Concat" and _axis(node, ranks) != 0:
                nodes += _expand_constants(node, fed, ranks, freed.graph)
        nodes.append(node)
    del freed.graph.node[:]
    freed.graph.node.extend(nodes)
    del freed.graph.value_info[:]
    for value in (*freed.graph.input, *freed.graph.output):
        for first in value.type.tensor_type.shape.dim[:1]:
            first.dim_param = BATCH_DIMENSION
    return freed


def _verify_batches(original: onnx.ModelProto, freed: onnx.ModelProto) -> None:
    """Raises BadFile unless the new model gives for batches what the original gives for single
    positions."""
    inputs = _sample_inputs(freed)
    names = [output.name for output in freed.graph.output]
    single, batched = _session(original), _session(freed)
    rows = [_run(single, names, inputs, slice(i, i + 1)) for i in range(_VERIFY_BATCH)]
    for batch in (1, _VERIFY_BATCH):
        try:
            together = _run(batched, names, inputs, slice(batch))
        except BadFile as error:
            raise BadFile(f"{_FIXED}: {error}") from None
        for name, values, *expected in zip(names, together, *rows[:batch], strict=True):
            if not np.isfinite(expected).all():
                raise BadFile(f"its output {name} is not a finite number")
            if not _close(values, np.concatenate(expected)):
                raise BadFile(f"{_FIXED}: {name} differs")


def _free_reshape(node: onnx.NodeProto, shape: NDArray[np.int64], graph: onnx.GraphProto) -> None:
    """Makes the leading dimension of a reshape dynamic, alone or merged with others."""
    if shape.size == 0 or shape[0] <= 0 or (shape == 0).any():
        return
    shape = shape.copy()
    shape[0] = 0 if -1 in shape else -1
    node.input[1] = _add_constant(graph, f"{node.output[0]}.shape", shape)
    kept = [attribute for attribute in node.attribute if attribute.name != "allowzero"]
    del node.attribute[:]
    node.attribute.extend(kept)


def _expand_constants(
    node: onnx.NodeProto, fed: set[str], ranks: Mapping[str, int], graph: onnx.GraphProto
) -> list[onnx.NodeProto]:
    """Nodes that repeat constants along the batch dimension before a concatenation."""
    before: list[onnx.NodeProto] = []
    for i, name in enumerate(node.input):
        if name in fed:
            continue
        prefix = f"{node.output[0]}.{i}"
        first = _add_constant(graph, f"{prefix}.first", np.array([0], dtype=np.int64))
        ones = _add_constant(graph, f"{prefix}.ones", np.ones(ranks[name] - 1, dtype=np.int64))
        before += [
            helper.make_node("Shape", [graph.input[0].name], [f"{prefix}.Shape"]),
            helper.make_node("Gather", [f"{prefix}.Shape", first], [f"{prefix}.Gather"]),
            helper.make_node("Concat", [f"{prefix}.Gather", ones], [f"{prefix}.Concat"], axis=0),
            helper.make_node("Expand", [name, f"{prefix}.Concat"], [f"{prefix}.Expand"]),
        ]
        node.input[i] = f"{prefix}.Expand"
    return before


def _add_constant(graph: onnx.GraphProto, name: str, values: NDArray[np.int64]) -> str:
    graph.initializer.append(numpy_helper.from_array(values, name))
    return name


def _constants(model: onnx.ModelProto) -> dict[str, NDArray[np.generic]]:
    """The small integer constants by name: the ones that may hold shapes."""
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "Constant" and node.attribute and node.attribute[0].HasField("t"):
            tensors[node.output[0]] = node.attribute[0].t
    return {name: to_array(t) for name, t in tensors.items() if t.data_type == TensorProto.INT64}


def _ranks(model: onnx.ModelProto) -> dict[str, int]:
    inferred = onnx.shape_inference.infer_shapes(model).graph
    ranks = {tensor.name: len(tensor.dims) for tensor in inferred.initializer}
    for value in (*inferred.value_info, *inferred.input, *inferred.output):
        ranks[value.name] = len(value.type.tensor_type.shape.dim)
    return ranks


def _axis(node: onnx.NodeProto, ranks: Mapping[str, int]) -> int:
    axis: int = next(attribute.i for attribute in node.attribute if attribute.name == "axis")
    return axis if axis >= 0 else axis + ranks.get(node.output[0], 0)


def _sample_inputs(model: onnx.ModelProto) -> dict[str, NDArray[np.generic]]:
    """Random inputs: bits for floating-point inputs, ratings for integer inputs."""
    rng = np.random.default_rng(0)
    inputs: dict[str, NDArray[np.generic]] = {}
    for value in model.graph.input:
        tensor = value.type.tensor_type
        shape = (_VERIFY_BATCH, *_single(value)[1:])
        if tensor.elem_type == TensorProto.FLOAT:
            inputs[value.name] = (rng.random(shape) < 0.1).astype(np.float32)
        else:
            dtype = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
            inputs[value.name] = rng.integers(600, 2600, shape).astype(dtype)
    return inputs


def _session(model: onnx.ModelProto) -> onnxruntime.InferenceSession:
    import onnxruntime  # lazily, because importing it starts threads

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    content, providers = model.SerializeToString(), ["CPUExecutionProvider"]
    try:
        return onnxruntime.InferenceSession(content, options, providers=providers)
    except Exception as error:  # ONNX Runtime's errors have no common base class
        raise BadFile(f"ONNX Runtime cannot load it ({str(error).strip()[:200]})") from None


def _run(
    session: onnxruntime.InferenceSession,
    names: Sequence[str],
    inputs: Mapping[str, NDArray[np.generic]],
    rows: slice,
) -> Any:
    try:
        return session.run(names, {name: values[rows] for name, values in inputs.items()})
    except Exception as error:  # as above
        raise BadFile(f"ONNX Runtime cannot run it ({str(error).strip()[:200]})") from None


def _close(values: NDArray[np.generic], expected: NDArray[np.generic]) -> bool:
    if values.shape != expected.shape:
        return False
    scale = max(1.0, float(np.abs(expected).max(initial=0)))
    return bool(np.allclose(values, expected, rtol=0, atol=_TOLERANCE * scale))
