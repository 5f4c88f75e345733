"""Training of policy and value networks.

`sparring.training.trainer` has the `Trainer`, which needs PyTorch.
"""

from sparring.training.config import (
    BadTrainingConfig,
    TrainingConfig,
    load_training_config,
    shipped_training_configs,
)
from sparring.training.divergence import TrainingDiverged

__all__ = [
    "BadTrainingConfig",
    "TrainingConfig",
    "TrainingDiverged",
    "load_training_config",
    "shipped_training_configs",
]
