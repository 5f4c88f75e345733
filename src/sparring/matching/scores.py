"""Scores of a policy on people's moves: a few numbers per position, in a file that can be resumed."""

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

    Raises BadPolicy or OSError.
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
    """The predictions of a policy. Raises BadPolicy if a probability is not finite."""
    try:
        predictions = policy.predict(positions)
    except ValueError as error:  # codecs raise it for outputs with NaN
        raise BadPolicy(f"{policy.name}: {error}") from None
    if not all(np.isfinite(each.probabilities).all() for each in predictions):
        raise BadPolicy(f"{policy.name}: its predictions are not numbers")
    return predictions


def _read(path: Path, header: bytes) -> NDArray[np.void]:
    """The complete rows of a file if it begins with the header; else no rows."""
    content = path.read_bytes() if path.is_file() else b""
    if not content.startswith(header):
        return np.zeros(0, SCORE_DTYPE)
    rows = content[len(header) :]
    return np.frombuffer(rows[: len(rows) // SCORE_DTYPE.itemsize * SCORE_DTYPE.itemsize], SCORE_DTYPE)
