"""The version is in one place, and the last step of `make release` finds what is wrong."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import sparring
from tests.packaging.release import (
    BROWSER_PARTS,
    MOST_BYTES_OF_PARTS,
    ROOT,
    cited_version,
    faults,
    latest_changes,
    project_version,
    write_notes,
)


def test_the_changelog_and_the_citation_have_the_version_of_the_project() -> None:
    version = project_version()
    assert sparring.__version__ == version
    assert cited_version() == version
    assert latest_changes()[0].split()[0] == version


def good_wheel(folder: Path, *, leave_out: str = "", add: str = "", content: bytes = b"") -> None:
    version = project_version()
    info = f"sparring-{version}.dist-info/licenses"
    names = ["sparring/_core.abi3.so", f"{info}/LICENSE"]
    names += [f"{info}/LICENSES/{text.name}" for text in (ROOT / "LICENSES").iterdir()]
    data = ROOT / "src/sparring/data"
    names += [
        f"sparring/data/{path.relative_to(data).as_posix()}"
        for path in data.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]
    names += [f"sparring/data/browser/{name}" for name in BROWSER_PARTS]
    names += [add] if add else []
    with zipfile.ZipFile(folder / f"sparring-{version}-cp312-abi3-manylinux_2_17_x86_64.whl", "w") as archive:
        for name in names:
            if not leave_out or not name.endswith(leave_out):
                archive.writestr(name, content if name == add else b"")


def good_source(folder: Path, *more: str) -> None:
    root = f"sparring-{project_version()}"
    with tarfile.open(folder / f"{root}.tar.gz", "w:gz") as archive:
        for name in (
            "CMakeLists.txt",
            "LICENSE",
            "web/package.json",
            "core/a.cpp",
            "src/sparring/a.py",
            *more,
        ):
            archive.addfile(tarfile.TarInfo(f"{root}/{name}"), io.BytesIO())


def test_a_whole_release_has_no_faults(tmp_path: Path) -> None:
    good_wheel(tmp_path)
    good_source(tmp_path)
    assert faults(tmp_path) == []
    write_notes(tmp_path)
    assert (tmp_path / "NOTES.md").read_text().startswith(f"# Sparring {project_version()}\n")
    assert "## " not in (tmp_path / "NOTES.md").read_text().replace("### ", "")
    sums = (tmp_path / "SHA256SUMS").read_text().splitlines()
    assert [line.split("  ")[1] for line in sums] == sorted(
        path.name for path in tmp_path.iterdir() if path.name != "SHA256SUMS"
    )


def test_what_does_not_belong_there_is_found(tmp_path: Path) -> None:
    good_wheel(tmp_path, leave_out="ort.wasm.gz")
    assert "without sparring/data/browser/tab/ort.wasm.gz" in "\n".join(faults(tmp_path))
    stale = "sparring/_core.cpython-311-x86_64-linux-gnu.so"
    good_wheel(tmp_path, leave_out="versions.toml", add=stale)
    good_source(tmp_path, f"src/{stale}", "results/a.json")
    text = "\n".join(faults(tmp_path))
    for part in ("expected one native module", "without sparring/data/versions.toml", f"has src/{stale}"):
        assert part in text
    assert "has results/" in text


def test_parts_of_the_browser_edition_that_are_too_large_are_found(tmp_path: Path) -> None:
    good_wheel(tmp_path, add="sparring/data/browser/tab/more.wasm", content=bytes(MOST_BYTES_OF_PARTS + 1))
    good_source(tmp_path)
    (fault,) = faults(tmp_path)
    assert "has 4000001 bytes of the browser edition's parts" in fault


def test_an_empty_folder_is_no_release(tmp_path: Path) -> None:
    assert faults(tmp_path) == [f"expected wheels and sparring-{project_version()}.tar.gz"]
