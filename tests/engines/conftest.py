from __future__ import annotations

from pathlib import Path

import pytest

from tests.networks.tiny_networks import tiny_network, write


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A network for each game that an engine plays: small with random weights, but for Go the one that is
    shipped, which takes boards of any size."""
    folder = tmp_path_factory.mktemp("networks")
    random = {game: write(tiny_network(game), folder / f"{game}.onnx") for game in ("chess", "shogi")}
    return {**random, "go": Path("human")}
