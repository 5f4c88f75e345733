"""What playing needs stays small on the disk."""

from __future__ import annotations

from importlib.metadata import files
from pathlib import Path

import sparring
import sparring._core
from tests.packaging.release import MOST_BYTES_OF_PARTS
from tests.packaging.test_constraints import PROJECT, closure

MOST_BYTES = 210_000_000


def test_playing_needs_at_most_210_mb() -> None:
    """Sparring with the browser edition's parts, and all packages that it requires without extras, without
    bytecode."""
    package = Path(sparring.__file__).parent
    own = {path for path in package.rglob("*") if path.is_file()} | {Path(sparring._core.__file__)}
    required = closure(PROJECT["dependencies"])
    assert {"numpy", "onnxruntime"} <= required
    others = {Path(str(path.locate())) for name in required for path in files(name) or ()}
    sizes = [path.stat().st_size for path in own | others if path.suffix != ".pyc" and path.is_file()]
    assert 150_000_000 < sum(sizes) + MOST_BYTES_OF_PARTS <= MOST_BYTES
