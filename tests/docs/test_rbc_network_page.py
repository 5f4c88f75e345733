"""The bot's file of docs/rbc-network.md is the planner with another network."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sparring.rbc.bots import BOTS, load_bot_config
from tests.docs.markdown import blocks


def test_the_file_of_the_page_is_the_planner_with_the_trained_network(tmp_path: Path) -> None:
    (text,) = [block.code for block in blocks("docs/rbc-network.md") if block.kind == "toml"]
    (tmp_path / "mine.toml").write_text(text)
    planner = BOTS["planner"]
    expected = replace(planner, planner=replace(planner.planner, network="run/model.onnx"))
    assert load_bot_config(str(tmp_path / "mine.toml")) == expected
