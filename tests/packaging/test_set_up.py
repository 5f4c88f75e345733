"""`make play` installs what playing needs, and no developers' tools."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.packaging.constraints import ROOT, normalised
from tests.packaging.test_constraints import PROJECT, closure

TOOLS = {
    "torch",
    "ray",
    "matplotlib",
    "openvino",
    "pytest",
    "mypy",
    "ruff",
    "open-spiel",
    "scipy",
    "reconchess",
    "onnx",
    "pyarrow",
    "zstandard",
}
PLAYING = {
    "chess",
    "fastapi",
    "filelock",
    "msgspec",
    "numpy",
    "onnxruntime",
    "rich",
    "typer",
    "uvicorn",
    "websockets",
}
"""What `sparring play`, `serve` and `engine` may depend on. Another entry costs every player its size."""
MAKEFILE = (ROOT / "Makefile").read_text()


def commands(*goals: str) -> str:
    """What make would run for these goals in a clean clone."""
    if shutil.which("make") is None:
        pytest.skip("needs make")
    arguments = ["make", "-n", "VENV=no-such-folder", *goals]
    return subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_playing_needs_no_developers_tools() -> None:
    needed = closure(PROJECT["dependencies"])
    assert "onnxruntime" in needed
    assert needed & TOOLS == set()


def test_the_list_of_what_playing_needs_does_not_grow() -> None:
    assert {normalised(Requirement(dependency).name) for dependency in PROJECT["dependencies"]} == PLAYING


def test_the_extra_for_training_includes_records() -> None:
    extras = PROJECT["optional-dependencies"]
    assert set(extras["records"]) <= set(extras["train"]) & set(extras["dev"])


def test_make_play_installs_the_package_alone() -> None:
    installs = re.findall(r"pip .*install.*", commands("play"))
    assert len(installs) == 1
    assert re.search(r" --no-compile -e \.(;|$)", installs[0])


def test_make_test_installs_the_developers_set() -> None:
    installs = re.findall(r"pip .*install.*", commands("test"))
    assert len(installs) == 1
    assert ".[dev]" in installs[0]


def test_make_wheel_compiles_once() -> None:
    assert re.findall(r"pip .*(?:install|wheel).*", commands("wheel"))[0].split()[-3:] == ["-w", "dist", "."]
    assert len(re.findall(r"pip .*(?:install|wheel).*", commands("wheel"))) == 1


def test_one_interpreter_builds_the_tested_wheel_and_runs_its_tests() -> None:
    lines = commands("test-wheel", "PYTHON=python3.13").splitlines()
    assert "python3.13 -m venv build/wheel/venv" in lines
    (build,) = (line for line in lines if " wheel -q" in line)
    (install,) = (line for line in lines if " install -q" in line)
    assert build.split()[0] == install.split()[0] == "build/wheel/venv/bin/python"


def test_builds_are_constrained_too() -> None:
    for variable in ("PIP_CONSTRAINT", "PIP_BUILD_CONSTRAINT"):
        assert f"export {variable} := constraints.txt" in MAKEFILE


@pytest.mark.parametrize(
    ("user", "variables", "command"),
    [
        ("0", {"CI": "1"}, "apt-get"),
        ("1000", {"CI": "1"}, "sudo -n env DEBIAN_FRONTEND=noninteractive apt-get"),
        ("0", {}, None),
        ("1000", {}, None),
    ],
)
def test_ci_installs_debian_packages_as_root_or_by_sudo(
    tmp_path: Path, user: str, variables: dict[str, str], command: str | None
) -> None:
    if (make := shutil.which("make")) is None:
        pytest.skip("needs make")
    log = tmp_path / "log"
    for name, script in (
        ("id", f"echo {user}"),
        ("sudo", f'echo "sudo $*" >> {log}'),
        ("apt-get", f'echo "apt-get $*" >> {log}'),
    ):
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    arguments = [make, "engines", "ENGINES=no-such-program", "VENV=no-such-folder", "SHELL=/bin/sh"]
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin", **variables}
    subprocess.run(arguments, cwd=ROOT, env=environment, check=True, capture_output=True)
    written = log.read_text().splitlines() if log.exists() else []
    installed = [line for line in written if line.endswith("no-such-program")]
    assert [line.partition(" install")[0] for line in installed] == ([command] if command else [])
