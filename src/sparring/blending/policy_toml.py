"""Writes fitted blends as TOML files for `load_policy`."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sparring.blending.weight_models import PositionWeights
from sparring.games import describe
from sparring.policies import Curve, rating_text
from sparring.policies.features import position_feature_names


def curves_text(game: str, uses: Sequence[str], curves: Sequence[Curve], note: str) -> str:
    """A pool whose weights are curves over ratings."""
    lines = [*_note(note), *_head(game), 'kind = "geometric"']
    for use, curve in zip(uses, curves, strict=True):
        lines += ["", "[[policy]]", f"use = {json.dumps(use)}", f"weight = {_curve(game, curve)}"]
    return "\n".join(lines) + "\n"


def alpha_text(game: str, uses: Sequence[str], alpha: Curve, note: str) -> str:
    """The blend paper's blend of two policies: weight alpha for the first, 1 - alpha for the second."""
    lines = [*_note(note), *_head(game), 'kind = "geometric"', f"alpha = {_curve(game, alpha)}"]
    for use in uses:
        lines += ["", "[[policy]]", f"use = {json.dumps(use)}"]
    return "\n".join(lines) + "\n"


def traits_text(game: str, uses: Sequence[str], found: PositionWeights, note: str) -> str:
    """A pool whose weights depend on position features."""
    names = position_feature_names(len(uses))
    lines = [*_note(note), *_head(game), 'kind = "position"', ""]
    lines += ["[features]  # mean and standard deviation of each"]
    for name, mean, spread in zip(names, found.scale.means, found.scale.stds, strict=True):
        lines.append(f"{name} = [{mean:.6g}, {spread:.6g}]")
    for use, curve, row in zip(uses, found.curves(), found.trait_coefficients().tolist(), strict=True):
        parts = [f"{name} = {value:.5f}" for name, value in zip(names, row, strict=True)]
        lines += ["", "[[policy]]", f"use = {json.dumps(use)}", f"weight = {_curve(game, curve)}"]
        lines += [f"feature_weights = {{ {', '.join(parts)} }}"]
    return "\n".join(lines) + "\n"


def _head(game: str) -> list[str]:
    return [f'game = "{game}"', f"move_numbering = {describe(game).move_numbering}"]


def _note(note: str) -> list[str]:
    return [f"# {line}" for line in note.splitlines()]


def _curve(game: str, curve: Curve) -> str:
    """A number, or a table by rating or rank."""
    if len(curve.knots) == 1:
        return f"{curve.knots[0][1]:.4f}"
    parts = [f"{rating_text(game, round(rating))} = {value:.4f}" for rating, value in curve.knots]
    return f"{{ {', '.join(parts)} }}"
