"""Training positions on the device: recorded games, replayed once, and fresh games that the teacher plays.

`libpool.so` (pool.cpp) writes one row of bytes per position. Rows become the networks' inputs on the device.
"""

from __future__ import annotations

import ctypes
import io
import lzma
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

HISTORY = 8
MOVES = 1858
END_GAME = 0xFFFF
"""The label that ends a game of the pool."""
_POOL_ROW, _RECORDED_ROW = 760, 308
"""Sizes of pool.cpp's `Row` and `Recorded` in bytes."""
_MAX_PLIES = 220


class Positions(NamedTuple):
    """n positions on the device."""

    boards: Tensor
    """uint8 [n, 8, 64]: newest first, each seen by its own mover; the earliest one fills up the rest."""
    info: Tensor
    """uint8 [n, 4]: castling rights and colour, rule-50 counter, repetitions by board, number of boards."""
    ratings: Tensor
    """[n, 2]: of the player to move and of the opponent; -1 if unknown."""
    legal: Tensor
    """bool [n, 1858]: whether each of Lc0's moves is legal."""
    clock: Tensor
    """[n]: in [0, 1]; -1 if unknown."""

    def first(self, n: int) -> Positions:
        """The first n positions."""
        return Positions(*(tensor[:n] for tensor in self))


def join(a: Positions, b: Positions) -> Positions:
    """The positions of both."""
    return Positions(*(torch.cat(pair) for pair in zip(a, b, strict=True)))


def load_library(path: Path) -> ctypes.CDLL:
    """Loads the library that `build_pool.sh` builds."""
    library = ctypes.CDLL(str(path.resolve()))
    pointer, integer, share = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double
    library.pool_new.restype = pointer
    library.pool_new.argtypes = [
        integer, ctypes.c_int, ctypes.c_uint64, integer, pointer, pointer, pointer, share, share,
        ctypes.c_int,
    ]  # fmt: skip
    library.pool_free.argtypes = [pointer]
    library.pool_step.argtypes = [pointer, integer, integer, pointer, pointer]
    library.replay.argtypes = [integer, pointer, pointer, ctypes.c_int, pointer]
    library.replay.restype = integer
    library.policy_moves.argtypes = [pointer]
    return library


def policy_moves(library: ctypes.CDLL) -> NDArray[np.int8]:
    """From-square, to-square and promotion of each of Lc0's moves, [1858, 3]."""
    moves = np.zeros((MOVES, 3), np.int8)
    library.policy_moves(moves.ctypes.data)
    return moves


class Games(NamedTuple):
    """Games of `pack_games.py`."""

    moves: NDArray[np.uint8]
    """Indices among the legal moves, all games in a row."""
    offsets: NDArray[np.int64]
    """[games + 1]: where each game begins."""
    ratings: NDArray[np.int16]
    """[games, 2]: White's and Black's; -1 if unknown."""
    results: NDArray[np.int8]
    """[games]: 2 if White won, 1 for a draw, 0 if Black won, negative if unknown."""
    splits: NDArray[np.uint8]
    """[games]: 0 training, 1 validation, 2 test."""
    clocks: NDArray[np.float32]
    """[plies]: the clock after each move in [0, 1]; -1 if unknown."""


def read_games(path: Path, limit: int = 0) -> Games:
    """Reads a file of `pack_games.py`; with a limit only so many games, spread over both splits."""
    with np.load(io.BytesIO(lzma.decompress(path.read_bytes()))) as file:
        arrays = dict(file)
    lengths = arrays["lengths"].astype(np.int64)
    with_clocks = np.repeat(arrays["has_clocks"], lengths)
    clocks = np.full(len(arrays["moves"]), -1, np.float32)
    stored = arrays["clocks"].astype(np.float32)
    clocks[with_clocks] = np.where(stored == 0, -1, (stored - 1) / 254)
    order = np.arange(len(lengths))
    if limit:
        order = np.argsort(arrays["splits"] == 0, kind="stable")[:: max(1, len(lengths) // limit)][:limit]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    plies = np.concatenate([np.arange(starts[game], starts[game + 1]) for game in order])
    return Games(
        arrays["moves"][plies],
        np.concatenate([[0], np.cumsum(lengths[order])]).astype(np.int64),
        np.ascontiguousarray(arrays["ratings"][order]),
        arrays["results"][order],
        arrays["splits"][order],
        clocks[plies],
    )


class Records:
    """The positions of recorded games on the device."""

    def __init__(self, games: Games, library: ctypes.CDLL, threads: int, device: torch.device) -> None:
        self.games = games
        lengths = np.diff(games.offsets)
        rows = np.zeros((int(games.offsets[-1]), _RECORDED_ROW), np.uint8)
        broken = library.replay(
            len(lengths), games.moves.ctypes.data, games.offsets.ctypes.data, threads, rows.ctypes.data
        )
        if broken:
            raise ValueError(f"{broken} games have illegal moves")
        game = np.repeat(np.arange(len(lengths)), lengths)
        ply = np.arange(len(rows)) - games.offsets[game]
        mover = ply % 2
        ratings = np.where(mover[:, None] == 0, games.ratings[game], games.ratings[game][:, ::-1])
        white = games.results[game].astype(np.int64)
        result = np.where(white < 0, -1, np.where(mover == 0, 2 - white, white))
        split = games.splits[game]
        groups = ratings // 100 * 100
        group = np.where(groups[:, 0] == groups[:, 1], groups[:, 0], -1).astype(np.int64)
        held_out = (split == 1) & (ply >= 10) & (group >= 1100) & (group <= 1900)

        def put(array: NDArray[Any]) -> Tensor:
            return torch.from_numpy(np.ascontiguousarray(array)).to(device)

        self._rows, self.ply, self.game = put(rows), put(ply.astype(np.int64)), put(game)
        """[plies]: the ply, and the game's index."""
        self._ratings, self.clock = put(ratings.astype(np.float32)), put(_clocks_before(games.clocks, ply))
        """[plies]: the clock of the player to move in [0, 1]; -1 if unknown."""
        self.results = put(result)
        """[plies]: 0 if the player to move won, 1 for a draw, 2 for a loss, -1 if unknown."""
        self.group = put(group)
        """[plies]: the rating group; -1 if the players are in different ones."""
        self.train, self.validation = put(np.flatnonzero(split == 0)), put(np.flatnonzero(held_out))
        """Indices of positions. Validation: from ply 10, groups 1100 to 1900."""
        self.test = put(np.flatnonzero(split == 2))
        """Indices of all test positions."""

    def book(self) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int16]]:
        """Moves, offsets and ratings of the training games with 20 plies or more."""
        offsets = self.games.offsets
        chosen = np.flatnonzero((self.games.splits == 0) & (np.diff(offsets) >= 20))
        moves = np.concatenate([self.games.moves[offsets[g] : offsets[g + 1]] for g in chosen])
        starts = np.concatenate([[0], np.cumsum(np.diff(offsets)[chosen])]).astype(np.int64)
        return moves, starts, np.ascontiguousarray(self.games.ratings[chosen])

    def positions(self, indices: Tensor) -> Positions:
        """The positions with these indices."""
        ply = self.ply[indices]
        back = torch.arange(HISTORY, device=indices.device)
        rows = indices[:, None] - torch.minimum(back, ply[:, None])
        known = (ply + 1).clamp(max=HISTORY)
        repeated = ((self._rows[rows, 66] != 0) & (back < known[:, None])).to(torch.uint8)
        info = self._rows[indices, 64:68].clone()
        info[:, 2] = (repeated << back.to(torch.uint8)).sum(1, dtype=torch.uint8)
        info[:, 3] = known.to(torch.uint8)
        legal = _unpack_bits(self._rows[indices, 68:304])
        return Positions(self._rows[rows, :64], info, self._ratings[indices], legal, self.clock[indices])

    def played(self, indices: Tensor) -> Tensor:
        """The labels of the moves played."""
        return self._rows[indices, 304].long() + 256 * self._rows[indices, 305].long()


def _clocks_before(after: NDArray[np.float32], ply: NDArray[np.int64]) -> NDArray[np.float32]:
    """The clock of the player to move: that after the player's last move, two plies ago."""
    before = np.full_like(after, -1)
    before[2:] = np.where(ply[2:] >= 2, after[:-2], -1)
    return before


def _unpack_bits(packed: Tensor) -> Tensor:
    """Bytes [n, 236] to bools [n, 1858]."""
    places = torch.arange(8, device=packed.device, dtype=torch.uint8)
    return ((packed[:, :, None] >> places) & 1).flatten(1)[:, :MOVES].bool()


class Pool:
    """Fresh games in lockstep, in groups of `size` games that take turns.

    Games begin with the opening of a training game; the share `deep` begins anywhere in one. The share
    `random_ratings` has other ratings than that game.
    """

    def __init__(
        self,
        library: ctypes.CDLL,
        records: Records,
        groups: int,
        size: int,
        *,
        threads: int,
        seed: int,
        device: torch.device,
        deep: float = 0.3,
        random_ratings: float = 0.25,
    ) -> None:
        self._library, self._size, self._device = library, size, device
        self._book = records.book()  # the library keeps pointers to these arrays
        moves, offsets, ratings = (array.ctypes.data for array in self._book)
        self._pool = library.pool_new(
            groups * size, threads, seed, len(self._book[1]) - 1, moves, offsets, ratings,
            deep, random_ratings, _MAX_PLIES,
        )  # fmt: skip
        pin = device.type == "cuda"
        self._rows = [
            torch.zeros((size, _POOL_ROW), dtype=torch.uint8, pin_memory=pin) for _ in range(groups)
        ]
        self.labels = [torch.zeros(size, dtype=torch.int32, pin_memory=pin) for _ in range(groups)]
        """Host memory for the labels of the next moves."""
        for group in range(groups):
            self.step(group, None)

    def step(self, group: int, labels: NDArray[np.uint16] | None) -> None:
        """Plays moves in the first games of a group and writes their rows; without labels only writes rows.

        Releases the interpreter lock.
        """
        begin, count = group * self._size, self._size if labels is None else len(labels)
        pointer = None if labels is None else labels.ctypes.data
        self._library.pool_step(self._pool, begin, begin + count, pointer, self._rows[group].data_ptr())

    def positions(self, group: int) -> tuple[Positions, Tensor]:
        """The current positions of a group on the device, and their plies."""
        rows = self._rows[group].to(self._device, non_blocking=True)
        ratings = rows[:, 516:520].contiguous().view(torch.int16).float()
        ply = rows[:, 756].long() + 256 * rows[:, 757].long()
        clock = torch.full((len(rows),), -1.0, device=self._device)
        boards, legal = rows[:, :512].reshape(-1, HISTORY, 64), _unpack_bits(rows[:, 520:756])
        return Positions(boards, rows[:, 512:516], ratings, legal, clock), ply


def teacher_tokens(p: Positions, dtype: torch.dtype) -> Tensor:
    """Maia-3's tokens [n, 64, 96], oldest board first."""
    pieces = torch.arange(1, 13, device=p.boards.device, dtype=torch.uint8)
    one_hot = p.boards.flip(1).transpose(1, 2)[..., None] == pieces  # [n, 64, 8, 12]
    return one_hot.flatten(2).to(dtype)


def student_tokens(p: Positions, with_history: Tensor, dtype: torch.dtype) -> Tensor:
    """Lc0's planes as tokens [n, 64, 112]. Where `with_history` [n] is false, earlier boards are masked."""
    device = p.boards.device
    back = torch.arange(HISTORY, device=device)
    turned = p.boards[:, :, torch.arange(64, device=device) ^ 56]
    turned = torch.where(turned == 0, turned, torch.where(turned > 6, turned - 6, turned + 6))
    boards = torch.where((back % 2 == 1)[None, :, None], turned, p.boards)
    known = (back < p.info[:, 3:4]) & (with_history[:, None] | (back == 0))
    boards = torch.where(known[..., None], boards, torch.zeros_like(boards))
    pieces = torch.arange(1, 13, device=device, dtype=torch.uint8)
    one_hot = boards.transpose(1, 2)[..., None] == pieces  # [n, 64, 8, 12]
    repeated = ((p.info[:, 2:3] >> back.to(torch.uint8)) & 1).bool() & known
    repeated = repeated[:, None, :, None].expand(-1, 64, -1, -1)
    planes = torch.cat([one_hot, repeated], dim=3).flatten(2).to(dtype)
    castling = ((p.info[:, :1] >> torch.arange(5, device=device, dtype=torch.uint8)) & 1).to(dtype)
    rule_50 = (p.info[:, 1:2].float() / 100).to(dtype)
    rest = torch.cat([castling, rule_50, torch.zeros_like(rule_50), torch.ones_like(rule_50)], dim=1)
    return torch.cat([planes, rest[:, None].expand(-1, 64, -1)], dim=2)
