"""The session of docs/first-game.md is what the terminal shows."""

from __future__ import annotations

import re
from pathlib import Path

from tests.docs.first_game import COMMAND, PAGE, TYPED, record, recorded

_NUMBERS = re.compile(r"[<\d]+%")
_BOARD = re.compile(r"^[1-8][ (].*[ )][1-8]$", re.M)
_REPLIES = re.compile(r"(?<=Black plays )\S+|(?<=Hint: )\S+|(?<=Candidates: ).*|(?<=^1\. e4 ).*", re.M)


def outline(session: str) -> str:
    """The session without the opponent's moves, which change with the shipped networks."""
    return _NUMBERS.sub("%", _REPLIES.sub("...", _BOARD.sub("board", session)))


def test_the_recorded_session_is_what_the_terminal_shows(tmp_path: Path) -> None:
    session = recorded(PAGE.read_text())
    command, _, shown = session.partition("\n")
    assert command == f"$ sparring play {' '.join(COMMAND)}"
    assert all(f"White to move> {line}\n" in shown for line in TYPED)
    assert outline(shown) == outline(record(tmp_path)), "run `python -m tests.docs.first_game`"
    assert "1. e4 " in (tmp_path / "first-game.pgn").read_text()
