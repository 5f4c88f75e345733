"""An evaluation learned from one's own search: RootStrap, TreeStrap and TDLeaf, for games with features."""

from sparring.training.treestrap.config import ALGORITHMS, BadTreeStrapConfig, TreeStrapRunConfig
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
