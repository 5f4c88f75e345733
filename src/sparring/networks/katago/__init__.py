"""KataGo's networks for Go: files of format versions 8 to 17, and what goes in and comes out."""

import re

import onnx

from sparring.networks.katago.codec import KataGoCodec
from sparring.networks.katago.convert import to_onnx
from sparring.networks.katago.parsing import parse

__all__ = ["KataGoCodec", "looks_like_katago", "read"]


def read(data: bytes, name: str) -> onnx.ModelProto:
    """The graph of a network from the content of its file, unzipped. Raises BadNetwork."""
    return to_onnx(parse(data), name)


def looks_like_katago(data: bytes) -> bool:
    """Whether the content of a file begins as KataGo's do: a name and three numbers."""
    return re.match(rb"\s*[!-~]{1,256}\s+[0-9]{1,9}\s+[0-9]{1,9}\s+[0-9]{1,9}\s", data[:1000]) is not None
