"""Splits by the hash of a game's id: they never change, whatever table the game is in."""

from __future__ import annotations

import hashlib
from enum import StrEnum

_PARTS = 10_000


class Split(StrEnum):
    """What a game is used for."""

    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"


def split_of(identity: int, seed: int = 0) -> Split:
    """90 % training, 5 % validation, 5 % test; another seed is another trial."""
    digest = hashlib.blake2b(identity.to_bytes(8, "little"), digest_size=8, salt=seed.to_bytes(16, "little"))
    part = int.from_bytes(digest.digest(), "little") % _PARTS
    if part < _PARTS * 90 // 100:
        return Split.TRAIN
    return Split.VALIDATION if part < _PARTS * 95 // 100 else Split.TEST
