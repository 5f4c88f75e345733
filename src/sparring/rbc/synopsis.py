"""Synopsis of a set of possible boards: 104 bitboards for a network (DSMCP paper, tables 9 and 10)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from sparring._core import RbcBoardSet, rbc_synopsis_planes
from sparring.games import Move
from sparring.networks.card import ModelCard
from sparring.rbc.game import NO_SENSE, PASS, SENSE

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


PLANES = tuple(Plane(*plane) for plane in rbc_synopsis_planes())
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


# Action numbering and headsets of synopsis networks (DSMCP paper, section 5.2).
#
# A synopsis network takes `planes`, float32 [n, 104, 8, 8] (`unpack_planes`). For each headset H it has the
# outputs `policy_H`, logits [n, ACTIONS], and `value_H`, the expected result [n, 1] from -1 to 1 for the
# player to act. Squares are from the view of that player. The model card's setting `headsets` has the names,
# separated by commas; `replaced` has the headsets that predict their player worse than another one, with that
# one: "genetic=Top,Zugzwang=All".

SENSES = 64
"""Actions 0 to 63 are senses by square; 64 + 64 * from + to is a move; the last action is a pass."""
PASS_ACTION = SENSES + 64 * 64
ACTIONS = PASS_ACTION + 1

ALL, TOP = "All", "Top"
"""Headsets of every network: all players, and the strongest ones."""
CODEC = "synopsis"


def action_index(move: Move, player: int) -> int | None:
    """Returns the action of a move code, None for no sense. Promotions count as moves to the last rank."""
    if move == NO_SENSE:
        return None
    if move == PASS:
        return PASS_ACTION
    flip = 56 * player
    if move >= SENSE:
        return (move - SENSE) ^ flip
    return SENSES + 64 * ((move >> 6 & 63) ^ flip) + ((move & 63) ^ flip)


def headsets_of(card: ModelCard) -> tuple[str, ...]:
    """Returns the names of a network's headsets, in order."""
    return tuple(str(card.settings.get("headsets", "")).split(","))


def replaced_headsets(card: ModelCard) -> dict[str, str]:
    """Returns the headsets that are not used for their player, each with the one that is."""
    pairs = str(card.settings.get("replaced", "")).split(",")
    return {own: other for own, sign, other in (pair.partition("=") for pair in pairs) if sign}


def recognise(opponent: str, headsets: Sequence[str], replaced: Mapping[str, str] | None = None) -> str:
    """Returns the headset of an opponent by its name, `Top` if there is none.

    Letter case, punctuation and an ending "bot" do not matter: TroutBot is `trout`. A headset in `replaced`
    gives way to the one named there, `Top` if the network has no such headset.
    """
    by_plain_name = {_plain(name): name for name in headsets if name not in (ALL, TOP)}
    own = by_plain_name.get(_plain(opponent), TOP)
    chosen = (replaced or {}).get(own, own)
    return chosen if chosen in headsets else TOP


def _plain(name: str) -> str:
    letters = re.sub(r"[\W_]", "", name.casefold())
    return letters.removesuffix("bot") or letters
