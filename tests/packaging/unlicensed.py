"""Prints what a wheel without networks of unlicensed games leaves out, as scikit-build-core takes it."""

from __future__ import annotations

import tomllib
from pathlib import Path

DATA = Path(__file__).parents[2] / "src" / "sparring" / "data"


def left_out() -> list[str]:
    """The paths of the files in a wheel."""
    tables = tomllib.loads((DATA / "unlicensed.toml").read_text(encoding="utf-8"))
    return [f"sparring/data/{file}" for table in tables.values() for file in table["files"]]


if __name__ == "__main__":
    print(";".join(left_out()))
