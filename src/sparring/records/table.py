"""The packed table: a folder of Parquet shards, one row per game, and a manifest.

The rows of a shard are sorted by their moves, which compresses shared openings. A game's identity
(`GameRecord.identity`) is a hash of its row and not stored.

A shard is written atomically, and the manifest after it: a kill at any moment leaves whole shards and a
manifest that lists exactly those. The manifest has a checksum of each shard, which is compared whenever the
shard is read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec

from sparring.base.errors import BadFile, MissingExtra
from sparring.base.storage import atomic_write, atomic_writer
from sparring.games import describe
from sparring.games.description import MOVE_NUMBERING
from sparring.records.presets import PositionFilter
from sparring.records.record import GameRecord, Termination, error_text

try:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq
except ImportError:
    raise MissingExtra("tables of records need pyarrow: pip install 'sparring[records]'") from None

VERSION = 1
MANIFEST = "manifest.json"
_META = b"sparring.records"
_TEXT = pa.dictionary(pa.int32(), pa.string())
_TYPES: dict[str, pa.DataType] = {
    "moves": pa.binary(),
    "result": pa.float32(),
    "start": pa.string(),
    "ending": _TEXT,
    "margin": pa.float64(),
    "first": pa.string(),
    "second": pa.string(),
    "first_rating": pa.int16(),
    "second_rating": pa.int16(),
    "first_rank": _TEXT,
    "second_rank": _TEXT,
    "speed": _TEXT,
    "time_control": _TEXT,
    "clocks": pa.binary(),
    "spent": pa.binary(),
    "evals": pa.binary(),
    "date": pa.date32(),
    "event": _TEXT,
    "site": pa.string(),
    "source": _TEXT,
}
_UNIQUE = ("moves", "clocks", "spent", "evals", "site")
_PACKING: dict[str, Any] = {
    "compression": "zstd",
    "compression_level": 3,  # more costs time and gains a twentieth
    "use_dictionary": [name for name in _TYPES if name not in _UNIQUE],
    "column_encoding": {"moves": "DELTA_BYTE_ARRAY"},
}


_UNFIT = (pa.ArrowException, ValueError, TypeError, OverflowError)
"""What Arrow raises for a value that a column cannot hold."""


class _ShardEntry(msgspec.Struct):
    file: Annotated[str, msgspec.Meta(pattern=r"^[\w-][\w.-]*$")]
    games: Annotated[int, msgspec.Meta(ge=0)]
    plies: Annotated[int, msgspec.Meta(ge=0)]
    blake2b: str


class _GroupFilter(msgspec.Struct):
    equal_groups: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 0


class _PresetEntry(msgspec.Struct):
    games: _GroupFilter = msgspec.field(default_factory=_GroupFilter)
    positions: PositionFilter = PositionFilter()


class _Manifest(msgspec.Struct):
    shards: list[_ShardEntry]
    preset: _PresetEntry
    progress: dict[str, Any] = msgspec.field(default_factory=dict)


@dataclass(frozen=True)
class TableShard:
    """A shard as the manifest lists it."""

    path: Path
    games: int
    digest: str
    """Checksum of the file."""


def digest_of(content: bytes) -> str:
    """The checksum of a shard's file."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _versions(game: str) -> dict[str, Any]:
    return {"version": VERSION, "game": game, MOVE_NUMBERING: describe(game).move_numbering}


def _check_numbering(path: Path, entries: dict[str, Any]) -> None:
    """Raises BadFile where moves are numbered in another way."""
    try:
        describe(entries["game"]).check_move_numbering(entries)
    except BadFile as error:
        raise BadFile(f"{path}: {error}; build the table again from its sources") from None
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise BadFile(f"{path}: the game is not known ({error_text(error)})") from None


class TableWriter:
    """Writes a table, or resumes an unfinished one. Raises BadFile if the folder holds another table.

    `progress` in the manifest belongs to the caller: how far each source was read at the last commit.
    """

    def __init__(self, folder: Path, game: str, preset: dict[str, Any], *, shard: int = 50_000) -> None:
        self.folder = folder
        self._schema = pa.schema(_TYPES, metadata={_META: json.dumps(_versions(game)).encode()})
        self._game = game
        self._shard = shard
        self._rows: list[tuple[Any, ...]] = []
        folder.mkdir(parents=True, exist_ok=True)
        self.manifest = {**_versions(game), "preset": preset, "shards": [], "progress": {}}
        self._packed: pa.Table | None = None
        if (folder / MANIFEST).exists():
            self.manifest = read_manifest(folder)
            if self.manifest["game"] != game or self.manifest["preset"] != preset:
                raise BadFile(f"{folder} holds a table of another game or preset; choose another folder")

    def add(self, record: GameRecord, source: str) -> None:
        """Adds a game. It is on disk only after `commit`."""
        self._rows.append((*record, source))

    @property
    def full(self) -> bool:
        """Whether enough games for a shard wait for `commit`."""
        return len(self._rows) >= self._shard

    def pack(self) -> list[tuple[str, str]]:
        """Packs the waiting games; returns source and error of those that the columns cannot hold."""
        unfit = []
        if self._rows:
            try:
                self._packed = self._table(self._rows)
            except _UNFIT:
                errors = [self._error(row) for row in self._rows]
                unfit = [(row[-1], error) for row, error in zip(self._rows, errors, strict=True) if error]
                fit = [row for row, error in zip(self._rows, errors, strict=True) if not error]
                self._packed = self._table(fit) if fit else None
            self._rows = []
        return unfit

    def commit(self, progress: dict[str, Any]) -> None:
        """Writes the waiting games as a shard, then the manifest with `progress`.

        Raises OSError, and ValueError for a game that the columns cannot hold.
        """
        if unfit := self.pack():
            raise ValueError(unfit[0][1])
        if (shard := self._packed) is not None:
            self._packed = None
            name = f"{len(self.manifest['shards']):05}.parquet"
            with atomic_writer(self.folder / name) as part:
                pq.write_table(shard, part, **_PACKING)
                digest = digest_of(part.read_bytes())
            plies = pc.sum(pc.binary_length(shard["moves"])).as_py() // describe(self._game).packed_move_bytes
            entry = {"file": name, "games": len(shard), "plies": plies, "blake2b": digest}
            self.manifest["shards"].append(entry)
        self.manifest["progress"] = progress
        atomic_write(self.folder / MANIFEST, json.dumps(self.manifest, indent=1))

    def _table(self, rows: list[tuple[Any, ...]]) -> pa.Table:
        """Games as a table, sorted by moves."""
        columns = [[row[i] for row in rows] for i in range(len(_TYPES))]
        arrays = [pa.array(column, kind) for column, kind in zip(columns, _TYPES.values(), strict=True)]
        shard = pa.Table.from_arrays(arrays, schema=self._schema)
        return shard.take(pc.sort_indices(shard["moves"]))

    def _error(self, row: tuple[Any, ...]) -> str:
        try:
            self._table([row])
        except _UNFIT as error:
            return error_text(error)
        return ""


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a table, its versions and types checked. Raises BadFile."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        version = manifest["version"]
    except FileNotFoundError:
        raise BadFile(f"{folder} is no table of games: it has no {MANIFEST}") from None
    except OSError as error:
        raise BadFile(f"{folder}: the manifest cannot be read ({error.strerror})") from None
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadFile(f"{folder}: the manifest is broken ({error_text(error)})") from None
    if version != VERSION:
        raise BadFile(f"{folder} has version {str(version)[:20]}; this Sparring reads version {VERSION}")
    _check_numbering(folder, manifest)
    try:
        checked = msgspec.convert(manifest, _Manifest)
    except (msgspec.ValidationError, ValueError, RecursionError) as error:
        raise BadFile(f"{folder}: the manifest is broken ({error_text(error)})") from None
    return {**manifest, "progress": checked.progress}


def position_filter(manifest: dict[str, Any]) -> PositionFilter:
    """The position filter of a table's preset."""
    return msgspec.convert(manifest["preset"], _PresetEntry).positions


def equal_groups(manifest: dict[str, Any]) -> int:
    """How many rating groups of equal size the table's preset asks for; 0 for groups of fixed width."""
    return msgspec.convert(manifest["preset"], _PresetEntry).games.equal_groups


def table_shards(folder: Path) -> list[TableShard]:
    """The shards of a table in order. Raises BadFile."""
    entries = msgspec.convert(read_manifest(folder)["shards"], list[_ShardEntry])
    return [TableShard(folder / entry.file, entry.games, entry.blake2b) for entry in entries]


def read_shards(folder: Path, columns: list[str] | None = None) -> Iterator[pa.Table]:
    """The shards of a table in order; `columns` None for all. Raises BadFile."""
    for shard in table_shards(folder):
        yield read_shard(shard, columns)


def read_shard(shard: TableShard, columns: list[str] | None = None) -> pa.Table:
    """One shard of a table, its checksum compared. Raises BadFile."""
    path = shard.path
    try:
        # In Arrow's memory: its threads may be the last to free it, and they abort if it is Python's and the
        # interpreter ends.
        with pa.OSFile(str(path)) as file:
            content = file.read_buffer()
        if digest_of(content) != shard.digest:
            raise BadFile(f"{path} is damaged: its checksum is not that of the manifest; {_REMEDY}")
        rows = pq.read_table(pa.BufferReader(content), columns=columns)
        meta = json.loads((rows.schema.metadata or {}).get(_META, b"{}"))
        version = meta.get("version")
    except FileNotFoundError:
        raise BadFile(f"{path} is missing; {_REMEDY}") from None
    except (OSError, pa.ArrowException, ValueError, AttributeError, RecursionError) as error:
        raise BadFile(f"{path} is damaged: {error_text(error)}") from None
    if version != VERSION:
        raise BadFile(f"{path} has version {version}, not {VERSION}")
    _check_numbering(path, meta)
    types = dict(zip(rows.schema.names, rows.schema.types, strict=True))
    if wrong := [name for name in columns or _TYPES if types.get(name) != _TYPES[name]]:
        raise BadFile(f"{path} has no column {wrong[0]} of type {_TYPES[wrong[0]]}")
    if rows.num_rows != shard.games:
        raise BadFile(f"{path} has {rows.num_rows:,} games, not {shard.games:,} as the manifest says")
    return rows


_REMEDY = "restore it, or build the table again from its sources"


def records_of(shard: pa.Table) -> Iterator[GameRecord]:
    """The rows of a shard as records. Raises BadFile."""
    columns = {name: shard[name].to_pylist() for name in GameRecord._fields}
    try:
        columns["ending"] = [Termination(ending) for ending in columns["ending"]]
    except ValueError as error:
        raise BadFile(f"a game has no known ending ({error})") from None
    yield from map(GameRecord, *columns.values())
