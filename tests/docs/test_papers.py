"""docs/papers.md: every function that it names exists, and no numbered part of a paper is missing."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.docs.markdown import PAGES, ROOT

TEXT = PAGES["docs/papers.md"].read_text()
NAMED = sorted(set(re.findall(r"`((?:src|core|studies|tests)/[\w./-]+):(\w+)`", TEXT)))
FILES = sorted(set(re.findall(r"`((?:src|core|studies|tests)/[\w./-]+\.\w+)[:`]", TEXT)))
NUMBERED: dict[str, dict[str, Iterable[int | str]]] = {
    "Blend": {"formula": range(1, 5), "figure": range(1, 13), "appendix": "AB"},
    "ACE": {"algorithm": [1], "experiment": range(1, 4), "table": range(1, 4)},
    "DSMCP": {
        "algorithm": range(1, 5),
        "formula": [1, 2],
        "figure": range(1, 10),
        "table": range(1, 11),
    },
    "Expendibots": {"figure": ["2.1", "2.3", "3.2", "4.1", "A.1", "A.2", "A.3"]},
}
"""The numbered parts of the papers. Figure 3.1 of the last one only shows two boards."""
VERDICTS = ["reproduced", "direction only", "not reproduced", "not tested", "n/a"]


def defined(path: Path) -> set[str]:
    """The names that a file defines."""
    text = path.read_text()
    if path.suffix != ".py":
        functions = re.findall(r"^ *(?!return|else)(?:[\w:<>,&*\[\]]+ )+(?:\w+::)*(\w+)\(", text, re.M)
        types = re.findall(r"\b(?:struct|class|enum|enum class)\s+(\w+)", text)
        return {*functions, *types, *re.findall(r"\b(\w+) = \{", text)}
    names: set[str] = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return names


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_named_functions_exist(file: str, name: str) -> None:
    assert name in defined(ROOT / file)


def test_files_exist() -> None:
    assert len(NAMED) > 80
    assert [file for file in FILES if not (ROOT / file).is_file()] == []


def test_members_in_brackets_exist() -> None:
    for file, member in re.findall(r"`([\w./-]+\.\w+):\w+` \(`(\w+)`\)", TEXT):
        assert re.search(rf"\b{member}\b", (ROOT / file).read_text()), f"{file}: {member}"


def test_every_row_has_one_of_five_verdicts_and_no_number_of_a_tracker() -> None:
    lines = [line for line in TEXT.splitlines() if line.startswith("| ") and not line.startswith("| in the")]
    assert len(lines) > 120
    for line in lines:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert len(cells) == 4, line
        assert cells[2] in VERDICTS, line
    assert not re.search(r"issue \d", TEXT)


def test_the_five_verdicts_are_explained() -> None:
    assert re.findall(r"^- \*\*([\w/ ]+)\*\*:", TEXT, re.M) == VERDICTS


def test_a_verdict_that_something_came_out_or_not_has_its_measurement() -> None:
    """`not tested` and `n/a` may say why; the others need a number or an argument, and a report."""
    for part, verdict, measured in re.findall(r"^\| ([^|]*) \|[^|]*\| ([^|]*) \| ([^|]*) \|$", TEXT, re.M):
        if verdict in ("reproduced", "direction only", "not reproduced"):
            assert re.search(r"\d.*\]\(\.\./results/|`src/|see Slips", measured), part


@pytest.mark.parametrize("paper", NUMBERED)
def test_every_number_of_a_paper_is_mapped(paper: str) -> None:
    section = TEXT.partition(f"\n## {paper}\n")[2].partition("\n## ")[0]
    for kind, numbers in NUMBERED[paper].items():
        for number in numbers:
            assert mentions(section, kind, str(number)), f"{kind} {number}"


def mentions(section: str, kind: str, number: str) -> bool:
    """Whether a row names it, alone or in a list such as `figures 1, 4 and 7`."""
    plural = "appendices" if kind == "appendix" else f"{kind}s"
    lists = re.findall(rf"(?:{kind}|{plural}) ((?:\(?[\w.]+\)?(?:, | and | to )?)+)", section, re.I)
    return any(re.search(rf"(?<![\w.]){re.escape(number)}(?![\w.]*\w)", words) for words in lists)
