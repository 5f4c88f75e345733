"""Learning: policies from people's games. `sparring.training.trainer` has the runs; it needs PyTorch."""

from sparring.training.config import (
    BadTrainingConfig,
    TrainingConfig,
    load_training_config,
    shipped_training_configs,
)

__all__ = ["BadTrainingConfig", "TrainingConfig", "load_training_config", "shipped_training_configs"]
