from __future__ import annotations

from pathlib import Path

import pytest

from tests.training.selfplay.selfplay_factories import run, tiny_config


@pytest.fixture(scope="package")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two generations."""
    folder = tmp_path_factory.mktemp("undisturbed")
    run(tiny_config(), folder)
    return folder
