"""Tuning: parameters of a search fitted to people's moves (Algorithm 1 of the ACE paper)."""

from typing import TYPE_CHECKING

from sparring._lazy import attach

if TYPE_CHECKING:
    from sparring.tuning.choice_likelihood import cross_entropy as cross_entropy
    from sparring.tuning.choice_likelihood import fit_choice as fit_choice
    from sparring.tuning.class_sample import class_positions as class_positions
    from sparring.tuning.descent import Descent as Descent
    from sparring.tuning.descent import DescentConfig as DescentConfig
    from sparring.tuning.rating_curve import ThetaCurve as ThetaCurve
    from sparring.tuning.rating_curve import fit_theta_curve as fit_theta_curve
    from sparring.tuning.run import TuningConfig as TuningConfig
    from sparring.tuning.run import tune_classes as tune_classes
    from sparring.tuning.theta import Theta as Theta
    from sparring.tuning.visits import search_visits as search_visits

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "choice_likelihood": ("cross_entropy", "fit_choice"),
        "class_sample": ("class_positions",),
        "descent": ("Descent", "DescentConfig"),
        "rating_curve": ("ThetaCurve", "fit_theta_curve"),
        "run": ("TuningConfig", "tune_classes"),
        "theta": ("Theta",),
        "visits": ("search_visits",),
    },
)
