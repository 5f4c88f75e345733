"""An evaluation learned from one's own search: RootStrap, TreeStrap and TDLeaf, for games with features."""

from sparring.learn.bootstrap.run import BadRun, Block, Run
from sparring.learn.bootstrap.selfplay import Book
from sparring.learn.bootstrap.settings import ALGORITHMS, BadSettings, Settings

__all__ = ["ALGORITHMS", "BadRun", "BadSettings", "Block", "Book", "Run", "Settings"]
