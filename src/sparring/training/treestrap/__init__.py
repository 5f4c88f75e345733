"""Training of evaluations from their own search: RootStrap, TreeStrap and TDLeaf. See docs/treestrap.md."""

from sparring.training.treestrap.algorithms import ALGORITHMS
from sparring.training.treestrap.run import TrainingBlock, TreeStrapRun, TreeStrapRunConfig, WeightedBook

__all__ = [
    "ALGORITHMS",
    "TrainingBlock",
    "TreeStrapRun",
    "TreeStrapRunConfig",
    "WeightedBook",
]
