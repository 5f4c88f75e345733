from __future__ import annotations

import json
from pathlib import Path

import pytest

from sparring.cli import main
from sparring.expendibots.agent import open_network
from sparring.expendibots.book import open_expendibots_book
from sparring.search.value_network import origin_of
from tests.cli.command_errors import one_line_error


def test_a_book_is_built_and_described(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "book.npz"
    main(["expendibots", "book", "build", "--positions", "2", "--nodes", "100", "--out", str(path)])
    assert len(open_expendibots_book(path).entries) == 2
    kept = {each.name for each in tmp_path.iterdir()}
    assert kept - {".book.npz.lock"} == {"book.npz"}  # no journal stays; a lock does
    capsys.readouterr()
    main(["expendibots", "book", "info", "--file", str(path)])
    assert json.loads(capsys.readouterr().out)["positions"] == 2


def test_a_broken_journal_of_a_book_is_a_one_line_error(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "book.npz"
    (tmp_path / "book.2x100.jsonl").write_text("[1, 2]\nnonsense\n[3")
    line = one_line_error(
        capsys, ["expendibots", "book", "build", "--positions", "2", "--nodes", "100", "--out", str(path)]
    )
    assert line.endswith("book.2x100.jsonl, line 2 is not JSON")


def test_a_network_is_trained_from_the_command_line(tmp_path: Path) -> None:
    saved = tmp_path / "network.npz"
    options = ["--games", "3", "--nodes", "50", "--hidden", "4x2", "--epochs", "1", "--save", str(saved)]
    main(["train", "evaluator", "expendibots", "--out", str(tmp_path / "run"), *options])
    open_network(saved)
    assert "--hidden 4x2" in str(origin_of(saved)["command"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["expendibots", "book", "info", "--file", "README.md"], "is no book of Expendibots"),
        (["train", "evaluator", "chess", "--out", "x"], "of expendibots, not of chess"),
        (
            ["train", "evaluator", "expendibots", "--out", "x", "--hidden", "9000x1"],
            "two numbers such as 32x16",
        ),
        (
            ["train", "evaluator", "expendibots", "--out", "x", "--weights", "none"],
            "there is no evaluation none",
        ),
    ],
)
def test_mistakes_end_in_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in one_line_error(capsys, arguments)
