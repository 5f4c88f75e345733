"""Data loader: training batches from game records, prefetched to the device.

All random choices depend on the seed and the cursor alone. A resumed run therefore sees the same batches as
an uninterrupted one.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import chain, count, islice
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from sparring.base.errors import BadConfig
from sparring.records import Batch, Batches, PositionFilter, Split
from sparring.records.table import read_manifest
from sparring.training.batches import (
    TrainingBatch,
    make_training_batch,
    masked,
    randomised,
    rating_groups,
    recorded_conditioning,
)
from sparring.training.config import TrainingConfig
from sparring.training.model import layout_of
from sparring.training.task import TaskBatch
from sparring.training.teachers import Teacher, TeacherCache

_PREFETCH = 4
"""Batches prefetched to the device."""
_SWITCH_INTERVAL = 0.0002
"""Switch interval of Python threads in seconds while training."""
_SHUFFLE_BUFFER = 1 << 16
"""Least number of positions that are shuffled together."""
T = TypeVar("T")


@dataclass(frozen=True)
class Cursor:
    """Position in the training data: whole epochs, and batches of the next epoch."""

    epoch: int = 0
    batch: int = 0


@dataclass(frozen=True)
class RecordLoader:
    """Training and validation batches of a configuration from tables.

    Raises BadConfig or BadFile.
    """

    config: TrainingConfig
    tables: Sequence[Path]
    device: torch.device
    teachers: Sequence[Teacher] = ()
    replica: tuple[int, int] = (0, 1)
    """Rank and world size: each process gets every world_size-th batch."""
    threads: int = 0
    """Threads that read and encode records; 0 for all cores."""
    teacher_cache: TeacherCache | None = None
    """Cache of the teachers' outputs."""
    size: int = 0
    """Positions of a training batch; 0 for that of the configuration."""

    def check(self) -> None:
        """Raises BadConfig unless the tables have at least one training and one validation batch."""
        if not self.tables:
            raise BadConfig("there are no records to train on")
        for table in self.tables:
            if (game := read_manifest(table)["game"]) != self.config.game:
                raise BadConfig(
                    f"{table} holds games of {game}; the configuration {self.config.name} is for "
                    f"{self.config.game}"
                )
        if next(self._batches(Split.TRAIN, 0), None) is None:
            raise BadConfig(self._too_few(Split.TRAIN))
        if next(self._batches(Split.VALIDATION, 0), None) is None:
            raise BadConfig(self._too_few(Split.VALIDATION))

    def training(self, begin: Cursor) -> Generator[TaskBatch]:
        """Yields training batches from a cursor on, epoch after epoch, without end."""
        return prefetched((self._prepared(*pair) for pair in self.records(begin)), self.device)

    def example(self, cursor: Cursor) -> TaskBatch:
        """Returns the batch after a cursor, without prefetching."""
        with closing(self.records(cursor)) as records:
            return self._prepared(*next(records))

    def validation(self) -> Iterator[tuple[TrainingBatch, NDArray[np.float64]]]:
        """Yields validation batches with the rating groups [n] of their positions; the same in every call."""
        wanted = self.config.training.validation_positions
        for batch in self._batches(Split.VALIDATION, 0):
            yield (
                make_training_batch(batch, recorded_conditioning(batch), self.config, (), self.device),
                rating_groups(batch, self.config.game),
            )
            wanted -= len(batch)
            if wanted <= 0:
                break

    def records(self, begin: Cursor) -> Generator[tuple[Batch, Cursor]]:
        """Yields batches of records from a cursor on, epoch after epoch, each with the cursor after it."""
        first = begin.batch
        with ThreadPoolExecutor(1) as reader:  # reads the beginning of the next epoch during this one
            coming = reader.submit(_with_first_ready, self._epoch(begin.epoch, first))
            for epoch in count(begin.epoch):
                batches = coming.result()
                coming = reader.submit(_with_first_ready, self._epoch(epoch + 1))
                number = first
                for number, batch in enumerate(batches, first + 1):
                    yield batch, Cursor(epoch, number)
                if number == 0:
                    raise BadConfig(self._too_few(Split.TRAIN))
                first = 0

    def random(self, cursor: Cursor) -> np.random.Generator:
        """Returns the generator of the batch that ends at a cursor."""
        return np.random.default_rng([self.config.training.seed, cursor.epoch, cursor.batch, self.replica[0]])

    @property
    def extra_encodings(self) -> tuple[str, ...]:
        """Encodings beside the network's own that the teachers and the network's further inputs need."""
        names = {
            name for teacher in self.teachers for name in (teacher.encoding, teacher.global_inputs) if name
        }
        return tuple(sorted((names | self._own_encodings) - {layout_of(self.config).encoding}))

    @property
    def _own_encodings(self) -> set[str]:
        """Encodings of the network's further inputs."""
        points = layout_of(self.config).points
        return {points.encoding} if self.config.network.facts and points is not None else set()

    def _epoch(self, epoch: int, skip: int = 0) -> Generator[Batch]:
        # Different seeds must not share epochs.
        return self._batches(Split.TRAIN, self.config.training.seed * 100_003 + epoch, skip)

    def _prepared(self, batch: Batch, cursor: Cursor) -> TaskBatch:
        config, random = self.config, self.random(cursor)
        unmasked = randomised(recorded_conditioning(batch), config, random)
        conditioning = masked(unmasked, config, random)
        minibatch = make_training_batch(
            batch,
            conditioning,
            config,
            self.teachers,
            self.device,
            unmasked=unmasked,
            teacher_cache=self.teacher_cache,
        )
        return TaskBatch(minibatch, cursor)

    def _batches(self, split: Split, seed: int, skip: int = 0, *, size: int = 0) -> Generator[Batch]:
        config, data, training = self.config, self.config.data, split is Split.TRAIN
        _, processes = self.replica
        drop_last = training and not size
        try:
            yield from Batches(
                self.tables,
                size=size or self.size or config.training.batch,
                split=split,
                trial=data.trial,
                positions=None if data.skip_plies is None else PositionFilter(skip_plies=data.skip_plies),
                encoding=layout_of(config).encoding,
                history=config.network.history,
                extra_encodings=self.extra_encodings if training else tuple(self._own_encodings),
                servers=config.network.servers,
                mirrored=data.mirrored and training,
                seed=seed,
                packed=True,
                skip=skip * processes,
                replica=self.replica if drop_last else (0, 1),
                drop_last=drop_last,
                ratings=data.rating_range,
                buffer=max(_SHUFFLE_BUFFER, 8 * config.training.batch),
                threads=self.threads,
            )
        except ValueError as error:  # the native core cannot encode these records
            raise BadConfig(f"the records do not fit the configuration: {error}") from None

    def _too_few(self, split: Split) -> str:
        """Returns the message for a split without a whole batch."""
        data, (_, processes) = self.config.data, self.replica
        with_ratings = (
            ""
            if data.rating_range is None
            else f" with both ratings from {data.rating_range[0]} to {data.rating_range[1] - 1}"
        )
        positions = 0 if split is not Split.TRAIN else sum(map(len, self._batches(split, 0, size=1024)))
        if not positions:
            return f"the records have no games{with_ratings} for {_PURPOSES[split]} (trial {data.trial})"
        needed = f"one batch of {self.size or self.config.training.batch:,}"
        needed += f" for each of {processes} processes" if processes > 1 else ""
        return f"the records have {positions:,} positions of games{with_ratings} to train on, not {needed}"


_PURPOSES = {Split.TRAIN: "training", Split.VALIDATION: "validation"}


def prefetched(batches: Generator[TaskBatch], device: torch.device) -> Generator[TaskBatch]:
    """Yields the same batches, made ahead by another thread, on a GPU on a separate stream."""
    with _short_switch_interval():
        if device.type != "cuda":
            yield from _prefetch(batches)
            return
        network = torch.cuda.current_stream(device)
        aside = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]  # untyped in PyTorch
        aside.wait_stream(network)
        for batch, ready in _prefetch(_on_stream(aside, network, batches)):
            network.wait_event(ready)
            yield batch


def _on_stream(
    aside: torch.cuda.Stream, network: torch.cuda.Stream, batches: Generator[TaskBatch]
) -> Generator[tuple[TaskBatch, torch.cuda.Event]]:
    """Makes batches on a separate CUDA stream. Yields each with the event that says it is ready."""
    while True:
        with torch.cuda.stream(aside):
            batch = next(batches)
            ready = aside.record_event()
        for tensor in batch.tensors:
            # The allocator must not reuse its memory before the network has read it.
            tensor.record_stream(network)
        yield batch, ready


@contextmanager
def _short_switch_interval() -> Iterator[None]:
    """Context manager that shortens Python's switch interval (5 ms by default).

    PyTorch releases the interpreter lock in every call, tens of times per batch. Each time it would wait for
    a whole interval while another thread reads a table.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_INTERVAL)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def _with_first_ready(items: Generator[T]) -> Iterator[T]:
    """Returns the same items, with the first already computed."""
    return chain(list(islice(items, 1)), items)


def _prefetch(items: Generator[T]) -> Iterator[T]:
    """Yields the same items, computed ahead by another thread."""
    with ThreadPoolExecutor(1) as maker:
        waiting = deque(maker.submit(next, items, None) for _ in range(_PREFETCH))
        try:
            while (item := waiting.popleft().result()) is not None:
                waiting.append(maker.submit(next, items, None))
                yield item
        finally:
            maker.shutdown(cancel_futures=True)
            items.close()
