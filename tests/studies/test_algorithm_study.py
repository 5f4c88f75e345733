"""`python -m studies expendibots`: every algorithm is trained, played and reported; a second run resumes."""

from __future__ import annotations

import json
from pathlib import Path

from sparring.base.storage import read_journal
from studies.__main__ import main


def test_the_study_compares_all_algorithms_and_goes_on(tmp_path: Path) -> None:
    command = ["expendibots", "--seconds", "1", "--games", "2", "--depth", "1"]
    command += ["--work", str(tmp_path / "work"), "--out", str(tmp_path / "out")]
    main(command)
    report = json.loads((tmp_path / "out" / "algorithms.json").read_text())
    players = {player["name"]: player for player in report["standings"]["players"]}
    assert set(players) == {
        "hand-picked",
        "rootstrap",
        "treestrap-minimax",
        "treestrap-ab",
        "tdleaf",
        "shipped",
    }
    assert all(player["games"] == 10 for player in players.values())
    assert players["hand-picked"]["elo"] == 0
    assert all(entry["processor_seconds"] >= 1 for entry in report["training"].values())
    main(["page", str(tmp_path / "out"), "--out", str(tmp_path / "pages")])
    page = (tmp_path / "pages" / "algorithms.html").read_text()
    assert page.startswith("<!doctype html>")
    assert page.count("<svg") == 2
    assert "treestrap-ab" in page
    matches = tmp_path / "work" / "matches.jsonl"
    lines = matches.read_text().splitlines(keepends=True)
    # Once, every run began with an empty line, which ended what a kill had left of the last one.
    matches.write_text(
        "\n" + "".join(lines[:9]) + lines[9][:40] + "\n" + "".join(lines[9:20]) + lines[20][:40]
    )
    main(command)
    played = [(each["first"], each["second"], each["number"]) for each in read_journal(matches, lenient=True)]
    assert len(played) == len(set(played)) == len(lines), "no game is lost or played twice"
    again = json.loads((tmp_path / "out" / "algorithms.json").read_text())
    assert again["standings"] == report["standings"]
