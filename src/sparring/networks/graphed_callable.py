"""CUDA graphs: runs a captured function with a single launch.

A training step of a small network is hundreds of small kernels, and launching them takes longer than running
them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.fx.experimental.proxy_tensor import make_fx

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
