"""Measurements: how well policies predict people, how strong players are, fitted parameters."""

from typing import TYPE_CHECKING

from sparring.base.lazy import attach

if TYPE_CHECKING:
    from sparring.measure.blending import curves_text as curves_text
    from sparring.measure.blending import fit_groups as fit_groups
    from sparring.measure.blending import position_blend as position_blend
    from sparring.measure.blending import rating_blend as rating_blend
    from sparring.measure.blending import traits_text as traits_text
    from sparring.measure.expectation import ExpectationConfig as ExpectationConfig
    from sparring.measure.expectation import SaferMove as SaferMove
    from sparring.measure.expectation import safer_moves as safer_moves
    from sparring.measure.matching import MeasureOptions as MeasureOptions
    from sparring.measure.matching import PolicySource as PolicySource
    from sparring.measure.matching import measure as measure
    from sparring.measure.mistakes import POINTS as POINTS
    from sparring.measure.mistakes import JudgeConfig as JudgeConfig
    from sparring.measure.mistakes import judge_games as judge_games
    from sparring.measure.mistakes import mistakes_report as mistakes_report
    from sparring.measure.mistakes import people_mistakes as people_mistakes
    from sparring.measure.points import PointsConfig as PointsConfig
    from sparring.measure.points import judge_points as judge_points
    from sparring.measure.samples import GameSelection as GameSelection
    from sparring.measure.samples import Sample as Sample
    from sparring.measure.samples import read_sample as read_sample
    from sparring.measure.scores import CachedPolicy as CachedPolicy
    from sparring.measure.scores import collect_choice_data as collect_choice_data
    from sparring.measure.scores import gather_choice_data as gather_choice_data
    from sparring.measure.strength import estimate_rating as estimate_rating
    from sparring.measure.strength import measure_levels as measure_levels
    from sparring.measure.strength import shipped_strength_model as shipped_strength_model
    from sparring.measure.tuning import Descent as Descent
    from sparring.measure.tuning import DescentConfig as DescentConfig
    from sparring.measure.tuning import Theta as Theta
    from sparring.measure.tuning import class_positions as class_positions
    from sparring.measure.tuning_run import TuningConfig as TuningConfig
    from sparring.measure.tuning_run import tune_classes as tune_classes
    from sparring.measure.turing import score_verdicts as score_verdicts
    from sparring.measure.turing import shipped_kit as shipped_kit

__getattr__, __dir__, __all__ = attach(__name__)
