"""A network on a GPU as captured CUDA graphs: one launch a batch in place of one for each operator.

A quantised network has hundreds of small operators, whose launches take longer than their work. Batches are
padded to a few sizes, each captured at its first use. torch.compile also joins the operators: on an H200 a
batch of 128 takes 2.2 ms instead of 6.8, after half a minute of compilation.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring.networks.codec import Tensors
from sparring.networks.errors import first_line

if TYPE_CHECKING:
    import onnx

SIZES = (8, 32, 64, 128, 256, 512)
"""Captured batches. Larger ones are run operator by operator."""
COMPILED_SIZES = (128, 512)
"""Fewer sizes for compiled networks, since each is compiled."""
_TOLERANCE = 0.02
"""Largest difference of a captured batch from the eager run, as a share of the largest output."""
_COMPILED_TOLERANCE = 0.1
"""The same for compiled networks: joined operators round less often, and quantisation enlarges the
difference."""
Outputs: TypeAlias = dict[str, NDArray[np.float32]]


class CudaGraphSession:
    """PyTorch in bfloat16 on a GPU, with CUDA graphs; on the CPU, or if the capture fails, without them.

    `compiled` uses torch.compile first.
    """

    def __init__(self, model: onnx.ModelProto, threads: int, *, compiled: bool = False) -> None:
        from sparring.networks.sessions import TorchSession
        from sparring.networks.torch_executor import fold_constants

        self._eager = TorchSession(fold_constants(model), threads)
        self._captured: dict[int, Callable[[Tensors], Outputs]] = {}
        self._compiled = compiled
        suffix = ", compiled, CUDA graphs" if compiled else ", CUDA graphs"
        self.device = self._eager.device + (suffix if "GPU" in self._eager.device else "")

    def run(self, inputs: Tensors) -> Outputs:
        """All outputs of the graph by name."""
        rows = len(next(iter(inputs.values())))
        size = next((each for each in (COMPILED_SIZES if self._compiled else SIZES) if each >= rows), 0)
        if not size:
            return self._eager.run(inputs)
        if size not in self._captured:
            self._captured[size] = self._checked(inputs, size)
        return self._captured[size](inputs)

    def _checked(self, inputs: Tensors, size: int) -> Callable[[Tensors], Outputs]:
        """A captured batch if it agrees with the eager run of these inputs, else the eager run."""
        expected = self._eager.run(inputs)
        try:
            captured = _capture(self._eager.graph, inputs, size, self._compiled)
            found = captured(inputs)
        except (RuntimeError, AssertionError) as error:
            print(f"no CUDA graph of {size} positions: {first_line(error)}", file=sys.stderr)
            return self._eager.run
        tolerance = _COMPILED_TOLERANCE if self._compiled else _TOLERANCE
        for name, values in expected.items():
            difference = float(np.abs(found[name] - values).max(initial=0))
            if not difference <= tolerance * max(1.0, float(np.abs(values).max(initial=0))):
                print(f"CUDA graph of {size} positions: {name} differs by {difference}", file=sys.stderr)
                return self._eager.run
        return captured


def _capture(graph: Any, inputs: Tensors, size: int, compiled: bool) -> Callable[[Tensors], Outputs]:
    """A function that runs batches of at most `size` positions. Raises RuntimeError without CUDA."""
    import torch

    from sparring.networks.graphed_callable import GraphedCallable, compile_traced

    names = list(inputs)

    def forward(*tensors: torch.Tensor) -> dict[str, torch.Tensor]:
        with torch.autocast("cuda", torch.bfloat16, cache_enabled=False):
            return {
                name: value.float() for name, value in graph(**dict(zip(names, tensors, strict=True))).items()
            }

    def padded(batch: Tensors) -> list[torch.Tensor]:
        return [torch.from_numpy(_padded(batch[name], size)) for name in names]

    with torch.no_grad():
        example = [tensor.cuda() for tensor in padded(inputs)]
        captured = GraphedCallable(compile_traced(forward, example) if compiled else forward, example)

    def run(batch: Tensors) -> Outputs:
        rows = len(batch[names[0]])
        with torch.no_grad():
            outputs = captured(*padded(batch))
            return {name: value[:rows].cpu().numpy() for name, value in outputs.items()}

    return run


def _padded(array: NDArray[Any], size: int) -> NDArray[Any]:
    """The array with zeros below it, `size` rows in all."""
    rows = np.zeros((size, *array.shape[1:]), array.dtype)
    rows[: len(array)] = array
    return rows
