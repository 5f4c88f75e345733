"""How often the possible boards of a player of reconnaissance blind chess have each piece on each square."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparring._core import RbcBoardSet

_SAMPLE = 2_000
"""Boards that shares are estimated from."""
_LETTERS = "PNBRQKpnbrqk"
_CODES = np.frombuffer(_LETTERS.encode(), np.uint8)
_EMPTY = {ord(str(count)): "." * count for count in range(1, 9)} | {ord("/"): ""}


@dataclass(frozen=True)
class SquareShares:
    """Shares [12, 64] of boards with each piece (`PNBRQKpnbrqk`) on each square, from a1."""

    shares: NDArray[np.float64]

    @classmethod
    def of(cls, boards: RbcBoardSet) -> SquareShares:
        """The shares of a set of boards, or of a sample of a large one."""
        large = len(boards) > _SAMPLE
        fens = [each.text() for each in boards.sample(_SAMPLE, 0)] if large else boards.fens()
        text = "".join(fen.partition(" ")[0].translate(_EMPTY) for fen in fens)
        codes = np.frombuffer(text.encode(), np.uint8).reshape(len(fens), 8, 8)[:, ::-1].reshape(-1, 64)
        return cls((codes[None] == _CODES[:, None, None]).mean(axis=1))

    def of_side(self, player: int) -> NDArray[np.float64]:
        """Shares [64] of boards with a piece of a player."""
        total: NDArray[np.float64] = self.shares[6 * player : 6 * player + 6].sum(axis=0)
        return total

    def likeliest(self, players: tuple[int, ...] = (0, 1)) -> tuple[list[str], list[float]]:
        """For each square the likeliest piece of these players and its share; "" where there never is one."""
        rows = np.concatenate([np.arange(6) + 6 * player for player in players])
        places, best = rows[self.shares[rows].argmax(axis=0)], self.shares[rows].max(axis=0)
        letters = [_LETTERS[place] if share > 0 else "" for place, share in zip(places, best, strict=True)]
        return letters, [round(float(share), 4) for share in best]
