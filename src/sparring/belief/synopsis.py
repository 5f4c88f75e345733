"""The synopsis of a set of possible boards: 104 planes for a network (tables 9 and 10 of the DSMCP paper)."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from sparring._core import RbcBoardSet, rbc_synopsis_planes

SynopsisWords = NDArray[np.uint64]
"""A synopsis: [104], a plane each; bit 0 is a1 as the player sees it, bit 63 h8."""


@dataclass(frozen=True)
class Plane:
    """One plane of a synopsis."""

    name: str
    """As the paper calls it."""
    fold: str
    """`and` or `or` over the boards, `constant`, `known` (the same on every board), or `and by piece`:
    squares for which one piece of the player has the feature on every board."""
    meaning: str
    """What a bit says of one board."""


PLANES = tuple(Plane(*each) for each in rbc_synopsis_planes())
"""The planes in their order. The native core has the list; docs/rbc.md shows it."""


@dataclass(frozen=True)
class SynopsisContext:
    """What a player remembers beside the boards. Squares are numbers from 0 (a1) to 63 (h8)."""

    moving: bool
    """Whether it is to move; otherwise it is to sense."""
    last_from: int | None = None
    last_to: int | None = None
    last_own_capture: int | None = None
    last_opposing_capture: int | None = None


def compute_synopsis(
    boards: RbcBoardSet,
    synopsis_context: SynopsisContext,
    previous: SynopsisWords | None = None,
    *,
    count: int = 128,
    seed: int = 0,
) -> SynopsisWords:
    """The synopsis of up to `count` of the boards, drawn by the seed where there are more.

    `previous` is the synopsis of the player's turn before, None in its first.
    """
    return boards.synopsis(**asdict(synopsis_context), previous=previous, count=count, seed=seed)


def unpack_planes(words: SynopsisWords) -> NDArray[np.float32]:
    """Synopses [..., 104] as planes of 0 and 1 [..., 104, 8, 8]; row 0 is the player's first rank."""
    octets = words.astype("<u8").view(np.uint8).reshape(*words.shape, 8)
    return np.unpackbits(octets, axis=-1, bitorder="little").reshape(*words.shape, 8, 8).astype(np.float32)
