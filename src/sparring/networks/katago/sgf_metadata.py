"""KataGo's metadata inputs (SGFMetadata, version 1) for human-SL networks.

All but the ranks is as in KataGo's profiles `rank_9d` to `rank_20k`: a game on KGS in March 2020, twenty
minutes and five periods of thirty seconds.
"""

from __future__ import annotations

import math
from datetime import date

import numpy as np
from numpy.typing import NDArray

from sparring.networks.katago.parsing import METADATA_INPUTS
from sparring.networks.prediction import Position

_BEST, _WORST = 1, 29  # ranks, counted down from 9 dan to 20 kyu
_RANKS, _RANK_INPUTS = 6, 34
_DATES, _DATE_WAVES, _LONGEST_WAVE = 87, 32, 80_000
_SOURCES, _KGS = 151, 2
_DAY = (date(2020, 3, 1) - date(1970, 1, 1)).days
_MAIN_TIME, _PERIOD_TIME, _PERIODS = 1200.0, 30.0, 5


def inverse_rank(order: int | None) -> int:
    """KataGo's inverse rank: 1 for 9 dan to 29 for 20 kyu; an unknown rank is 9 dan.

    `order` is 1 for 1 dan, -1 for 1 kyu, and never 0.
    """
    if order is None:
        return _BEST
    return min(max((10 if order > 0 else 9) - order, _BEST), _WORST)


def sgf_metadata(position: Position) -> NDArray[np.float32]:
    """The metadata vector [192] of a position. An unknown opponent's rank is the player's."""
    own = inverse_rank(position.rating)
    other = own if position.opponent_rating is None else inverse_rank(position.opponent_rating)
    row = _GAME.copy()
    row[_RANKS : _RANKS + own] = 1.0
    row[_RANKS + _RANK_INPUTS : _RANKS + _RANK_INPUTS + other] = 1.0
    row[86] = 0.5 * math.log(position.state.size**2 / 361)
    return row


def _game() -> NDArray[np.float32]:
    """The part of the vector that does not depend on the position."""
    row = np.zeros(METADATA_INPUTS, np.float32)
    row[0:2] = 1.0  # both are people
    row[74] = 0.5  # rated or not: unknown
    row[79] = 1.0  # Japanese byo-yomi
    row[82] = 0.4 * (math.log(_MAIN_TIME + 60) - 6.5)
    row[83] = 0.3 * (math.log(_PERIOD_TIME + 1) - 3.0)
    row[84] = 0.5 * (math.log(_PERIODS + 2) - 1.5)
    row[85] = 0.25 * (math.log(2) - 1.5)  # no stones of Canadian byo-yomi
    for wave in range(_DATE_WAVES):
        period = 7 * _LONGEST_WAVE ** (wave / (_DATE_WAVES - 1))
        turns = 2 * math.pi * _DAY / period
        row[_DATES + 2 * wave : _DATES + 2 * wave + 2] = math.cos(turns), math.sin(turns)
    row[_SOURCES + _KGS] = 1.0
    return row


_GAME = _game()
