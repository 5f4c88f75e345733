"""Terminal games: resignation, draws, saving, clocks, colours."""

from __future__ import annotations

import itertools
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.color import Color

from sparring.chess.game import Chess
from sparring.cli import terminal
from sparring.cli.arguments import with_article
from sparring.cli.terminal import DARK, LAST_MOVE, LIGHT, SQUARES, TerminalOptions
from sparring.players import Decision, Player, PlayerConfig, TimeControl, Turn, make_player


class Polite(Player):
    """Plays the first move, and resigns or offers a draw at will."""

    def __init__(self, *, resign: bool = False, offer: bool = False, accepts: bool = False) -> None:
        super().__init__()
        self._resign, self._offer, self._accepts = resign, offer, accepts

    def choose(self, turn: Turn) -> Decision:
        return Decision(turn.legal_moves[0], reason="politely", resign=self._resign, offer_draw=self._offer)

    def accepts_draw(self, state: Any) -> bool:
        return self._accepts


def played(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], opponent: Polite, *typed: str
) -> str:
    lines = iter(typed)
    monkeypatch.setattr(terminal.LineInput, "read", lambda self, prompt, words: next(lines))
    terminal.TerminalGame(Chess(), Chess().initial(), 0, opponent).play()
    return capsys.readouterr().out


def test_an_opponent_may_resign(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert "Black resigns: you win." in played(monkeypatch, capsys, Polite(resign=True), "e4")


def test_an_offered_draw_can_be_taken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = played(monkeypatch, capsys, Polite(offer=True), "e4", "draw")
    assert "offers a draw" in shown
    assert "A draw by agreement." in shown


def test_a_draw_is_declined_or_accepted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "declines the draw" in played(monkeypatch, capsys, Polite(), "e4", "draw", "quit")
    assert "A draw by agreement." in played(monkeypatch, capsys, Polite(accepts=True), "draw")


def test_a_hint_does_not_change_the_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def game(*typed: str) -> str:
        lines = iter(typed)
        monkeypatch.setattr(terminal.LineInput, "read", lambda self, prompt, words: next(lines))
        opponent = make_player(PlayerConfig("chess", rating=1500))
        terminal.TerminalGame(Chess(), Chess().initial(), 0, opponent, TerminalOptions(seed=3)).play()
        return next(line for line in capsys.readouterr().out.splitlines() if "1. e4" in line)

    plain = game("e4", "d4", "c4", "list", "quit")
    assert game("hint", "e4", "hint", "hint", "d4", "hint", "c4", "hint", "list", "quit") == plain


def test_the_rules_draw_is_claimed_before_one_is_offered(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = iter(["Nf3", "Ng1", "Nf3", "Ng1", "draw"])
    monkeypatch.setattr(terminal.LineInput, "read", lambda self, prompt, words: next(typed))
    replies = iter(["g8f6", "f6g8", "g8f6", "f6g8"])
    terminal.TerminalGame(Chess(), Chess().initial(), 0, Scripted(replies)).play()
    shown = capsys.readouterr().out
    assert "A draw: you claim it by threefold repetition." in shown
    assert "1/2-1/2" in saved_text(shown)


class Scripted(Player):
    """Plays given moves."""

    def __init__(self, moves: Iterator[str]) -> None:
        super().__init__()
        self._moves = moves

    def choose(self, turn: Turn) -> Decision:
        return Decision(turn.state.parse_move(next(self._moves)))


def saved_text(shown: str) -> str:
    found = re.search(r"Saved: (.+)", shown)
    assert found is not None, shown
    return Path(found[1]).read_text()


def test_save_writes_where_it_is_told_and_never_over_another_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "mine.pgn").write_text("my best game")
    lines = [
        "save",
        "e4",
        f"save {tmp_path}/mine.pgn",
        f"save {tmp_path}/mine.doc",
        f"save {tmp_path}/new.pgn",
    ]
    shown = played(monkeypatch, capsys, Polite(), *lines, "d4", "quit")
    assert "There is no move to save yet." in shown
    assert "mine.pgn exists already: choose another name" in shown
    assert "needs one of these endings: .pgn" in shown
    assert (tmp_path / "mine.pgn").read_text() == "my best game"
    assert shown.count(f"Saved: {tmp_path}/new.pgn") == 2, "leaving saves to the same file again"
    assert "2. d4" in (tmp_path / "new.pgn").read_text()


def test_a_folder_that_cannot_be_written_is_said_and_no_crash(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SPARRING_HOME", str(tmp_path / "file"))
    shown = played(monkeypatch, capsys, Polite(), "e4", "quit")
    assert shown.count("Not saved: ") == 1
    assert "Errno" not in shown
    assert "1. e4 " in shown.partition("The game, to copy:\n")[2], "the last resort is the terminal"


def test_a_game_that_changed_after_undo_is_saved_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "b.pgn"
    shown = played(monkeypatch, capsys, Polite(), "e4", "nf3", f"save {file}", "undo", "d4", "quit")
    assert shown.count(f"Saved: {file}") == 2
    assert "2. d4 " in file.read_text()
    file = tmp_path / "c.pgn"
    shown = played(monkeypatch, capsys, Polite(), "e4", f"save {file}", "undo", "e4", "quit")
    assert shown.count("Saved: ") == 1, "the same moves again: the file has them"


def test_a_game_that_cannot_be_saved_goes_to_the_folder_of_games(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The folder of `save FILE` becomes unwritable during the game."""
    folder = tmp_path / "gone"

    def lines() -> Iterator[str]:
        yield from ("e4", f"save {folder}/a.pgn", "d4")
        (folder / "a.pgn").unlink()
        folder.rmdir()
        folder.write_text("")
        yield "quit"

    typed = lines()
    monkeypatch.setattr(terminal.LineInput, "read", lambda self, prompt, words: next(typed))
    terminal.TerminalGame(Chess(), Chess().initial(), 0, Polite()).play()
    shown = capsys.readouterr().out
    assert f"Not saved: {folder}/a.pgn cannot be written: a part of its path is a file" in shown
    saved = re.findall(r"Saved: (.+)", shown)[-1]
    assert Path(saved).parent == Path(os.environ["SPARRING_HOME"]) / "games"
    assert "2. d4" in Path(saved).read_text()


@pytest.mark.parametrize("name", ["~nobody-of-this-name/x/\0.pgn", f"{'x' * 300}.pgn"])
def test_a_name_that_no_file_can_have_is_refused(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = played(monkeypatch, capsys, Polite(), "e4", f"save {name}", "quit")
    assert "cannot be written: " in shown
    assert "1. e4" in saved_text(shown)


def test_the_opponents_clock_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = iter(("e4", "quit"))
    monkeypatch.setattr(terminal.LineInput, "read", lambda self, prompt, words: next(typed))
    monkeypatch.setattr("sparring.base.clock.time.monotonic", lambda: 5.0)
    options = TerminalOptions(time_control=TimeControl(3600, increment=10))
    terminal.TerminalGame(Chess(), Chess().initial(), 0, Polite(), options).play()
    (shown,) = re.findall(r"Black plays .*, (\d+:\d+) left", capsys.readouterr().out)
    assert shown == "60:10"


def test_byoyomi_and_canadian_overtime_are_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each move of the person takes 40 seconds."""
    now, prompts = [0.0], list[str]()
    monkeypatch.setattr("sparring.base.clock.time.monotonic", lambda: now[0])

    def reads(self: object, prompt: str, words: object) -> str:
        prompts.append(prompt)
        now[0] += 40
        return ("e4", "d4", "c4", "quit")[len(prompts) - 1]

    monkeypatch.setattr(terminal.LineInput, "read", reads)
    for control, shown in (
        (TimeControl(60, byoyomi=30, periods=3), ["1:00", "0:20", "0:30 (3 periods)", "0:30 (2 periods)"]),
        (
            TimeControl(60, byoyomi=90, byoyomi_moves=2),
            ["1:00", "0:20", "1:10 for 1 move", "1:30 for 2 moves"],
        ),
    ):
        prompts.clear()
        options = TerminalOptions(time_control=control)
        terminal.TerminalGame(Chess(), Chess().initial(), 0, Polite(), options).play()
        assert prompts == [f"White to move, {left} left> " for left in shown]


def test_the_flag_falls(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def waits(self: object, prompt: str, words: object) -> str:
        assert prompt == "White to move, 0:00 left> "
        while True:
            signal.pause()

    monkeypatch.setattr(terminal.LineInput, "read", waits)
    options = TerminalOptions(time_control=TimeControl(0.01, margin=0))
    terminal.TerminalGame(Chess(), Chess().initial(), 0, Polite(), options).play()
    assert "You are out of time: Black wins." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "written"),
    [
        *(("800", "an 800"), ("1800", "an 1800"), ("1100", "an 1100"), ("1500", "a 1500"), ("118", "a 118")),
        *(("8d", "an 8d"), ("18k", "an 18k"), ("1d", "a 1d"), ("11k", "an 11k"), ("2800", "a 2800")),
    ],
)
def test_ratings_have_their_article(text: str, written: str) -> None:
    assert with_article(text) == written


def test_pieces_stand_out_on_every_square() -> None:
    """The contrast of WCAG for pictures: at least 3 to 1 for both sides on every background."""
    backgrounds = {*(colour for pair in SQUARES.values() for colour in pair), LAST_MOVE}
    for background, ink in itertools.product(backgrounds, (LIGHT, DARK)):
        one, other = sorted((luminance(background), luminance(ink)))
        assert (other + 0.05) / (one + 0.05) >= 3, (background, ink)


def luminance(colour: str) -> float:
    parts = [each / 255 for each in Color.parse(colour).get_truecolor()]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_a_mistyped_command_is_answered_with_the_right_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = played(monkeypatch, capsys, Polite(), "hlep", "reisgn", "nf6", "\x1b[2Jx", "quit")
    assert "'hlep' is not a command: did you mean 'help'?" in shown
    assert "'reisgn' is not a command: did you mean 'resign'?" in shown
    assert "nf6 is not legal here: no knight can go to f6." in shown
    assert "\x1b" not in shown


def test_a_distant_word_does_not_suggest_to_leave(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = played(monkeypatch, capsys, Polite(), "edit", "sting", "qiut", "exitt", "quit")
    assert re.findall("did you mean '(.+)'", shown) == ["quit", "exit"]


def test_undo_takes_back_as_many_moves_as_it_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = ("e4", "d4", "c4", "undo 2", "list", "undo 2", "undo x", "undo 0", "list", "quit")
    shown = played(monkeypatch, capsys, Polite(), *typed)
    lines = [line for line in shown.splitlines() if line.startswith("1. e4")]
    assert len(lines) == 2
    assert not any("2." in line for line in lines)
    assert "You have made 1 move: 2 cannot be taken back." in shown
    assert "'x' is not a number of moves to take back" in shown
    assert "'0' is not a number of moves to take back" in shown


@pytest.mark.parametrize("alias", ["?", "help", "-h", "--help", "HELP"])
def test_help_has_many_names(
    alias: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = played(monkeypatch, capsys, Polite(), alias, "quit")
    assert "leave the game, which is saved" in shown
    assert "Moves: e4, Nf3, exd5" in shown
