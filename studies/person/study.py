"""What a person's games bring, by their number: people who did not train the style network, later games as
the test."""

from __future__ import annotations

import multiprocessing
import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.measure.matching import identification_accuracy
from sparring.measure.metrics import intervals
from sparring.measure.samples import PHASES
from sparring.records import Split, split_of
from sparring.training.person.choices import ChoiceReader, PersonChoices, PersonGames
from sparring.training.person.fitting import PersonFit, fit_person, log_probabilities, with_repertoire
from sparring.training.person.measurement import gains, score_choices
from studies.person.reading import Reading, read_person

SIZES = (10, 20, 50, 100, 200, 500, 1000)
"""Numbers of games that a model is fitted to: the latest before the test games."""
SETS = (1, 2, 5, 10, 20)
"""Numbers of games from which people are identified."""


@dataclass(frozen=True)
class StudyOptions:
    """The test games, and how the network runs."""

    game: str
    held: int = 30
    """Latest games of each person, which are the test."""
    identified: int = 30
    """People among whom the player of a game is found."""
    identification_sizes: tuple[int, ...] = (20, 70)
    """Games that each of them is known by."""
    rating: bool = True
    """Whether the rating offset is measured, too."""
    backend: str = "onnxruntime"
    batch: int = 64
    readings: Path | None = None
    """Folder in which the readings of people are kept."""


@dataclass(frozen=True)
class PersonResult:
    """What the games of one person bring, and what identification needs."""

    name: str
    games: int
    sizes: dict[int, dict[str, Any]]
    """Gains by number of games."""
    rating: dict[str, float]
    """The rating offset, and what it alone gains (`Reading.rating`)."""
    fits: dict[int, PersonFit]
    early: PersonChoices
    """Positions of the opening in the games that models are fitted to, without features: the repertoire."""
    test: PersonChoices


def measure_person(games: PersonGames, options: StudyOptions) -> PersonResult:
    """Fits models to the games before the test games, and measures them."""
    reading = _reading(games, options)
    choices = reading.choices
    before = len(games) - options.held
    test = choices.take(choices.game >= before)
    base = log_probabilities(test, np.zeros(test.features.shape[2]))
    unseen = np.array([split_of(int(i)) is not Split.TRAIN for i in games.identities])[test.game]
    sizes: dict[int, dict[str, Any]] = {}
    fits: dict[int, PersonFit] = {}
    for size in sorted({*SIZES, *options.identification_sizes}):
        if size > before:
            continue
        train = choices.take((choices.game < before) & (choices.game >= before - size))
        fit = fits[size] = fit_person(train)
        style = log_probabilities(test, fit.z)
        book = fit.repertoire(train)
        both = with_repertoire(test, style, book)
        scores = score_choices(test, base, both)
        sizes[size] = {
            **gains(scores),
            "style": float((style[:, 0] - base[:, 0]).mean()),
            "repertoire": float((both[:, 0] - style[:, 0]).mean()),
            "known": float((both[:, 0] != style[:, 0]).mean()),
            "by_cross_validation": fit.style_gain + fit.repertoire_gain,
            "precision": fit.precision if np.isfinite(fit.precision) else None,
            "concentration": fit.concentration if np.isfinite(fit.concentration) else None,
            "share": fit.share,
            "seen": _split(scores.person - scores.base, ~unseen),
            "unseen": _split(scores.person - scores.base, unseen),
        }
    known = choices.take((choices.game < before) & (choices.images[:, 0] >= 0))
    return PersonResult(games.name, len(games), sizes, reading.rating, fits, _without_features(known), test)


def _reading(games: PersonGames, options: StudyOptions) -> Reading:
    """The reading of a person: that of an earlier run if it was kept."""
    path = None if options.readings is None else options.readings / f"{options.game}-{games.name}.npz"
    if path is not None and path.is_file():
        return Reading.load(path)
    reader = _reader(options.game, options.backend, options.batch)
    found = read_person(games, reader, options.held, options.rating)
    if path is not None:
        found.save(path)
    return found


def _split(difference: NDArray[np.float64], which: NDArray[np.bool_]) -> list[float]:
    """[positions, sum of the gains]"""
    return [int(which.sum()), float(difference[which].sum())]


def _without_features(choices: PersonChoices) -> PersonChoices:
    fields = {**vars(choices), "features": choices.features[:, :, :0], "images": choices.images[:, :1]}
    return PersonChoices(**fields)


@cache
def _reader(game: str, backend: str, batch: int) -> ChoiceReader:
    return ChoiceReader("human", game, backend=backend, batch=batch)


def measure_people(
    people: Sequence[PersonGames], options: StudyOptions, processes: int, seconds: float | None = None
) -> Iterator[PersonResult]:
    """The results of people as they come. After so many seconds nobody else is begun."""
    context = multiprocessing.get_context("spawn")
    started = time.monotonic()
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        waiting = [pool.submit(measure_person, person, options) for person in people]
        for done in as_completed(waiting):
            if not done.cancelled():
                yield done.result()
            if seconds is not None and time.monotonic() - started > seconds:
                for each in waiting:
                    each.cancel()


def summary(results: Sequence[PersonResult]) -> dict[str, Any]:
    """By number of games: the mean gain over people with a 95 % interval (bootstrap over people), and the
    people who are worse by more than noise: whose interval over games is below 0."""
    found: dict[str, Any] = {}
    for size in SIZES:
        rows = [result.sizes[size] for result in results if size in result.sizes]
        if len(rows) < 2:
            continue
        columns = np.array(
            [
                [row["nats"]["value"], row["top1"]["value"], row["style"], row["repertoire"], row["base_nll"],
                 row["base_top1"], *(row["phases"].get(name, {"nats": {"value": np.nan}})["nats"]["value"]
                 for name in PHASES)]
                for row in rows
            ]
        )  # fmt: skip
        random = np.random.default_rng(0)
        drawn = columns[random.integers(0, len(rows), (1000, len(rows)))]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # nobody reached a phase
            estimates = intervals(np.nanmean(columns, axis=0), np.nanmean(drawn, axis=1))
        names = ("nats", "top1", "style", "repertoire", "base_nll", "base_top1", *PHASES)
        found[str(size)] = {
            "people": len(rows),
            **{name: asdict(each) for name, each in zip(names, estimates, strict=True)},
            "better": sum(row["nats"]["low"] > 0 for row in rows),
            "worse": sum(row["nats"]["high"] < 0 for row in rows),
            "least": min(row["nats"]["value"] for row in rows),
            **{kind: _pooled([row[kind] for row in rows]) for kind in ("seen", "unseen")},
        }
    return found


def _pooled(rows: list[list[float]]) -> dict[str, Any]:
    """Gain in nats per move over all positions of a kind, with an interval over people."""
    columns = np.array(rows, float)
    random = np.random.default_rng(0)
    drawn = columns[random.integers(0, len(rows), (1000, len(rows)))].sum(axis=1)
    total = columns.sum(axis=0)
    if not total[0]:
        return {"positions": 0}
    values = drawn[:, 1] / np.maximum(drawn[:, 0], 1)
    low, high = np.percentile(values, [2.5, 97.5])
    return {"positions": int(total[0]), "nats": total[1] / total[0], "low": float(low), "high": float(high)}


def identify(results: Sequence[PersonResult], options: StudyOptions, size: int) -> list[dict[str, Any]]:
    """The accuracy of identification among people known by `size` games, from sets of games."""
    known = [result for result in results if size in result.fits][: options.identified]
    if len(known) < 2:
        return []
    people = np.concatenate([np.full(options.held, number) for number in range(len(known))])
    table = np.zeros((len(known), len(people)))
    for column, result in enumerate(known):
        test = result.test
        first = result.games - options.held
        for row, candidate in enumerate(known):
            fit = candidate.fits[size]
            begin = candidate.games - options.held - size
            early = candidate.early.take(candidate.early.game >= begin)
            book = fit.repertoire(early)
            logs = with_repertoire(test, log_probabilities(test, fit.z), book)[:, 0]
            sums = np.bincount(test.game - first, logs, options.held)
            table[row, column * options.held : (column + 1) * options.held] = sums
    return [
        {
            "people": len(known),
            "known_by": size,
            "games": number,
            **asdict(identification_accuracy(table, people, number)),
        }
        for number in SETS
        if number <= options.held
    ]
