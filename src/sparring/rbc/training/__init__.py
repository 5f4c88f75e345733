"""Training of synopsis networks for reconnaissance blind chess (DSMCP paper, sections 5.2 and 5.3).

`config` has the options, `examples` makes examples of games, `network` is the network and its ONNX file, and
`task` is the task `rbc` of the trainer.
"""

from sparring.rbc.training.config import RbcTrainingConfig, load_rbc_config, shipped_rbc_configs

__all__ = ["RbcTrainingConfig", "load_rbc_config", "shipped_rbc_configs"]
