"""KataGo's networks for Go: reader of format versions 8 to 17, graph and codec."""

import re

import onnx

from sparring.networks.katago.codec import KataGoCodec
from sparring.networks.katago.convert import to_onnx
from sparring.networks.katago.parsing import parse

__all__ = ["KataGoCodec", "looks_like_katago", "read"]


def read(data: bytes, name: str) -> onnx.ModelProto:
    """Converts the decompressed content of a file to an ONNX graph. Raises BadNetwork."""
    return to_onnx(parse(data), name)


def looks_like_katago(data: bytes) -> bool:
    """Whether the content of a file begins like KataGo's: a name and three numbers."""
    return re.match(rb"\s*[!-~]{1,256}\s+[0-9]{1,9}\s+[0-9]{1,9}\s+[0-9]{1,9}\s", data[:1000]) is not None
