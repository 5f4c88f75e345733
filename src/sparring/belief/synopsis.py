"""Synopsis of a set of possible boards: 104 bitboards for a network (DSMCP paper, tables 9 and 10)."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from sparring._core import RbcBoardSet, rbc_synopsis_planes

SynopsisWords = NDArray[np.uint64]
"""A synopsis: [104] bitboards. Bit 0 is a1 and bit 63 is h8 from the player's view."""


@dataclass(frozen=True)
class Plane:
    """Description of one plane of a synopsis."""

    name: str
    """The paper's name."""
    fold: str
    """How the boards are combined: `and`, `or`, `constant`, `known` (equal on all boards), or `and by piece`
    (squares for which the same piece of the player has the feature on every board)."""
    meaning: str
    """The feature of one board that a set bit stands for."""


PLANES = tuple(Plane(*each) for each in rbc_synopsis_planes())
"""The planes in order, from the native core; docs/rbc.md lists them."""


@dataclass(frozen=True)
class SynopsisContext:
    """Inputs of a synopsis besides the boards. Squares are 0 (a1) to 63 (h8), None if there is none."""

    moving: bool
    """True at the player's move, False at its sense."""
    last_from: int | None = None
    """Origin of the player's last move."""
    last_to: int | None = None
    """Destination of the player's last move."""
    last_own_capture: int | None = None
    """Square of the player's last capture, if its last move captured."""
    last_opposing_capture: int | None = None
    """Square of the opponent's capture, if its last move captured."""


def compute_synopsis(
    boards: RbcBoardSet,
    synopsis_context: SynopsisContext,
    previous: SynopsisWords | None = None,
    *,
    count: int = 128,
    seed: int = 0,
) -> SynopsisWords:
    """Computes the synopsis, [104], of at most `count` boards; `seed` draws them if there are more.

    `previous` is the synopsis with which the player chose the move of its previous turn, None in its first.
    """
    return boards.synopsis(**asdict(synopsis_context), previous=previous, count=count, seed=seed)


def unpack_planes(words: SynopsisWords) -> NDArray[np.float32]:
    """Converts synopses [..., 104] to planes of 0 and 1, [..., 104, 8, 8].

    Row 0 is the player's first rank.
    """
    octets = words.astype("<u8").view(np.uint8).reshape(*words.shape, 8)
    return np.unpackbits(octets, axis=-1, bitorder="little").reshape(*words.shape, 8, 8).astype(np.float32)
