"""Games that a person pastes or opens: PGN, SGF, KIF, CSA or a log."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from sparring.base.sentences import Sentence
from sparring.games import Game, describe
from sparring.games.states import states_to
from sparring.records.record import GameRecord
from sparring.server.messages import NewGame
from sparring.server.pasted import pick_game
from sparring.server.refusal import Refused


def read_record(rules: Game[Any], wanted: NewGame) -> tuple[str | None, list[str], str | None]:
    """The first position (None for the usual one) and the moves of the record that a request continues, and
    a sentence on what could not be read, if anything.

    Raises Refused.
    """
    if wanted.record is None:
        return wanted.position, [], None
    if wanted.position is not None:
        raise Refused(Sentence("Give a position or a record, not both."), 422)
    record, warning = parse_record(rules, wanted.record, wanted.format, wanted.record_index)
    states = states_of(rules, record)
    moves = [rules.move_text(before, after.last_move) for before, after in pairwise(states)]
    return record.start, moves, warning


def parse_record(
    rules: Game[Any], text: str, suffix: str | None, index: int = 0
) -> tuple[GameRecord, str | None]:
    """The game with a number, from 0, of a text: its legal part, and a sentence on what could not be read, if
    anything. Raises Refused."""
    picked = pick_game(rules, text, suffix, index)
    assert picked.record is not None
    return picked.record, picked.error


def states_of(rules: Game[Any], record: GameRecord) -> list[Any]:
    """The states of a game, from the first to the last."""
    start = rules.initial() if record.start is None else rules.parse(record.start)
    last = start.unpack_moves(record.moves, describe(rules.spec.name).packed_move_bytes)
    return states_to(last)
