"""Collects the built parts of the browser edition in build/browser/parts: the end of `make browser-parts`.

`sparring browser` makes a site of them, and release wheels carry them (`make wheels`).
"""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import onnxruntime

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "browser"
PARTS = BUILD / "parts"
RUNTIME = BUILD / "tools" / "node_modules" / "onnxruntime-web" / "dist"
GAMES: dict[str, list[str]] = {
    "chess": ["pgn"],
    "rbc": ["json"],
    "shogi": ["csa"],
    "go": ["sgf"],
    "expendibots": [],
    "breakthrough": [],
}
"""The games of a tab, in the order of the page, and the formats in which it saves them."""


def collect() -> None:
    """Writes the folder; `games.json`, by which it is known, is the last file."""
    shutil.rmtree(PARTS, ignore_errors=True)
    tab = PARTS / "tab"
    tab.mkdir(parents=True)
    for file in (BUILD / "worker").glob("*.js"):
        if file.name != "parts.js":  # of the tests
            shutil.copyfile(file, tab / file.name)
    shutil.copyfile(BUILD / "core" / "core.mjs", tab / "core.mjs")
    shutil.copyfile(RUNTIME / "ort.wasm.min.mjs", tab / "ort.mjs")
    shutil.copyfile(RUNTIME / "ort-wasm-simd-threaded.mjs", tab / "ort-wasm-simd-threaded.mjs")
    for name, source in (
        ("core", BUILD / "core" / "core.wasm"),
        ("ort", RUNTIME / "ort-wasm-simd-threaded.wasm"),
    ):
        (tab / f"{name}.wasm.gz").write_bytes(gzip.compress(source.read_bytes(), 9, mtime=0))
    shutil.copyfile(ROOT / "web" / "src" / "tab" / "sw.js", PARTS / "sw.js")
    shutil.copyfile(ROOT / "LICENSE", PARTS / "LICENSE.txt")
    shutil.copytree(ROOT / "LICENSES", PARTS / "licences")
    (PARTS / "licences" / "onnxruntime.txt").write_text(_runtime_notices(), encoding="utf-8")
    (PARTS / "games.json").write_text(json.dumps(GAMES))


def _runtime_notices() -> str:
    """The licence of ONNX Runtime and of what is compiled into it. npm's package has neither; they are of the
    Python package, which is another version of the same program."""
    package = Path(onnxruntime.__file__).parent
    texts = [(package / name).read_text(encoding="utf-8") for name in ("LICENSE", "ThirdPartyNotices.txt")]
    return "\n".join(texts)


if __name__ == "__main__":
    collect()
