"""Small value networks for searches on a CPU, and their files.

A network is the native `<Game>Network` (core/search/value_network.hpp). A file is a NumPy archive with the
layers in float16 and the origin as JSON.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from sparring._core import ParseError
from sparring.base.errors import BadFile
from sparring.base.storage import read_npz
from sparring.games import GAMES, describe

LAYERS = ("places", "measured", "first_bias", "between", "second_bias", "last", "last_bias")
"""The arrays of a file: the arguments of the native network."""
_OLDER_NAMES = {"stacks": "places"}
"""Names of arrays in files of the first version."""


class NativeNetwork(Protocol):
    """The native value network of a game, such as `BreakthroughNetwork`."""

    def value(self, state: Any, /) -> float:
        """The value of a state for its side to move, from -1 to 1."""


GAMES_WITH_NETWORKS = tuple(name for name, game in GAMES.items() if game.has_native("Network"))
"""The games that have a native value network and the search for it."""


def make_network(game: str, layers: Mapping[str, NDArray[np.floating]]) -> NativeNetwork:
    """The native network with the arrays of `LAYERS`. Raises ParseError."""
    arrays = [np.ascontiguousarray(layers[name], np.float32) for name in LAYERS[:-1]]
    return cast(NativeNetwork, describe(game).network_class(*arrays, float(layers["last_bias"])))


def open_value_network(game: str, path: Path) -> NativeNetwork:
    """Reads the native network of a game. Raises BadFile."""
    arrays = read_arrays(path)
    if str(arrays.get("game", game)) != game:
        raise BadFile(f"{path} is a value network of {arrays['game']}, not of {game}")
    try:
        return make_network(game, {_OLDER_NAMES.get(name, name): array for name, array in arrays.items()})
    except (ParseError, TypeError, ValueError, KeyError) as error:
        raise BadFile(f"{path} has no network: {error}") from None


def network_file(
    layers: Mapping[str, NDArray[np.floating]], origin: Mapping[str, object], game: str | None = None
) -> bytes:
    """Returns the content of a file for `open_value_network`. `layers` has the arrays of `LAYERS`."""
    halves = {name: np.asarray(layers[name], np.float16) for name in LAYERS}
    about = {"origin": json.dumps(dict(origin))} | ({} if game is None else {"game": game})
    file = io.BytesIO()
    np.savez_compressed(file, **about, **halves)  # type: ignore[arg-type]
    return file.getvalue()


def origin_of(path: Path) -> dict[str, Any]:
    """Returns the origin of a network: command, date, machine, configuration. Raises BadFile."""
    origin: dict[str, Any] = json.loads(str(read_arrays(path).get("origin", "{}")))
    return origin


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Reads the arrays of a file. Raises BadFile."""
    try:
        return read_npz(path)
    except (OSError, BadFile) as error:
        raise BadFile(f"{path} has no network: {error}") from None
