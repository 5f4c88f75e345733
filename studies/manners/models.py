"""The fitted models as JSON objects: the content of `data/behaviour`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.players.behaviour_models import FEATURES, RESIGNATION_FEATURES, ResignationModel, ThinkTimeModel


def resignation_json(model: ResignationModel) -> dict[str, Any]:
    """The content that `ResignationModel.from_json` reads, with five digits a number."""
    return {
        "weights": dict(zip(RESIGNATION_FEATURES, _rounded(model.weights), strict=True)),
        "rating": model.rating,
        "rating_scale": model.rating_scale,
    }


def think_time_json(model: ThinkTimeModel) -> dict[str, Any]:
    """The content that `ThinkTimeModel.from_json` reads, with five digits a number."""
    return {
        "features": list(FEATURES),
        **{name: _rounded(getattr(model, name)) for name in ("quantiles", "low", "high", "centre", "scale")},
        "layers": [[_rounded(weights), _rounded(biases)] for weights, biases in model.layers],
    }


def _rounded(values: NDArray[np.float64]) -> Any:
    return np.vectorize(lambda x: float(f"{x:.5g}"))(values).tolist()
