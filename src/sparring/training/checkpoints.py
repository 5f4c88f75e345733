"""Checkpoints of a training run. They are written atomically."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from sparring.games import describe
from sparring.games.versions import ENCODING_VERSION, MOVE_NUMBERING, VersionMismatch, check_encoding
from sparring.storage import atomic_writer
from sparring.training.config import BadTrainingConfig, TrainingConfig
from sparring.training.layouts import layout_of

_NAME = "checkpoint.pt"
_VERSION = 3


def save(folder: Path, config: TrainingConfig, state: dict[str, Any]) -> None:
    """Writes the checkpoint of a run, in place of the last one. `state` has tensors and plain values."""
    with atomic_writer(folder / _NAME) as part, part.open("wb") as file:
        game = describe(config.game)
        versions = {
            "version": _VERSION,
            ENCODING_VERSION: game.encodings[layout_of(config).encoding],
            MOVE_NUMBERING: game.move_numbering,
        }
        torch.save({**versions, "config": config.as_dict(), **state}, file)


def exists(folder: Path) -> bool:
    """Returns True if the folder has a checkpoint."""
    return (folder / _NAME).exists()


def load(folder: Path, config: TrainingConfig) -> dict[str, Any] | None:
    """Returns the state of the folder's checkpoint, or None if there is none.

    Raises BadTrainingConfig if the file is broken, of another version, or of another configuration.
    """
    path = folder / _NAME
    if not path.exists():
        return None
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        version, written = state["version"], state["config"]
    except Exception as error:  # torch.load raises many types for a broken file
        raise BadTrainingConfig(f"{path} is not a checkpoint ({type(error).__name__})") from None
    if version != _VERSION:
        raise BadTrainingConfig(
            f"{path} has version {version}; this version of Sparring resumes version {_VERSION}"
        )
    try:
        check_encoding(describe(config.game), layout_of(config).encoding, state)
    except VersionMismatch as error:
        raise BadTrainingConfig(f"{path}: {error}: give another --out") from None
    ours, theirs = _flat(config.as_dict()), _flat(written)
    different = [
        key for key in ours | theirs if key not in ours or key not in theirs or ours[key] != theirs[key]
    ]
    if different:
        raise BadTrainingConfig(
            f"{path} is of another configuration (different: {', '.join(different[:4])}): "
            "give another --out, or the same configuration"
        )
    return state


def _flat(entries: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Flattens nested tables: keys become paths such as network.width."""
    flat: dict[str, Any] = {}
    for key, value in entries.items():
        flat |= _flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return flat
