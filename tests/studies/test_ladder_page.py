from __future__ import annotations

import json
from pathlib import Path

from studies.__main__ import main
from studies.expendibots.ladder import LadderConfig, play_ladder_match, run_ladder
from studies.expendibots.opening import analyse_opening


def test_the_ladders_study_writes_json_a_figure_and_a_page(tmp_path: Path) -> None:
    options = ["--games", "2", "--nodes", "20", "--opening-nodes", "50", "--seconds", "0.001"]
    main(["ladder", *options, "--html", "--out", str(tmp_path)])
    page = (tmp_path / "ladder.html").read_text()
    for words in (
        "champion v report",
        "The report's opening",
        "Networks against the learned weights",
        "3 v 2",
    ):
        assert words in page.replace("&#x27;", "'")
    assert (tmp_path / "figures" / "ladder.svg").exists()
    ladder = json.loads((tmp_path / "ladder.json").read_text())
    assert [match["new"] for match in ladder["matches"]][-1] == "champion"
    networks = json.loads((tmp_path / "networks.json").read_text())
    assert networks["nodes_a_second"]["linear"] > 0


def test_the_ladder_writes_a_summary_of_each_match_and_greedy_beats_random(tmp_path: Path) -> None:
    summary = play_ladder_match("greedy", "random", LadderConfig(games=20, nodes=100), tmp_path)
    assert summary.accepted
    report = run_ladder(
        tmp_path,
        LadderConfig(games=4, nodes=100),
        command="test",
        pairings=[("greedy", "random"), ("hand", "random"), ("greedy", "previous")],
        workers=2,
    )
    assert json.loads((tmp_path / "ladder.json").read_text()) == report
    assert [step["new"] for step in report["matches"]] == ["greedy", "hand", "greedy"]


def test_the_reports_opening_is_examined_reply_by_reply(tmp_path: Path) -> None:
    report = analyse_opening(tmp_path, nodes=200, command="test")
    assert len(report["replies"]) == report["won_for_white"] + report["even"] + report["won_for_black"]
    assert len({row["reply"] for row in report["replies"]}) > 30
    assert report["mirroring"] is not None
    assert (tmp_path / "opening.json").exists()
