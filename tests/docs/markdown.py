"""Code blocks of the README, the docs, the results and the studies."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_PATHS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/*.md"))]
PAGES = {path.relative_to(ROOT).as_posix(): path for path in _PATHS}
RESULTS = {path.relative_to(ROOT).as_posix(): path for path in ROOT.glob("results/**/*.md")}
STUDIES = {path.relative_to(ROOT).as_posix(): path for path in ROOT.glob("studies/**/*.md")}

_BLOCK = re.compile(r"(?:^<!-- (?P<mark>[^\n]*) -->\n)?^```(?P<kind>\w*)\n(?P<code>.*?)^```$", re.S | re.M)


@dataclass(frozen=True)
class Block:
    """A block of code, and the marks of the HTML comment above it.

    `<!-- needs: a.toml b/ -->` names files that the reader has. Of a block with `<!-- not run: why -->` only
    the imports are run.
    """

    kind: str
    code: str
    line: int
    needs: tuple[str, ...] = ()
    run: bool = True


def blocks(page: str) -> list[Block]:
    """The blocks of a page, in order."""
    text = (PAGES | RESULTS | STUDIES)[page].read_text()
    return [_block(found, text.count("\n", 0, found.start("code")) + 1) for found in _BLOCK.finditer(text)]


def commands(page: str, program: str = "sparring") -> Iterator[list[str]]:
    """The command lines of a page that call a program, as words without the program's name."""
    for block in blocks(page):
        if block.kind in ("", "sh", "console"):
            for line in block.code.replace("\\\n", " ").splitlines():
                if line.startswith(f"{program} "):
                    words = line.removeprefix(program).partition(" | ")[0].partition(" > ")[0]
                    yield shlex.split(words, comments=True)


def _block(found: re.Match[str], line: int) -> Block:
    mark = found["mark"] or ""
    needs = tuple(mark.removeprefix("needs:").split()) if mark.startswith("needs:") else ()
    return Block(found["kind"], found["code"], line, needs, not mark.startswith("not run:"))
