from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

import pytest

# Processes of `pytest -n` share the cores: PyTorch's threads would wait for each other most of the time.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Hundreds of tests start Python: what one process compiled, the next ones and the next run read.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

import sparring  # noqa: E402, F401  # switches off telemetry before a test imports ONNX Runtime


def pytest_collection_finish() -> None:
    """What was imported and collected stays: the garbage collector need not look at it again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def model_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty model store for one test."""
    monkeypatch.setenv("SPARRING_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "models"
