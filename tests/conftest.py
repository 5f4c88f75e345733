from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def model_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty place for models of a test's own."""
    monkeypatch.setenv("SPARRING_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "models"
