"""docs/games.md says what the terminal's help says."""

from __future__ import annotations

import pytest

from sparring.games import GAMES, GameDescription
from tests.docs.markdown import PAGES


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_the_page_has_the_rules_and_moves_of_the_help(game: GameDescription) -> None:
    page = " ".join(PAGES["docs/games.md"].read_text().split())
    assert game.how_to_move, "people must know how to type a move"
    assert game.how_to_move in page
    assert game.rules_summary in page
