"""Commands of these tests write games and models into a folder of their own."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def own_data_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARRING_HOME", str(tmp_path_factory.mktemp("home")))
