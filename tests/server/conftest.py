"""A server without a page, and a visitor's client."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from fastapi.testclient import TestClient

from sparring.server import pauses
from sparring.server.app import create_app
from sparring.server.security import Access

ACCESS = Access(hosts=("testserver",))


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Opponents answer at once."""
    monkeypatch.setattr(pauses, "LONGEST", 0.0)
    monkeypatch.setattr(pauses, "SHORTEST", 0.0)


@pytest.fixture
def app(tmp_path: Path) -> FastAPI:
    return create_app(tmp_path / "page.sqlite", ACCESS, None)


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app) as found:
        yield found
