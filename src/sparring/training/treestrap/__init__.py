"""Training of evaluations from their own search: RootStrap, TreeStrap and TDLeaf. See docs/treestrap.md."""

from sparring.training.treestrap.algorithms import ALGORITHMS
from sparring.training.treestrap.config import BadTreeStrapConfig, TreeStrapRunConfig
from sparring.training.treestrap.run import BadTreeStrapRun, TrainingBlock, TreeStrapRun
from sparring.training.treestrap.selfplay import WeightedBook

__all__ = [
    "ALGORITHMS",
    "BadTreeStrapConfig",
    "BadTreeStrapRun",
    "TrainingBlock",
    "TreeStrapRun",
    "TreeStrapRunConfig",
    "WeightedBook",
]
