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

from sparring.server import game_host
from sparring.server.app import create_app
from sparring.server.security import Access

ACCESS = Access(hosts=("testserver",))
"""A server of this machine: one owner."""
SHARED = Access(hosts=("testserver",), token="secret")
"""A server with `--host`: each browser is a visitor."""
BEARER = {"Authorization": "Bearer secret"}


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Opponents answer at once."""
    monkeypatch.setattr(game_host, "LONGEST_PAUSE", 0.0)
    monkeypatch.setattr(game_host, "SHORTEST_PAUSE", 0.0)


@pytest.fixture
def app(tmp_path: Path) -> FastAPI:
    return create_app(tmp_path / "page.sqlite", ACCESS, None)


@pytest.fixture
def shared_app(tmp_path: Path) -> FastAPI:
    return create_app(tmp_path / "shared.sqlite", SHARED, None)


@pytest.fixture
def visitor(shared_app: FastAPI) -> Iterator[TestClient]:
    """One of the visitors of a server with a token; `another_visitor(shared_app)` is another."""
    with another_visitor(shared_app) as client:
        yield client


def another_visitor(app: FastAPI) -> TestClient:
    """A client that has loaded the page of a server with a token, and so has a cookie."""
    client = TestClient(app, headers=BEARER)
    client.get("/")
    return client


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app) as found:
        yield found
