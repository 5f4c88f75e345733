from __future__ import annotations

import json
from pathlib import Path

from sparring.cli import main


def test_the_ladders_study_writes_json_a_figure_and_a_page(tmp_path: Path) -> None:
    options = ["--games", "2", "--nodes", "20", "--opening-nodes", "50", "--seconds", "0.001"]
    main(["study", "ladder", *options, "--out", str(tmp_path)])
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
