"""constraints.txt is complete: our own set-up installs no version that it does not name."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, requires

from packaging.requirements import Requirement

from tests.packaging.constraints import FILE, ROOT, build_requirements, normalised, read_pins

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def closure(listed: list[str]) -> set[str]:
    """The names of these requirements and of everything that they need, as far as it is installed."""
    found: set[str] = set()
    waiting = [Requirement(each) for each in listed]
    while waiting:
        requirement = waiting.pop()
        key = f"{normalised(requirement.name)}[{','.join(sorted(requirement.extras))}]"
        if key in found:
            continue
        found.add(key)
        try:
            needed = [Requirement(each) for each in requires(requirement.name) or ()]
        except PackageNotFoundError:
            continue
        extras = requirement.extras or {""}
        waiting += [
            each
            for each in needed
            if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in extras)
        ]
    return {key.partition("[")[0] for key in found}


def test_every_package_of_our_set_up_is_pinned() -> None:
    listed = [
        *PROJECT["dependencies"],
        *PROJECT["optional-dependencies"]["dev"],
        *build_requirements(),
    ]
    assert closure(listed) - read_pins().keys() == set(), "run `make constraints`"


def test_every_line_is_one_exact_version() -> None:
    lines = [line for line in FILE.read_text().splitlines() if not line.startswith("#")]
    for line in lines:
        assert re.fullmatch(r"[a-z0-9-]+==[0-9][0-9a-z.]*", line), line
    assert lines == sorted(set(lines))


def test_the_metadata_keeps_its_ranges_open() -> None:
    extras = [each for listed in PROJECT["optional-dependencies"].values() for each in listed]
    for requirement in (*PROJECT["dependencies"], *extras):
        assert {each.operator for each in Requirement(requirement).specifier} == {">="}, requirement


def test_torch_is_the_version_of_our_runs() -> None:
    assert read_pins()["torch"] == "2.13.0"
