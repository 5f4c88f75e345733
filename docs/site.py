"""Hooks of mkdocs: pages and files from outside of docs/, found by the links that lead to them.

A link between files of the repository works on the site too: a file below docs/ lies at the site's root,
README.md is its first page, and every other file keeps its path. Only what a page links to is part of the
site.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
_FIRST = [
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "LICENSES/README.md",
    "examples/README.md",
]
_LINK = re.compile(r"(?P<before>\]\(\s*)(?P<target>[^)\s#:]+)(?P<anchor>#[^)\s]*)?(?P<after>\s*\))")


def repository_path(page: str) -> str:
    """The path in the repository of a file of the site."""
    if page == "index.md":
        return "README.md"
    return f"docs/{page}" if (ROOT / "docs" / page).is_file() else page


def site_path(path: str) -> str:
    """The path on the site of a file of the repository."""
    return "index.md" if path == "README.md" else path.removeprefix("docs/")


def target_of(source: str, link: str) -> str | None:
    """The file of the repository that a link leads to; a folder is its README.md. None if there is none."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), link))
    if (ROOT / path).is_dir():
        path = posixpath.join(path, "README.md")
    return path if not path.startswith("..") and (ROOT / path).is_file() else None


def on_files(files: Files, config: Any) -> Files:
    """Adds all files that pages link to, and the pages among them with their links."""
    seen = {repository_path(file.src_uri) for file in files}
    waiting = [*_FIRST, *seen]
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            files.append(File.generated(config, site_path(path), abs_src_path=str(ROOT / path)))
        if path.endswith(".md"):
            text = (ROOT / path).read_text(encoding="utf-8")
            targets = (target_of(path, match["target"]) for match in _LINK.finditer(text))
            waiting += [target for target in targets if target is not None and target not in seen]
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Rewrites the links of a page to the site's paths."""
    here = page.file.src_uri
    source = repository_path(here)

    def rewritten(match: re.Match[str]) -> str:
        target = target_of(source, match["target"])
        if target is None:
            return match[0]
        link = posixpath.relpath(site_path(target), posixpath.dirname(here) or ".")
        return f"{match['before']}{link}{match['anchor'] or ''}{match['after']}"

    return _LINK.sub(rewritten, markdown)
