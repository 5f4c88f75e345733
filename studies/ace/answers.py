"""Collects the answers of players to the position test, and people's likelihoods in its positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sparring.base.storage import Journal
from sparring.policies import Policy
from sparring.policies.policy import Array
from studies.ace.position_items import PositionTest, read_people
from studies.ace.position_scores import rating_curves
from studies.ace.respondents import Respondent

_LEAST = 1e-4
"""Smaller probabilities are not written."""


def collect_answers(
    test: PositionTest, players: Mapping[str, tuple[str, float | None, Respondent]], path: Path
) -> None:
    """Appends the answers of the players to a journal, by name: family, nominal rating, respondent.

    Players that are in the journal are skipped.
    """
    journal = Journal(path, header={"positions": len(test.states)})
    known = {entry["name"] for entry in journal.entries}
    for name, (family, rating, answer) in players.items():
        if name not in known:
            found = answer(test.states)
            journal.add(
                {"name": name, "family": family, "rating": rating, "answers": list(map(_sparse, found))}
            )
            print(name, flush=True)


def _sparse(shares: Array) -> dict[str, float]:
    return {str(i): round(float(p), 5) for i, p in enumerate(shares.tolist()) if p > _LEAST}


def dense(sparse: Mapping[str, float], moves: int) -> Array:
    """The probabilities [moves] of an entry of the journal."""
    shares = np.zeros(moves)
    for index, share in sparse.items():
        shares[int(index)] = share
    return shares


def collect_curves(human: Policy, test: PositionTest, items: Path) -> dict[str, Any]:
    """The log-likelihoods of all moves of the test's positions, and of people's moves in other positions."""
    people = read_people(items)
    curves = rating_curves(human, [item.state for item in people])
    form = rating_curves(human, [item.state for item in test.people])
    return {
        "form": [np.round(curve, 3).tolist() for curve in form],
        "people": [
            {"rating": item.rating, "curve": np.round(curve[:, item.played], 3).tolist()}
            for item, curve in zip(people, curves, strict=True)
        ],
    }


def answers_of(test: PositionTest, entry: Mapping[str, Any]) -> Sequence[Array]:
    """The distributions of an entry of the journal in all states of the test."""
    return [
        dense(sparse, len(state.legal_moves()))
        for sparse, state in zip(entry["answers"], test.states, strict=True)
    ]
