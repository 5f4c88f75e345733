"""A synopsis network as an ONNX file, measured on held-out games without its training run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from sparring.base.errors import BadConfig
from sparring.networks.card import read_card_from_file
from sparring.networks.network import open_session
from sparring.networks.onnx_files import load_onnx
from sparring.rbc.history import read_histories
from sparring.rbc.plugin import DESCRIPTION
from sparring.rbc.synopsis import headsets_of
from sparring.rbc.training.config import ExampleConfig, RbcTrainingConfig
from sparring.rbc.training.examples import ExampleSet, history_files, make_examples, random_turns_of
from sparring.rbc.training.network import HeadOutputs
from sparring.rbc.training.task import DeviceExamples, Indices, Measures, measure
from sparring.records.record import Split, split_of
from sparring.records.sources import open_chunks

_BATCH = 256


class ExportedNetwork:
    """The measures of all headsets of a network on held-out examples.

    Raises BadFile, BadConfig or OSError.
    """

    def __init__(self, path: Path, config: RbcTrainingConfig, examples: ExampleSet) -> None:
        by_name = {headset.name: headset for headset in config.headsets}
        names = headsets_of(read_card_from_file(path))
        if missing := [name for name in names if name not in by_name]:
            raise BadConfig(f"the configuration {config.name} has no headset {missing[0]}")
        self.config = replace(config, headsets=tuple(by_name[name] for name in names))
        self.data = DeviceExamples(examples, config.data.trial, torch.device("cpu"))
        session = open_session(load_onnx(path.read_bytes(), path.parent))
        self._values = np.zeros((len(names), len(examples)), np.float32)
        self._measures = torch.zeros(len(names), len(Measures._fields), len(examples))
        for begin in range(0, len(examples), _BATCH):
            rows = np.arange(begin, min(begin + _BATCH, len(examples)))
            batch = self.data.batch(rows)
            outputs = session.run({"planes": batch.planes.numpy()})
            for index, name in enumerate(names):
                value = torch.from_numpy(outputs[f"value_{name}"][:, 0])
                head = HeadOutputs(torch.from_numpy(outputs[f"policy_{name}"]), value, value, value)
                self._values[index, rows] = value.numpy()
                self._measures[index][:, rows] = torch.stack(list(measure(head, batch)))

    def measure(self, headset: int, rows: Indices) -> Measures:
        """Returns the measures of a headset on some rows."""
        return Measures(*self._measures[headset][:, rows])

    def values(self, headset: int, rows: Indices) -> NDArray[np.float32]:
        """Returns the values of a headset for some rows."""
        values: NDArray[np.float32] = self._values[headset, rows]
        return values


def held_out_examples(
    records: Sequence[Path],
    config: ExampleConfig,
    on_progress: Callable[[int], None] = lambda _: None,
) -> ExampleSet:
    """Makes the examples of the held-out games, one draw a decision. Raises BadConfig or OSError."""
    config, parts = replace(config, draws=1), []
    for path in history_files(records):
        random_turns = random_turns_of(path)
        for parsed in read_histories(open_chunks(path)):
            if (record := parsed.record) is None:
                continue
            identity = record.identity(DESCRIPTION.name)
            if split_of(identity, config.trial) is not Split.TRAIN:
                turns = random_turns.get(record.site or "", 0)
                if (found := make_examples(record, config, identity % 2**32, turns)) is not None:
                    parts.append(found)
                    on_progress(len(parts))
    if not parts:
        raise BadConfig("the records have no held-out game")
    return ExampleSet.concatenate(parts)
