"""Recorded commands can be run elsewhere, and reports name the commit that made them."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from sparring import data
from sparring.base import provenance as machine
from sparring.base.provenance import portable_command, provenance
from sparring.measure.page import footer


@pytest.mark.parametrize(
    ("word", "recorded"),
    [
        ("results/dsmcp/matches", "results/dsmcp/matches"),
        ("--out=results/x/", "--out=results/x/"),
        ("{root}/studies/here/results/x", "results/x"),
        ("{root}/results/x", "results/x"),
        ("../../results/x", "results/x"),
        ("../../../shared/games.jsonl.zst", "games.jsonl.zst"),
        ("results/../../../../secret/games", "games"),
        ("/home/me/games.jsonl.zst", "games.jsonl.zst"),
        ("/home/My Name/games", "games"),
        ("~/games", "games"),
        ("--records=/home/me/games", "--records=games"),
        ("-r/home/me/games", "-rgames"),
        ("mine=/home/me/a.onnx,theirs=nets/b.onnx", "mine=a.onnx,theirs=nets/b.onnx"),
        ("gnugo --mode gtp --infile /home/me/x", "gnugo --mode gtp --infile x"),
        ("module:Player", "module:Player"),
        ("0.5", "0.5"),
    ],
)
def test_a_recorded_command_has_no_folder_of_this_machine(
    word: str, recorded: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = tmp_path / "studies" / "here"
    here.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(here)
    found = portable_command(["sparring", word.replace("{root}", str(tmp_path))])
    assert found == portable_command(["sparring", recorded])
    assert recorded in found
    assert str(tmp_path) not in found


def test_nothing_is_relative_to_the_root_of_the_file_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    assert portable_command(["sparring", "/home/me/games"]) == "sparring games"


def git(folder: Path, *words: str) -> str:
    settings = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    command = ["git", *settings, "-C", str(folder), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_changed_code_marks_the_commit_and_changed_results_do_not(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "results").mkdir()
    for path in ("src/a.py", "results/report.json"):
        (tmp_path / path).write_text("1")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    commit = git(tmp_path, "rev-parse", "HEAD")[:8]
    (tmp_path / "results/report.json").write_text("2")
    assert machine.commit_of(tmp_path) == commit
    (tmp_path / "src/b.py").write_text("new")
    assert machine.commit_of(tmp_path) == f"{commit}-dirty"


def test_a_folder_that_is_no_checkout_has_no_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").write_text("gitdir: nowhere")
    assert machine.commit_of(tmp_path) is None
    monkeypatch.setenv("PATH", str(tmp_path))  # no git
    assert machine.commit_of(tmp_path) is None


def test_an_installed_package_has_a_version_and_starts_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "checkout", lambda: None)
    monkeypatch.setattr(machine, "commit_of", lambda root: pytest.fail("git was asked"))
    machine.checkout_commit.cache_clear()
    try:
        assert list(provenance("a command")) == ["command", "date", "version", "machine"]
    finally:
        machine.checkout_commit.cache_clear()


def test_a_page_ends_with_the_commit_and_old_reports_without() -> None:
    content = provenance("a command") | {"version": "1.2", "commit": "01234567-dirty"}
    assert f"{content['date']}, Sparring 1.2 (commit 01234567-dirty), " in footer(content)[-1]
    old = {key: content[key] for key in ("command", "date", "machine")}
    assert "Sparring" not in footer(old)[-1]


RESULTS = Path(__file__).parents[2] / "results"
NOT_RECORDED = {
    "engines/matches.json": {"date": "its parts have a date each"},
    "people-chess/blend-gain-strong.json": {"command": "the README names that of T1", "date": "not recorded"},
    "people-chess/blend-gain-t1.json": {"date": "not recorded"},
    "people-chess/clock-tuned.json": {"date": "not recorded"},
    "people-chess/strong-divergence.json": {"date": "not recorded", "machine": "not recorded"},
    "people-chess/strong-puzzles.json": {"date": "not recorded", "machine": "not recorded"},
    "people-chess/student.json": {
        "command": "the recorded one names two of its runs",
        "date": "not recorded",
    },
}
"""Reports from before provenance was recorded: what is null in them, and why."""


@pytest.mark.parametrize(
    "path", sorted(RESULTS.rglob("*.json")), ids=lambda path: str(path.relative_to(RESULTS))
)
def test_every_report_under_results_has_its_provenance(path: Path) -> None:
    """A report without `commit` names the commit that added the file, and the last one that changed it."""
    report = json.loads(path.read_text())
    missing = NOT_RECORDED.get(path.relative_to(RESULTS).as_posix(), {})
    for key in ("command", "date", "version", "machine"):
        assert (report[key] is None) == (key in missing), key
    if report["commit"] is None:
        assert all(
            re.fullmatch("[0-9a-f]{8}", report[key]) for key in ("added_in", "changed_in") if key in report
        )
        assert "added_in" in report
    else:
        assert re.fullmatch("[0-9a-f]{8}(-dirty)?", report["commit"])


def test_every_commit_of_a_report_is_in_the_repository() -> None:
    if (
        not (RESULTS.parent / ".git").exists()
        or git(RESULTS, "rev-parse", "--is-shallow-repository") == "true"
    ):
        pytest.skip("no checkout with its history")
    named: dict[str, list[str]] = {}
    for path in RESULTS.rglob("*.json"):
        report = json.loads(path.read_text())
        for key in ("commit", "added_in", "changed_in"):
            if report.get(key):
                named.setdefault(report[key].removesuffix("-dirty"), []).append(path.name)
    asked = subprocess.run(
        ["git", "-C", str(RESULTS), "cat-file", "--batch-check=%(objecttype)"],
        input="\n".join(named), capture_output=True, text=True, check=True,
    )  # fmt: skip
    kinds = dict(zip(named, asked.stdout.splitlines(), strict=True))
    assert {commit: named[commit] for commit, kind in kinds.items() if kind != "commit"} == {}
