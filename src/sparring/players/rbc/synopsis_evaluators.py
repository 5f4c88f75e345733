"""Evaluators of synopses for the planner: the network, and a uniform policy for tests and tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sparring.belief import unpack_planes
from sparring.belief.synopsis import SynopsisWords
from sparring.networks import BadNetwork
from sparring.networks.card import has_card, read_card
from sparring.networks.synopsis import ACTIONS, ALL, TOP, recognise, replaced_headsets

_INPUT = "planes"

Evaluations = tuple[NDArray[np.float32], NDArray[np.float32]]
"""Policy logits [n, 4161], and values [n] for the player to act, from -1 to 1."""


class SynopsisEvaluator(Protocol):
    """Evaluates synopses in batches."""

    opponent_headset: str
    """The headset that predicts the opponent's actions; empty without a network."""

    def evaluate(self, synopses: SynopsisWords, opponent: NDArray[np.bool_]) -> Evaluations:
        """Evaluates synopses [n, 104]; `opponent` [n] is True where the opponent is to act."""
        ...

    def recognise(self, opponent: str) -> None:
        """A game against this opponent begins: its actions are predicted by its own headset, if there is
        one that is not worse than those of many players."""
        ...


class UniformEvaluator:
    """All actions are equally likely and all values 0: planning by the native evaluation alone."""

    opponent_headset = ""

    def evaluate(self, synopses: SynopsisWords, opponent: NDArray[np.bool_]) -> Evaluations:
        """Returns zeros."""
        return np.zeros((len(synopses), ACTIONS), np.float32), np.zeros(len(synopses), np.float32)

    def recognise(self, opponent: str) -> None:
        """Does nothing."""


class NetworkEvaluator:
    """A network with headsets, as `sparring train rbc` writes it: `Top` is the own policy, `All` the value.

    Raises BadNetwork or OSError.
    """

    opponent_headset = ""

    def __init__(self, path: Path, *, backend: str = "onnxruntime", threads: int = 1) -> None:
        from sparring.networks.onnx_files import load_onnx

        try:
            self._model = load_onnx(path.read_bytes(), path.parent)
        except BadNetwork as error:
            raise BadNetwork(f"{path}: {error}") from None
        self._backend, self._threads = backend, threads
        outputs = {output.name for output in self._model.graph.output}
        self.headsets = tuple(
            name.removeprefix("policy_") for name in sorted(outputs) if name.startswith("policy_")
        )
        """Headsets with a policy."""
        for needed in (f"policy_{TOP}", f"value_{ALL}"):
            if needed not in outputs:
                raise BadNetwork(f"{path}: not a network of synopses: it has no output {needed}")
        self._replaced = {}
        if has_card(self._model):
            metadata = {entry.key: entry.value for entry in self._model.metadata_props}
            self._replaced = replaced_headsets(read_card(metadata))
        self.recognise("")

    def recognise(self, opponent: str) -> None:
        """Chooses the opponent's headset by its name, else the one of strong players."""
        from sparring.networks.onnx_files import keep_outputs
        from sparring.networks.sessions import open_session

        headset = recognise(opponent, self.headsets, self._replaced)
        if self.opponent_headset == headset:
            return
        self.opponent_headset = headset
        # Without the other headsets their heads are not computed.
        kept = type(self._model)()
        kept.CopyFrom(self._model)
        self._own, self._theirs = f"policy_{TOP}", f"policy_{headset}"
        self._value = f"value_{ALL}"
        keep_outputs(kept, [*dict.fromkeys([self._own, self._theirs, self._value])])
        self._session = open_session(kept, self._backend, self._threads)

    def evaluate(self, synopses: SynopsisWords, opponent: NDArray[np.bool_]) -> Evaluations:
        """Runs the network once."""
        found = self._session.run({_INPUT: self._planes(synopses)})
        logits = found[self._own]
        if self._theirs != self._own and opponent.any():
            logits = np.where(opponent[:, None], found[self._theirs], logits)
        return np.ascontiguousarray(logits), np.ascontiguousarray(found[self._value].reshape(-1))

    def _planes(self, synopses: SynopsisWords) -> Any:
        """The planes, for PyTorch on a GPU as a tensor there: packed words are a 32nd of what planes are."""
        if self._backend != "torch" or "GPU" not in self._session.device:
            return unpack_planes(synopses)
        import torch

        from sparring.training.rbc.model import unpack_synopses

        return unpack_synopses(torch.from_numpy(synopses.view(np.int64)).cuda())
