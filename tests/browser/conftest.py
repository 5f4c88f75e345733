"""The tests of the browser edition. They need what `make browser` builds; `make test-browser` runs them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SITE = ROOT / "build" / "browser" / "site"
RUNNER = Path(__file__).parent / "run.mjs"
PARTS = ROOT / "build" / "browser" / "worker" / "parts.js"


@pytest.fixture(scope="session")
def site() -> Path:
    """The built site. The tests run in `make test-browser` alone, which builds it."""
    if not os.environ.get("SPARRING_BROWSER"):
        pytest.skip("make test-browser runs the tests of the browser edition")
    assert SITE.is_dir(), "the browser edition is not built: make browser"
    assert shutil.which("node"), "Node is missing"
    return SITE


def in_node(job: dict[str, Any]) -> list[Any]:
    """The result of a job of run.mjs."""
    command = ["node", str(RUNNER), str(SITE), str(PARTS)]
    done = subprocess.run(command, input=json.dumps(job), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found: list[Any] = json.loads(done.stdout)
    return found
