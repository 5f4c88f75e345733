"""A network ready for inference: its session, card and codec.

The inference backends are behind one protocol, each for a measured reason:

- ONNX Runtime, the default: it runs on every CPU, and its results are those of the published figures.
- OpenVINO on a CPU with bfloat16: 2.5 times as many positions a second as ONNX Runtime at 6 blocks of 64.
- PyTorch on a GPU, in bfloat16 (`torch`), in float32 for figures that must agree with the CPU's
  (`torch-float32`), or compiled with CUDA graphs for long runs (`torch-compiled`). The likeliest move of
  `human-chess` is another one than with ONNX Runtime in 2.7 % of 600 positions in bfloat16 and in 0.8 % in
  float32, of `human-shogi` in 0.2 % and in none (results/bench/precision.json). A quantised network has
  hundreds of small operators, whose launches take longer than their work: on an H200 a batch of 128 takes
  2.2 ms compiled instead of 6.8, after half a minute of compilation.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Protocol, TypeAlias, TypeVar

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from sparring.base.config import usable_threads
from sparring.base.errors import BadFile, first_line
from sparring.games import describe
from sparring.networks.card import ModelCard
from sparring.networks.codec import (
    BatchCodec,
    Codec,
    Position,
    PositionBatch,
    Prediction,
    PredictionBatch,
    RatingConditionedCodec,
    SymmetryCodec,
    Tensors,
)
from sparring.networks.onnx_reader import read_onnx

if TYPE_CHECKING:
    import onnx
    import torch


Model: TypeAlias = "bytes | onnx.ModelProto"
"""An ONNX graph: the content of a file, or as the library `onnx` has it."""
Outputs: TypeAlias = dict[str, NDArray[np.float32]]
"""Output arrays by name."""


def serialized(model: Model) -> bytes:
    """The graph as the content of a file."""
    if isinstance(model, bytes):
        return model
    content: bytes = model.SerializeToString()
    return content


def _graph(model: Model) -> onnx.ModelProto:
    """The graph of the library `onnx`."""
    if not isinstance(model, bytes):
        return model
    import onnx

    graph = onnx.ModelProto()
    graph.ParseFromString(model)
    return graph


class Session(Protocol):
    """A graph loaded into an inference backend."""

    device: str
    """The device on which it runs, in words."""

    def run(self, inputs: Tensors) -> Outputs:
        """All outputs of the graph by name."""


class OnnxRuntimeSession:
    """ONNX Runtime, on CUDA if its build supports it, else on the CPU."""

    def __init__(self, model: Model, threads: int) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Idle threads that spin would take the core that the next game needs.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        available = onnxruntime.get_available_providers()
        providers = [p for p in ("CUDAExecutionProvider", "CPUExecutionProvider") if p in available]
        self._session = onnxruntime.InferenceSession(serialized(model), options, providers=providers)
        self._outputs = [output.name for output in self._session.get_outputs()]
        self.device = f"ONNX Runtime, {self._session.get_providers()[0].removesuffix('ExecutionProvider')}"

    def run(self, inputs: Tensors) -> Outputs:
        """All outputs of the graph by name."""
        return dict(zip(self._outputs, self._session.run(self._outputs, inputs), strict=True))


class OpenVinoSession:
    """OpenVINO on the CPU: bfloat16 if the processor supports it, which is faster and slightly less
    exact."""

    def __init__(self, model: Model, threads: int) -> None:
        try:
            import openvino
        except ImportError:
            raise ImportError("OpenVINO is not installed: pip install 'sparring[openvino]'") from None
        core, content = openvino.Core(), serialized(model)
        settings = {"PERFORMANCE_HINT": "THROUGHPUT", "NUM_STREAMS": 1, "INFERENCE_NUM_THREADS": threads}
        self._compiled = core.compile_model(core.read_model(content), "CPU", settings)
        self._outputs = [output.name for output in read_onnx(content).outputs]  # OpenVINO keeps their order
        precision = self._compiled.get_property("INFERENCE_PRECISION_HINT").get_type_name()
        self.device = f"OpenVINO, CPU, {precision}"

    def run(self, inputs: Tensors) -> Outputs:
        """All outputs of the graph by name."""
        results = self._compiled(dict(inputs))
        return {name: results[i] for i, name in enumerate(self._outputs)}


class TorchSession:
    """PyTorch: on a GPU if there is one, else on the CPU in float32.

    On a GPU the network runs in bfloat16, or with `float32` in float32 with TF32 products, which is slower
    and differs less from the CPU.
    """

    def __init__(self, model: Model, threads: int, *, float32: bool = False) -> None:
        from sparring.networks.torch_executor import TorchGraph  # says what to install without PyTorch
        import torch  # isort: skip

        self._torch = torch
        self._gpu = torch.cuda.is_available()
        self._bfloat16 = self._gpu and not float32
        graph: Any = TorchGraph(_graph(model)).eval()
        if self._gpu:
            torch.backends.cuda.matmul.allow_tf32 = True
            graph = graph.cuda().to(memory_format=torch.channels_last)
        else:
            torch.set_num_threads(threads)
        self.graph = graph
        """The network as a PyTorch module."""
        precision = "bfloat16" if self._bfloat16 else "TF32"
        self.device = f"PyTorch, GPU, {precision}" if self._gpu else "PyTorch, CPU"

    def run(self, inputs: Tensors) -> Outputs:
        """All outputs of the graph by name."""
        torch = self._torch
        device = "cuda" if self._gpu else "cpu"
        tensors = {name: torch.as_tensor(array).to(device) for name, array in inputs.items()}
        autocast = torch.autocast("cuda", torch.bfloat16, enabled=self._bfloat16)
        with torch.inference_mode(), autocast:
            outputs = self.graph(**tensors)
        return {name: value.float().cpu().numpy() for name, value in outputs.items()}


# A network as compiled CUDA graphs: one launch a batch in place of one for each operator.


SIZES = (128, 512)
"""Captured batches; smaller ones are padded, larger ones run operator by operator."""
_TOLERANCE = 0.1
"""Largest difference of a captured batch from the eager run, as a share of the largest output: joined
operators round less often, and quantisation enlarges the difference."""


class CudaGraphSession:
    """PyTorch in bfloat16 on a GPU, compiled and captured as CUDA graphs; on the CPU, or if the capture
    fails, without them."""

    def __init__(self, model: Model, threads: int) -> None:
        from sparring.networks.torch_executor import fold_constants

        self._eager = TorchSession(fold_constants(_graph(model)), threads)
        self._captured: dict[int, Callable[[Tensors], Outputs]] = {}
        self.device = self._eager.device + (", compiled, CUDA graphs" if "GPU" in self._eager.device else "")

    def run(self, inputs: Tensors) -> Outputs:
        """All outputs of the graph by name."""
        rows = len(next(iter(inputs.values())))
        size = next((size for size in SIZES if size >= rows), 0)
        if not size:
            return self._eager.run(inputs)
        if size not in self._captured:
            self._captured[size] = self._checked(inputs, size)
        return self._captured[size](inputs)

    def _checked(self, inputs: Tensors, size: int) -> Callable[[Tensors], Outputs]:
        """A captured batch if it agrees with the eager run of these inputs, else the eager run."""
        expected = self._eager.run(inputs)
        try:
            captured = _capture(self._eager.graph, inputs, size)
            outputs = captured(inputs)
        except (RuntimeError, AssertionError) as error:
            print(f"no CUDA graph of {size} positions: {first_line(error)}", file=sys.stderr)
            return self._eager.run
        for name, values in expected.items():
            difference = float(np.abs(outputs[name] - values).max(initial=0))
            if not difference <= _TOLERANCE * max(1.0, float(np.abs(values).max(initial=0))):
                print(f"CUDA graph of {size} positions: {name} differs by {difference}", file=sys.stderr)
                return self._eager.run
        return captured


def _capture(graph: Any, inputs: Tensors, size: int) -> Callable[[Tensors], Outputs]:
    """A function that runs batches of at most `size` positions. Raises RuntimeError without CUDA."""
    import torch

    from sparring.networks.torch_executor import GraphedCallable, compile_traced

    names = list(inputs)

    def forward(*tensors: torch.Tensor) -> dict[str, torch.Tensor]:
        with torch.autocast("cuda", torch.bfloat16, cache_enabled=False):
            outputs = graph(**dict(zip(names, tensors, strict=True)))
            return {name: value.float() for name, value in outputs.items()}

    def padded(batch: Tensors) -> list[torch.Tensor]:
        """The inputs with zeros below them, `size` rows in all."""
        rows = []
        for array in (batch[name] for name in names):
            below = np.zeros((size - len(array), *array.shape[1:]), array.dtype)
            rows.append(torch.from_numpy(np.concatenate([array, below])))
        return rows

    with torch.no_grad():
        example = [tensor.cuda() for tensor in padded(inputs)]
        captured = GraphedCallable(compile_traced(forward, example), example)

    def run(batch: Tensors) -> Outputs:
        rows = len(batch[names[0]])
        with torch.no_grad():
            outputs = captured(*padded(batch))
            return {name: value[:rows].cpu().numpy() for name, value in outputs.items()}

    return run


MAX_THREADS = 1024
"""Larger numbers are taken for mistakes."""
BACKENDS: dict[str, Callable[[Model, int], Session]] = {
    "onnxruntime": OnnxRuntimeSession,
    "openvino": OpenVinoSession,
    "torch": TorchSession,
    "torch-float32": partial(TorchSession, float32=True),
    "torch-compiled": CudaGraphSession,
}


def open_session(model: Model, backend: str = "onnxruntime", threads: int = 1) -> Session:
    """Opens a session of the named backend.

    The default is one thread: parallel games use the cores better. At most one thread a core is used. Raises
    ValueError for an unknown backend or number of threads, ImportError for one that is not installed, and
    BadFile for a graph that it refuses.
    """
    if backend not in BACKENDS:
        raise ValueError(f"unknown backend '{backend}'; there are {', '.join(BACKENDS)}")
    if not 1 <= threads <= MAX_THREADS:
        raise ValueError(f"threads = {threads}: expected 1 to {MAX_THREADS}")
    try:
        return BACKENDS[backend](model, usable_threads(threads))
    except (ImportError, BadFile):
        raise
    except Exception as error:  # the runtimes' errors have no common base class
        raise BadFile(f"{backend} cannot load it ({first_line(error)})") from None


# A network ready for inference: session, card and codec.


_BATCH = 64
"""Larger batches do not fit a CPU's caches and are not faster."""


class Network:
    """Predicts moves and results."""

    def __init__(
        self,
        model: Model,
        card: ModelCard,
        codec: Codec,
        *,
        backend: str = "onnxruntime",
        threads: int = 1,
        batch: int = _BATCH,
    ) -> None:
        self.card = card
        self.codec = codec
        self.batch = batch
        self._state_type = describe(codec.game).state_class
        self._session = open_session(model, backend, threads)

    def __repr__(self) -> str:
        return f"<Network {self.card.name} ({self.codec.game}) on {self.device}>"

    @property
    def device(self) -> str:
        """The device on which it runs, in words."""
        return self._session.device

    @property
    def ratings(self) -> tuple[float, float] | None:
        """The lowest and the highest rating that it accepts; None if it is not conditioned on ratings."""
        return self.codec.ratings if isinstance(self.codec, RatingConditionedCodec) else None

    def predict(self, positions: Sequence[Position | Any], *, symmetry: int = 0) -> list[Prediction]:
        """One prediction per position (or bare state), evaluated in batches.

        `symmetry` is the board symmetry under which the network sees the positions, below
        `symmetries(position)`. Raises ValueError for a state of another game and for a game that is over, and
        BadFile if the graph cannot be run or its outputs are not finite numbers.
        """
        checked = [self._checked(i, position) for i, position in enumerate(positions)]
        by_size: dict[int, list[int]] = {}  # only boards of one size fit into one tensor of every family
        for row, position in enumerate(checked):
            by_size.setdefault(getattr(position.state, "size", 0), []).append(row)
        predictions: dict[int, Prediction] = {}
        for rows in by_size.values():
            for start in range(0, len(rows), self.batch):
                part = rows[start : start + self.batch]
                answers = self._predict_tensor([checked[row] for row in part], symmetry)
                predictions.update(zip(part, answers, strict=True))
        return [predictions[row] for row in range(len(checked))]

    def predict_batch(self, batch: PositionBatch) -> PredictionBatch:
        """Predictions for a batch of positions, evaluated `self.batch` at a time.

        Raises ValueError for a game that is over, and BadFile as `predict` does.
        """
        if not isinstance(self.codec, BatchCodec):
            return PredictionBatch.of(self.predict(batch.positions()))
        parts = []
        for start in range(0, len(batch), self.batch):
            rows = np.arange(start, min(start + self.batch, len(batch)))
            part = batch if len(rows) == len(batch) else batch.take(rows)
            parts.append(self.codec.decode_batch(part, self._run(self.codec.encode_batch(part))))
        return PredictionBatch.join(parts)

    def _run(self, inputs: Tensors) -> Tensors:
        """The graph's outputs. Raises BadFile unless they are finite numbers in the codec's shapes."""
        try:
            outputs = self._session.run(inputs)
        except Exception as error:  # the runtimes' errors have no common base class
            raise BadFile(f"{self.card.name}: it cannot be run ({first_line(error)})") from None
        (rows,) = {len(array) for array in inputs.values()}
        for name, shape in self.codec.output_shapes(inputs).items():
            if name not in outputs:
                continue  # `check_graph` refuses networks that lack what is not optional
            if outputs[name].shape != (rows, *shape):
                raise BadFile(f"{self.card.name}: its output {name} has the shape {outputs[name].shape}")
            if not np.isfinite(outputs[name]).all():
                raise BadFile(f"{self.card.name}: its output {name} is not a finite number")
        return outputs

    def symmetries(self, position: Position) -> int:
        """The number of symmetries of a position that this network supports, the identity included."""
        return self.codec.symmetries(position) if isinstance(self.codec, SymmetryCodec) else 1

    def _checked(self, index: int, position: Position | Any) -> Position:
        if not isinstance(position, Position):
            position = Position(position)
        if not isinstance(position.state, self._state_type):
            kind = type(position.state).__name__
            raise ValueError(f"{self.card.name} is a network for {self.codec.game}, not for a {kind}")
        if (outcome := position.state.outcome) is not None:
            raise ValueError(f"position {index + 1} has no moves: the game is over ({outcome.reason})")
        return position

    def _predict_tensor(self, positions: list[Position], symmetry: int) -> list[Prediction]:
        inputs = self.codec.encode(positions)
        if not symmetry:
            return self.codec.decode(positions, self._run(inputs))
        if not isinstance(self.codec, SymmetryCodec):
            raise ValueError(f"{self.card.name} sees boards from one side only")
        outputs = self._run(self.codec.apply_symmetry(positions, inputs, symmetry))
        return self.codec.decode(positions, self.codec.invert_symmetry(positions, outputs, symmetry))


# Reads the settings of a codec from a model card.


T = TypeVar("T")
RatingBound = Annotated[float, Meta(ge=-1e6, le=1e6)]


def read_settings(cls: type[T], settings: Mapping[str, float | int | str]) -> T:
    """The settings as a dataclass, whose annotations are types and ranges. Raises BadFile."""
    try:
        return msgspec.convert(dict(settings), cls)
    except msgspec.ValidationError as error:
        raise BadFile(f"the settings of its model card are wrong ({error})") from None
