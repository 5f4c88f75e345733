"""Strength: a player's rating from its games."""

from typing import TYPE_CHECKING

from sparring._lazy import attach

if TYPE_CHECKING:
    from sparring.strength.evidence import GameEvidence as GameEvidence
    from sparring.strength.evidence import collect_evidence as collect_evidence
    from sparring.strength.fitting import RatedPlayer as RatedPlayer
    from sparring.strength.fitting import fit_strength_model as fit_strength_model
    from sparring.strength.fitting import strength_errors as strength_errors
    from sparring.strength.measure import NoStrengthModel as NoStrengthModel
    from sparring.strength.measure import PlayerLevel as PlayerLevel
    from sparring.strength.measure import measure_levels as measure_levels
    from sparring.strength.measure import shipped_strength_model as shipped_strength_model
    from sparring.strength.model import RatingEstimate as RatingEstimate
    from sparring.strength.model import StrengthModel as StrengthModel
    from sparring.strength.model import estimate_rating as estimate_rating

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "evidence": ("GameEvidence", "collect_evidence"),
        "fitting": ("RatedPlayer", "fit_strength_model", "strength_errors"),
        "measure": ("NoStrengthModel", "PlayerLevel", "measure_levels", "shipped_strength_model"),
        "model": ("RatingEstimate", "StrengthModel", "estimate_rating"),
    },
)
