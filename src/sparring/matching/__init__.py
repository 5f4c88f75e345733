"""Move matching: how well policies predict people's moves, with confidence intervals."""

from sparring.matching.choice_data import ChoiceData, collect_choice_data
from sparring.matching.games import GameSelection, NoGames
from sparring.matching.measure import MeasureOptions, PolicySource, measure
from sparring.matching.positions import Sample, read_sample
from sparring.matching.prediction_cache import CachedPolicy, gather_choice_data

__all__ = [
    "CachedPolicy",
    "ChoiceData",
    "GameSelection",
    "MeasureOptions",
    "NoGames",
    "PolicySource",
    "Sample",
    "collect_choice_data",
    "gather_choice_data",
    "measure",
    "read_sample",
]
