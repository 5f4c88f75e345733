from __future__ import annotations

from pathlib import Path

import pytest

import sparring  # noqa: F401  # switches off telemetry before a test imports ONNX Runtime


@pytest.fixture
def model_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty model store for one test."""
    monkeypatch.setenv("SPARRING_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "models"
