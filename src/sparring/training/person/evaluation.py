"""How much more likely a person's moves became, on games that the model has not seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.matching.bootstrap import Estimate, Resamples
from sparring.matching.phases import PHASES, game_phase
from sparring.policies import Policy, log_probabilities
from sparring.records.recorded_game import RecordedGame
from sparring.training.person.choices import PersonChoices
from sparring.training.person.person_games import PersonGames


@dataclass(frozen=True)
class PairedScores:
    """Base and person on the same moves [n] of the person."""

    base: NDArray[np.float64]
    """[n]: log-probabilities of the moves played."""
    person: NDArray[np.float64]
    base_top: NDArray[np.bool_]
    """[n]: whether the likeliest move was played."""
    person_top: NDArray[np.bool_]
    game: NDArray[np.int64]
    phase: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.base)


def score_choices(
    choices: PersonChoices, base: NDArray[np.float32], person: NDArray[np.float32]
) -> PairedScores:
    """The scores of log-probabilities [n, m] of the candidates."""
    return PairedScores(
        base[:, 0].astype(np.float64),
        person[:, 0].astype(np.float64),
        base[:, :-1].argmax(axis=1) == 0,
        person[:, :-1].argmax(axis=1) == 0,
        choices.game,
        choices.phase,
    )


def score_policies(
    base: Policy,
    person: Policy,
    games: PersonGames,
    rating_offset: int = 0,
    on_progress: Callable[[int], None] = lambda _: None,
) -> PairedScores:
    """The scores of two policies on all moves of the person. The base is told the recorded rating, the
    person's policy the same with `rating_offset`."""
    rows: list[tuple[Any, ...]] = []
    for number, (record, side) in enumerate(zip(games.records, games.sides, strict=True)):
        mine = [each for each in RecordedGame(games.game, record).positions() if each.state.to_move == side]
        positions = [each.position for each in mine]
        moved = [p if p.rating is None else replace(p, rating=p.rating + rating_offset) for p in positions]
        for first, second, each in zip(base.predict(positions), person.predict(moved), mine, strict=True):
            index = first.moves.index(each.move)
            phase = game_phase(games.game, each.state, each.ply)
            found = [
                (log_probabilities(p)[index], int(p.probabilities.argmax()) == index) for p in (first, second)
            ]
            rows.append((*found[0], *found[1], number, phase))
        on_progress(number + 1)
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    return PairedScores(
        columns[0],
        columns[2],
        columns[1],
        columns[3],
        columns[4].astype(np.int64),
        columns[5].astype(np.int64),
    )


def gains(scores: PairedScores) -> dict[str, Any]:
    """Gain in nats per move and in top-1 accuracy with 95 % intervals (bootstrap over games), in all and by
    phase."""
    _, game = np.unique(scores.game, return_inverse=True)
    count = int(game.max()) + 1
    resamples = Resamples.draw(np.zeros(count, np.int64))
    columns = np.stack(
        [
            scores.person - scores.base, scores.person_top.astype(float) - scores.base_top, -scores.base,
            scores.base_top.astype(float),
        ],
        axis=1,
    )  # fmt: skip
    whole = resamples.group_sums(columns, game).pooled()
    phases = resamples.bucket_sums(columns, game, scores.phase, len(PHASES))
    found = {"games": count, "positions": len(scores), **_named(whole.estimates())}
    found["phases"] = {
        name: {"positions": int(part.pooled().positions), **_named(part.pooled().estimates())}
        for name, part in zip(PHASES, phases, strict=True)
        if part.pooled().positions
    }
    return found


def _named(estimates: list[Estimate]) -> dict[str, Any]:
    nats, top, base_nll, base_top = estimates
    return {
        "nats": asdict(nats),
        "top1": asdict(top),
        "base_nll": base_nll.value,
        "base_top1": base_top.value,
    }
