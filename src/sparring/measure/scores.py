"""Temperature scaling: for each group, the temperature that maximises the likelihood of people's moves."""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparring.base.errors import BadConfig
from sparring.base.storage import append_or_rollback, atomic_write, lock_folder
from sparring.games import describe
from sparring.measure.samples import PlayedGame, Sample, extract_positions
from sparring.networks import Position, Prediction
from sparring.policies import Curve, Policy, fingerprint, load_policy, log_probabilities
from sparring.policies.policy import (
    Array,
    Offsets,
    clipped_log,
    segment_log_softmax,
    segment_logsumexp,
    segment_offsets,
    segment_repeat,
    segment_sum,
)

# Scores of a policy on people's moves: a few numbers per position, in a file that can be resumed.


SCORE_DTYPE = np.dtype(
    [
        ("played", np.float32),  # probability of the move played
        ("top", np.float32),  # probability of the likeliest move
        ("entropy", np.float32),  # entropy of the policy in nats
        ("rank", np.int16),  # number of moves ranked before the one played
    ]
)
ProgressCallback = Callable[[int], None]
"""Called with the number of positions done so far."""


def cache_key(*parts: str) -> str:
    """A hash of everything that scores depend on."""
    return hashlib.sha256(json.dumps([_VERSION, *parts]).encode()).hexdigest()


_VERSION = "scores 1"


def score_sample(
    policy: Policy,
    sample: Sample,
    path: Path,
    key: str,
    *,
    chunk: int = 512,
    on_progress: ProgressCallback = lambda _: None,
) -> NDArray[np.void]:
    """The scores [positions] (`SCORE_DTYPE`) of a policy on a sample; resumes from the file if its key is
    the same.

    The policy predicts `chunk` positions at a time, always the same ones. A resumed run therefore gives its
    networks the same batches as an uninterrupted one and gets bit-identical scores. After a kill the file
    holds whole chunks and perhaps a part of one, which is ignored.

    Raises BadConfig or OSError.
    """
    header = json.dumps({"key": key, "positions": len(sample), "columns": SCORE_DTYPE.names}).encode() + b"\n"
    done = _read(path, header)
    done = done if len(done) == len(sample) else done[: len(done) // chunk * chunk]
    on_progress(len(done))
    if len(done) == len(sample):
        return done
    atomic_write(path, header + done.tobytes())
    parts = [done]
    for begin, positions in sample.batches(len(done), chunk):
        played = sample.metadata["played"][begin : begin + len(positions)]
        parts.append(score(checked_predictions(policy, positions), played))
        append_or_rollback(path, parts[-1].tobytes(), sync=True)
        on_progress(begin + len(positions))
    return np.concatenate(parts)


def score(predictions: Sequence[Prediction], played: NDArray[np.integer]) -> NDArray[np.void]:
    """The scores [predictions] (`SCORE_DTYPE`) of predictions. `played` [predictions] are indices of the
    moves played among the legal moves. Of equally likely moves, the first ranks highest."""
    rows = np.zeros(len(predictions), SCORE_DTYPE)
    for row, prediction, index in zip(rows, predictions, played.tolist(), strict=True):
        shares = prediction.probabilities
        mine = shares[index]
        row["played"], row["top"] = mine, shares.max()
        row["rank"] = (shares > mine).sum() + (shares[:index] == mine).sum()
        some = shares[shares > 0].astype(np.float64)
        row["entropy"] = -(some * np.log(some)).sum()
    return rows


def checked_predictions(policy: Policy, positions: list[Position]) -> list[Prediction]:
    """The predictions of a policy. Raises BadConfig if a probability is not finite."""
    try:
        predictions = policy.predict(positions)
    except ValueError as error:  # codecs raise it for outputs with NaN
        raise BadConfig(f"{policy.name}: {error}") from None
    if not all(np.isfinite(prediction.probabilities).all() for prediction in predictions):
        raise BadConfig(f"{policy.name}: its predictions are not numbers")
    return predictions


def _read(path: Path, header: bytes) -> NDArray[np.void]:
    """The complete rows of a file if it begins with the header; else no rows."""
    content = path.read_bytes() if path.is_file() else b""
    if not content.startswith(header):
        return np.zeros(0, SCORE_DTYPE)
    rows = content[len(header) :]
    return np.frombuffer(rows[: len(rows) // SCORE_DTYPE.itemsize * SCORE_DTYPE.itemsize], SCORE_DTYPE)


# Predictions of several policies on people's moves: the data on which weights and temperatures are
# fitted.


_CHUNK = 2048


@dataclass(frozen=True)
class ChoiceData:
    """Discrete-choice data: every policy's distribution over the legal moves of each position, and the move
    played."""

    log_probabilities: NDArray[np.float32]
    """[policies, moves of all positions], clipped below at the logarithm of `policies.MIN_PROBABILITY`."""
    offsets: NDArray[np.int64]
    """[positions + 1]: position i has the moves offsets[i] to offsets[i + 1]."""
    played: NDArray[np.int64]
    """[positions]: the index of the move played, among all moves."""
    metadata: NDArray[np.void]
    """[positions] of `samples.METADATA_DTYPE`."""

    @staticmethod
    def of(log_probabilities: NDArray[np.float32], metadata: NDArray[np.void]) -> ChoiceData:
        """Choice data from the metadata of a sample and the log-probabilities [policies, moves] of policies
        on it."""
        offsets = segment_offsets(metadata["legal"])
        return ChoiceData(log_probabilities, offsets, offsets[:-1] + metadata["played"], metadata)

    def __len__(self) -> int:
        return len(self.played)

    def negative_log_likelihood(self, weights: ArrayLike) -> Array:
        """The negative log-likelihood in nats [positions] of the geometric pool with these weights
        [policies]."""
        logs = np.asarray(weights, np.float64) @ self.log_probabilities.astype(np.float64)
        return segment_logsumexp(logs, self.offsets) - logs[self.played]

    def subset(self, which: NDArray[np.integer]) -> ChoiceData:
        """The choice data of the positions with these indices."""
        sizes = np.diff(self.offsets)[which]
        offsets = segment_offsets(sizes)
        places = np.repeat(self.offsets[which] - offsets[:-1], sizes) + np.arange(offsets[-1])
        played = self.played[which] - self.offsets[which] + offsets[:-1]
        return ChoiceData(self.log_probabilities[:, places], offsets, played, self.metadata[which])


def collect_choice_data(
    policies: Sequence[Policy], sample: Sample, on_progress: ProgressCallback = lambda _: None
) -> ChoiceData:
    """Evaluates every policy on every position of the sample."""
    logs: list[list[NDArray[np.float64]]] = [[] for _ in policies]
    for begin, positions in sample.batches(0, _CHUNK):
        for policy, parts in zip(policies, logs, strict=True):
            parts += [log_probabilities(prediction) for prediction in policy.predict(positions)]
        on_progress(begin + len(positions))
    return ChoiceData.of(
        np.stack([np.concatenate(parts).astype(np.float32) for parts in logs]),
        sample.metadata,
    )


_INVERSE_TEMPERATURES = 0.05, 20.0
"""Bounds. At a bound the policy is uninformative, or always right."""


@dataclass(frozen=True)
class TemperatureFit:
    """The fitted temperature of a group."""

    rating: float | None
    """The mean rating of the players to move; None if unknown."""
    positions: int
    temperature: float
    before: float
    after: float


def fit_temperatures(
    policy: Policy, sample: Sample, on_progress: ProgressCallback = lambda _: None
) -> dict[str, TemperatureFit]:
    """Fits a temperature for each group. The sample should not be the one on which the policy is
    measured."""
    choices = collect_choice_data([policy], sample, on_progress)
    group_of = sample.group_of_game[sample.metadata["game"]]
    fits = {}
    for number, name in enumerate(sample.groups):
        subset = choices.subset(np.flatnonzero(group_of == number))
        logs = subset.log_probabilities[0].astype(np.float64)
        inverse = best_beta(logs, subset.offsets, subset.played, _INVERSE_TEMPERATURES)
        ratings = subset.metadata["rating"]
        fits[name] = TemperatureFit(
            None if np.isnan(ratings).all() else float(np.nanmean(ratings)),
            len(subset.played),
            1 / inverse,
            float(subset.negative_log_likelihood([1.0]).mean()),
            float(subset.negative_log_likelihood([inverse]).mean()),
        )
    return fits


def temperature_curve(fitted: dict[str, TemperatureFit]) -> Curve:
    """The temperature as a curve over ratings; without ratings, the mean over all positions."""
    knots = {round(fit.rating): fit.temperature for fit in fitted.values() if fit.rating is not None}
    if len(knots) == len(fitted):
        return Curve.through(knots)
    weights = [fit.positions for fit in fitted.values()]
    return Curve.constant(np.average([fit.temperature for fit in fitted.values()], weights=weights))


def best_beta(
    logs: Array, offsets: Offsets, played: NDArray[np.int64], bounds: tuple[float, float] = (1e-3, 50.0)
) -> float:
    """The beta that minimises the mean of log sum exp(beta logs) - beta logs[played].

    Newton's method, kept inside the bounds by bisection: the mean is convex in beta.
    """
    low, high = bounds
    beta = 1.0
    for _ in range(60):
        shares = np.exp(segment_log_softmax(beta * logs, offsets))
        means = segment_sum(shares * logs, offsets)
        slope = float((means - logs[played]).mean())
        gaps = logs - segment_repeat(means, offsets)
        bend = float(segment_sum(shares * gaps * gaps, offsets).mean())
        if slope > 0:
            high = beta
        else:
            low = beta
        following = beta - slope / bend if bend > 0 else low
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - beta) < 1e-9 * beta:
            break
        beta = following
    return beta


# Cached predictions of policies on recorded games, in append-only files.
#
# A policy has one file. After a header line with the policy's key, each game is a record: the game's key, the
# number of its positions, their total number of legal moves, and the log-probabilities of all these moves.
# Samples of any split, trial or size share the games. A record that a crash cut off is removed on reading.


_HEAD = struct.Struct("<QII")
_TOGETHER = 128
"""Whole games are predicted together until there are so many positions."""


@dataclass(frozen=True)
class CachedPolicy:
    """A policy with a cache of its predictions."""

    policy: Policy
    key: str
    """Identifies the predictions: a hash of the policy's files and the backend."""

    @staticmethod
    def open(
        name: str,
        source: str,
        game: str,
        *,
        backend: str = "onnxruntime",
        threads: int = 1,
        batch: int = 64,
        symmetries: bool = False,
    ) -> CachedPolicy:
        """Opens a policy: a model's name, a network file or a policy TOML.

        `name` is its name in reports. Raises BadConfig, BadFile or OSError.
        """
        policy = load_policy(
            source, game, name=name, backend=backend, threads=threads, batch=batch, symmetries=symmetries
        )
        return CachedPolicy(policy, cache_key(fingerprint(source, game), backend, str(symmetries)))

    @property
    def name(self) -> str:
        """The policy's name in reports."""
        return self.policy.name

    def path(self, folder: Path) -> Path:
        """The policy's cache file in a folder; it does not depend on the name."""
        return folder / f"{self.key[:20]}.choices"


def cached_log_probabilities(
    expert: CachedPolicy, sample: Sample, folder: Path, on_progress: ProgressCallback = lambda _: None
) -> NDArray[np.float32]:
    """The policy's log-probabilities, [legal moves of all positions]; games that the cache has are not
    predicted.

    `on_progress` is called with the number of positions done. Raises BadConfig or OSError.
    """
    path = expert.path(folder)
    header = json.dumps({"key": expert.key}).encode() + b"\n"
    keys = [_key(sample.game, played) for played in sample.games]
    sizes = np.bincount(sample.metadata["game"], minlength=len(keys)).tolist()
    with lock_folder(folder, f"{path.name}.lock", wait=True):  # another run may evaluate the same policy
        cached = _read_cache(path, header)
        done = sum(size for key, size in zip(keys, sizes, strict=True) if key in cached)
        on_progress(done)
        missing = [number for number, key in enumerate(keys) if key not in cached]
        for games in _several(missing, sizes):
            positions = [extract_positions(sample.game, sample.games[number], number)[0] for number in games]
            predictions = checked_predictions(
                expert.policy, [position for part in positions for position in part]
            )
            record = b""
            for number, part in zip(games, positions, strict=True):
                shares = [prediction.probabilities for prediction in predictions[: len(part)]]
                predictions = predictions[len(part) :]
                logs = cached[keys[number]] = clipped_log(np.concatenate(shares)).astype(np.float32)
                record += _HEAD.pack(keys[number], len(part), len(logs)) + logs.tobytes()
                done += len(part)
            append_or_rollback(path, record, sync=True)
            on_progress(done)
    return np.concatenate([cached[key] for key in keys])


def _several(games: list[int], sizes: list[int]) -> Iterator[list[int]]:
    """The games in runs of at least `_TOGETHER` positions: one game alone does not fill a batch."""
    waiting: list[int] = []
    for number in games:
        waiting.append(number)
        if sum(sizes[game] for game in waiting) >= _TOGETHER:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def gather_choice_data(
    experts: list[CachedPolicy], sample: Sample, folder: Path, on_progress: ProgressCallback = lambda _: None
) -> ChoiceData:
    """The choice data of several policies on a sample, from their caches where possible.

    `on_progress` is called with the number of positions done, over all policies. Raises BadConfig or OSError.
    """
    logs: list[NDArray[np.float32]] = []
    for expert in experts:
        before = len(logs) * len(sample)
        report = partial(lambda before, done: on_progress(before + done), before)
        logs.append(cached_log_probabilities(expert, sample, folder, report))
    return ChoiceData.of(np.stack(logs), sample.metadata)


def _key(game: str, played: PlayedGame) -> int:
    """A hash of everything that the positions of a game and their conditioning depend on."""
    record = played.record
    ratings = (record.first_rating, record.second_rating, record.first_rank, record.second_rank)
    digest = hashlib.blake2b(repr((played.identity, ratings)).encode(), digest_size=8)
    digest.update(describe(game).numbering_tag)
    digest.update(played.plies(game).astype(np.int32).tobytes() + (record.clocks or b""))
    return int.from_bytes(digest.digest(), "little")


def _read_cache(path: Path, header: bytes) -> dict[int, NDArray[np.float32]]:
    """The complete records of a file; an incomplete one, or content of another policy, is removed."""
    path.touch()
    content = path.read_bytes()
    entries: dict[int, NDArray[np.float32]] = {}
    at = len(header) if content.startswith(header) else 0
    while at and at + _HEAD.size <= len(content):
        key, _, moves = _HEAD.unpack_from(content, at)
        end = at + _HEAD.size + 4 * moves
        if end > len(content):
            break
        entries[key] = np.frombuffer(content, np.float32, moves, at + _HEAD.size)
        at = end
    os.truncate(path, at)
    if not at:
        append_or_rollback(path, header)
    return entries
