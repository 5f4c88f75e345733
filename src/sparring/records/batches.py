"""Batches: rows of tables to encoded positions, in a stream and in several threads.

Shards come in random order, a few at a time, and their games are mixed. Games are unpacked into a buffer of
positions, and a full buffer is shuffled and dealt out. All that takes time is native and runs without the
interpreter's lock: a thread unpacks some games or encodes a batch. The order of everything follows from the
seed alone, so that the same seed gives the same batches whatever the number of threads.

Encoded positions are never stored; what waits in memory are two buffers of positions and a few batches.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sparring.games import GameDescription, describe
from sparring.records.game_rows import GameRows, read_rows, shard_paths
from sparring.records.presets import PositionFilter
from sparring.records.record import BadTable
from sparring.records.splits import Split
from sparring.records.table import read_manifest

_MIXED_SHARDS = 4
_GAMES_A_TASK = 32
_NO_CLOCK = -1
_METADATA_DTYPE = np.dtype(
    [
        ("game", np.int64),
        ("ply", np.int32),
        ("mover", np.int8),
        ("result", np.float32),
        ("clock", np.float32),
        ("clock_before", np.float32),
        ("rating", np.int16),
        ("opponent_rating", np.int16),
        ("rank", "U8"),
        ("opponent_rank", "U8"),
    ]
)
T = TypeVar("T")


NO_LABEL = 0xFFFF
"""A move that an encoding's policy has no entry for: the declaration of a win in shogi."""


@dataclass(frozen=True)
class EncodedPositions:
    """Positions in one encoding."""

    planes: NDArray[np.generic]
    labels: NDArray[np.uint16]


@dataclass(frozen=True)
class Batch:
    """n positions that people or programs moved in. Mirrored positions have mirrored moves."""

    planes: NDArray[np.generic]
    """The encoding, [n, ...]: for "planes" float32 [n, history * planes, rows, columns]; bytes where an
    encoding has whole numbers only. Packed, bits [n, bytes], the first in the lowest bit."""
    legal: NDArray[np.uint16]
    """The codes of the legal moves of all positions, one after the other, each position's ascending."""
    labels: NDArray[np.uint16]
    """What the encoding's policy calls each of them; `NO_LABEL` where it has no name."""
    offsets: NDArray[np.int64]
    """[n + 1]: position i has legal[offsets[i] : offsets[i + 1]]."""
    move: NDArray[np.uint16]
    """[n]: the code of the move played."""
    index: NDArray[np.int32]
    """[n]: its index among the legal moves of its position."""
    symmetry: NDArray[np.uint8]
    """[n]: the symmetry of the board that was used; 0 for none."""
    counts: NDArray[np.uint8]
    """[n, planes]: packed, what the planes hold that hold counts; else [n, 0]."""
    extra_encodings: Mapping[str, EncodedPositions]
    """The same positions in other encodings that were asked for."""
    result: NDArray[np.float32]
    """[n]: for the player to move, 1, 0.5 or 0; NaN when unknown."""
    rating: NDArray[np.int16]
    """[n]: of the player to move; -1 when unknown."""
    opponent_rating: NDArray[np.int16]
    rank: NDArray[np.str_]
    """[n]: of the player to move; empty when unknown."""
    opponent_rank: NDArray[np.str_]
    clock: NDArray[np.float32]
    """[n]: seconds that the player to move had left after the move, as records have it; NaN when unknown."""
    clock_before: NDArray[np.float32]
    """[n]: seconds that the player to move had left when the move was due; NaN when unknown."""
    ply: NDArray[np.int32]
    """[n]: moves before the position."""
    mover: NDArray[np.int8]
    """[n]: the player to move, 0 or 1."""
    game: NDArray[np.int64]
    """[n]: the game's id."""

    def __len__(self) -> int:
        return len(self.move)


@dataclass(frozen=True)
class Batches:
    """One pass over the positions of one or several tables of a game; iterate it for `Batch`es.

    Raises BadTable when iterated, ValueError where options do not fit the game.
    """

    tables: Sequence[Path]
    size: int = 1024
    """Positions a batch; the last one may have fewer."""
    split: Split | None = Split.TRAIN
    """Which games; None for all."""
    trial: int = 0
    """The seed of the split."""
    positions: PositionFilter | None = None
    """Which positions of a game; None for what each table's preset says."""
    encoding: str = "planes"
    """The game's own planes, or another that the core knows (`encodings`)."""
    history: int = 1
    """How many positions the encodings "planes" and "boards" show, newest first."""
    extra_encodings: tuple[str, ...] = ()
    """More encodings of the same positions, each with its own history, for networks that see them so."""
    mirrored: bool = False
    """Whether each position gets a random symmetry of the board: one of eight in Go and Expendibots; left and
    right swapped or not in shogi, and in chess and RBC where nobody can castle any more."""
    seed: int = 0
    """The same seed gives the same batches."""
    skip: int = 0
    """So many of the first batches are left out: to go on where somebody stopped."""
    replica: tuple[int, int] = (0, 1)
    """Which of the batches after those: (k, n) is the k-th of every whole n, for n processes that learn
    together."""
    packed: bool = False
    """Whether encodings of bytes come as bits, for those who unpack them where there is more time; encodings
    with fractions come as they are."""
    drop_last: bool = False
    """Whether a last batch of fewer positions is left out."""
    ratings: tuple[int, int] | None = None
    """Only games in which both ratings lie between these, the second excluded."""
    buffer: int = 1 << 15
    """Positions that are shuffled together. Go's take 3.5 kB each, the other games' a tenth of that."""
    threads: int = 0
    """0 for as many as there are processors."""

    def __post_init__(self) -> None:
        if min(self.size, self.buffer, self.history) < 1 or min(self.threads, self.skip) < 0:
            raise ValueError("a batch, the buffer and the history have at least one position")

    def __iter__(self) -> Iterator[Batch]:
        threads = self.threads or os.cpu_count() or 1
        kind = describe(self._game()).samples_class
        with ThreadPoolExecutor(threads) as pool:
            try:
                rows = _in_order(pool, self._read_tasks(), ahead=1)
                parts = _in_order(pool, self._unpack_tasks(rows), ahead=2 * threads)
                tasks = _shared(islice(self._encode_tasks(kind, parts), self.skip, None), self.replica)
                yield from _in_order(pool, tasks, ahead=2 * threads)
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

    def _game(self) -> str:
        found = {read_manifest(table)["game"] for table in self.tables}
        if len(found) != 1:
            raise BadTable(f"tables of one game expected, got {', '.join(sorted(found)) or 'none'}")
        game: str = found.pop()
        return game

    def _read_tasks(self) -> Iterator[Callable[[], GameRows]]:
        """Some shards at a time, in random order; their games in random order."""
        shards = [(table, path) for table in self.tables for path in shard_paths(table)]
        order = self._random(0).permutation(len(shards))
        for group, start in enumerate(range(0, len(shards), _MIXED_SHARDS)):
            chosen = [shards[i] for i in order[start : start + _MIXED_SHARDS]]
            yield partial(self._read, chosen, group)

    def _read(self, shards: list[tuple[Path, Path]], group: int) -> GameRows:
        filters = {table: self.positions or _preset_filter(table) for table, _ in shards}
        rows = [
            read_rows(path, self._game(), self.split, self.trial, filters[table]) for table, path in shards
        ]
        together = GameRows.join(rows)
        if self.ratings is not None:
            low, high = self.ratings
            inside = ((together.ratings >= low) & (together.ratings < high)).all(axis=1)
            together = together.take(np.flatnonzero(inside))
        return together.take(self._random(1, group).permutation(len(together)))

    def _unpack_tasks(self, groups: Iterable[GameRows]) -> Iterator[Callable[[], _Positions]]:
        game = describe(self._game())
        rules = game.rules()
        usual = rules.text(rules.initial())
        for rows in groups:
            for start in range(0, len(rows), _GAMES_A_TASK):
                some = rows.take(np.arange(start, min(start + _GAMES_A_TASK, len(rows))))
                yield partial(_unpack, game, usual, some)

    def _encode_tasks(self, kind: Any, parts: Iterable[_Positions]) -> Iterator[Callable[[], Batch]]:
        """Deals out one buffer after the other; what makes no full batch goes into the next."""
        waiting: list[_Positions] = []
        for block, parts_of_block in enumerate(_buffers(parts, self.buffer)):
            random = self._random(2, block)
            full = _join(kind, waiting + parts_of_block)
            order = random.permutation(len(full.metadata)).astype(np.int64)
            dealt = len(order) // self.size * self.size
            for start in range(0, dealt, self.size):
                yield self._encode_task(kind, full, order[start : start + self.size], random)
            rest = order[dealt:]
            waiting = [_Positions(full.lines.take(rest), full.metadata[rest])]
        if waiting and len(waiting[0].metadata) and not self.drop_last:
            last = waiting[0]
            yield self._encode_task(kind, last, np.arange(len(last.metadata)), self._random(3))

    def _encode_task(
        self, kind: Any, positions: _Positions, which: NDArray[np.int64], random: np.random.Generator
    ) -> Callable[[], Batch]:
        symmetries = random.integers(0, kind.symmetries, len(which), np.uint8) if self.mirrored else None
        return partial(_encode, self, positions, which, symmetries)

    def _random(self, *purpose: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, *purpose])


def encodings(game: str) -> list[str]:
    """The names of a game's encodings."""
    names: list[str] = describe(game).samples_class.encodings()
    return names


@dataclass(frozen=True)
class _Positions:
    """Native positions, and an array of `_METADATA_DTYPE` about them."""

    lines: Any
    metadata: NDArray[np.void]


def _preset_filter(table: Path) -> PositionFilter:
    return PositionFilter(**read_manifest(table)["preset"].get("positions", {}))


def _unpack(game: GameDescription, usual: str, rows: GameRows) -> _Positions:
    starts = [usual if start is None else start for start in rows.starts]
    kind, width = game.samples_class, game.packed_move_bytes
    try:
        lines = kind.unpack(starts, rows.moves, rows.clocks, rows.limits, width)
    except ValueError:
        raise BadTable(_culprit(kind, starts, rows, width)) from None
    return _Positions(lines, _metadata(lines, rows))


def _culprit(kind: Any, starts: list[str], rows: GameRows, width: int) -> str:
    """Which game cannot be unpacked, and why."""
    for start, moves, identity in zip(starts, rows.moves, rows.identities, strict=True):
        try:
            kind.unpack([start], [moves], [None], rows.limits[:1], width)
        except ValueError as error:
            return f"game {identity:016x} cannot be unpacked: {error}"
    return "a game cannot be unpacked"


def _metadata(lines: Any, rows: GameRows) -> NDArray[np.void]:
    metadata = np.zeros(len(lines), _METADATA_DTYPE)
    at, mover = lines.games, lines.movers
    metadata["game"], metadata["ply"], metadata["mover"] = rows.identities[at], lines.plies, mover
    metadata["result"] = np.where(mover == 0, rows.results[at], 1 - rows.results[at])
    for name, tenths in (("clock", lines.clocks), ("clock_before", lines.clocks_before)):
        metadata[name] = np.where(tenths == _NO_CLOCK, np.nan, tenths / 10)
    for name, values in (("rating", rows.ratings), ("rank", rows.ranks)):
        metadata[name], metadata[f"opponent_{name}"] = values[at, mover], values[at, 1 - mover]
    return metadata


def _join(kind: Any, parts: list[_Positions]) -> _Positions:
    return _Positions(
        kind.join([part.lines for part in parts]), np.concatenate([part.metadata for part in parts])
    )


def _buffers(parts: Iterable[_Positions], size: int) -> Iterator[list[_Positions]]:
    """The parts in runs of at least `size` positions; the last run may have fewer."""
    run: list[_Positions] = []
    total = 0
    for part in parts:
        run.append(part)
        total += len(part.metadata)
        if total >= size:
            yield run
            run, total = [], 0
    if run:
        yield run


def _encode(
    options: Batches, positions: _Positions, which: NDArray[np.int64], symmetries: NDArray[np.uint8] | None
) -> Batch:
    def encoded(encoding: str, history: int) -> tuple[Any, ...]:
        packed = options.packed and positions.lines.packable(encoding)
        first, *labels = positions.lines.encode(which, encoding, history, symmetries, packed)
        planes, counts = first if packed else (first, np.empty((len(which), 0), np.uint8))
        return planes, counts, *labels

    views = {name: EncodedPositions(*encoded(name, 1)[:4:3]) for name in options.extra_encodings}
    metadata = positions.metadata[which]
    known: dict[str, Any] = {
        name: np.ascontiguousarray(metadata[name]) for name in _METADATA_DTYPE.names or ()
    }
    planes, counts, legal, labels, offsets, move, index, symmetry = encoded(options.encoding, options.history)
    return Batch(planes, legal, labels, offsets, move, index, symmetry, counts, views, **known)


def _shared(tasks: Iterator[T], replica: tuple[int, int]) -> Iterator[T]:
    """One of every whole run of tasks."""
    which, of = replica
    while len(run := list(islice(tasks, of))) == of:
        yield run[which]


def _in_order(pool: ThreadPoolExecutor, tasks: Iterable[Callable[[], T]], ahead: int) -> Iterator[T]:
    """What the tasks return, in their order; up to `ahead` of them run before they are asked for.

    Tasks never wait for each other, only the caller does: the stages can share a pool.
    """
    running: deque[Future[T]] = deque()
    for task in tasks:
        running.append(pool.submit(task))
        if len(running) > ahead:
            yield running.popleft().result()
    while running:
        yield running.popleft().result()
