"""How well policies without search predict the held-out moves on which the tuned classes are measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sparring.measure.tuning import class_positions
from sparring.measure.tuning_run import estimate
from sparring.policies import load_policy, log_probabilities
from sparring.records import Split


def baselines(
    records: Sequence[Path],
    classes: Sequence[int],
    policies: Sequence[str],
    positions: int,
    *,
    every: int = 8,
    backend: str = "onnxruntime",
    batch: int = 64,
) -> list[dict[str, Any]]:
    """Nats and accuracy of each policy, told the class's rating, on the held-out positions of each class."""
    opened = {name: load_policy(name, "chess", backend=backend, batch=batch) for name in policies}
    rows = []
    for rating in classes:
        data = class_positions("chess", records, rating, positions, split=Split.TEST, every=every)
        for name, policy in opened.items():
            told = [replace(position, rating=rating, opponent_rating=rating) for position in data.positions]
            found = [log_probabilities(prediction) for prediction in policy.predict(told)]
            losses = np.array([-logs[move] for logs, move in zip(found, data.played, strict=True)])
            hits = np.array(
                [float(logs.argmax() == move) for logs, move in zip(found, data.played, strict=True)]
            )
            rows.append({
                "class": rating, "policy": name, "nats": estimate(losses, data),
                "accuracy": estimate(hits, data),
            })  # fmt: skip
    return rows
