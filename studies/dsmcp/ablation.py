"""Ablation of the planes of a synopsis (DSMCP paper, section 7): a network is trained again without a plane.

The networks have the headsets All and Top alone. Networks with all planes and other seeds show the noise of
the training; an ablated network is compared with the mean of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sparring.rbc.synopsis import ALL, TOP
from sparring.rbc.training.config import RbcTrainingConfig
from sparring.rbc.training.task import DeviceExamples, Indices
from sparring.training.optimisers import take_snapshot
from studies.dsmcp.hits import HitFiles, Hits
from studies.dsmcp.run import StudiedRun


def ablate(
    config: RbcTrainingConfig,
    data: DeviceExamples,
    folder: Path,
    planes: Sequence[dict[str, Any]],
    *,
    ablated: int,
    repeats: int,
    seeds: int = 1,
    device: str = "",
    seconds: float | None = None,
    on_progress: Callable[[str], None] = lambda _: None,
) -> None:
    """Trains networks without the `ablated` most and the `ablated` least salient planes, one at a time.

    `planes` are the rows of the saliency. 1 + `repeats` networks have all planes; each plane is removed with
    `seeds` seeds. The hits of each network are saved in `folder`; networks that are there are not trained
    again. `on_progress` is called after each network. Ends after `seconds`.
    """
    ends = None if seconds is None else time.monotonic() + seconds
    own = replace(
        config, headsets=tuple(headset for headset in config.headsets if headset.name in (ALL, TOP))
    )
    rows = _held_out(own, data)
    files, names = HitFiles(folder), {row["plane"]: row["name"] for row in planes}
    files.write_games({name: data.examples.games[each] for name, each in rows.items()})
    trained, network = set(files.trained()), None
    for plane, seed in _plan(planes, ablated, repeats, seeds, config.training.seed):
        if (plane, seed) in trained:
            continue
        if ends is not None and time.monotonic() > ends:
            break
        if network is None or network.seed != seed:
            network = _RetrainedNetwork(own, data, folder, seed, device)
        files.write(plane, seed, network.train(plane, rows))
        without = "all planes" if plane is None else f"without plane {plane}, {names[plane]}"
        on_progress(f"{without}, seed {seed}")


class _RetrainedNetwork:
    """A network that is trained several times from the same weights, each time without another plane. On a
    GPU its steps are captured once."""

    def __init__(
        self, config: RbcTrainingConfig, data: DeviceExamples, folder: Path, seed: int, device: str
    ) -> None:
        self.seed = seed
        seeded = replace(config, training=replace(config.training, seed=seed))
        self._run = StudiedRun(seeded, data, folder, device)
        self._restart = take_snapshot(self._run.model, self._run.average, self._run.optimiser)

    def train(self, plane: int | None, rows: dict[str, Indices]) -> Hits:
        """Trains the network without a plane; returns its hits on the rows of each headset."""
        run = self._run
        run.data.remove_planes(() if plane is None else (plane,))
        self._restart()
        run.step = run.cursor = 0
        for _ in range(run.config.training.steps):
            run.next_step()
        names = run.config.headset_names
        found = {name: run.measure(names.index(name), each).top1.numpy() for name, each in rows.items()}
        run.data.remove_planes(())
        return found


def _plan(
    planes: Sequence[dict[str, Any]], ablated: int, repeats: int, seeds: int, first: int
) -> Iterator[tuple[int | None, int]]:
    """Removed plane and seed of each network. Most and least salient planes come in turn, so that an early
    end has both."""
    for seed in range(first, first + repeats + 1):
        yield None, seed
    order = sorted(planes, key=lambda row: int(row["rank"]))
    for seed in range(first, first + seeds):
        for most, least in zip(order[:ablated], order[::-1][:ablated], strict=True):
            yield most["plane"], seed
            yield least["plane"], seed


def _held_out(config: RbcTrainingConfig, data: DeviceExamples) -> dict[str, Indices]:
    """The examples that all networks are measured on, by headset."""
    found = {}
    for index, headset in enumerate(config.headsets):
        rows = data.rows(headset, validation=True)
        count = min(len(rows), config.training.validation_positions)
        rng = np.random.default_rng([config.training.seed, index])
        found[headset.name] = np.sort(rng.choice(rows, count, replace=False))
    return found
