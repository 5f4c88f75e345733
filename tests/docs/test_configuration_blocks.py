"""The TOML and JSON blocks of the docs are read by what they are written for."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sparring import data
from sparring.arena.tournament import read_tournament
from sparring.base.sentences import Sentence
from sparring.players.player_config import load_player_config, read_level_table
from sparring.policies import load_policy
from sparring.rbc.bots import load_bot_config
from sparring.server.messages import text_of
from sparring.training.config import load_student_config
from tests.docs.markdown import PAGES, blocks
from tests.docs.reader_files import write_reader_files

RUN = {"", "python", "toml", "json", "text"}
"""Kinds of blocks: command lines are parsed (test_snippets.py), `text` shows what a terminal prints."""
TOML = [(page, number) for page in PAGES for number, block in enumerate(blocks(page)) if block.kind == "toml"]


def _student(path: Path) -> None:
    """The block replaces the teachers of a shipped configuration."""
    shipped = data.path("student_training", "human-chess").read_text()
    before, teachers = re.split(r"(?=^\[\[teachers\]\])", shipped, maxsplit=1, flags=re.M)
    after = re.split(r"^(?=\[(?!\[teachers\]\]))", teachers, maxsplit=1, flags=re.M)[1:]
    path.write_text("\n".join([before, path.read_text(), *after]))
    assert load_student_config(path).teachers[0].model == "maia3-5m"


def _policy(path: Path) -> None:
    write_reader_files(path.parent, ("maia-1500.pb.gz", "t1-256x10.pb.gz"))
    shutil.move(path.parent / "t1-256x10.pb.gz", path.parent / "t1-256x10")
    assert load_policy(path).game == "chess"


READERS: dict[str, Callable[[Path], Any]] = {
    "docs/arena.md": read_tournament,
    "docs/behaviour.md": load_player_config,
    "docs/levels.md": read_level_table,
    "docs/players.md": load_player_config,
    "docs/policies.md": _policy,
    "docs/rbc-bots.md": lambda path: load_bot_config(str(path)),
    "docs/rbc-network.md": lambda path: load_bot_config(str(path)),
    "docs/training.md": _student,
}


@pytest.mark.parametrize(("page", "number"), TOML)
def test_a_toml_block_of_a_page_can_be_read(page: str, number: int, tmp_path: Path) -> None:
    file = tmp_path / "block.toml"
    file.write_text(blocks(page)[number].code)
    READERS[page](file)


def test_the_sentence_of_the_http_page_is_the_servers() -> None:
    (shown,) = [json.loads(block.code) for block in blocks("docs/http-api.md") if block.kind == "json"]
    sentence = Sentence("{side} is out of time: {wins}.", side="White", wins=Sentence("you win"))
    assert text_of(sentence).model_dump() == shown


def test_every_block_is_of_a_kind_that_is_checked() -> None:
    assert {block.kind for page in PAGES for block in blocks(page)} <= RUN


def test_code_that_is_not_run_says_why() -> None:
    marks = [
        mark for path in PAGES.values() for mark in re.findall(r"<!-- not run:(.*)-->", path.read_text())
    ]
    assert all(len(mark.strip()) > 10 for mark in marks)
    assert sum(not block.run for page in PAGES for block in blocks(page)) == len(marks)
