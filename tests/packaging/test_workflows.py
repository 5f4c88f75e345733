"""The workflow files, which nobody has run, are YAML and call what exists."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.packaging.constraints import ROOT

WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.y*ml"))
TARGETS = set(re.findall(r"^([a-z-]+(?: [a-z-]+)*):(?!=)", (ROOT / "Makefile").read_text(), re.M))
CI = ROOT / ".ci" / "run"


def jobs(workflow: Path) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]
    return content


def commands(workflow: Path) -> Iterator[str]:
    """The lines of shell of all steps."""
    for job in jobs(workflow).values():
        for step in job["steps"]:
            if step.get("shell", "bash") == "bash":
                yield from step.get("run", "").splitlines()


def targets(lines: Iterator[str] | list[str]) -> list[str]:
    """The targets that `make` is called with, without its variables."""
    calls = [call.split() for line in lines for call in re.findall(r"\bmake ([^&|;]+)", line)]
    return [word for call in calls for word in call if "=" not in word and not word.startswith("-")]


def test_the_targets_of_the_makefile_are_read() -> None:
    assert {"play", "test", "test-wheel", "browser-parts", "release"} < TARGETS
    assert targets(["make a b=1 && make c"]) == ["a", "c"]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_calls_what_exists(workflow: Path) -> None:
    lines = list(commands(workflow))
    assert lines
    assert set(targets(lines)) <= TARGETS
    for line in lines:
        for path in re.findall(r"(?<![\w/])\.?(?:ci|tests)/[\w./]+", line):
            assert (ROOT / path).exists(), line
        for module in re.findall(r"-m (tests[\w.]+)", line):
            assert (ROOT / module.replace(".", "/")).with_suffix(".py").exists(), line


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_the_jobs_of_a_workflow_fit_together(workflow: Path) -> None:
    named = jobs(workflow)
    for job in named.values():
        needed = job.get("needs", [])
        needed = [needed] if isinstance(needed, str) else needed
        assert set(needed) <= named.keys()
        assert 0 < job["timeout-minutes"] <= 60, "a job that hangs ends"
        assert "matrix" not in job["runs-on"] or job["strategy"]["matrix"]["system"]
        for step in job["steps"]:
            assert ("uses" in step) != ("run" in step)
            assert re.fullmatch(r"[\w./-]+@[\w.]+", step.get("uses", "a@v1")), step
            if step.get("uses", "").startswith("actions/download-artifact") and "name" in step["with"]:
                uploaded = {
                    other["with"]["name"]
                    for name in needed
                    for other in named[name]["steps"]
                    if other.get("uses", "").startswith("actions/upload-artifact")
                }
                assert step["with"]["name"] in uploaded


def test_ci_calls_targets_that_exist() -> None:
    lines = CI.read_text().splitlines()
    assert os.access(CI, os.X_OK)
    assert "set -e" in lines, "the first failure ends it"
    assert targets(lines) == ["lint", "test", "test-wheel", "docs", "test-browser"]
    assert set(targets(lines)) <= TARGETS


def test_cibuildwheel_runs_a_program_that_exists() -> None:
    command = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["cibuildwheel"]["test-command"]
    assert (ROOT / command.partition("{project}/")[2]).is_file()
