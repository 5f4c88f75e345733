"""Batches of encoded positions from tables, streamed and encoded in several threads.

Shards are read in random order, a few at a time, and their games are shuffled. Games are unpacked into a
buffer of positions; a full buffer is shuffled and split into batches. Unpacking and encoding are native and
release the GIL. The order depends on the seed alone: the same seed gives the same batches for any number of
threads.

Memory holds at most two buffers of positions and a few batches.
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

from sparring.base.errors import BadFile, MissingExtra
from sparring.games import GameDescription, describe
from sparring.records.presets import PositionFilter
from sparring.records.record import NO_CLOCK, GameRecord, Split, split_of
from sparring.records.table import (
    TableShard,
    position_filter,
    read_manifest,
    read_shard,
    table_shards,
)

try:
    import pyarrow as pa
except ImportError:
    raise MissingExtra("tables of records need pyarrow: pip install 'sparring[records]'") from None

NO_LABEL = 0xFFFF
"""The label of a move that the policy of an encoding does not have: declaring a win in shogi."""


@dataclass(frozen=True)
class EncodedPositions:
    """Positions in one encoding."""

    planes: NDArray[np.generic]
    labels: NDArray[np.uint16]


@dataclass(frozen=True)
class Batch:
    """n positions with the moves played in them. Mirrored positions have mirrored moves."""

    planes: NDArray[np.generic]
    """The encoding, [n, ...]: for "planes" float32 [n, history * planes, rows, columns]; bytes where an
    encoding has whole numbers only. Packed, bits [n, bytes], the first in the lowest bit."""
    legal: NDArray[np.uint16]
    """Move codes of the legal moves of all positions, concatenated; ascending within a position."""
    labels: NDArray[np.uint16]
    """The policy label of each legal move; `NO_LABEL` if the encoding has none."""
    offsets: NDArray[np.int64]
    """[n + 1]: the legal moves of position i are legal[offsets[i] : offsets[i + 1]]."""
    move: NDArray[np.uint16]
    """[n]: move code of the move played."""
    index: NDArray[np.int32]
    """[n]: index of the move played among the legal moves of its position; -1 if none was played yet."""
    symmetry: NDArray[np.uint8]
    """[n]: symmetry of the board that was applied; 0 for the identity."""
    counts: NDArray[np.uint8]
    """[n, planes]: values of the planes that hold counts if packed; else [n, 0]."""
    extra_encodings: Mapping[str, EncodedPositions]
    """The same positions in the requested extra encodings, by name."""
    result: NDArray[np.float32]
    """[n]: score of the player to move, 1, 0.5 or 0; NaN when unknown."""
    rating: NDArray[np.int16]
    """[n]: rating of the player to move; -1 when unknown."""
    opponent_rating: NDArray[np.int16]
    rank: NDArray[np.str_]
    """[n]: rank of the player to move; empty when unknown."""
    opponent_rank: NDArray[np.str_]
    clock: NDArray[np.float32]
    """[n]: seconds left to the player to move after the move; NaN when unknown."""
    clock_before: NDArray[np.float32]
    """[n]: seconds left to the player to move before the move; NaN when unknown."""
    ply: NDArray[np.int32]
    """[n]: moves before the position."""
    mover: NDArray[np.int8]
    """[n]: the player to move, 0 or 1."""
    game: NDArray[np.int64]
    """[n]: identity of the game."""
    server: NDArray[np.int8]
    """[n]: index among `Batches.servers`; -1 if the game names none of them."""

    def __len__(self) -> int:
        return len(self.move)


# The columns of a table that training needs, in memory.


_IDENTITY = ["moves", "result", "start", "first", "second", "date", "site"]
_COLUMNS = [*_IDENTITY, "source", "clocks", "first_rating", "second_rating", "first_rank", "second_rank"]
_UNKNOWN = -1


@dataclass(frozen=True)
class GameRows:
    """Games as columns, one row per game."""

    starts: NDArray[np.object_]
    moves: NDArray[np.object_]
    clocks: NDArray[np.object_]
    limits: NDArray[np.int64]
    """[games, 2]: the position filter: plies to skip, and least clock in tenths of a second."""
    identities: NDArray[np.int64]
    results: NDArray[np.float32]
    """[games]: score of the first player; NaN when unknown."""
    ratings: NDArray[np.int16]
    """[games, 2]; -1 when unknown."""
    ranks: NDArray[np.str_]
    """[games, 2]; empty when unknown."""
    places: NDArray[np.object_]
    """[games]: site and source file, in lower case."""

    def __len__(self) -> int:
        return len(self.moves)

    def take(self, which: NDArray[np.integer[Any]]) -> GameRows:
        """The games at the indices, in their order."""
        return GameRows(**{name: column[which] for name, column in vars(self).items()})

    @staticmethod
    def join(parts: list[GameRows]) -> GameRows:
        """The games of all parts, concatenated."""
        names = vars(parts[0])
        return GameRows(**{name: np.concatenate([vars(part)[name] for part in parts]) for name in names})


def read_rows(
    shard: TableShard, game: str, split: Split | None, trial: int, positions: PositionFilter
) -> GameRows:
    """The games of a shard that belong to the split (None for all). Raises BadFile."""
    rows = read_shard(shard, _COLUMNS)
    columns = {name: rows[name].to_pylist() for name in _IDENTITY}
    facts = zip(*columns.values(), strict=True)
    identities = [GameRecord(**dict(zip(columns, row, strict=True))).identity(game) for row in facts]
    kept = [i for i, identity in enumerate(identities) if split is None or split_of(identity, trial) is split]
    rows = rows.take(pa.array(kept, pa.int64()))
    limits = [positions.skip_plies, round(positions.min_clock * 10)]
    return GameRows(
        starts=np.array([columns["start"][i] for i in kept], object),
        moves=np.array([columns["moves"][i] for i in kept], object),
        clocks=np.array(rows["clocks"].to_pylist(), object),
        limits=np.array([limits] * len(kept), np.int64).reshape(-1, 2),
        identities=np.array([identities[i] for i in kept], np.int64),
        results=np.array(
            [np.nan if (value := columns["result"][i]) is None else value for i in kept], np.float32
        ),
        ratings=_pairs(rows, "rating", _UNKNOWN, np.int16),
        ranks=_pairs(rows, "rank", "", "U8"),
        places=np.array(
            [
                f"{site or ''} {source or ''}".lower()
                for site, source in zip(rows["site"].to_pylist(), rows["source"].to_pylist(), strict=True)
            ],
            object,
        ),
    )


def _pairs(shard: Any, name: str, unknown: int | str, kind: Any) -> NDArray[Any]:
    """The values of both players, [games, 2]."""
    both = [shard[f"{player}_{name}"].to_pylist() for player in ("first", "second")]
    values = [[unknown if value is None else value for value in column] for column in both]
    return np.array(values, kind).reshape(2, -1).T


_MIXED_SHARDS = 4
_GAMES_A_TASK = 32
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
        ("server", np.int8),
    ]
)
T = TypeVar("T")


@dataclass(frozen=True)
class Batches:
    """One epoch over the positions of one or several tables of a game. Iterating yields `Batch`es.

    Iterating raises BadFile, and ValueError if options do not fit the game.
    """

    tables: Sequence[Path]
    size: int = 1024
    """Positions per batch; the last one may have fewer."""
    split: Split | None = Split.TRAIN
    """Split to read; None for all games."""
    trial: int = 0
    """The seed of the split."""
    positions: PositionFilter | None = None
    """Position filter; None for that of each table's preset."""
    encoding: str = "planes"
    """Name of the encoding, one of `encodings(game)`."""
    history: int = 1
    """Number of positions that the encodings "planes" and "boards" show, newest first."""
    extra_encodings: tuple[str, ...] = ()
    """Further encodings of the same positions, each with its own history, for teachers."""
    mirrored: bool = False
    """Whether a random symmetry of the board is applied to each position: one of eight in Go and Expendibots;
    left-right in shogi and Breakthrough, and in chess and RBC once no castling right is left."""
    seed: int = 0
    """The same seed gives the same batches."""
    skip: int = 0
    """Number of batches to skip at the beginning, for resuming."""
    replica: tuple[int, int] = (0, 1)
    """(rank, world size) for distributed training: of every n batches, process k gets the k-th."""
    packed: bool = False
    """Whether byte encodings come as packed bits, to be unpacked on the device."""
    drop_last: bool = False
    """Whether an incomplete last batch is dropped."""
    servers: tuple[str, ...] = ()
    """Names of servers, as they stand in the sites or source files of games."""
    ratings: tuple[int, int] | None = None
    """[low, high): only games in which both ratings are in this range."""
    buffer: int = 1 << 15
    """Size of the shuffle buffer in positions. A Go position takes 3.5 kB, others a tenth of that."""
    threads: int = 0
    """Number of threads; 0 for one a processor."""

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
        games = {read_manifest(table)["game"] for table in self.tables}
        if len(games) != 1:
            raise BadFile(f"tables of one game expected, got {', '.join(sorted(games)) or 'none'}")
        game: str = games.pop()
        return game

    def _read_tasks(self) -> Iterator[Callable[[], GameRows]]:
        """Tasks that read a few shards each, in random order."""
        shards = [(table, shard) for table in self.tables for shard in table_shards(table)]
        order = self._random(0).permutation(len(shards))
        for group, start in enumerate(range(0, len(shards), _MIXED_SHARDS)):
            chosen = [shards[i] for i in order[start : start + _MIXED_SHARDS]]
            yield partial(self._read, chosen, group)

    def _read(self, shards: list[tuple[Path, TableShard]], group: int) -> GameRows:
        filters = {table: self.positions or position_filter(read_manifest(table)) for table, _ in shards}
        rows = [
            read_rows(shard, self._game(), self.split, self.trial, filters[table]) for table, shard in shards
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
                yield partial(_unpack, game, usual, some, self.servers)

    def _encode_tasks(self, kind: Any, parts: Iterable[_Positions]) -> Iterator[Callable[[], Batch]]:
        """Tasks that encode a batch each; an incomplete batch is carried over to the next buffer."""
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


def _unpack(game: GameDescription, usual: str, rows: GameRows, servers: tuple[str, ...]) -> _Positions:
    starts = [usual if start is None else start for start in rows.starts]
    kind, width = game.samples_class, game.packed_move_bytes
    try:
        lines = kind.unpack(starts, rows.moves.tolist(), rows.clocks.tolist(), rows.limits, width)
    except ValueError:
        raise BadFile(_unpacking_error(kind, starts, rows, width)) from None
    return _Positions(lines, _metadata(lines, rows, servers))


def _unpacking_error(kind: Any, starts: list[str], rows: GameRows, width: int) -> str:
    """The first game that cannot be unpacked, and the reason."""
    for start, moves, identity in zip(starts, rows.moves, rows.identities, strict=True):
        try:
            kind.unpack([start], [moves], [None], rows.limits[:1], width)
        except ValueError as error:
            return f"game {identity:016x} cannot be unpacked: {error}"
    return "a game cannot be unpacked"


def _metadata(lines: Any, rows: GameRows, servers: tuple[str, ...]) -> NDArray[np.void]:
    metadata = np.zeros(len(lines), _METADATA_DTYPE)
    at, mover = lines.games, lines.movers
    of_games = [next((i for i, name in enumerate(servers) if name in place), -1) for place in rows.places]
    metadata["server"] = np.array(of_games, np.int8)[at]
    metadata["game"], metadata["ply"], metadata["mover"] = rows.identities[at], lines.plies, mover
    metadata["result"] = np.where(mover == 0, rows.results[at], 1 - rows.results[at])
    for name, tenths in (("clock", lines.clocks), ("clock_before", lines.clocks_before)):
        metadata[name] = np.where(tenths == NO_CLOCK, np.nan, tenths / 10)
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
    metadata_columns: dict[str, Any] = {
        name: np.ascontiguousarray(metadata[name]) for name in _METADATA_DTYPE.names or ()
    }
    planes, counts, legal, labels, offsets, move, index, symmetry = encoded(options.encoding, options.history)
    return Batch(planes, legal, labels, offsets, move, index, symmetry, counts, views, **metadata_columns)


def _shared(tasks: Iterator[T], replica: tuple[int, int]) -> Iterator[T]:
    """One task of every complete group, for distributed training: `replica` is (rank, world size)."""
    which, of = replica
    while len(run := list(islice(tasks, of))) == of:
        yield run[which]


def _in_order(pool: ThreadPoolExecutor, tasks: Iterable[Callable[[], T]], ahead: int) -> Iterator[T]:
    """The results of the tasks, in order; up to `ahead` tasks run before their results are needed.

    Tasks never wait for each other, only the caller does: the stages can share a pool.
    """
    running: deque[Future[T]] = deque()
    for task in tasks:
        running.append(pool.submit(task))
        if len(running) > ahead:
            yield running.popleft().result()
    while running:
        yield running.popleft().result()
