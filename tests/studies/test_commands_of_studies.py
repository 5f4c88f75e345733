"""`python -m studies`: the list of studies, and errors in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from studies.__main__ import app, main


def test_help_lists_every_study(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--help"])
    shown = capsys.readouterr().out
    names = {
        command.name or command.callback.__name__ for command in app.registered_commands if command.callback
    }
    assert {"blend-chess", "blend-go", "blend-shogi", "expendibots", "ladder", "rbc-matches"} <= names
    assert all(name in shown for name in names)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rbc-matches", "--opponents", "magnus"], "reconchess has no bot 'magnus'"),
        (["expendibots-accept", "champion", "nobody"], "there is no player nobody; there are random"),
        (["expendibots-accept", "report", "report"], "does not play against itself"),
        (["rbc-games", "--records", "nowhere.jsonl"], "there are no histories"),
        (["manners", "--people", "people.npz", "--parts", "tea"], "there is no part 'tea'"),
        (["level-report", "nowhere.json"], "there is no report nowhere.json"),
        (["networks", "--nets", "a", "--references", "b", "--games", "c"], "there is no a"),
    ],
)
def test_a_wrong_argument_ends_in_one_line(
    words: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert said in error
    assert len(error.strip().splitlines()) == 1
