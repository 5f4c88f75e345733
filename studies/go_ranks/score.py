"""The estimated score in the middle of games: against a KataGo network's lead, and against the result.

Positions are from games of people that were counted (19x19), and from our finished games against GNU Go (9x9
and 13x13). The side to move alternates from game to game, so that the worth of a move cannot hide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparring._core import GoState
from sparring.go.counting import GoCounting, people_prediction, playout_estimate
from sparring.go.game import Go
from sparring.measure.ratings import wilson_interval
from sparring.networks import Position
from sparring.policies import Policy
from studies.go_ranks.counting import KOMI, CountedGame
from studies.go_ranks.people import FoxGame, draw_sample, infer_komi, recorded_margin

PLIES = {9: (10, 20, 40), 13: (20, 40, 80), 19: (60, 120, 180)}
"""Plies of the positions by board size."""


@dataclass(frozen=True)
class AskedPosition:
    """A position of a finished game."""

    ply: int
    """One of `PLIES`; the position is one ply later in every second game."""
    state: GoState
    margin: float
    """Black's points more than White's at the end of the game."""


def of_people(games: Sequence[FoxGame], per_rank: int, judge: Policy) -> list[AskedPosition]:
    """Positions of at most so many games of a rank that were counted: by area and with the usual komi, as far
    as the judge can tell."""
    long = [game for game in games if recorded_margin(game) is not None and _plies(game) > PLIES[19][-1] + 1]
    sample = draw_sample(long, 2 * per_rank)
    rules = infer_komi(sample, judge)
    usual = draw_sample([sample[i] for i, found in rules.items() if found == ("area", KOMI)], per_rank)
    start = Go.by_rules("chinese").initial().text()
    lines = [game.record._replace(start=start).states("go") for game in usual]
    return [*_positions(lines, [recorded_margin(game) or 0.0 for game in usual])]


def _plies(game: FoxGame) -> int:
    return game.record.plies("go")


def of_finished(games: Sequence[CountedGame], size: int) -> list[AskedPosition]:
    """Positions of finished games on a board, with GNU Go's count."""
    lines, margins = [], []
    for game in games:
        if game.size == size and game.moves.count(" ") > PLIES[size][-1] + 1:
            rules = Go.by_rules("chinese", size, KOMI)
            line = [rules.initial()]
            for text in game.moves.split():
                line.append(rules.play(line[-1], rules.parse_move(line[-1], text)))
            lines.append(line)
            margins.append(game.gnugo)
    return [*_positions(lines, margins)]


def _positions(lines: Sequence[Sequence[GoState]], margins: Sequence[float]) -> Iterator[AskedPosition]:
    for number, (line, margin) in enumerate(zip(lines, margins, strict=True)):
        for ply in PLIES[line[0].size]:
            yield AskedPosition(ply, line[ply + number % 2], margin)


def judged(positions: Sequence[AskedPosition], judge: Policy) -> list[float]:
    """Black's leads by a network."""
    leads = []
    for position in positions:
        lead = judge.predict([Position(position.state)])[0].lead
        assert lead is not None, "the judge predicts leads"
        leads.append(lead if position.state.to_move == 0 else -lead)
    return leads


def network_lead(state: GoState) -> float:
    """Black's lead by the shipped network as it is."""
    prediction = people_prediction(state)
    lead = None if prediction is None else prediction.lead
    assert lead is not None, "human-go is shipped and predicts leads"
    return lead if state.to_move == 0 else -lead


ESTIMATES: Mapping[str, Callable[[GoState], float]] = {
    "ours": lambda state: GoCounting.estimate(state).lead,
    "network": network_lead,
    "playouts": lambda state: playout_estimate(state).lead,
}
"""Black's lead by each estimate."""


def table(positions: Sequence[AskedPosition], leads: Sequence[float]) -> list[dict[str, Any]]:
    """By board and ply: for each estimate the mean absolute difference from the judge's `leads` with its 95 %
    interval, the mean difference for the side to move, and the share of right winners; that of the judge."""
    rows = []
    for size, ply in sorted({(position.state.size, position.ply) for position in positions}):
        chosen = [
            (position, lead)
            for position, lead in zip(positions, leads, strict=True)
            if (position.state.size, position.ply) == (size, ply)
        ]
        margins = np.array([position.margin for position, _ in chosen])
        theirs = np.array([lead for _, lead in chosen])
        mover = np.array([1 - 2 * position.state.to_move for position, _ in chosen])
        row: dict[str, Any] = {"size": size, "ply": ply, "positions": len(chosen)}
        for name, lead_of in ESTIMATES.items():
            ours = np.array([lead_of(position.state) for position, _ in chosen])
            errors = np.abs(ours - theirs)
            half = 1.96 * float(errors.std(ddof=1)) / len(errors) ** 0.5
            row[name] = {
                "error": [float(errors.mean()), float(errors.mean()) - half, float(errors.mean()) + half],
                "bias_for_mover": float(((ours - theirs) * mover).mean()),
                "right_winner": _share(ours, margins),
            }
        row["judge"] = {"right_winner": _share(theirs, margins)}
        rows.append(row)
    return rows


def _share(leads: np.ndarray[Any, Any], margins: np.ndarray[Any, Any]) -> list[float]:
    """The share of leads with the sign of the margin, and its 95 % interval."""
    right = int(((leads > 0) == (margins > 0)).sum())
    return [right / len(leads), *wilson_interval(right / len(leads), len(leads))]
