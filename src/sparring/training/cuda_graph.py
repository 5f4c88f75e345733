"""A function of tensors as one CUDA graph: to run it again costs the processor one call instead of hundreds.

A small network's step is hundreds of small kernels, and starting them takes longer than running them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

_WARM_UPS = 3


class GraphedCallable:
    """Runs a function on tensors of the shapes of an example. What it returns is overwritten by the next run.

    The function is run a few times first; `restore` undoes what that changed.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        example: Sequence[Tensor],
        restore: Callable[[], None] = lambda: None,
    ) -> None:
        self._inputs = [tensor.clone() for tensor in example]
        # A stream of its own: cuBLAS keeps scratch memory for each, and graphs that were captured on the same
        # one would spoil each other's when they run at the same time.
        side = torch.cuda.Stream()  # type: ignore[no-untyped-call]  # PyTorch's, without types
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(_WARM_UPS):
                function(*self._inputs)
            restore()
        torch.cuda.current_stream().wait_stream(side)
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph, stream=side, capture_error_mode="thread_local"):
            self._outputs = function(*self._inputs)

    def __call__(self, *tensors: Tensor) -> Any:
        """The function of these tensors."""
        torch._foreach_copy_(self._inputs, tensors, non_blocking=True)
        self._graph.replay()
        return self._outputs
