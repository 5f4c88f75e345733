"""Checks a release and writes its notes: `python -m tests.packaging.release DIST`, the end of `make release`.

Needs nothing but Python. `SHA256SUMS` is written last, over all other files.
"""

from __future__ import annotations

import re
import sys
import tarfile
import tomllib
import zipfile
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[2]
_SECTION = re.compile(r"^## (?P<title>.+)\n(?P<text>.*?)(?=^## |\Z)", re.M | re.S)
BROWSER_PARTS = ("games.json", "licences/onnxruntime.txt", "tab/core.wasm.gz", "tab/ort.wasm.gz")
"""Files in `sparring/data/browser` without which `sparring browser` writes nothing, or may not."""
MOST_BYTES_OF_PARTS = 4_000_000
"""Size of that folder that the limit on an installation reckons with (test_installed_size.py)."""
_BUILT = re.compile(r"\.(so|pyd|dylib|pyc)$")


def project_version() -> str:
    """The version of pyproject.toml, the one place."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["version"])


def latest_changes() -> tuple[str, str]:
    """Title and text of the CHANGELOG's first section."""
    match = _SECTION.search((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    assert match is not None
    return match["title"].strip(), match["text"].strip()


def cited_version() -> str:
    """The version of CITATION.cff."""
    match = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.M)
    assert match is not None
    return match[1]


def faults(folder: Path) -> list[str]:
    """What is wrong with the files of a release, in sentences."""
    version, found = project_version(), []
    for place, stated in (("CHANGELOG.md", latest_changes()[0]), ("CITATION.cff", cited_version())):
        if stated.split()[0] != version:
            found.append(f"{place} is about {stated}, pyproject.toml about {version}")
    wheels, sources = sorted(folder.glob("*.whl")), sorted(folder.glob("sparring-*[0-9].tar.gz"))
    if not wheels or [path.name for path in sources] != [f"sparring-{version}.tar.gz"]:
        found.append(f"expected wheels and sparring-{version}.tar.gz")
    for path in wheels:
        found += [f"{path.name}: {fault}" for fault in _wheel_faults(path, version)]
    for path in sources:
        found += [f"{path.name}: {fault}" for fault in _source_faults(path)]
    return found


def _wheel_faults(path: Path, version: str) -> list[str]:
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        parts = [file.file_size for file in archive.infolist() if "/data/browser/" in file.filename]
    found = [] if path.name.startswith(f"sparring-{version}-") else [f"is not of version {version}"]
    if "linux" in path.name and "manylinux" not in path.name:
        found.append("is not a manylinux wheel")
    modules = [name for name in names if _BUILT.search(name)]
    if len(modules) != 1 or not modules[0].startswith("sparring/_core."):
        found.append(f"expected one native module, not {modules}")
    texts = {"LICENSE", *(f"LICENSES/{text.name}" for text in (ROOT / "LICENSES").iterdir())}
    shipped = {name.partition("/licenses/")[2] for name in names}
    found += [f"without {text}" for text in sorted(texts - shipped)]
    package = ROOT / "src" / "sparring"
    shipped_files = {name for name in names if name.startswith("sparring/data/")}
    ours = {
        f"sparring/{file.relative_to(package).as_posix()}"
        for file in (package / "data").rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    ours |= {f"sparring/data/browser/{name}" for name in BROWSER_PARTS}
    found += [f"without {name}" for name in sorted(ours - shipped_files)]
    if sum(parts) > MOST_BYTES_OF_PARTS:
        found.append(
            f"has {sum(parts)} bytes of the browser edition's parts, more than {MOST_BYTES_OF_PARTS}"
        )
    return found


def _source_faults(path: Path) -> list[str]:
    with tarfile.open(path) as archive:
        names = [member.name.partition("/")[2] for member in archive.getmembers()]
    folders = {name.split("/")[0] for name in names if "/" in name}
    found = [f"has {name}" for name in names if _BUILT.search(name) or "__pycache__" in name]
    found += [f"has {folder}/" for folder in sorted(folders - {"LICENSES", "core", "src", "web"})]
    found += [
        f"without {name}" for name in ("CMakeLists.txt", "LICENSE", "web/package.json") if name not in names
    ]
    return found


def write_notes(folder: Path) -> None:
    """Writes NOTES.md, the CHANGELOG's first section, and SHA256SUMS over all other files."""
    title, text = latest_changes()
    (folder / "NOTES.md").write_text(f"# Sparring {title}\n\n{text}\n", encoding="utf-8")
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name != "SHA256SUMS")
    lines = [f"{sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in files]
    (folder / "SHA256SUMS").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> None:
    """Checks the release in a folder and finishes it; exits with its faults."""
    folder = Path(sys.argv[1])
    if found := faults(folder):
        sys.exit("\n".join(found))
    write_notes(folder)
    for path in sorted(folder.iterdir()):
        print(f"{path.stat().st_size / 1e6:8.1f} MB  {path.name}")


if __name__ == "__main__":
    main()
