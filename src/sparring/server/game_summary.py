"""A stored game as a line of the list of games."""

from __future__ import annotations

from sparring.server.board_views import board_view
from sparring.server.game_store import StoredSummary
from sparring.server.messages import GameSummary


def game_summary(stored: StoredSummary) -> GameSummary:
    """The message of a stored game."""
    settings, shown = stored.settings, stored.shown
    rules, you = settings.rules(), settings.you
    position = None if shown is None else shown.position
    return GameSummary(
        id=stored.id,
        game=settings.game,
        title=rules.spec.title,
        opponent=settings.about(rules, 1 if you is None else 1 - you)[0],
        moves=stored.moves,
        result=None if stored.end is None else stored.message,
        you=you,
        phase="over" if stored.end is not None else "move" if shown is None else shown.phase,
        turn=None if shown is None else shown.turn,
        position=position,
        board=None if position is None else board_view(rules.diagram(rules.parse(position))),
        created=settings.created,
        updated=stored.updated,
    )
