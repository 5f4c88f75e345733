"""Teachers of a synopsis network: finished runs whose mean predictions are part of its targets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch

from sparring.training.config import BadTrainingConfig
from sparring.training.rbc.checkpoint import read_checkpoint
from sparring.training.rbc.loss import SynopsisBatch, TeacherTargets, teacher_targets
from sparring.training.rbc.model import SynopsisNetwork


class Teachers:
    """The averaged networks of finished runs, in the folders `runs`."""

    def __init__(self, runs: Sequence[Path], device: torch.device) -> None:
        self.runs = tuple(runs)
        self._networks = [_load(folder, device) for folder in runs]

    def __bool__(self) -> bool:
        return bool(self._networks)

    def know(self, headset: str) -> bool:
        """Returns True if a teacher has this headset."""
        return any(headset in headsets for _, headsets in self._networks)

    @torch.no_grad()
    def targets(self, batch: SynopsisBatch, headset: str) -> TeacherTargets | None:
        """Returns the mean prediction of the teachers that have this headset, or None if none has."""
        predictions = [
            network(batch.planes, headsets.index(headset))
            for network, headsets in self._networks
            if headset in headsets
        ]
        return teacher_targets(predictions, batch) if predictions else None


def _load(folder: Path, device: torch.device) -> tuple[SynopsisNetwork, tuple[str, ...]]:
    state = read_checkpoint(folder)
    if state.step < state.config.training.steps:
        raise BadTrainingConfig(f"{folder} is no teacher: its training has not finished")
    network = SynopsisNetwork(state.config)
    network.load_state_dict(state.model | state.average)
    network = network.to(device).eval().requires_grad_(False)
    if device.type == "cuda":
        network = network.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # missing in PyTorch's stubs
    return network, state.config.headset_names
