"""Terminal games: resignation, draw offers, leaving."""

from __future__ import annotations

from typing import Any

import pytest

from sparring.cli import line_input, terminal
from sparring.games import Chess
from sparring.players import BasePlayer, Decision, PlayerConfig, Turn, make_player


class Polite(BasePlayer):
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
    monkeypatch.setattr(line_input.LineInput, "read", lambda self, prompt, words: next(lines))
    terminal.TerminalGame(Chess(), Chess().initial(), 0, opponent).play()
    return capsys.readouterr().out


def test_an_opponent_may_resign(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert "Black resigns: you win." in played(monkeypatch, capsys, Polite(resign=True), "e4")


def test_an_offered_draw_can_be_taken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = played(monkeypatch, capsys, Polite(offer=True), "e4", "draw")
    assert "offers a draw" in shown
    assert "Drawn by agreement." in shown


def test_a_draw_is_declined_or_accepted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "declines the draw" in played(monkeypatch, capsys, Polite(), "e4", "draw", "quit")
    assert "Drawn by agreement." in played(monkeypatch, capsys, Polite(accepts=True), "draw")


def test_a_hint_does_not_change_the_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def game(*typed: str) -> str:
        lines = iter(typed)
        monkeypatch.setattr(terminal, "read_line", lambda console, prompt: next(lines))
        opponent = make_player(PlayerConfig("chess", rating=1500))
        terminal.TerminalGame(Chess(), Chess().initial(), 0, opponent, seed=3).play()
        return capsys.readouterr().out.splitlines()[-1]

    plain = game("e4", "d4", "c4", "quit")
    assert game("hint", "e4", "hint", "hint", "d4", "hint", "c4", "hint", "quit") == plain
