"""Learning: policies from people's games. `sparring.learn.training` has the runs; it needs PyTorch."""

from sparring.learn.configuration import (
    BadConfiguration,
    Configuration,
    load_configuration,
    shipped_configurations,
)

__all__ = ["BadConfiguration", "Configuration", "load_configuration", "shipped_configurations"]
