"""Networks: one reader a file format, each giving an ONNX graph; one runtime that runs graphs."""

from sparring.networks.card import ModelCard
from sparring.networks.errors import BadNetwork
from sparring.networks.prediction import Position, Prediction

__all__ = ["BadNetwork", "ModelCard", "Position", "Prediction"]
