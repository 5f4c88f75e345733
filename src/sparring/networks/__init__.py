"""Networks: one reader per file format, each returning an ONNX graph; one runtime for all graphs."""

from typing import TYPE_CHECKING

from sparring.base.lazy import attach

if TYPE_CHECKING:
    from sparring.networks.card import ModelCard as ModelCard
    from sparring.networks.codec import Position as Position
    from sparring.networks.codec import Prediction as Prediction
    from sparring.networks.network import Network as Network
    from sparring.networks.store import load_network as load_network

__getattr__, __dir__, __all__ = attach(__name__)
