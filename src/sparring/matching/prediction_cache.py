"""Cached predictions of policies on recorded games, in append-only files.

A policy has one file. After a header line with the policy's key, each game is a record: the game's key, the
number of its positions, their total number of legal moves, and the log-probabilities of all these moves.
Samples of any split, trial or size share the games. A record that a crash cut off is removed on reading.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sparring.games import describe
from sparring.matching.choice_data import ChoiceData
from sparring.matching.games import PlayedGame
from sparring.matching.positions import Sample, extract_positions
from sparring.matching.scores import ProgressCallback, cache_key, checked_predictions
from sparring.policies import Policy, fingerprint, load_policy
from sparring.policies.policy import clipped_log
from sparring.storage import append_or_rollback, lock_folder

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

        `name` is its name in reports. Raises BadPolicy, BadNetwork or OSError.
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

    `on_progress` is called with the number of positions done. Raises BadPolicy or OSError.
    """
    path = expert.path(folder)
    header = json.dumps({"key": expert.key}).encode() + b"\n"
    keys = [_key(sample.game, played) for played in sample.games]
    sizes = np.bincount(sample.metadata["game"], minlength=len(keys)).tolist()
    with lock_folder(folder, f"{path.name}.lock", wait=True):  # another run may evaluate the same policy
        known = _read(path, header)
        done = sum(size for key, size in zip(keys, sizes, strict=True) if key in known)
        on_progress(done)
        missing = [number for number, key in enumerate(keys) if key not in known]
        for games in _several(missing, sizes):
            positions = [extract_positions(sample.game, sample.games[number], number)[0] for number in games]
            predictions = checked_predictions(expert.policy, [each for part in positions for each in part])
            record = b""
            for number, part in zip(games, positions, strict=True):
                shares = [each.probabilities for each in predictions[: len(part)]]
                predictions = predictions[len(part) :]
                logs = known[keys[number]] = clipped_log(np.concatenate(shares)).astype(np.float32)
                record += _HEAD.pack(keys[number], len(part), len(logs)) + logs.tobytes()
                done += len(part)
            append_or_rollback(path, record, sync=True)
            on_progress(done)
    return np.concatenate([known[key] for key in keys])


def _several(games: list[int], sizes: list[int]) -> Iterator[list[int]]:
    """The games in runs of at least `_TOGETHER` positions: one game alone does not fill a batch."""
    waiting: list[int] = []
    for number in games:
        waiting.append(number)
        if sum(sizes[each] for each in waiting) >= _TOGETHER:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def gather_choice_data(
    experts: list[CachedPolicy], sample: Sample, folder: Path, on_progress: ProgressCallback = lambda _: None
) -> ChoiceData:
    """The choice data of several policies on a sample, from their caches where possible.

    `on_progress` is called with the number of positions done, over all policies. Raises BadPolicy or OSError.
    """
    said = [
        cached_log_probabilities(expert, sample, folder, partial(_further, on_progress, number * len(sample)))
        for number, expert in enumerate(experts)
    ]
    return ChoiceData.of(np.stack(said), sample.metadata)


def _further(on_progress: ProgressCallback, before: int, done: int) -> None:
    on_progress(before + done)


def _key(game: str, played: PlayedGame) -> int:
    """A hash of everything that the positions of a game and their conditioning depend on."""
    record = played.record
    ratings = (record.first_rating, record.second_rating, record.first_rank, record.second_rank)
    digest = hashlib.blake2b(repr((played.identity, ratings)).encode(), digest_size=8)
    digest.update(describe(game).numbering_tag)
    digest.update(played.plies(game).astype(np.int32).tobytes() + (record.clocks or b""))
    return int.from_bytes(digest.digest(), "little")


def _read(path: Path, header: bytes) -> dict[int, NDArray[np.float32]]:
    """The complete records of a file; an incomplete one, or content of another policy, is removed."""
    path.touch()
    content = path.read_bytes()
    found: dict[int, NDArray[np.float32]] = {}
    at = len(header) if content.startswith(header) else 0
    while at and at + _HEAD.size <= len(content):
        key, _, moves = _HEAD.unpack_from(content, at)
        end = at + _HEAD.size + 4 * moves
        if end > len(content):
            break
        found[key] = np.frombuffer(content, np.float32, moves, at + _HEAD.size)
        at = end
    os.truncate(path, at)
    if not at:
        append_or_rollback(path, header)
    return found
