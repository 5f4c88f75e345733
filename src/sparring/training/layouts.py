"""The layout of a configuration's network: encoding, planes and policy, by the game's description."""

from __future__ import annotations

from sparring.games import NetworkLayout, describe
from sparring.networks.conditioned import InputSpec
from sparring.training.config import TrainingConfig


def layout_of(config: TrainingConfig) -> NetworkLayout:
    """The layout of a configuration's network. Raises ValueError where the game has none."""
    layout = describe(config.game).layout
    if layout is None:
        raise ValueError(f"networks of {config.game} cannot be trained: its description has no layout")
    return layout(config.network.history)


def input_spec_of(config: TrainingConfig) -> InputSpec:
    """The settings of the network's codec."""
    lowest, highest = config.network.rating_range or (0.0, 1.0)
    return InputSpec(config.game, layout_of(config).encoding, config.network.history, lowest, highest)
