"""`sparring browser` writes the browser edition, or says what is missing. The parts are tiny ones."""

from __future__ import annotations

import gzip
import json
import shlex
from pathlib import Path

import pytest

from sparring import data
from sparring.base.storage import atomic_write
from sparring.cli import main
from sparring.server import browser_site
from sparring.server.browser_site import write_site

LACKING = "this build lacks the parts of the browser edition: run `make browser` in a clone"


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Built parts of one game, and a page."""
    folder, page = tmp_path / "parts", tmp_path / "page"
    for path, content in (
        (folder / "tab/worker.js", "worker"),
        (folder / "licences/MIT.txt", "MIT"),
        (folder / "LICENSE.txt", "GPL"),
        (folder / "sw.js", 'const CACHE = "sparring-VERSION"; const SHELL = ["SHELL"];'),
        (folder / "games.json", '{"breakthrough": [], "no-such-game": ["pgn"]}'),
        (page / "index.html", '<head>\n    <link rel="icon" href="icon.svg" />\n</head>'),
        (page / "page.js", "page"),
        (page / "sources.txt", "hash"),
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    monkeypatch.setattr(data, "browser_parts", lambda: folder)
    monkeypatch.setattr(data, "page", lambda: page)
    return folder


def refused(out: Path, capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as ended:
        main(["browser", "--out", str(out)])
    assert ended.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    return printed.err


def test_a_site_is_written_and_written_again(
    parts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "a site"
    main(["browser", "--out", str(out)])
    files = {path.relative_to(out).as_posix(): path for path in out.rglob("*") if path.is_file()}
    assert set(files) == {
        "files.json",
        "index.html",
        "licences.html",
        "licences/MIT.txt",
        "LICENSE.txt",
        "page.js",
        "sw.js",
        "tab/data.json.gz",
        "tab/worker.js",
    }
    size, serve = capsys.readouterr().out.splitlines()
    assert size == f"{sum(path.stat().st_size for path in files.values()) / 1e6:.1f} MB: {out}"
    assert serve == f"Serve it: python3 -m http.server --directory {shlex.quote(str(out))}"
    assert '<meta name="sparring-edition" content="tab" />' in files["index.html"].read_text()
    content = json.loads(gzip.decompress(files["tab/data.json.gz"].read_bytes()))
    assert [offer["name"] for offer in content["offers"]] == list(content["games"]) == ["breakthrough"]
    assert content["offers"][0]["writes"] == []
    worker = files["sw.js"].read_text()
    sizes = json.loads(files["files.json"].read_text())
    assert sizes == {name: files[name].stat().st_size for name in ("tab/data.json.gz", "tab/worker.js")}
    assert "the repository of Sparring of the same version" in files["licences.html"].read_text()
    assert '["./", "./files.json", "./index.html", "./licences.html", "./page.js"]' in worker
    assert "VERSION" not in worker

    (out / "CNAME").write_text("example.org")
    (parts / "tab/worker.js").write_text("another")
    main(["browser", "--out", str(out)])
    assert files["tab/worker.js"].read_text() == "another"
    assert files["sw.js"].read_text() != worker, "another content is another version"
    assert (out / "CNAME").exists(), "files of others stay"


def test_the_source_is_a_file_of_the_site_or_an_address(
    parts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, archive = tmp_path / "site", tmp_path / "code.tar.gz"
    archive.write_bytes(b"archive")
    main(["browser", "--out", str(out), "--source", str(archive)])
    assert (out / "source.tar.gz").read_bytes() == b"archive"
    assert '<a href="source.tar.gz">' in (out / "licences.html").read_text()
    assert "source.tar.gz" not in (out / "sw.js").read_text(), "visitors do not load it"
    main(["browser", "--out", str(tmp_path / "other"), "--source", 'https://example.org/?a=1&b="'])
    assert (
        '<a href="https://example.org/?a=1&amp;b=&quot;">' in (tmp_path / "other/licences.html").read_text()
    )
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main(["browser", "--out", str(tmp_path / "none"), "--source", "nowhere.zip"])
    assert "nowhere.zip is no archive of the source" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_a_folder_of_other_files_is_refused(
    parts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "index.html").write_text("mine")
    for out in (other, other / "index.html"):
        assert refused(out, capsys) == (
            f"sparring: {out} is no empty folder and no browser edition: choose another\n"
        )
    assert [path.read_text() for path in other.iterdir()] == ["mine"]


def test_a_build_without_the_parts_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(data, "browser_parts", lambda: None)
    assert refused(tmp_path / "site", capsys) == f"sparring: {LACKING}\n"
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("written", range(5))
def test_a_kill_leaves_no_page_and_the_next_run_makes_it_whole(
    written: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("index.html", "licences.html", "page.js", "sw.js", "tab/worker.js")
    files = {name: browser_site._TITLE.encode() for name in names}
    write_site(tmp_path, files)
    left = [written]

    def killed(path: Path, content: bytes) -> None:
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        atomic_write(path, content)

    monkeypatch.setattr(browser_site, "atomic_write", killed)
    with pytest.raises(KeyboardInterrupt):
        write_site(tmp_path, files)
    assert not (tmp_path / "index.html").exists()
    assert browser_site._may_be_written(tmp_path)
    monkeypatch.undo()
    write_site(tmp_path, files)
    assert all((tmp_path / name).is_file() for name in names)


def test_the_parts_are_those_of_the_package_or_of_the_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "src/sparring/data"
    monkeypatch.setattr(data, "__file__", str(package / "__init__.py"))
    built, carried = tmp_path / "build/browser/parts", package / "browser"
    for folder in (built, carried):
        folder.mkdir(parents=True)
    assert data.browser_parts() is None
    (built / "games.json").write_text("{}")
    assert data.browser_parts() is None, "no checkout"
    (tmp_path / ".git").mkdir()
    assert data.browser_parts() == built
    (carried / "games.json").write_text("{}")
    assert data.browser_parts() == carried
