"""Measures people's files on games that they were not fitted to: likelihood, accuracy, and who played."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from sparring.matching.identification import identification_accuracy
from sparring.policies import Policy, load_policy, log_probabilities
from sparring.policies.person import PersonModel, read_person
from sparring.records import open_records
from sparring.records.recorded_game import RecordedGame
from sparring.training.person.evaluation import gains, score_policies
from sparring.training.person.person_games import NoSuchPerson, PersonGames, person_games

OnProgress = Callable[[str, int, int], None]


def measure_people(
    files: Sequence[Path],
    records: Sequence[Path],
    game: str,
    most: int,
    sets: Sequence[int],
    on_progress: OnProgress = lambda *_: None,
) -> dict[str, Any]:
    """Gains of every person (`evaluation.gains`) by name, and with several people the accuracy of
    identification from sets of so many games.

    `most` is the largest number of games of a person, the latest ones. Raises NoSuchPerson if a person has no
    game left, BadPolicy, BadTable, UnsupportedFormat or OSError."""
    models = [read_person(file) for file in files]
    everything = [each.record for path in records for each in open_records(path, game)]
    held = [
        _unseen(model, person_games(everything, game, model.card.person), file)
        for model, file in zip(models, files, strict=True)
    ]
    held = [games[-most:] for games in held]
    policies = [load_policy(file, game) for file in files]
    bases = {model.card.base: load_policy(model.card.base, game) for model in models}
    people = {}
    for number, (model, games, policy) in enumerate(zip(models, held, policies, strict=True)):
        on_progress("people", number, len(models))
        scores = score_policies(bases[model.card.base], policy, games, model.card.rating_offset)
        people[model.card.person] = gains(scores)
    found: dict[str, Any] = {"people": people}
    if len(models) > 1:
        found["identification"] = _identified(models, held, policies, sets, on_progress)
    return found


def _unseen(model: PersonModel, games: PersonGames, file: Path) -> PersonGames:
    """The games that the model was not fitted to. Raises NoSuchPerson."""
    new = np.flatnonzero(~np.isin(games.identities, model.identities))
    if not len(new):
        reason = (
            f"all {len(games):,} games of {model.card.person} were used in {file}: give later games, or "
            "train with --hold-out"
            if len(games)
            else f"there is no game of {model.card.person} in the records"
        )
        raise NoSuchPerson(reason)
    return games.take(new)


def _identified(
    models: Sequence[PersonModel],
    held: Sequence[PersonGames],
    policies: Sequence[Policy],
    sets: Sequence[int],
    on_progress: OnProgress,
) -> list[dict[str, Any]]:
    people = np.concatenate([np.full(len(games), number) for number, games in enumerate(held)])
    table = np.zeros((len(models), len(people)))
    for number, (model, policy) in enumerate(zip(models, policies, strict=True)):
        on_progress("identifying", number, len(models))
        column = 0
        for games in held:
            for record, side in zip(games.records, games.sides, strict=True):
                table[number, column] = _log_likelihood(
                    policy, games.game, record, side, model.card.rating_offset
                )
                column += 1
    enough = [size for size in sets if size <= max(len(games) for games in held)]
    return [{"games": size, **asdict(identification_accuracy(table, people, size))} for size in enough]


def _log_likelihood(policy: Policy, game: str, record: Any, side: int, offset: int) -> float:
    """The log-likelihood of one player's moves in a game."""
    mine = [each for each in RecordedGame(game, record).positions() if each.state.to_move == side]
    positions = [
        each.position
        if each.position.rating is None
        else replace(each.position, rating=each.position.rating + offset)
        for each in mine
    ]
    found = policy.predict(positions)
    return float(
        sum(log_probabilities(p)[p.moves.index(each.move)] for p, each in zip(found, mine, strict=True))
    )
