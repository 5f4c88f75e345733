"""Matching: how well policies predict people's moves, measured with intervals."""

from sparring.matching.choice_files import Expert, gather
from sparring.matching.choices import Choices, collect_choices
from sparring.matching.games import NoGames, Selection
from sparring.matching.measure import Contestant, Running, measure
from sparring.matching.positions import Sample, read_sample

__all__ = [
    "Choices",
    "Contestant",
    "Expert",
    "NoGames",
    "Running",
    "Sample",
    "Selection",
    "collect_choices",
    "gather",
    "measure",
    "read_sample",
]
