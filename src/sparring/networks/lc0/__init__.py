"""Networks of Leela Chess Zero and related projects such as Maia: reader, graph and codec."""

from sparring.networks.lc0.codec import Lc0Codec, mirrored_moves
from sparring.networks.lc0.convert import read
from sparring.networks.lc0.reader import looks_like_lc0

__all__ = ["Lc0Codec", "looks_like_lc0", "mirrored_moves", "read"]
