"""Training of synopsis networks for reconnaissance blind chess (DSMCP paper, sections 5.2 and 5.3).

`config` has the options, `examples` makes examples of a game, `example_files` those of many games in
parallel, `model` and `loss` are the network, `trainer` trains it and `export` writes it as ONNX.
"""

from sparring.training.rbc.config import RbcTrainingConfig, load_rbc_config, shipped_rbc_configs

__all__ = ["RbcTrainingConfig", "load_rbc_config", "shipped_rbc_configs"]
