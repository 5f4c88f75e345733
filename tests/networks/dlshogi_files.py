"""Small networks with dlshogi's inputs and outputs and random weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def tensor(name: str, *shape: int, rng: np.random.Generator) -> onnx.TensorProto:
    fan = int(np.prod(shape[1:])) or 1
    return numpy_helper.from_array((rng.normal(size=shape) / np.sqrt(fan)).astype(np.float32), name)


def dlshogi_model(
    batch: int | str = "batch_size", *, opset: int = 13, policy: int = 2187, planes: int = 62
) -> onnx.ModelProto:
    """Two convolutions added up, a residual block with swish, a policy and a value head."""
    rng = np.random.default_rng(7)
    weights = [
        tensor("c1", 8, planes, 3, 3, rng=rng),
        tensor("c2", 8, 57, 1, 1, rng=rng),
        tensor("c3", 8, 8, 3, 3, rng=rng),
        tensor("b3", 8, rng=rng),
        tensor("cp", policy // 81, 8, 1, 1, rng=rng),
        tensor("bp", policy, rng=rng),
        tensor("cv", 4, 8, 1, 1, rng=rng),
        tensor("fv", 1, 324, rng=rng),
        tensor("bv", 1, rng=rng),
        numpy_helper.from_array(np.array([-1 if batch != 1 else 1, policy], np.int64), "flat_policy"),
        numpy_helper.from_array(np.array([-1 if batch != 1 else 1, 324], np.int64), "flat_value"),
    ]
    same: dict[str, Any] = {"pads": [1, 1, 1, 1], "kernel_shape": [3, 3]}
    nodes = [
        helper.make_node("Conv", ["input1", "c1"], ["x1"], **same),
        helper.make_node("Conv", ["input2", "c2"], ["x2"]),
        helper.make_node("Add", ["x1", "x2"], ["x"]),
        helper.make_node("Conv", ["x", "c3", "b3"], ["y"], **same),
        helper.make_node("Sigmoid", ["y"], ["gate"]),
        helper.make_node("Mul", ["y", "gate"], ["swish"]),
        helper.make_node("Add", ["x", "swish"], ["z"]),
        helper.make_node("Conv", ["z", "cp"], ["p"]),
        helper.make_node("Reshape", ["p", "flat_policy"], ["pf"]),
        helper.make_node("Add", ["pf", "bp"], ["output_policy"]),
        helper.make_node("Conv", ["z", "cv"], ["v"]),
        helper.make_node("Relu", ["v"], ["vr"]),
        helper.make_node("Reshape", ["vr", "flat_value"], ["vf"]),
        helper.make_node("Gemm", ["vf", "fv", "bv"], ["vg"], transB=1),
        helper.make_node("Sigmoid", ["vg"], ["output_value"]),
    ]
    graph = helper.make_graph(
        nodes,
        "small",
        [
            helper.make_tensor_value_info("input1", TensorProto.FLOAT, [batch, planes, 9, 9]),
            helper.make_tensor_value_info("input2", TensorProto.FLOAT, [batch, 57, 9, 9]),
        ],
        [
            helper.make_tensor_value_info("output_policy", TensorProto.FLOAT, [batch, policy]),
            helper.make_tensor_value_info("output_value", TensorProto.FLOAT, [batch, 1]),
        ],
        weights,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
