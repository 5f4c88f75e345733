"""Networks: one reader per file format, each returning an ONNX graph; one runtime for all graphs."""

from typing import TYPE_CHECKING

from sparring._lazy import attach

if TYPE_CHECKING:
    from sparring.networks.card import ModelCard as ModelCard
    from sparring.networks.errors import BadNetwork as BadNetwork
    from sparring.networks.network import Network as Network
    from sparring.networks.prediction import Position as Position
    from sparring.networks.prediction import Prediction as Prediction
    from sparring.networks.store import load_network as load_network

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "card": ("ModelCard",),
        "errors": ("BadNetwork",),
        "network": ("Network",),
        "prediction": ("Position", "Prediction"),
        "store": ("load_network",),
    },
)
