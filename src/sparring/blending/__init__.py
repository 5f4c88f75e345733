"""Blending: fits the weights of policy pools to people's games."""

from sparring.blending.fitting import (
    GroupFit,
    alpha_curve,
    constrained_blend,
    fit_groups,
    grid_blend,
    position_blend,
    rating_blend,
)
from sparring.blending.likelihood import Fit, fit
from sparring.blending.policy_toml import alpha_text, curves_text, traits_text
from sparring.blending.weight_models import (
    AlphaWeights,
    GroupWeights,
    PositionWeights,
    RatingWeights,
    WeightModel,
    pooled_logs,
)

__all__ = [
    "AlphaWeights",
    "Fit",
    "GroupFit",
    "GroupWeights",
    "PositionWeights",
    "RatingWeights",
    "WeightModel",
    "alpha_curve",
    "alpha_text",
    "constrained_blend",
    "curves_text",
    "fit",
    "fit_groups",
    "grid_blend",
    "pooled_logs",
    "position_blend",
    "rating_blend",
    "traits_text",
]
