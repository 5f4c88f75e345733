from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.training.factories import chess_games


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """Several would fight over the test machine's cores."""
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of random chess games between players of 1100 to 1199 and of 1900 to 1999."""
    return chess_games(tmp_path_factory.mktemp("games") / "table")
