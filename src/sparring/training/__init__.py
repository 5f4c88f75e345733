"""Training of networks: one trainer, and the tasks that it runs.

`sparring.training.trainer` has the `Trainer`, `people` and `student` are tasks; they need PyTorch.
"""

from sparring.training.config import TrainingConfig, load_training_config, shipped_training_configs
from sparring.training.task import TrainingDiverged

__all__ = [
    "TrainingConfig",
    "TrainingDiverged",
    "load_training_config",
    "shipped_training_configs",
]
