"""With a seed, a game in the terminal is the same from version to version: these were recorded at 48d33646,
before the games had one loop, one clock and one result."""

from __future__ import annotations

import io
import re
import sys

import pytest

from sparring.cli import main

GAMES = {
    "chess": ("e4 d4 Nf3 Nc3 Be2", "1. e4 a5 2. d4 d5 3. Nf3 dxe4 4. Nc3 exf3 5. Be2 fxe2"),
    "shogi": ("P-7f P-2f S-4h", "1.P-7f 2.K-6b 3.P-2f 4.K-7b 5.S-4h 6.S-3b"),
    "breakthrough": ("a2a3 b2b3 c2c3", "1. a2a3 g7f6 2. b2b3 f6e5 3. c2c3 e5e4"),
    "go": ("D4 Q16 Q4", "1.D4 2.C1 3.Q16 4.D1 5.Q4 6.A1"),
    "expendibots": ("1a2-a3", "1. 1a2-a3 1g8-g7"),
}
"""Moves that are typed, and the game. The opponent has strength 2 and seed 3."""


def play(monkeypatch: pytest.MonkeyPatch, arguments: list[str], typed: str) -> None:
    """Plays a game and resigns it."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join([*typed.split(), "resign", "y", ""])))
    main(["play", *arguments, "--seed", "3"])


@pytest.mark.parametrize("game", GAMES)
def test_a_seeded_game_is_that_of_earlier_versions(
    game: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed, expected = GAMES[game]
    play(monkeypatch, [game, "--strength", "2"], typed)
    assert f"The game: {expected}\n" in capsys.readouterr().out


def test_a_seeded_game_of_blind_chess_is_that_of_earlier_versions(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The opponent's moves show in how many boards are possible."""
    play(monkeypatch, ["rbc", "--bot", "inference-1"], "pass e4 e5 d4 e6 Nf3")
    out = capsys.readouterr().out
    assert re.findall(r"(\d+) possible boards", out) == ["21", "14", "261", "13", "13"]
    assert "Your piece on e4 was taken." in out
