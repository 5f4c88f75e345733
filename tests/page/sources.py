"""Ties the built page to its sources: `make page` builds it and writes a stamp, which a test compares.

`python -m tests.page.sources openapi` prints the server's OpenAPI description, `... stamp` writes the stamp.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

from sparring.server.app import create_app
from sparring.server.security import Access

ROOT = Path(__file__).parents[2]
STAMP = ROOT / "src" / "sparring" / "data" / "page" / "sources.txt"
_FILES = ("index.html", "package-lock.json", "package.json", "tsconfig.json", "vite.config.ts")


def openapi() -> str:
    """The description of the API, from which the page's types are made."""
    return json.dumps(create_app(":memory:", Access()).openapi(), indent=1)


def source_hash() -> str:
    """A hash of everything that the page is built from."""
    web = ROOT / "web"
    folders = [
        path for name in ("src", "public") for path in sorted((web / name).rglob("*")) if path.is_file()
    ]
    digest = hashlib.sha256()
    for path in [*(web / name for name in _FILES), *folders]:
        digest.update(path.relative_to(web).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


if __name__ == "__main__":
    if sys.argv[1:] == ["openapi"]:
        print(openapi())
    else:
        STAMP.write_text(f"{source_hash()}\n")
