"""Action numbering and headsets of synopsis networks (DSMCP paper, section 5.2).

A synopsis network takes `planes`, float32 [n, 104, 8, 8] (`belief.unpack_planes`), and has for each headset H
the outputs `policy_H`, logits [n, ACTIONS], and `value_H`, the expected result [n, 1] from -1 to 1 for the
player to act. Squares are from the view of that player. The model card's setting `headsets` has the names,
separated by commas. Its setting `replaced` has the headsets that predict their player worse than another one,
with that one: "genetic=Top,Zugzwang=All".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sparring.games import Move
from sparring.games.rbc import NO_SENSE, PASS, SENSE
from sparring.networks.card import ModelCard

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
    return {own: other for own, found, other in (pair.partition("=") for pair in pairs) if found}


def recognise(opponent: str, headsets: Sequence[str], replaced: Mapping[str, str] | None = None) -> str:
    """Returns the headset of an opponent by its name, `Top` if there is none.

    Letter case, punctuation and an ending "bot" do not matter: TroutBot is `trout`. A headset in `replaced`
    gives way to the one named there, `Top` if the network has no such headset.
    """
    known = {_plain(name): name for name in headsets if name not in (ALL, TOP)}
    own = known.get(_plain(opponent), TOP)
    chosen = (replaced or {}).get(own, own)
    return chosen if chosen in headsets else TOP


def _plain(name: str) -> str:
    letters = re.sub(r"[\W_]", "", name.casefold())
    return letters.removesuffix("bot") or letters
