"""The actions that a player may choose, from the planes of a synopsis alone.

At a sense these are the 64 senses. At a move they are reconchess's `move_actions` and the pass: the moves of
the player's pieces on a board without the opponent's, all diagonal steps of pawns, and castling.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sparring.belief import PLANES
from sparring.networks.synopsis import ACTIONS, PASS_ACTION, SENSES

_NUMBER = {plane.name: number for number, plane in enumerate(PLANES)}
_STAGE = _NUMBER["Stage (move or sense)"]
_PIECES = slice(_NUMBER["Own pawns"], _NUMBER["Own king"] + 1)
"""Pawns, knights, bishops, rooks, queens, king: a slice, because a CUDA graph cannot copy a list."""
_OWN = _NUMBER["All own pieces"]
_CASTLES = _NUMBER["May castle eventually"]
_KING_HOME = 4
_CASTLING = ((6, slice(5, 7)), (2, slice(1, 4)))
"""Where the king castles to, and the squares that must be free of the player's own pieces."""


class ActionMask(nn.Module):
    """Computes which actions are possible: planes [n, 104, 8, 8] to bool [n, 4161]."""

    between: Tensor
    """[4096, 64]: squares between two squares of a line."""
    reach: Tensor
    """[6, 64, 64]: moves of each piece type from square to square on an empty board."""

    def __init__(self) -> None:
        super().__init__()
        between, reach = _geometry()
        self.register_buffer("between", torch.from_numpy(between), persistent=False)
        self.register_buffer("reach", torch.from_numpy(reach), persistent=False)

    @torch.no_grad()
    def forward(self, planes: Tensor) -> Tensor:
        """Returns True for each action that is possible."""
        n = len(planes)
        squares = planes.flatten(2)
        own = squares[:, _OWN]
        free = (own @ self.between.T).view(n, 64, 64) == 0
        pieces = squares[:, _PIECES]
        moves = torch.einsum("ntf,tfg->nfg", pieces, self.reach) > 0
        moves &= free & (own == 0)[:, None, :]
        for target, path in _CASTLING:
            way_is_free = own[:, path].sum(1) == 0
            moves[:, _KING_HOME, target] |= way_is_free & (squares[:, _CASTLES, target] > 0)
        moving = squares[:, _STAGE, :1] > 0
        mask = torch.zeros(n, ACTIONS, dtype=torch.bool, device=planes.device)
        mask[:, :SENSES] = ~moving
        mask[:, SENSES:PASS_ACTION] = moves.flatten(1) & moving
        mask[:, PASS_ACTION:] = moving
        return mask


def _geometry() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Squares between two squares, and moves on an empty board by piece type, pawns moving up."""
    between = np.zeros((64, 64, 64), np.float32)
    reach = np.zeros((6, 64, 64), np.float32)
    lines = [(1, 0), (-1, 0), (0, 1), (0, -1)], [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    for square in range(64):
        rank, file = divmod(square, 8)
        for kind, directions in ((3, lines[0]), (2, lines[1])):
            for up, right in directions:
                passed: list[int] = []
                for step in range(1, 8):
                    row, column = rank + step * up, file + step * right
                    if not (0 <= row < 8 and 0 <= column < 8):
                        break
                    target = 8 * row + column
                    reach[[kind, 4], square, target] = 1
                    between[square, target, passed] = 1
                    passed.append(target)
                    if step == 1:
                        reach[5, square, target] = 1
        for up, right in ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)):
            if 0 <= rank + up < 8 and 0 <= file + right < 8:
                reach[1, square, 8 * (rank + up) + file + right] = 1
        if rank < 7:
            files = range(max(file - 1, 0), min(file + 2, 8))
            reach[0, square, [8 * (rank + 1) + each for each in files]] = 1
        if rank == 1:
            reach[0, square, square + 16] = 1
    return between.reshape(4096, 64), reach
