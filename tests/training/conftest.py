from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.training.factories import chess_games


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """One thread: several would compete for the cores of the test machine."""
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of random chess games between players of 1100 to 1199 and of 1900 to 1999."""
    return chess_games(tmp_path_factory.mktemp("games") / "table")
