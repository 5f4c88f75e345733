"""From records to tensors on the device, one batch ahead of the network.

What is left to chance (which ratings are hidden or imagined) follows from the seed and the place alone, so
that a run that goes on after a kill sees what an unbroken one would have seen.
"""

from __future__ import annotations

import math
import queue
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparring.learn.configuration import BadConfiguration, Configuration
from sparring.learn.layouts import layout_of, view_of
from sparring.records import Batch, Batches, PositionFilter, Split
from sparring.records.batches import NO_LABEL
from sparring.records.ranks import rank_order

_UNKNOWN_RATING = 1500.0
"""For teachers that must be told one."""
_APART = 100.0
"""Standard deviation of the difference between imagined players."""
_SHAPES = {"lc0": (112, 8, 8), "maia3": (64, 96)}
"""Of the teachers' encodings."""
_GROUPS = {"chess": 100, "go": 1, "shogi": 100}
"""How wide a group of ratings is."""
_IGNORED = -100
"""PyTorch's class that does not count."""


@dataclass(frozen=True)
class Place:
    """How far one has come: so many whole passes, and so many batches of the next."""

    epoch: int = 0
    batch: int = 0


@dataclass(frozen=True)
class Fed:
    """A batch on the device."""

    planes: Tensor
    context: Tensor
    rows: Tensor
    """Of every legal move of the batch, the position that it belongs to."""
    labels: Tensor
    """And its place in the policy."""
    played: Tensor
    """[n]: the label of the move played, or a class that does not count."""
    result: Tensor
    """[n]: 0 won, 1 drawn, 2 lost, or a class that does not count."""
    imagined: Tensor
    """[n]: whether the ratings are imagined."""
    ratings: Tensor
    """[n, 2]: the mover's and the opponent's as the network is told them, for teachers."""
    also: dict[str, tuple[Tensor, Tensor]]
    """Planes and labels in this and the teachers' encodings."""
    group: NDArray[np.float64]
    """[n]: the hundred (rank) that both players are in, or NaN; on the CPU, for measurements."""
    place: Place

    def __len__(self) -> int:
        return len(self.played)


@dataclass(frozen=True)
class Feed:
    """Batches of a split for a configuration."""

    config: Configuration
    tables: Sequence[Path]
    device: torch.device
    encodings: tuple[str, ...] = ()
    """Of the teachers."""
    share: tuple[int, int] = (0, 1)
    threads: int = 0

    def training(self, begin: Place) -> Iterator[Fed]:
        """From a place on, without end: one pass after the other."""
        yield from _ahead(self._training(begin))

    def example(self, place: Place) -> Fed:
        """The batch at a place, made here and now."""
        return next(self._training(place))

    def validation(self) -> Iterator[Fed]:
        """Some of the validation split, the same each time, as it is."""
        wanted = self.config.training.validation
        for batch in self._batches(Split.VALIDATION, seed=0):
            if wanted <= 0:
                break
            wanted -= len(batch)
            yield self._to_device(batch, None, Place())

    def _training(self, begin: Place) -> Iterator[Fed]:
        config, first = self.config.training, begin.batch
        for epoch in count(begin.epoch):
            number = first
            for number, batch in enumerate(
                self._batches(Split.TRAIN, config.seed * 100_003 + epoch, first), first + 1
            ):
                random = np.random.default_rng([config.seed, epoch, number, self.share[0]])
                yield self._to_device(batch, random, Place(epoch, number))
            if number == 0:
                raise BadConfiguration(
                    f"the records have not one batch of {config.batch} positions to train on"
                )
            first = 0

    def _batches(self, split: Split, seed: int, skip: int = 0) -> Batches:
        config, (of, every) = self.config, self.share
        data = config.data
        low_high = None if data.groups is None else (int(data.groups[0]), int(data.groups[1]))
        training = split is Split.TRAIN
        return Batches(
            self.tables,
            size=config.training.batch,
            split=split,
            trial=data.trial,
            positions=None if data.skip_plies is None else PositionFilter(skip_plies=data.skip_plies),
            encoding=layout_of(config).encoding,
            history=config.network.history,
            also=tuple(set(self.encodings) - {layout_of(config).encoding}) if training else (),
            mirrored=data.mirrored and training,
            seed=seed,
            packed=True,
            skip=skip * every,
            share=(of, every) if training else (0, 1),
            whole=training,
            ratings=low_high,
            buffer=max(1 << 16, 8 * config.training.batch),
            threads=self.threads,
        )

    def _to_device(self, batch: Batch, random: np.random.Generator | None, place: Place) -> Fed:
        ratings = _ratings(batch)
        told, clocks, imagined = ratings, batch.clock_before.astype(np.float64), np.zeros(len(batch), bool)
        if random is not None:
            told, clocks, imagined = self._changed(ratings, clocks, random)
        context = view_of(self.config).context(told[:, 0], told[:, 1], clocks)
        named = batch.labels != NO_LABEL
        rows = np.repeat(np.arange(len(batch), dtype=np.int32), np.diff(batch.offsets))[named]
        played = batch.labels[batch.offsets[:-1] + batch.index].astype(np.int64)
        result = np.select([batch.result == 1, batch.result == 0.5, batch.result == 0], [0, 1, 2], _IGNORED)
        width = _GROUPS[self.config.game]
        mover, other = (ratings // width * width).T
        labels = self._sent(batch.labels[named].astype(np.int32)).long()
        planes = self._planes(batch, random)
        also = {layout_of(self.config).encoding: (planes, labels)}
        for name, view in batch.also.items():
            seen = unpacked(self._sent(view.planes), _SHAPES[name])
            also[name] = (seen, self._sent(view.labels[named].astype(np.int32)).long())
        return Fed(
            planes=planes,
            context=self._sent(context),
            rows=self._sent(rows).long(),
            labels=labels,
            played=self._sent(np.where(played == NO_LABEL, _IGNORED, played)),
            result=self._sent(result.astype(np.int64)),
            imagined=self._sent(imagined),
            ratings=self._sent(np.nan_to_num(told, nan=_UNKNOWN_RATING).astype(np.float32)),
            also=also,
            group=np.where(mover == other, mover, np.nan),
            place=place,
        )

    def _planes(self, batch: Batch, random: np.random.Generator | None) -> Tensor:
        """The planes, unpacked on the device; some without the boards before the newest."""
        layout = layout_of(self.config)
        if batch.planes.shape[1] != (layout.planes * layout.cells + 7) // 8:
            raise BadConfiguration(
                f"boards of {layout.rows} by {layout.columns} expected: build records of them"
            )
        planes = unpacked(self._sent(batch.planes), (layout.planes, layout.rows, layout.columns))
        for begin, end, _ in layout.counts:
            planes[:, begin:end] = self._sent(batch.counts)[:, :, None, None]
        if random is not None and self.config.data.forget:
            begin, end = layout.past
            kept = random.random(len(planes)) >= self.config.data.forget
            planes[:, begin:end] *= self._sent(kept)[:, None, None, None]
        return planes

    def _changed(
        self, ratings: NDArray[np.float64], clocks: NDArray[np.float64], random: np.random.Generator
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
        """Some ratings imagined, some facts hidden."""
        data, n = self.config.data, len(ratings)
        imagined = random.random(n) < data.imagine
        told = ratings.copy()
        if self.config.network.ratings and data.imagine:
            low, high = self.config.network.ratings
            mover = random.uniform(low, high, n)
            others = np.clip(mover + random.normal(0, _APART, n), low, high)
            told[imagined] = np.stack([mover, others], axis=1)[imagined]
        hidden = random.random((n, 2)) < data.forget
        told = np.where(hidden[:, :1] & ~imagined[:, None], np.nan, told)
        return told, np.where(hidden[:, 1], np.nan, clocks), imagined

    def _sent(self, array: NDArray[np.generic]) -> Tensor:
        tensor = torch.from_numpy(np.ascontiguousarray(array))
        if self.device.type == "cuda":
            return tensor.pin_memory().to(self.device, non_blocking=True)
        return tensor.to(self.device)


def unpacked(bits: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Bits [n, bytes], the first in the lowest, as bytes [n, *shape]."""
    places = torch.arange(8, dtype=torch.uint8, device=bits.device)
    each = (bits[:, :, None] >> places) & 1
    return each.flatten(1)[:, : math.prod(shape)].reshape(-1, *shape)


def _ratings(batch: Batch) -> NDArray[np.float64]:
    """[n, 2]: the mover's and the opponent's; ranks as numbers; NaN where unknown."""
    columns = []
    for ratings, ranks in ((batch.rating, batch.rank), (batch.opponent_rating, batch.opponent_rank)):
        known = np.where(ratings < 0, np.nan, ratings.astype(np.float64))
        if (ranks != "").any():
            names, places = np.unique(ranks, return_inverse=True)
            numbers = np.array([rank_order(str(name)) if name else np.nan for name in names])
            known = np.where(np.isnan(known), numbers[places], known)
        columns.append(known)
    return np.stack(columns, axis=1)


def _ahead(batches: Iterator[Fed]) -> Iterator[Fed]:
    """The same batches, made by another thread while the caller works with the last ones."""
    ready: queue.Queue[Fed | BaseException | None] = queue.Queue(maxsize=4)
    left = threading.Event()

    def put(item: Fed | BaseException | None) -> None:
        while not left.is_set():
            try:
                return ready.put(item, timeout=0.1)
            except queue.Full:
                continue

    def work() -> None:
        try:
            for batch in batches:
                put(batch)
                if left.is_set():
                    return
            put(None)
        except BaseException as error:  # handed over to the caller's thread
            put(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        while (item := ready.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        left.set()
        thread.join()
