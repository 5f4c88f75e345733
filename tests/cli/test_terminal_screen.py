"""The terminal as a person sees it: boards, keys, and every way to leave."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest

from tests.cli.person import Person, without_escapes

PROMPT = "White to move> "


def saved_file(shown: str, home: Path) -> Path:
    """The file that the terminal names. It is in the person's folder of games."""
    found = re.search(r"Saved: (\S+)", shown)
    assert found is not None, shown
    path = Path(found[1])
    assert path.parent == home / "games"
    return path


def test_a_board_of_colours_paints_its_own_background(tmp_path: Path) -> None:
    person = Person(tmp_path, "chess", "--strength", "1", "--seed", "1")
    board = person.sees(PROMPT)
    assert "8  ♜  ♞  ♝  ♛  ♚  ♝  ♞  ♜  8" in board
    assert "1  ♜  ♞  ♝  ♛  ♚  ♝  ♞  ♜  1" in board, "one picture for both sides: colours tell them apart"
    # Black and white ink, each with a background.
    assert re.search(r"\x1b\[1;38;5;16;48;5;(137|94)m ♜", person.raw)
    assert re.search(r"\x1b\[1;38;5;231;48;5;(137|94)m ♜", person.raw)
    person.types("e4")
    person.sees(PROMPT)
    assert "48;5;64m" in person.raw, "the last move is marked"
    person.types("quit")
    person.leaves()


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": "xterm"}])
def test_without_colours_letters_tell_the_sides_apart(tmp_path: Path, environment: dict[str, str]) -> None:
    person = Person(tmp_path, "chess", "--strength", "1", "--seed", "1", **environment)
    board = person.sees(PROMPT)
    assert "8 r n b q k b n r 8" in board
    assert "1 R N B Q K B N R 1" in board
    assert "48;5" not in person.raw
    person.types("e4")
    assert re.search(r"\(\w\)", person.sees(PROMPT)), "the last move is in brackets"
    person.types("exit")
    assert saved_file(person.leaves()[0], tmp_path).exists()


def test_ones_own_side_is_below_and_the_board_is_drawn_once_a_turn(tmp_path: Path) -> None:
    person = Person(tmp_path, "chess", "--strength", "1", "--side", "black", NO_COLOR="1")
    first = person.sees("Black to move> ")
    assert first.count("h g f e d c b a") == 2, "one board: its labels stand above and below"
    assert first.index("1 ") < first.index("8 r n b k q b n r 8")
    person.types("e5")
    assert person.sees("Black to move> ").count("h g f e d c b a") == 2
    person.types("quit")
    person.leaves()


def test_lines_can_be_edited_and_recalled(tmp_path: Path) -> None:
    person = Person(tmp_path, "chess", "--strength", "1", "--seed", "1")
    person.sees(PROMPT)
    person.presses("e5\x7f4\r")  # backspace
    assert "Black plays" in person.sees(PROMPT)
    person.types("list")
    person.sees("1. e4")
    person.sees(PROMPT)
    person.presses("\x1b[A\r")  # arrow up
    person.sees("1. e4")
    person.sees(PROMPT)
    person.types("q")
    assert saved_file(person.leaves()[0], tmp_path).exists()
    assert "list" in (tmp_path / "history").read_text()


@pytest.mark.parametrize(
    ("leave", "status"),
    [
        ("quit", 0),
        ("\x04", 0),
        ("\x03", 130),
        (signal.SIGTERM, 143),
        (signal.SIGHUP, 129),
    ],
)
def test_a_game_is_saved_however_one_leaves(tmp_path: Path, leave: str | int, status: int) -> None:
    person = Person(tmp_path, "chess", "--strength", "1", "--seed", "1")
    person.sees(PROMPT)
    person.types("e4")
    person.sees(PROMPT)
    if isinstance(leave, int):
        person.sends(leave)
    elif leave.isalpha():
        person.types(leave)
    else:
        person.presses(leave)
    shown, code = person.leaves()
    assert code == status
    assert "Traceback" not in shown
    assert "1. e4 " in saved_file(shown, tmp_path).read_text()


def test_a_finished_game_is_saved_with_its_result(tmp_path: Path) -> None:
    person = Person(tmp_path, "chess", "--position", "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", "--strength", "1")
    person.sees(PROMPT)
    person.types("ra8")
    shown, code = person.leaves()
    assert code == 0
    assert "You win: checkmate." in shown
    text = saved_file(shown, tmp_path).read_text()
    assert "1. Ra8# 1-0" in text
    assert '[White "You"]' in text


@pytest.mark.parametrize(
    ("game", "typed", "suffix", "content"),
    [
        ("chess", "e4", "pgn", "1. e4"),
        ("shogi", "76歩", "kif", "７六歩(77)"),
        ("go", "d4", "sgf", ";B[dp]"),
        ("expendibots", "a1a2", "log", "MOVE 1 from (0, 0) to (0, 1)."),
        ("breakthrough", "b2-b3", "pgn", "1. b2b3"),
        ("rbc", "e7", "json", '"senses": {"true": [52'),
    ],
)
def test_every_game_fits_80_columns_and_is_saved_in_its_notation(
    tmp_path: Path, game: str, typed: str, suffix: str, content: str
) -> None:
    person = Person(tmp_path, game, "--strength", "1", "--seed", "1", NO_COLOR="1")
    prompts = ("sense> ", "move> ") if game == "rbc" else ("to move> ", "to move> ")
    shown = person.sees(prompts[0])
    person.types("?")
    shown += person.sees(prompts[0])
    assert "leave the game" in shown
    person.types(typed)
    shown += person.sees(prompts[1])
    person.types("quit")
    left, _ = person.leaves()
    path = saved_file(left, tmp_path)
    assert path.suffix == f".{suffix}"
    assert content in path.read_text()
    shown += left.partition("Saved: ")[0]  # a temporary folder's path may be long
    assert max(len(line) for line in without_escapes(shown).splitlines()) <= 80
