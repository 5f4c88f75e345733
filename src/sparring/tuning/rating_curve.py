"""Theta as a smooth function of the rating, and its level table (the paper's future work, section 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparring.policies.segments import Array
from sparring.tuning.theta import Theta

RATINGS = range(600, 2601, 200)
"""Rows of a level table."""
_KEYS = ("temperature", "policy_temperature", "c_puct", "backoff")
_LEAST_ERROR = 0.05
"""Least standard error of a parameter's logarithm: classes differ by more than their sampling errors."""
_FLAT_ERROR = 1.0
"""Standard error of a parameter on which the loss does not depend."""


@dataclass(frozen=True)
class ThetaCurve:
    """log Theta as polynomials of (rating - 1600) / 1000, constant beyond the outermost classes.

    Each parameter stays within its range over the classes: where the loss hardly depends on it, a polynomial
    may leave what was searched.
    """

    coefficients: Array
    """[4, degree + 1]: of log tau, log t, log c_puct and log epsilon, the constant first."""
    lowest: float
    highest: float
    bounds: Array
    """[2, 4]: least and greatest log Theta of the classes."""

    def at(self, rating: float) -> Theta:
        """Theta at a rating."""
        x = (np.clip(rating, self.lowest, self.highest) - 1600) / 1000
        powers = x ** np.arange(self.coefficients.shape[1])
        return Theta(*np.exp(np.clip(self.coefficients @ powers, *self.bounds)).tolist())


def fit_theta_curve(results: Sequence[Mapping[str, Any]]) -> ThetaCurve:
    """Weighted least squares over the classes; a parabola from four classes on, a line from two.

    Weights are from the classes' standard errors of log t and log c_puct; those of tau and epsilon, which
    depend on both, are equal.
    """
    ratings = np.array([each["class"] for each in results], np.float64)
    logs = np.log([[each["theta"][key] for key in _KEYS] for each in results])
    degree = min(2 if len(results) >= 4 else 1, len(results) - 1)
    design = ((ratings - 1600) / 1000)[:, None] ** np.arange(degree + 1)
    rows = []
    for index, column in enumerate(logs.T):
        searched = index in (1, 2)
        errors = [_error(each, index - 1) for each in results] if searched else np.ones(len(results))
        weights = 1 / np.maximum(errors, _LEAST_ERROR)
        rows.append(np.linalg.lstsq(design * weights[:, None], column * weights, rcond=None)[0])
    bounds = np.stack([logs.min(axis=0), logs.max(axis=0)])
    return ThetaCurve(np.array(rows), float(ratings.min()), float(ratings.max()), bounds)


def _error(result: Mapping[str, Any], index: int) -> float:
    found = result["standard_errors"]["log_t_c_puct"][index]
    return _FLAT_ERROR if found is None else min(float(found), _FLAT_ERROR)


def level_table_text(game: str, policy: str, nodes: int, rows: Mapping[int, Theta], note: str) -> str:
    """The TOML text of a level table (`players.levels`) with these levels; `note` is a comment on top."""
    lines = [f"# {line}".rstrip() for line in note.splitlines()]
    lines += [f'game = "{game}"', f'policy = "{policy}"']
    for level, theta in sorted(rows.items()):
        lines += [
            "",
            "[[levels]]",
            f"level = {level}",
            f"temperature = {theta.temperature:.3f}",
            f"nodes = {nodes}",
            f"cpuct = {theta.c_puct:.3f}",
            f"policy_temperature = {theta.policy_temperature:.3f}",
            f"unvisited_share = {theta.backoff:.4f}",
        ]
    return "\n".join(lines) + "\n"
