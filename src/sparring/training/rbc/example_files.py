"""Examples of many games, made in parallel and kept in files.

Records are files of reconchess histories, or folders of them, as `sparring rbc generate` writes. Games are
taken in blocks. The examples of a block are one file; a line of `examples.ndjson` says that it is complete,
so that an interrupted run resumes with the next block. The index of generated games tells how many turns of a
game were random.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from sparring.games.rbc import DESCRIPTION
from sparring.records.readers import format_of
from sparring.records.reconchess_history import read_histories
from sparring.records.streams import TruncatedFile, open_chunks
from sparring.records.text_lines import read_lines
from sparring.storage import Journal, JournalMismatch, atomic_writer, read_journal
from sparring.training.config import BadTrainingConfig
from sparring.training.rbc.config import ExampleConfig
from sparring.training.rbc.examples import NAME_BYTES, ExampleSet, make_examples
from sparring.workers import LocalWorkerPool, SerialWorkerPool, WorkerPool

JOURNAL = "examples.ndjson"
_INDEX = "index.ndjson"
_LONGEST = 1 << 24
_BLOCK = 16
"""Games of a file."""


@dataclass(frozen=True)
class ExampleBlock:
    """A finished block of games."""

    source: int
    number: int
    games: int
    broken: int
    """Games that cannot be read."""
    examples: int

    @property
    def name(self) -> str:
        """The file of the block; there is none without examples."""
        return f"examples-{self.source:03}-{self.number:05}.npz"


@dataclass(frozen=True)
class _Task:
    source: int
    number: int
    lines: tuple[bytes, ...]


class _Header(msgspec.Struct):
    """The players of a history."""

    white_name: str | None = None
    black_name: str | None = None


def history_files(records: Sequence[Path]) -> list[Path]:
    """Returns the files of histories among the records and in their folders. Raises BadTrainingConfig."""
    found: list[Path] = []
    for path in records:
        if not path.exists():
            raise BadTrainingConfig(f"there are no records {path}")
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        files = [each for each in inside if each.is_file() and format_of(each) in ("json", "jsonl")]
        if not files:
            raise BadTrainingConfig(f"{path} has no reconchess histories (.jsonl, .json; .zst, .gz or .bz2)")
        found += files
    return found


def player_names(records: Sequence[Path]) -> list[str]:
    """Returns the names of all players of the records, sorted; moves are not read. Raises
    BadTrainingConfig or OSError."""
    names: set[str] = set()
    for task in _tasks(history_files(records)):
        for line in task.lines:
            try:
                header = msgspec.json.decode(line.removeprefix(codecs.BOM_UTF8), type=_Header)
            except msgspec.MsgspecError:  # counted as broken when examples are made
                continue
            names |= {header.white_name or "", header.black_name or ""}
    return sorted(name.encode()[:NAME_BYTES].decode(errors="replace") for name in names)


def build_examples(
    records: Sequence[Path],
    folder: Path,
    config: ExampleConfig,
    processes: int,
    on_progress: Callable[[Sequence[ExampleBlock]], None] = lambda _: None,
) -> list[ExampleBlock]:
    """Makes the examples that the folder does not have yet, and returns all blocks.

    `on_progress` is called with the finished blocks. Raises BadTrainingConfig, WorkerError or OSError.
    """
    files = history_files(records)
    header = {"files": [[path.name, path.stat().st_size] for path in files], **asdict(config)}
    folder.mkdir(parents=True, exist_ok=True)
    try:
        journal = Journal(folder / JOURNAL, header=header, kind=ExampleBlock)
    except JournalMismatch:
        raise BadTrainingConfig(
            f"{folder} has examples of other records or of another [data]: give another --out"
        ) from None
    blocks = [ExampleBlock(**entry) for entry in journal.entries]
    done = {(block.source, block.number) for block in blocks}
    spawn = partial(_BlockWorker, folder, config, files)
    pool: WorkerPool[_Task, ExampleBlock] = (
        SerialWorkerPool(spawn)
        if processes == 1
        else LocalWorkerPool[_Task, ExampleBlock](spawn, processes, lambda task: f"block {task.number}")
    )
    with pool:
        tasks = (task for task in _tasks(files) if (task.source, task.number) not in done)
        for block in pool.run(tasks):
            journal.add(asdict(block))
            blocks.append(block)
            on_progress(blocks)
    return blocks


def read_examples(folder: Path) -> ExampleSet:
    """Reads the examples of all finished blocks. Raises BadTrainingConfig if there are none."""
    _, *entries = read_journal(folder / JOURNAL) or [None]
    blocks = sorted((ExampleBlock(**entry) for entry in entries), key=lambda block: block.name)
    parts = []
    for block in blocks:
        if block.examples:
            with np.load(folder / block.name) as arrays:
                parts.append(ExampleSet(**{each.name: arrays[each.name] for each in fields(ExampleSet)}))
    if not parts:
        raise BadTrainingConfig(f"{folder} has no examples")
    return ExampleSet.concatenate(parts)


def _tasks(files: Sequence[Path]) -> Iterator[_Task]:
    for source, path in enumerate(files):
        if format_of(path) == "json":
            yield _Task(source, 0, (b"".join(open_chunks(path)).replace(b"\n", b" "),))
            continue
        lines = _lines(path)
        number = 0
        while block := tuple(islice(lines, _BLOCK)):
            yield _Task(source, number, block)
            number += 1


def _lines(path: Path) -> Iterator[bytes]:
    """The histories of a file; of a truncated one, those before the damage."""
    try:
        for line in read_lines(open_chunks(path), 0, _LONGEST):
            if line.text.strip():
                yield line.text
    except TruncatedFile:
        return


class _BlockWorker:
    """Makes the examples of blocks and writes their files."""

    def __init__(self, folder: Path, config: ExampleConfig, files: Sequence[Path]) -> None:
        self._folder, self._config = folder, config
        self._random_turns = [random_turns_of(path) for path in files]

    def work(self, task: _Task) -> ExampleBlock:
        """Returns the finished block."""
        parts: list[ExampleSet] = []
        broken = 0
        for parsed in read_histories([line + b"\n" for line in task.lines]):
            record = parsed.record
            if record is None:
                broken += 1
                continue
            turns = self._random_turns[task.source].get(record.site or "", 0)
            seed = record.identity(DESCRIPTION.name) % 2**32
            if (found := make_examples(record, self._config, seed, turns)) is not None:
                parts.append(found)
        examples = sum(map(len, parts))
        block = ExampleBlock(task.source, task.number, len(task.lines), broken, examples)
        if parts:
            with atomic_writer(self._folder / block.name) as part, part.open("wb") as file:
                np.savez(file, **vars(ExampleSet.concatenate(parts)))
        return block

    def close(self) -> None:
        """Does nothing: the worker holds no external resources."""

    def terminate(self) -> None:
        """Does nothing: the worker holds no external resources."""


def random_turns_of(histories: Path) -> dict[str, int]:
    """Returns the random turns of each side by game number, from the index beside generated histories."""
    entries: list[Any] = read_journal(histories.with_name(_INDEX), lenient=True)
    return {str(each["number"]): each["random_turns"] for each in entries if "number" in each}
