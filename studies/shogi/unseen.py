"""Scores on held-out people, divided by whether a game was learned from under another name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.measure.samples import GameSelection, read_sample
from sparring.measure.scores import SCORE_DTYPE
from sparring.records.record import GameRecord
from studies.shogi.people import shared_with

_RESAMPLES = 2000


def divided(table: Path, others: Sequence[GameRecord], scores: Path, every: int) -> dict[str, Any]:
    """Top-1 and nats of each policy with scores, on the games that `others` have and on those that they have
    not, and differences from the first policy there; 95 % intervals by a bootstrap over games."""
    sample = read_sample(GameSelection("shogi", (table,), None, every=every))
    shared = np.array(shared_with([played.record for played in sample.games], others))
    of_game, number = sample.metadata["game"].astype(np.int64), len(sample.games)
    counts = np.bincount(of_game, minlength=number)
    sums: dict[str, NDArray[np.float64]] = {}
    for path in sorted(scores.glob("*.scores"), key=lambda path: (path.stem != "human", path.stem)):
        rows = np.frombuffer(path.read_bytes()[-len(sample) * SCORE_DTYPE.itemsize :], SCORE_DTYPE)
        if len(rows) == len(sample):
            nll = -np.log(np.maximum(rows["played"], 1e-12))
            sums[path.stem] = np.stack(
                [np.bincount(of_game, rows["rank"] == 0, number), np.bincount(of_game, nll, number)], axis=1
            )
    rng, content = np.random.default_rng(0), {}
    for name, games in (("unseen", np.flatnonzero(~shared)), ("also elsewhere", np.flatnonzero(shared))):
        draws = rng.choice(games, (_RESAMPLES, len(games)))
        total = counts[draws].sum(axis=1)
        drawn = {policy: part[draws].sum(axis=1) / total[:, None] for policy, part in sums.items()}
        found = {policy: part[games].sum(axis=0) / counts[games].sum() for policy, part in sums.items()}
        first = next(iter(sums))
        content[name] = {
            "games": len(games),
            "positions": int(counts[games].sum()),
            "policies": {policy: _with_intervals(found[policy], drawn[policy]) for policy in sums},
            f"minus {first}": {
                policy: _with_intervals(found[policy] - found[first], drawn[policy] - drawn[first])
                for policy in sums
                if policy != first
            },
        }
    return content


def _with_intervals(values: NDArray[np.float64], drawn: NDArray[np.float64]) -> dict[str, Any]:
    low, high = np.quantile(drawn, (0.025, 0.975), axis=0)
    return {
        name: {"value": float(values[i]), "interval": [float(low[i]), float(high[i])]}
        for i, name in enumerate(("top1", "nats"))
    }
