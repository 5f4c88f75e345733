"""From records to lessons on the device, some batches ahead of the network.

What is left to chance follows from the seed and the place alone, so that a run that goes on after a kill sees
what an unbroken one would have seen.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, count, islice
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from sparring.records import Batch, Batches, PositionFilter, Split
from sparring.records.table import read_manifest
from sparring.training.conditioning import masked, randomised, rating_groups, recorded_conditioning
from sparring.training.config import BadTrainingConfig, TrainingConfig
from sparring.training.layouts import layout_of
from sparring.training.teacher_cache import TeacherCache
from sparring.training.teachers import Teacher
from sparring.training.training_batch import TrainingBatch, make_training_batch

_AHEAD = 4
"""Batches that wait on the device."""
_TURN = 0.0002
"""Seconds."""
_BUFFER = 1 << 16
"""Positions that are shuffled together, at least."""
T = TypeVar("T")


@dataclass(frozen=True)
class Cursor:
    """How far one has come: so many whole passes, and so many batches of the next."""

    epoch: int = 0
    batch: int = 0


@dataclass(frozen=True)
class PrefetchedBatch:
    """A batch on the device, and the place after it."""

    minibatch: TrainingBatch
    cursor: Cursor

    def __len__(self) -> int:
        return len(self.minibatch.played)


@dataclass(frozen=True)
class RecordLoader:
    """Lessons of a configuration from tables. Raises BadTrainingConfig or BadTable."""

    config: TrainingConfig
    tables: Sequence[Path]
    device: torch.device
    teachers: Sequence[Teacher] = ()
    replica: tuple[int, int] = (0, 1)
    """This process and how many there are: each has every n-th batch."""
    threads: int = 0
    teacher_cache: TeacherCache | None = None
    """Of what the teachers said."""

    def check(self) -> None:
        """Whether the tables have games to learn from and to measure with."""
        if not self.tables:
            raise BadTrainingConfig("there are no records to learn from")
        for table in self.tables:
            if (game := read_manifest(table)["game"]) != self.config.game:
                raise BadTrainingConfig(
                    f"{table} holds games of {game}; the configuration {self.config.name} is for "
                    f"{self.config.game}"
                )
        if next(self._batches(Split.TRAIN, 0), None) is None:
            raise BadTrainingConfig(self._too_few(Split.TRAIN))
        if next(self._batches(Split.VALIDATION, 0), None) is None:
            raise BadTrainingConfig(self._too_few(Split.VALIDATION))

    def training(self, begin: Cursor) -> Iterator[PrefetchedBatch]:
        """From a place on, without end: one pass after the other."""
        with _short_switch_interval():
            yield from self._on_device(begin)

    def _on_device(self, begin: Cursor) -> Iterator[PrefetchedBatch]:
        if self.device.type != "cuda":
            yield from _prefetch(self._passes(begin))
            return
        network = torch.cuda.current_stream(self.device)
        aside = torch.cuda.Stream(self.device)  # type: ignore[no-untyped-call]  # PyTorch's, without types
        aside.wait_stream(network)
        for prefetched, ready in _prefetch(_on_stream(aside, network, self._passes(begin))):
            network.wait_event(ready)
            yield prefetched

    def example(self, cursor: Cursor) -> PrefetchedBatch:
        """The batch after a place, made here and now."""
        for epoch, first in ((cursor.epoch, cursor.batch), (cursor.epoch + 1, 0)):
            for batch in self._pass(epoch, first):
                return self._fed(batch, Cursor(epoch, first + 1))
        raise BadTrainingConfig(self._too_few(Split.TRAIN))

    def validation(self) -> Iterator[tuple[TrainingBatch, NDArray[np.float64]]]:
        """Some of the validation split with the groups of its positions: the same each time, as it is."""
        wanted = self.config.training.validation_positions
        for batch in self._batches(Split.VALIDATION, 0):
            yield (
                make_training_batch(batch, recorded_conditioning(batch), self.config, (), self.device),
                rating_groups(batch, self.config.game),
            )
            wanted -= len(batch)
            if wanted <= 0:
                break

    def _passes(self, begin: Cursor) -> Generator[PrefetchedBatch]:
        first = begin.batch
        with ThreadPoolExecutor(1) as reader:  # reads the beginning of the next pass during this one
            coming = reader.submit(_with_first_ready, self._pass(begin.epoch, first))
            for epoch in count(begin.epoch):
                batches = coming.result()
                coming = reader.submit(_with_first_ready, self._pass(epoch + 1))
                number = first
                for number, batch in enumerate(batches, first + 1):
                    yield self._fed(batch, Cursor(epoch, number))
                if number == 0:
                    raise BadTrainingConfig(self._too_few(Split.TRAIN))
                first = 0

    def _pass(self, epoch: int, skip: int = 0) -> Generator[Batch]:
        # Two seeds must not share passes, however many there are.
        return self._batches(Split.TRAIN, self.config.training.seed * 100_003 + epoch, skip)

    def _fed(self, batch: Batch, cursor: Cursor) -> PrefetchedBatch:
        config = self.config
        random = np.random.default_rng([config.training.seed, cursor.epoch, cursor.batch, self.replica[0]])
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
        return PrefetchedBatch(minibatch, cursor)

    def _batches(self, split: Split, seed: int, skip: int = 0, *, size: int = 0) -> Generator[Batch]:
        config, data, training = self.config, self.config.data, split is Split.TRAIN
        encoding = layout_of(config).encoding
        others = {name for each in self.teachers for name in (each.encoding, each.global_inputs) if name} - {
            encoding
        }
        _, processes = self.replica
        drop_last = training and not size
        try:
            yield from Batches(
                self.tables,
                size=size or config.training.batch,
                split=split,
                trial=data.trial,
                positions=None if data.skip_plies is None else PositionFilter(skip_plies=data.skip_plies),
                encoding=encoding,
                history=config.network.history,
                extra_encodings=tuple(sorted(others)) if training else (),
                mirrored=data.mirrored and training,
                seed=seed,
                packed=True,
                skip=skip * processes,
                replica=self.replica if drop_last else (0, 1),
                drop_last=drop_last,
                ratings=data.rating_range,
                buffer=max(_BUFFER, 8 * config.training.batch),
                threads=self.threads,
            )
        except ValueError as error:  # what the native core says of records that it cannot encode so
            raise BadTrainingConfig(f"the records do not fit the configuration: {error}") from None

    def _too_few(self, split: Split) -> str:
        """Why there is not one batch."""
        data, (_, processes) = self.config.data, self.replica
        with_ratings = (
            ""
            if data.rating_range is None
            else f" with both ratings from {data.rating_range[0]} to {data.rating_range[1] - 1}"
        )
        found = 0 if split is not Split.TRAIN else sum(map(len, self._batches(split, 0, size=1024)))
        if not found:
            return f"the records have no games{with_ratings} for {_PURPOSES[split]} (trial {data.trial})"
        needed = f"one batch of {self.config.training.batch:,}"
        needed += f" for each of {processes} processes" if processes > 1 else ""
        return f"the records have {found:,} positions of games{with_ratings} to train on, not {needed}"


_PURPOSES = {Split.TRAIN: "training", Split.VALIDATION: "validation"}


def _on_stream(
    aside: torch.cuda.Stream, network: torch.cuda.Stream, batches: Generator[PrefetchedBatch]
) -> Generator[tuple[PrefetchedBatch, torch.cuda.Event]]:
    """Has batches made on a stream of their own, beside the network's; with each, when it is ready."""
    while True:
        with torch.cuda.stream(aside):
            prefetched = next(batches)
            ready = aside.record_event()
        for tensor in prefetched.minibatch:
            tensor.record_stream(network)  # its memory is not used again before the network has seen it
        yield prefetched, ready


@contextmanager
def _short_switch_interval() -> Iterator[None]:
    """Threads that run Python take turns more often than every 5 ms, as they would.

    Every call of PyTorch's ends a turn, and there are tens of them in a batch: while a thread reads a table,
    each would wait for that long.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(_TURN)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def _with_first_ready(items: Generator[T]) -> Iterator[T]:
    """The same items, the first of them made already."""
    return chain(list(islice(items, 1)), items)


def _prefetch(items: Generator[T]) -> Iterator[T]:
    """The same items, made by another thread while the caller works with the last ones."""
    with ThreadPoolExecutor(1) as maker:
        waiting = deque(maker.submit(next, items, None) for _ in range(_AHEAD))
        try:
            while (item := waiting.popleft().result()) is not None:
                waiting.append(maker.submit(next, items, None))
                yield item
        finally:
            maker.shutdown(cancel_futures=True)
            items.close()
