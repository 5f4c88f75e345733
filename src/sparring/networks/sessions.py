"""Inference backends behind one protocol: ONNX Runtime (default), OpenVINO, PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sparring.config import usable_threads
from sparring.networks.codec import Tensors
from sparring.networks.cuda_graphs import CudaGraphSession
from sparring.networks.errors import BadNetwork, first_line

if TYPE_CHECKING:
    import onnx


class Session(Protocol):
    """A graph loaded into an inference backend."""

    device: str
    """The device on which it runs, in words."""

    def run(self, inputs: Tensors) -> dict[str, NDArray[np.float32]]:
        """All outputs of the graph by name."""
        ...


class OnnxRuntimeSession:
    """ONNX Runtime, on CUDA if its build supports it, else on the CPU."""

    def __init__(self, model: onnx.ModelProto, threads: int) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Idle threads that spin would take the core that the next game needs.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        available = onnxruntime.get_available_providers()
        providers = [p for p in ("CUDAExecutionProvider", "CPUExecutionProvider") if p in available]
        self._session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=providers)
        self._outputs = [output.name for output in self._session.get_outputs()]
        self.device = f"ONNX Runtime, {self._session.get_providers()[0].removesuffix('ExecutionProvider')}"

    def run(self, inputs: Tensors) -> dict[str, NDArray[np.float32]]:
        """All outputs of the graph by name."""
        return dict(zip(self._outputs, self._session.run(self._outputs, inputs), strict=True))


class OpenVinoSession:
    """OpenVINO on the CPU: bfloat16 if the processor supports it, which is faster and slightly less
    exact."""

    def __init__(self, model: onnx.ModelProto, threads: int) -> None:
        try:
            import openvino
        except ImportError:
            raise ImportError("OpenVINO is not installed: pip install 'sparring[openvino]'") from None
        core = openvino.Core()
        settings = {"PERFORMANCE_HINT": "THROUGHPUT", "NUM_STREAMS": 1, "INFERENCE_NUM_THREADS": threads}
        self._compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU", settings)
        self._outputs = [output.name for output in model.graph.output]  # OpenVINO keeps their order
        precision = self._compiled.get_property("INFERENCE_PRECISION_HINT").get_type_name()
        self.device = f"OpenVINO, CPU, {precision}"

    def run(self, inputs: Tensors) -> dict[str, NDArray[np.float32]]:
        """All outputs of the graph by name."""
        results = self._compiled(dict(inputs))
        return {name: results[i] for i, name in enumerate(self._outputs)}


class TorchSession:
    """PyTorch: on a GPU if there is one, else on the CPU in float32.

    On a GPU the network runs in bfloat16, or with `float32` in float32 with TF32 products, which is slower
    and differs less from the CPU.
    """

    def __init__(self, model: onnx.ModelProto, threads: int, *, float32: bool = False) -> None:
        from sparring.networks.torch_executor import TorchGraph, torch

        self._torch = torch
        self._gpu = torch.cuda.is_available()
        self._bfloat16 = self._gpu and not float32
        graph: Any = TorchGraph(model).eval()
        if self._gpu:
            torch.backends.cuda.matmul.allow_tf32 = True
            graph = graph.cuda().to(memory_format=torch.channels_last)
        else:
            torch.set_num_threads(threads)
        self.graph = graph
        """The network as a PyTorch module."""
        precision = "bfloat16" if self._bfloat16 else "TF32"
        self.device = f"PyTorch, GPU, {precision}" if self._gpu else "PyTorch, CPU"

    def run(self, inputs: Tensors) -> dict[str, NDArray[np.float32]]:
        """All outputs of the graph by name."""
        torch = self._torch
        device = "cuda" if self._gpu else "cpu"
        tensors = {name: torch.as_tensor(array).to(device) for name, array in inputs.items()}
        autocast = torch.autocast("cuda", torch.bfloat16, enabled=self._bfloat16)
        with torch.inference_mode(), autocast:
            outputs = self.graph(**tensors)
        return {name: value.float().cpu().numpy() for name, value in outputs.items()}


MAX_THREADS = 1024
"""Larger numbers are taken for mistakes."""
BACKENDS: dict[str, Callable[[onnx.ModelProto, int], Session]] = {
    "onnxruntime": OnnxRuntimeSession,
    "openvino": OpenVinoSession,
    "torch": TorchSession,
    "torch-float32": partial(TorchSession, float32=True),
    "torch-graphs": CudaGraphSession,
    "torch-compiled": partial(CudaGraphSession, compiled=True),
}


def open_session(model: onnx.ModelProto, backend: str = "onnxruntime", threads: int = 1) -> Session:
    """Opens a session of the named backend.

    The default is one thread: parallel games use the cores better. At most one thread a core is used. Raises
    ValueError for an unknown backend or number of threads, ImportError for one that is not installed, and
    BadNetwork for a graph that it refuses.
    """
    if backend not in BACKENDS:
        raise ValueError(f"unknown backend '{backend}'; there are {', '.join(BACKENDS)}")
    if not 1 <= threads <= MAX_THREADS:
        raise ValueError(f"threads = {threads}: expected 1 to {MAX_THREADS}")
    try:
        return BACKENDS[backend](model, usable_threads(threads))
    except (ImportError, BadNetwork):
        raise
    except Exception as error:  # the runtimes' errors have no common base class
        raise BadNetwork(f"{backend} cannot load it ({first_line(error)})") from None
