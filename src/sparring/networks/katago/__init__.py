"""KataGo's networks for Go: files of format versions 8 to 17, and what goes in and comes out."""

import onnx

from sparring.networks.katago.codec import KataGoCodec
from sparring.networks.katago.parsing import parse
from sparring.networks.katago.writing import write

__all__ = ["KataGoCodec", "read"]


def read(data: bytes, name: str) -> onnx.ModelProto:
    """The graph of a network from the content of its file, unzipped. Raises BadNetwork."""
    return write(parse(data), name)
