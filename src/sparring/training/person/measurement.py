"""Measures people's files on games that they were not fitted to: likelihood, accuracy, and who played."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.base.errors import NotFound
from sparring.measure.matching import identification_accuracy
from sparring.measure.metrics import Estimate, Resamples
from sparring.measure.samples import PHASES, game_phase
from sparring.networks import Prediction
from sparring.policies import Policy, load_policy, log_probabilities
from sparring.policies.person import PersonModel, read_person
from sparring.records import GameRecord, open_records
from sparring.records.readers import RecordedGame
from sparring.training.person.choices import PersonChoices, PersonGames, person_games


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
    """The scores of two policies on all moves of the person. The base is conditioned on the recorded rating,
    the person's policy on the same with `rating_offset`."""
    rows: list[tuple[Any, ...]] = []
    for number, (record, side) in enumerate(zip(games.records, games.sides, strict=True)):
        mine = _moves_of(games.game, record, side)
        of_base, of_person = (
            _predict(policy, mine, offset) for policy, offset in ((base, 0), (person, rating_offset))
        )
        for first, second, moved in zip(of_base, of_person, mine, strict=True):
            index = first.moves.index(moved.move)
            logs = [log_probabilities(p)[index] for p in (first, second)]
            tops = [int(p.probabilities.argmax()) == index for p in (first, second)]
            rows.append((*logs, *tops, number, game_phase(games.game, moved.state, moved.ply)))
        on_progress(number + 1)
    *columns, game, phase = (np.array(column) for column in zip(*rows, strict=True))
    base_logs, person_logs, base_top, person_top = columns
    integers = game.astype(np.int64), phase.astype(np.int64)
    return PairedScores(base_logs, person_logs, base_top, person_top, *integers)


def _moves_of(game: str, record: GameRecord, side: int) -> list[Any]:
    """The positions of a game in which one player moved, with the moves."""
    return [moved for moved in RecordedGame(game, record).positions() if moved.state.to_move == side]


def _predict(policy: Policy, moves: Sequence[Any], rating_offset: int) -> list[Prediction]:
    positions = [moved.position for moved in moves]
    return policy.predict(
        [p if p.rating is None else replace(p, rating=p.rating + rating_offset) for p in positions]
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
    report = {"games": count, "positions": len(scores), **_named(whole.estimates())}
    report["phases"] = {
        name: {"positions": int(part.pooled().positions), **_named(part.pooled().estimates())}
        for name, part in zip(PHASES, phases, strict=True)
        if part.pooled().positions
    }
    return report


def _named(estimates: list[Estimate]) -> dict[str, Any]:
    nats, top, base_nll, base_top = estimates
    return {
        "nats": asdict(nats),
        "top1": asdict(top),
        "base_nll": base_nll.value,
        "base_top1": base_top.value,
    }


OnProgress = Callable[[str, int, int], None]


def measure_people(
    files: Sequence[Path],
    records: Sequence[Path],
    game: str,
    most: int,
    sets: Sequence[int],
    on_progress: OnProgress = lambda *_: None,
) -> dict[str, Any]:
    """Gains of every person (`measurement.gains`) by name, and with several people the accuracy of
    identification from sets of so many games.

    `most` is the largest number of games of a person, the latest ones. Raises NotFound if a person has no
    game left, BadConfig, BadFile or OSError."""
    models = [read_person(file) for file in files]
    everything = [recorded.record for path in records for recorded in open_records(path, game)]
    held = [
        _unseen(model, person_games(everything, game, model.card.person), file)[-most:]
        for model, file in zip(models, files, strict=True)
    ]
    policies = [load_policy(file, game) for file in files]
    bases = {model.card.base: load_policy(model.card.base, game) for model in models}
    people = {}
    for number, (model, games, policy) in enumerate(zip(models, held, policies, strict=True)):
        on_progress("people", number, len(models))
        scores = score_policies(bases[model.card.base], policy, games, model.card.rating_offset)
        people[model.card.person] = gains(scores)
    report: dict[str, Any] = {"people": people}
    if len(models) > 1:
        report["identification"] = _identified(models, held, policies, sets, on_progress)
    return report


def _unseen(model: PersonModel, games: PersonGames, file: Path) -> PersonGames:
    """The games that the model was not fitted to. Raises NotFound."""
    new = np.flatnonzero(~np.isin(games.identities, model.identities))
    if not len(new):
        reason = (
            f"all {len(games):,} games of {model.card.person} were used in {file}: give later games, or "
            "train with --hold-out"
            if len(games)
            else f"there is no game of {model.card.person} in the records"
        )
        raise NotFound(reason)
    return games.take(new)


def _identified(
    models: Sequence[PersonModel],
    held: Sequence[PersonGames],
    policies: Sequence[Policy],
    sets: Sequence[int],
    on_progress: OnProgress,
) -> list[dict[str, Any]]:
    people = np.repeat(np.arange(len(held)), [len(games) for games in held])
    rows = []
    for number, (model, policy) in enumerate(zip(models, policies, strict=True)):
        on_progress("identifying", number, len(models))
        rows.append(
            [
                _log_likelihood(policy, games.game, record, side, model.card.rating_offset)
                for games in held
                for record, side in zip(games.records, games.sides, strict=True)
            ]
        )
    table = np.array(rows)
    enough = [size for size in sets if size <= max(len(games) for games in held)]
    return [{"games": size, **asdict(identification_accuracy(table, people, size))} for size in enough]


def _log_likelihood(policy: Policy, game: str, record: GameRecord, side: int, offset: int) -> float:
    """The log-likelihood of one player's moves in a game."""
    mine = _moves_of(game, record, side)
    predictions = zip(_predict(policy, mine, offset), mine, strict=True)
    return float(sum(log_probabilities(p)[p.moves.index(moved.move)] for p, moved in predictions))
