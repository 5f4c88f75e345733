"""Examples on the training device, split by game and sorted into headsets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from sparring.belief import PLANES
from sparring.networks.synopsis import ALL, TOP
from sparring.records.splits import Split, split_of
from sparring.training.config import BadTrainingConfig
from sparring.training.rbc.action_mask import ActionMask
from sparring.training.rbc.config import HeadsetConfig, RbcTrainingConfig
from sparring.training.rbc.examples import ExampleSet
from sparring.training.rbc.headsets import with_headsets_of
from sparring.training.rbc.loss import SynopsisBatch, mirror
from sparring.training.rbc.model import unpack_synopses

Indices = NDArray[np.int64]


class DeviceExamples:
    """All examples on the device as packed bits; batches are unpacked there."""

    def __init__(self, examples: ExampleSet, trial: int, device: torch.device) -> None:
        self.examples, self.device = examples, device
        self.validation = validation_rows(examples.games, trial)
        """[n]: whether the game is held out."""
        self._players = PlayerNames.of(examples.players)
        self._mask = ActionMask().to(device)
        self._kept = torch.ones(len(PLANES), 1, 1, device=device)
        self._synopses = torch.from_numpy(examples.synopses.view(np.int64)).to(device)
        self._actions = torch.from_numpy(examples.actions.astype(np.int64)).to(device)
        self._results = torch.from_numpy(examples.results).to(device)
        self._soon = torch.from_numpy(examples.soon).to(device)
        self._pieces = torch.from_numpy(examples.pieces).to(device)

    def batch(self, rows: Indices, mirrored: NDArray[np.bool_] | None = None) -> SynopsisBatch:
        """Returns the examples of these rows, mirrored from left to right where `mirrored` [rows]."""
        return self.gather(self.tensor(rows), None if mirrored is None else self.tensor(mirrored))

    def tensor(self, values: NDArray[Any]) -> torch.Tensor:
        """Copies an array to the device."""
        return torch.from_numpy(values).to(self.device, non_blocking=True)

    def gather(self, rows: torch.Tensor, mirrored: torch.Tensor | None = None) -> SynopsisBatch:
        """Returns the same for tensors of the device; a CUDA graph can capture it."""
        planes = unpack_synopses(self._synopses[rows])
        batch = SynopsisBatch(
            planes * self._kept,
            self._mask(planes),
            self._actions[rows],
            self._results[rows],
            self._soon[rows],
            self._pieces[rows],
        )
        return batch if mirrored is None else mirror(batch, mirrored)

    def remove_planes(self, planes: Sequence[int]) -> None:
        """Sets these planes to 0 in all examples; the actions stay possible that the planes told.

        It holds for captured CUDA graphs, too.
        """
        kept = torch.ones_like(self._kept, device="cpu")
        kept[list(planes)] = 0
        self._kept.copy_(kept)

    def rows(self, headset: HeadsetConfig, *, validation: bool) -> Indices:
        """Returns the rows of a headset's players in one part of the split."""
        return np.flatnonzero(self.included(headset) & (self.validation == validation))

    def included(self, headset: HeadsetConfig) -> NDArray[np.bool_]:
        """Returns which rows are decisions of a headset's players, [n]."""
        return self._players.included(headset)


@dataclass(frozen=True)
class PlayerNames:
    """The different names of the players of n examples."""

    names: tuple[str, ...]
    numbers: NDArray[np.int64]
    """[n]: index of the player's name."""

    @staticmethod
    def of(players: NDArray[np.bytes_]) -> PlayerNames:
        """Sorts the names. Few rows differ from the one before, which makes it quick for millions."""
        begins = np.flatnonzero(np.append(True, players[1:] != players[:-1]))
        names, numbers = np.unique(players[begins], return_inverse=True)
        lengths = np.diff(np.append(begins, len(players)))
        texts = tuple(name.decode(errors="replace") for name in names)
        return PlayerNames(texts, np.repeat(numbers.astype(np.int64), lengths))

    def included(self, headset: HeadsetConfig) -> NDArray[np.bool_]:
        """Returns which rows belong to a headset by the player's name, [n]."""
        return np.array([headset.includes(name) for name in self.names], bool)[self.numbers]


def validation_rows(games: NDArray[np.uint64], trial: int) -> NDArray[np.bool_]:
    """Returns which rows are of held-out games: a tenth of the games, by the hash of the game."""
    identities, inverse = np.unique(games, return_inverse=True)
    held_out = np.array([split_of(int(each), trial) is not Split.TRAIN for each in identities], bool)
    return held_out[inverse]


def with_trained_headsets(config: RbcTrainingConfig, examples: ExampleSet) -> RbcTrainingConfig:
    """Returns the configuration without headsets that have no training example. Raises BadTrainingConfig if
    All or Top has none."""
    training = ~validation_rows(examples.games, config.data.trial)
    players = PlayerNames.of(examples.players)
    config = with_headsets_of(config, players.names)
    kept = tuple(h for h in config.headsets if (players.included(h) & training).any())
    for headset in config.headsets:
        if headset.name in (ALL, TOP) and headset not in kept:
            raise BadTrainingConfig(
                f"all games of the headset {headset.name} are held out for validation: add games"
            )
    return replace(config, headsets=kept)
