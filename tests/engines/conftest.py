from __future__ import annotations

from pathlib import Path

import pytest

try:
    from tests.networks.tiny_networks import tiny_network, write
except ModuleNotFoundError:  # the player's set has no onnx
    tiny_network = None  # type: ignore[assignment]


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A network for each game that an engine plays: small with random weights, but for Go the one that is
    shipped, which takes boards of any size. Without onnx the shipped one of each game."""
    if tiny_network is None:
        return dict.fromkeys(("chess", "shogi", "go"), Path("human"))
    folder = tmp_path_factory.mktemp("networks")
    random = {game: write(tiny_network(game), folder / f"{game}.onnx") for game in ("chess", "shogi")}
    return {**random, "go": Path("human")}
