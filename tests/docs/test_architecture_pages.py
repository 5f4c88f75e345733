"""docs/architecture.md and docs/internals.md: the files, folders and packages that they name exist."""

from __future__ import annotations

import re

import pytest

from tests.docs.markdown import PAGES, ROOT
from tests.test_architecture import LAYER

PACKAGE = ROOT / "src" / "sparring"
_FILE = re.compile(r"`([\w.*-]+(?:/[\w.*-]+)*\.(?:py|hpp|cpp|toml|json|md|ts|tsx))`")
_FOLDER = re.compile(r"`([\w-]+(?:/[\w-]+)*)/`|`((?:core|studies|tests|data|training|rbc|web)/[\w/-]+)`")


def exists(path: str) -> bool:
    """Whether a file or folder is below the root or the package; `plugin.py` is that of a game."""
    return any(list(root.glob(path)) for root in (PACKAGE, ROOT)) or path == "plugin.py"


@pytest.mark.parametrize("page", ["docs/architecture.md", "docs/internals.md"])
def test_named_files_and_folders_exist(page: str) -> None:
    text = PAGES[page].read_text()
    named = _FILE.findall(text) + [first or second for first, second in _FOLDER.findall(text)]
    assert len(named) > 30
    assert [path for path in named if not exists(path)] == []


def test_the_tour_lists_every_package_above_those_that_it_uses() -> None:
    tree = PAGES["docs/architecture.md"].read_text().partition("```")[2].partition("```")[0]
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert len(packages) > 15
    assert {name for name in packages if f" {name}/" not in tree} == set()
    shown = [name for name in re.findall(r"^  (\w+)/  ", tree, re.M) if name in LAYER]
    assert len(shown) > 12
    assert [LAYER[name] for name in shown] == sorted((LAYER[name] for name in shown), reverse=True)


@pytest.mark.parametrize("page", ["docs/architecture.md", "docs/internals.md"])
def test_named_classes_exist(page: str) -> None:
    suffixes = (".py", ".hpp", ".cpp")
    sources = [
        path for folder in (PACKAGE, ROOT / "core") for path in folder.rglob("*") if path.suffix in suffixes
    ]
    words = {word for path in sources for word in re.findall(r"\b[A-Z]\w+", path.read_text())}
    named = set(re.findall(r"`([A-Z][a-z]\w+)`", PAGES[page].read_text()))
    assert len(named) > 10
    assert named - words == set()
