"""Training, validation and test split by a hash of the game's identity, independent of the table."""

from __future__ import annotations

import hashlib
from enum import StrEnum

_PARTS = 10_000


class Split(StrEnum):
    """The use of a game."""

    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"

    @classmethod
    def _missing_(cls, value: object) -> Split:
        raise ValueError(f"unknown split {value!r}; there are {', '.join(cls)}")


def split_of(identity: int, seed: int = 0) -> Split:
    """The split of a game: 90 % training, 5 % validation, 5 % test. `seed` chooses the trial."""
    digest = hashlib.blake2b(identity.to_bytes(8, "little"), digest_size=8, salt=seed.to_bytes(16, "little"))
    part = int.from_bytes(digest.digest(), "little") % _PARTS
    if part < _PARTS * 90 // 100:
        return Split.TRAIN
    return Split.VALIDATION if part < _PARTS * 95 // 100 else Split.TEST
