"""Points lost a move in people's games and in ours, judged in parts until a time is over.

A machine that is lent for minutes judges what it can. Each file of games is divided into parts with the same
number of games of every rank; the parts of all files are judged in turn, and each is written as soon as it is
judged. So whatever was judged in time compares the same number of games of every rank and player.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from sparring.base.storage import atomic_write, read_npz
from sparring.go.sgf import read_sgf, to_sgf
from sparring.measure import POINTS, GameSelection, PointsConfig, Sample, judge_points, read_sample
from sparring.measure.mistakes import mistakes_report
from sparring.records import PositionFilter
from sparring.records.sources import open_chunks

_SKIPPED = 10
"""Plies at the start of a game that do not count."""
_VALUES = ("before", "after", "raw_before", "raw_after")


def write_parts(games: Path, per_rank: int, out: Path) -> list[Path]:
    """Divides an SGF file into files with so many games of each rank (of Black) and returns them."""
    by_rank: dict[str | None, list[str]] = {}
    for parsed in read_sgf(open_chunks(games)):
        if parsed.record is not None and not parsed.defect:
            by_rank.setdefault(parsed.record.first_rank, []).append(to_sgf(parsed.record))
    stem = games.name.removesuffix(".gz").removesuffix(".zst").removesuffix(".sgf")
    parts = []
    for begin in range(0, max(map(len, by_rank.values()), default=0), per_rank):
        text = "".join(chain.from_iterable(texts[begin : begin + per_rank] for texts in by_rank.values()))
        parts.append(out / f"{stem}.{begin // per_rank:03}.sgf")
        atomic_write(parts[-1], text)
    return parts


def judge_parts(
    sources: Sequence[Sequence[Path]],
    config: PointsConfig,
    every: int,
    stop_at: float,
    on_part: Callable[[Path, int], None] = lambda part, positions: None,
) -> None:
    """Judges the parts of all sources in turn and writes each one's leads beside it (`.npz`).

    Parts that have leads are left out. No part is begun after `stop_at` (of `time.monotonic`).
    """
    for part in (part for turn in zip_longest(*sources) for part in turn if part is not None):
        if part.with_suffix(".npz").exists():
            continue
        if time.monotonic() > stop_at:
            return
        sample = _sample([part], every)
        judged = judge_points(sample, config)
        values = {name: values.astype(np.float32) for name, values in vars(judged).items()}
        leads = part.with_suffix(".npz.part")
        with leads.open("wb") as file:
            np.savez_compressed(file, places=_places(sample), every=every, **values)
        leads.rename(part.with_suffix(".npz"))
        on_part(part, len(sample))


def judged_sources(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The name of each source in a folder of judged parts, and its report of mistakes in points."""
    sources: dict[str, list[Path]] = {}
    for leads in sorted(folder.glob("*.npz")):
        sources.setdefault(leads.name.rsplit(".", 2)[0], []).append(leads)
    for name, files in sources.items():
        contents = [read_npz(file) for file in files]
        sample = _sample([file.with_suffix(".sgf") for file in files], int(contents[0]["every"]))
        places = np.concatenate([content["places"] for content in contents])
        order = {place: row for row, place in enumerate(map(tuple, places.tolist()))}
        rows = [order[place] for place in map(tuple, _places(sample).tolist())]
        before, after = (np.concatenate([content[key] for content in contents])[rows] for key in _VALUES[:2])
        yield name, mistakes_report(sample, before.astype(float), after.astype(float), POINTS)


def _sample(files: Sequence[Path], every: int) -> Sample:
    return read_sample(GameSelection("go", tuple(files), None, every=every, filter=PositionFilter(_SKIPPED)))


def _places(sample: Sample) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """[positions, 2]: the identity of the game, and the ply."""
    games = np.array([game.identity for game in sample.games], np.uint64)
    return np.stack([games[sample.metadata["game"]], sample.metadata["ply"].astype(np.uint64)], axis=1)
