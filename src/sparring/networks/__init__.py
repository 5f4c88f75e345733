"""Networks: one reader a file format, each giving an ONNX graph; one runtime that runs graphs."""

from sparring.networks.batching import Batcher
from sparring.networks.card import ModelCard
from sparring.networks.errors import BadNetwork
from sparring.networks.network import Network
from sparring.networks.prediction import Position, Prediction
from sparring.networks.store import load

__all__ = ["BadNetwork", "Batcher", "ModelCard", "Network", "Position", "Prediction", "load"]
