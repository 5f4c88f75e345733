"""Run by torchrun in a test: the training command, then this process's final weights."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path
from typing import Any

import torch

from sparring.cli import main
from sparring.training.trainer import Trainer

if __name__ == "__main__":
    torch.set_num_threads(1)
    runs: list[Trainer] = []
    train = Trainer.train

    def recording_train(self: Trainer, *arguments: Any) -> bool:
        runs.append(self)
        return train(self, *arguments)

    Trainer.train = recording_train  # type: ignore[assignment]
    folder, *command = sys.argv[1:]
    main(command)
    weights = b"".join(value.detach().numpy().tobytes() for value in runs[0].model.parameters())
    (Path(folder) / f"weights-{os.environ['RANK']}").write_text(hashlib.sha256(weights).hexdigest())
