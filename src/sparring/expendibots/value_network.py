"""Files of Expendibots' value networks: NumPy archives with the layers in float16 and the origin as JSON."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring import data
from sparring._core import ExpendibotsNetwork, ParseError
from sparring.base.errors import BadFile
from sparring.base.storage import atomic_write, read_npz

SHIPPED_NETWORK = data.path("value_networks", "expendibots")
LAYERS = ("stacks", "measured", "first_bias", "between", "second_bias", "last", "last_bias")
"""The arrays of a file: the arguments of `ExpendibotsNetwork`."""


def open_network(path: Path = SHIPPED_NETWORK) -> ExpendibotsNetwork:
    """Reads a network. Raises BadFile."""
    layers = {name: array.astype(np.float32) for name, array in _arrays(path).items() if name in LAYERS}
    try:
        last_bias = float(layers.pop("last_bias"))
        return ExpendibotsNetwork(**layers, last_bias=last_bias)
    except (ParseError, TypeError, ValueError, KeyError) as error:
        raise BadFile(f"{path} has no network: {error}") from None


def origin_of(path: Path) -> dict[str, Any]:
    """Returns the origin of a network: command, date, machine, configuration. Raises BadFile."""
    origin: dict[str, Any] = json.loads(str(_arrays(path).get("origin", "{}")))
    return origin


def write_network(layers: Mapping[str, NDArray[np.float32]], origin: Mapping[str, Any], path: Path) -> None:
    """Writes a file for `open_network`, atomically. `layers` has the arrays of `LAYERS`."""
    atomic_write(path, network_file(layers, origin))


def network_file(layers: Mapping[str, NDArray[np.float32]], origin: Mapping[str, Any]) -> bytes:
    """Returns the content of a file for `open_network`."""
    halves: dict[str, Any] = {name: np.asarray(layers[name], np.float16) for name in LAYERS}
    file = io.BytesIO()
    np.savez_compressed(file, origin=np.array(json.dumps(dict(origin))), **halves)
    return file.getvalue()


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    try:
        return read_npz(path)
    except (OSError, BadFile) as error:
        raise BadFile(f"{path} has no network: {error}") from None
