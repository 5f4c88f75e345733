"""Blending: weights for pools of policies, fitted to people's games."""

from sparring.blending.fitting import (
    GroupFit,
    alpha_curve,
    fit_groups,
    grid_blend,
    position_blend,
    rating_blend,
    tied_blend,
)
from sparring.blending.likelihood import Fit, fit
from sparring.blending.weighing import ByAlpha, ByGroup, ByRating, ByTraits, Weighing, pooled_logs
from sparring.blending.writing import alpha_text, curves_text, traits_text

__all__ = [
    "ByAlpha",
    "ByGroup",
    "ByRating",
    "ByTraits",
    "Fit",
    "GroupFit",
    "Weighing",
    "alpha_curve",
    "alpha_text",
    "curves_text",
    "fit",
    "fit_groups",
    "grid_blend",
    "pooled_logs",
    "position_blend",
    "rating_blend",
    "tied_blend",
    "traits_text",
]
