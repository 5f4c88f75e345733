"""What a policy made of people's moves: a few numbers a position, kept in a file while it goes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sparring.matching.positions import Sample
from sparring.networks import Position, Prediction
from sparring.policies import BadPolicy, Policy
from sparring.storage import append_or_rollback, atomic_write

SCORE_DTYPE = np.dtype(
    [
        ("played", np.float32),  # the probability of the move that was played
        ("top", np.float32),  # that of the likeliest move
        ("entropy", np.float32),  # in nats
        ("rank", np.int16),  # how many moves the policy puts before the one played
    ]
)
ProgressCallback = Callable[[int], None]
"""Hears how many positions are done."""


def cache_key(*parts: str) -> str:
    """A key for scores: other parts, other scores."""
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
    """[positions] of SCORES for the whole sample, going on from what the file has under the same key.

    `chunk` positions are asked for and written at a time, always the same ones, so that a run that goes on
    asks its networks in the same batches as one that was never stopped and gets the same numbers to the last
    bit. Whatever kills it, the file holds whole chunks that count, and perhaps a part of one that does not.
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
    """[predictions] of SCORES; of moves that are equally likely the first counts as put before the others."""
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
    """What a policy says, once that has been seen to be numbers. Raises BadPolicy."""
    try:
        predictions = policy.predict(positions)
    except ValueError as error:  # what a codec says of outputs that are no numbers
        raise BadPolicy(f"{policy.name}: {error}") from None
    if not all(np.isfinite(each.probabilities).all() for each in predictions):
        raise BadPolicy(f"{policy.name}: its predictions are not numbers")
    return predictions


def _read(path: Path, header: bytes) -> NDArray[np.void]:
    """The whole rows of a file, if it begins with the header."""
    content = path.read_bytes() if path.is_file() else b""
    if not content.startswith(header):
        return np.zeros(0, SCORE_DTYPE)
    rows = content[len(header) :]
    return np.frombuffer(rows[: len(rows) // SCORE_DTYPE.itemsize * SCORE_DTYPE.itemsize], SCORE_DTYPE)
