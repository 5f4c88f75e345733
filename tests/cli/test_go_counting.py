"""The end of a game of Go in the terminal: dead stones are agreed, and points are counted."""

from __future__ import annotations

import pytest

from sparring.cli import terminal
from sparring.games import load_game
from sparring.go.game import Go
from sparring.players import Decision, Player, Turn
from tests.cli.test_terminal_game import saved_text
from tests.players.test_go_dead_stones import TWO_SIDES

AFTER_ONE_PASS = TWO_SIDES.replace(" 2 7.5", " 1 7.5")


class Passes(Player):
    """Always passes."""

    def choose(self, turn: Turn) -> Decision:
        return Decision(turn.legal_moves[-1], reason="passes")


def played(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *typed: str) -> str:
    lines = iter(typed)
    monkeypatch.setattr(terminal.LineInput, "read", lambda self, prompt, words: next(lines))
    game = Go(size=9)
    terminal.TerminalGame(game, game.parse(AFTER_ONE_PASS), 0, Passes()).play()
    return capsys.readouterr().out


def test_the_proposal_can_be_accepted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = played(monkeypatch, capsys, "pass", "")
    assert "8 · · · X O · x · · 8" in shown, "dead stones are small letters"
    assert "7 o · + X O · + · · 7" in shown
    assert "White wins by 16.5." in shown
    assert "RE[W+16.5]" in saved_text(shown)


def test_the_person_may_correct_the_proposal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = played(monkeypatch, capsys, "pass", "?", "C9", "z9", "g8, a7 b4", "")
    assert "makes its stones dead, or alive again" in shown
    assert "There is no stone on C9." in shown
    assert shown.count("White wins by 16.5.") >= 2
    assert "Black has 13 points, White 20.5 (komi 7.5): White wins by 7.5." in shown
    assert "RE[W+7.5]" in saved_text(shown)


def test_play_can_be_resumed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    shown = played(monkeypatch, capsys, "pass", "resume", "c9", "quit")
    assert "White passes (passes)" in shown
    assert "RE[" not in saved_text(shown) or "RE[Void]" in saved_text(shown)


def test_the_score_is_estimated_when_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = played(monkeypatch, capsys, "help", "score", "quit")
    assert "score   who is ahead" in shown
    assert "White leads by about " in shown
    assert "An estimate by a network that knows people's games: it can be wrong." in shown
    assert "8 b b b X O w x w w 8" in shown, "territory, and a dead stone"
    assert "b and w mark points that will likely be Black's or White's" in shown


def test_a_game_without_points_has_no_score(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = iter(["help", "score", "quit"])
    monkeypatch.setattr(terminal.LineInput, "read", lambda self, prompt, words: next(lines))
    chess = load_game("chess")
    terminal.TerminalGame(chess, chess.initial(), 0, Passes()).play()
    shown = capsys.readouterr().out
    assert "In Chess no points are counted." in shown
    assert "who is ahead" not in shown
