"""Commands `python -m studies.MODULE ...` on pages: the module exists and understands its arguments."""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.docs.markdown import PAGES, RESULTS, ROOT, STUDIES, blocks
from tests.docs.test_snippets import parse

NETWORKS = ROOT / "src/sparring/data/networks"
COMMAND = re.compile(r"^python -m (studies\.[\w.]+) ?(.*)$", re.M)


class Understood(Exception):
    """The arguments were parsed."""


def lines() -> list[tuple[str, str, str]]:
    """Page, module and arguments of every command."""
    return [
        (page, *found)
        for page in PAGES | RESULTS | STUDIES
        for block in blocks(page)
        for found in COMMAND.findall(block.code.replace("\\\n", " "))
    ]


@pytest.mark.parametrize(("page", "module", "arguments"), lines())
def test_a_module_of_a_study_understands_the_arguments_of_a_page(
    page: str, module: str, arguments: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    understand(module, arguments.partition("#")[0].split(), monkeypatch)


@pytest.mark.parametrize("network", sorted(path.stem for path in NETWORKS.glob("*.onnx")))
def test_every_shipped_network_has_one_command_that_makes_it(
    network: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["bash", "studies/student/reproduce.sh", network, "records", "nets", "out"]
    environment = os.environ | {"DRY_RUN": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    printed = done.stdout.splitlines()
    assert f"out/{network}.onnx" in done.stdout
    for line in printed:
        program, *words = line.split()
        if program == "sparring":
            parse(words)
        elif program == "python":
            understand(words[1], words[2:], monkeypatch)
        else:
            assert program in ("bash", "cp", "mkdir")


def understand(module: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails if a module does not exist or refuses the arguments."""
    spec = importlib.util.find_spec(module)
    assert spec is not None, module
    assert spec.origin is not None
    source = Path(spec.origin).read_text()
    if "argparse" not in source and "parse_options" not in source:
        assert "sys.argv" in source, f"{module} takes no arguments"
        return
    parse = argparse.ArgumentParser.parse_args

    def parse_only(self: argparse.ArgumentParser, *given: Any) -> NoReturn:
        parse(self, *given)
        raise Understood

    with monkeypatch.context() as patched:
        patched.setattr(argparse.ArgumentParser, "parse_args", parse_only)
        patched.setattr(sys, "argv", [module, *arguments])
        patched.delitem(sys.modules, module, raising=False)
        with pytest.raises(Understood):
            runpy.run_module(module, run_name="__main__")


def test_the_pages_have_such_commands() -> None:
    assert {module.rpartition(".")[2] for _, module, _ in lines()} >= {"set_card", "curves", "time_networks"}
