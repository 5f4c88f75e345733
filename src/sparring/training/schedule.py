"""How far each step goes."""

from __future__ import annotations

import math

from sparring.training.config import OptimizationConfig

_DROPS = (1 / 5, 1 / 2, 9 / 10)
_LAST = 0.01
"""Of the full rate, where a cosine ends."""


def learning_rate_at(step: int, part: OptimizationConfig) -> float:
    """The learning rate of a step."""
    done = step / part.steps
    if part.schedule == "paper":
        return float(part.learning_rate * 0.1 ** sum(done >= drop for drop in _DROPS))
    if done < part.warmup:
        return part.learning_rate * (step + 1) / math.ceil(part.warmup * part.steps)
    share = (done - part.warmup) / (1 - part.warmup)
    return part.learning_rate * (_LAST + (1 - _LAST) * (1 + math.cos(math.pi * share)) / 2)
