"""Network files: their content and formats, and the codec that a card names. Games add those of others."""

from __future__ import annotations

import gzip
import stat
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sparring import data
from sparring.base.errors import BadFile, require
from sparring.games import GAMES, load_game
from sparring.networks.card import ModelCard, has_card, read_card
from sparring.networks.codec import Codec, Position, Prediction, Tensors
from sparring.networks.conditioned import ConditionedCodec
from sparring.networks.onnx_reader import OnnxFile, check_content, read_onnx

if TYPE_CHECKING:
    import onnx


CodecFactory: TypeAlias = Callable[[Mapping[str, float | int | str]], Codec]
"""(settings of the model card) -> the codec. Raises KeyError, ValueError or BadFile."""


@dataclass(frozen=True)
class WeightsFormat:
    """A program's own format of weights."""

    program: str
    """Name of the program, for messages."""
    recognises: Callable[[bytes], bool]
    """Whether a file's content has this format."""
    read: Callable[[bytes, str], onnx.ModelProto]
    """(content, model name) -> the graph with its card. Raises BadFile."""


@dataclass(frozen=True)
class OnnxFormat:
    """ONNX files of a program, without Sparring's model card."""

    program: str
    """Name of the program, for messages."""
    inputs: frozenset[str]
    """Names of inputs by which its graphs are recognised."""
    read: Callable[[onnx.ModelProto, str], onnx.ModelProto]
    """(graph, model name) -> the graph with its card. Raises BadFile."""


@dataclass(frozen=True)
class NetworkFormats:
    """What a game adds to the networks."""

    codecs: Mapping[str, CodecFactory] = field(default_factory=dict)
    """Codecs by the name in model cards."""
    weights: WeightsFormat | None = None
    onnx: OnnxFormat | None = None


# The plain codec: a game's own planes in, one logit per move code out. The quickest way to a network for a
# new game.


class PlainCodec:
    """Codec of any game. Settings: `game`, its name."""

    optional_outputs = frozenset(("value",))

    def __init__(self, settings: Mapping[str, float | int | str]) -> None:
        self.game = str(settings["game"])
        self._spec = load_game(self.game).spec

    def output_shapes(self, inputs: Tensors) -> Mapping[str, tuple[int, ...]]:
        """A logit per move code; a value is optional."""
        return {"policy": (self._spec.moves,), "value": (1,)}

    def encode(self, positions: Sequence[Position]) -> Tensors:
        """The game's planes."""
        return {"planes": load_game(self.game).encode([position.state for position in positions])}

    def decode(self, positions: Sequence[Position], outputs: Tensors) -> list[Prediction]:
        """The softmax over the legal moves, and the value if the network has one."""
        policy = np.asarray(outputs["policy"], dtype=np.float32)
        values = np.asarray(outputs["value"]) if "value" in outputs else None
        predictions = []
        for row, position in enumerate(positions):
            moves = position.state.legal_moves()
            logits = policy[row, moves]
            weights = np.exp(logits - logits.max())
            value = None if values is None else float(values[row, 0])
            predictions.append(Prediction(tuple(moves), weights / weights.sum(), value, state=position.state))
        return predictions

    def symmetries(self, position: Position) -> int:
        """The number of symmetries that the rules allow in this position."""
        return int(position.state.symmetries)

    def apply_symmetry(self, positions: Sequence[Position], inputs: Tensors, symmetry: int) -> Tensors:
        """The planes with every cell moved by the symmetry."""
        planes = inputs["planes"]
        turned = np.empty_like(planes).reshape(*planes.shape[:2], -1)
        for row, position in enumerate(positions):
            cells = position.state.transformed_cells(symmetry)
            turned[row][:, cells] = planes[row].reshape(planes.shape[1], -1)
        return {"planes": turned.reshape(planes.shape)}

    def invert_symmetry(self, positions: Sequence[Position], outputs: Tensors, symmetry: int) -> Tensors:
        """The logits of the legal moves, read at the moves' images under the symmetry."""
        policy = np.array(outputs["policy"])
        for row, position in enumerate(positions):
            moves = position.state.transformed_moves(symmetry)
            policy[row, position.state.legal_moves()] = outputs["policy"][row, moves]
        return {**outputs, "policy": policy}


_GENERAL: Mapping[str, CodecFactory] = {"people": ConditionedCodec, "plain": PlainCodec}
"""Codecs of any game."""


def game_formats() -> Iterator[NetworkFormats]:
    """The formats that the games add."""
    return (game.networks() for game in GAMES.values() if game.networks is not None)


def codecs() -> dict[str, CodecFactory]:
    """All codecs by the name in model cards."""
    named = {name: codec for formats in game_formats() for name, codec in formats.codecs.items()}
    return dict(sorted({**named, **_GENERAL}.items()))


def lazy_reader(module: str) -> Callable[[Any, str], onnx.ModelProto]:
    """The function `read` of a module that needs the library `onnx`, imported when it is first called."""

    def read(content: Any, name: str) -> onnx.ModelProto:
        model: onnx.ModelProto = import_module(module).read(content, name)
        return model

    return read


def open_network(path: Path) -> tuple[bytes | onnx.ModelProto, ModelCard]:
    """Reads a network file for a runtime: a shipped one as it is, any other as `read_network` does.

    A shipped file needs no library `onnx`, whose import takes longer than the file. Raises BadFile,
    MissingExtra or OSError.
    """
    if not data.is_shipped(path):
        return read_network(path)
    try:
        content = read_file(path)
        file = read_onnx(content)
        card = read_card(file.metadata)
        check_content(file, make_codec(card))
        return content, card
    except BadFile as error:
        raise BadFile(f"{path}: {error}") from None


def open_graph(path: Path) -> OnnxFile:
    """Reads an ONNX file that has no codec, such as a network of synopses; a file of the user's is checked
    by the library `onnx`. Raises BadFile, MissingExtra or OSError."""
    content = path.read_bytes()
    if not data.is_shipped(path):
        _require_onnx(path)
        from sparring.networks.onnx_files import load_onnx

        content = load_onnx(content, path.parent).SerializeToString()
    return read_onnx(content)


def read_network(path: Path) -> tuple[onnx.ModelProto, ModelCard]:
    """Reads a network file of any supported format as an ONNX graph with its card. Raises BadFile,
    MissingExtra or OSError."""
    _require_onnx(path)
    from sparring.networks.onnx_files import check_graph

    try:
        model = _read(path)
        card = read_card({entry.key: entry.value for entry in model.metadata_props})
        check_graph(model, make_codec(card))
        return model, card
    except BadFile as error:
        raise BadFile(f"{path}: {error}") from None


def _require_onnx(path: Path) -> None:
    path.stat()  # a file that is not there is the first thing to say
    require("onnx", "networks", f"{path}: reading a network that is not shipped with Sparring needs")


def make_codec(card: ModelCard) -> Codec:
    """Creates the codec that a card names. Raises BadFile."""
    if (factory := _GENERAL.get(card.codec) or codecs().get(card.codec)) is None:
        raise BadFile(f"{card.name}: unknown codec '{card.codec}'; this Sparring has {', '.join(codecs())}")
    try:
        codec = factory(card.settings)
    except (KeyError, ValueError) as error:
        raise BadFile(f"{card.name}: the settings of its model card are wrong ({error})") from None
    if codec.game != card.game:
        raise BadFile(f"{card.name}: its model card names {card.game}, its codec is for {codec.game}")
    return codec


def _read(path: Path) -> onnx.ModelProto:
    content, name = read_file(path), model_name(path)
    if not content:
        raise BadFile("the file is empty")
    weights = [formats.weights for formats in game_formats() if formats.weights is not None]
    for program in weights:
        if program.recognises(content):
            return program.read(content, name)
    from sparring.networks.onnx_files import load_onnx

    try:
        model = load_onnx(content, path.parent)
    except BadFile as error:
        raise BadFile(f"not a network{_of(weights)}, and no valid ONNX file: {error}") from None
    if has_card({entry.key: entry.value for entry in model.metadata_props}):
        return model
    graphs = [formats.onnx for formats in game_formats() if formats.onnx is not None]
    inputs = {value.name for value in model.graph.input}
    for graph in graphs:
        if graph.inputs <= inputs:
            return graph.read(model, name)
    raise BadFile(f"an ONNX file without Sparring's model card, and not{_of(graphs)} by its inputs")


def _of(formats: Sequence[WeightsFormat | OnnxFormat]) -> str:
    return f" of {' or '.join(known.program for known in formats) or 'another program'}"


# The content of a network file, plain or gzipped, with a limit on its decompressed size.


_GZIP = b"\x1f\x8b"
_ALWAYS_FINE = 64 << 20
_RATIO = 20
"""Largest compression ratio. Trained weights hardly compress: a file with a larger ratio is not a
network."""
_LARGEST = 4 << 30


def read_file(path: Path) -> bytes:
    """The content of a file, decompressed if gzipped. Raises BadFile or OSError."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise BadFile("it is not a regular file")  # a pipe or a device may never end
    size = status.st_size
    limit = min(_LARGEST, max(_ALWAYS_FINE, _RATIO * size))
    with path.open("rb") as file:
        compressed = file.read(2) == _GZIP
    if not compressed:
        if size > _LARGEST:
            raise BadFile(f"it has {size:,} bytes, more than any network")
        return path.read_bytes()
    try:
        with gzip.open(path) as unpacked:
            content = unpacked.read(limit + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BadFile(f"the compressed file is cut off or broken ({error})") from None
    if len(content) > limit:
        raise BadFile(f"it unpacks to more than {limit:,} bytes, which no network of its size does")
    return content


def model_name(path: Path) -> str:
    """A network's name from its file: `maia-1500` for `maia-1500.pb.gz`."""
    name = path.name
    while name.endswith((".onnx", ".pb", ".bin", ".gz", ".txt")):
        name = name[: name.rindex(".")]
    return name
