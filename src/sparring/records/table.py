"""The packed table: a folder of Parquet shards, one row per game, and a manifest.

The rows of a shard are sorted by their moves, which compresses shared openings. A game's identity
(`GameRecord.identity`) is a hash of its row and not stored.

A shard is written atomically, and the manifest after it: a kill at any moment leaves whole shards and a
manifest that lists exactly those.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from sparring.games import describe
from sparring.games.versions import MOVE_NUMBERING, VersionMismatch, check_move_numbering
from sparring.records.presets import upgrade_manifest_entry
from sparring.records.record import BadTable, GameRecord, Termination
from sparring.storage import atomic_write, atomic_writer

VERSION = 1
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


def schema(game: str) -> pa.Schema:
    """The Arrow schema of a table of a game."""
    meta = {_META: json.dumps(_versions(game)).encode()}
    return pa.schema([pa.field(name, kind) for name, kind in _TYPES.items()], metadata=meta)


def _versions(game: str) -> dict[str, Any]:
    return {"version": VERSION, "game": game, MOVE_NUMBERING: describe(game).move_numbering}


def _check_numbering(path: Path, entries: dict[str, Any]) -> None:
    """Raises BadTable where moves are numbered in another way."""
    try:
        check_move_numbering(describe(entries["game"]), entries)
    except VersionMismatch as error:
        raise BadTable(f"{path}: {error}; build the table again from its sources") from None
    except (KeyError, ValueError) as error:
        raise BadTable(f"{path}: the game is not known ({error})") from None


class TableWriter:
    """Writes a table, or resumes an unfinished one. Raises BadTable if the folder holds another table.

    `progress` in the manifest belongs to the caller: how far each source was read at the last commit.
    """

    def __init__(self, folder: Path, game: str, preset: dict[str, Any], *, shard: int = 50_000) -> None:
        self.folder = folder
        self._schema = schema(game)
        self._game = game
        self._shard = shard
        self._rows: list[tuple[Any, ...]] = []
        folder.mkdir(parents=True, exist_ok=True)
        self.manifest: dict[str, Any] = {
            **_versions(game),
            "preset": preset,
            "shards": [],
            "progress": {},
        }
        if (folder / "manifest.json").exists():
            self._resume(preset)

    def add(self, record: GameRecord, source: str) -> None:
        """Adds a game. It is on disk only after `commit`."""
        self._rows.append((*record, source))

    @property
    def full(self) -> bool:
        """Whether enough games for a shard wait for `commit`."""
        return len(self._rows) >= self._shard

    def commit(self, progress: dict[str, Any]) -> None:
        """Writes the waiting games as a shard, then the manifest with `progress`. Raises OSError."""
        if self._rows:
            shard = self._take_rows()
            name = f"{len(self.manifest['shards']):05}.parquet"
            with atomic_writer(self.folder / name) as part:
                pq.write_table(shard, part, **_PACKING)
            plies = pc.sum(pc.binary_length(shard["moves"])).as_py() // describe(self._game).packed_move_bytes
            self.manifest["shards"].append({"file": name, "games": len(shard), "plies": plies})
        self.manifest["progress"] = progress
        atomic_write(self.folder / "manifest.json", json.dumps(self.manifest, indent=1))

    def _take_rows(self) -> pa.Table:
        """The waiting games, sorted by moves."""
        columns = [[row[i] for row in self._rows] for i in range(len(_TYPES))]
        arrays = [pa.array(column, kind) for column, kind in zip(columns, _TYPES.values(), strict=True)]
        self._rows = []
        shard = pa.Table.from_arrays(arrays, schema=self._schema)
        return shard.take(pc.sort_indices(shard["moves"]))

    def _resume(self, preset: dict[str, Any]) -> None:
        known = read_manifest(self.folder)
        if known["game"] != self._game or known["preset"] != preset:
            raise BadTable(f"{self.folder} holds a table of another game or preset; choose another folder")
        self.manifest = known


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a table, its versions checked. Raises BadTable."""
    try:
        manifest = json.loads((folder / "manifest.json").read_text())
        version = manifest["version"]
    except FileNotFoundError:
        raise BadTable(f"{folder} is no table of games: it has no manifest.json") from None
    except (ValueError, KeyError, TypeError) as error:
        raise BadTable(f"{folder}: the manifest is broken ({error})") from None
    if version != VERSION:
        raise BadTable(f"{folder} has version {version}; this Sparring reads version {VERSION}")
    _check_numbering(folder, manifest)
    return {**manifest, "preset": upgrade_manifest_entry(manifest.get("preset"))}


def read_shards(folder: Path, columns: list[str] | None = None) -> Iterator[pa.Table]:
    """The shards of a table in order; `columns` None for all. Raises BadTable."""
    for entry in read_manifest(folder)["shards"]:
        yield read_shard(folder / entry["file"], columns)


def read_shard(path: Path, columns: list[str] | None = None) -> pa.Table:
    """One shard of a table. Raises BadTable."""
    try:
        shard = pq.read_table(path, columns=columns)
    except (OSError, pa.ArrowInvalid) as error:
        raise BadTable(f"{path}: {error}") from None
    meta = json.loads((shard.schema.metadata or {}).get(_META, b"{}"))
    if meta.get("version") != VERSION:
        raise BadTable(f"{path} has version {meta.get('version')}, not {VERSION}")
    _check_numbering(path, meta)
    return shard


def records_of(shard: pa.Table) -> Iterator[GameRecord]:
    """The rows of a shard as records."""
    columns = [shard[name].to_pylist() for name in GameRecord._fields]
    for values in zip(*columns, strict=True):
        row = dict(zip(GameRecord._fields, values, strict=True))
        yield GameRecord(**{**row, "ending": Termination(row["ending"])})
