"""Games that a person pastes or opens: PGN, SGF, KIF, CSA or a log."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from sparring.base.sentences import Sentence, joined
from sparring.games import Game, describe
from sparring.games.states import states_to
from sparring.records.readers import formats, reader_of
from sparring.records.record import GameRecord
from sparring.server.messages import NewGame
from sparring.server.refusal import Refused


def read_record(rules: Game[Any], wanted: NewGame) -> tuple[str | None, list[str]]:
    """The first position (None for the usual one) and the moves of the record that a request continues.

    Raises Refused.
    """
    if wanted.record is None:
        return wanted.position, []
    if wanted.position is not None:
        raise Refused(Sentence("Give a position or a record, not both."), 422)
    record = parse_record(rules, wanted.record, wanted.format)
    states = states_of(rules, record)
    return record.start, [rules.move_text(before, after.last_move) for before, after in pairwise(states)]


def parse_record(rules: Game[Any], text: str, suffix: str | None) -> GameRecord:
    """The first game of a text. Raises Refused."""
    name = rules.spec.name
    suffixes = formats(name)
    if suffix is not None and suffix not in suffixes:
        raise Refused(
            Sentence(
                "Games of {game} are read as {formats}, not {suffix}.",
                game=name,
                formats=", ".join(suffixes),
                suffix=suffix[:8],
            ),
            422,
        )
    reasons = []
    for candidate in [suffix] if suffix else suffixes:
        for parsed in reader_of(name, candidate)([text.encode()], 0):
            if parsed.record is not None and not parsed.defect:
                return parsed.record
            reasons.append(f"{parsed.where}: {parsed.error or parsed.defect}")
            break
    raise Refused(
        joined(Sentence("There is no game of {game} in the text.", game=name), " ".join(reasons)), 422
    )


def states_of(rules: Game[Any], record: GameRecord) -> list[Any]:
    """The states of a game, from the first to the last."""
    start = rules.initial() if record.start is None else rules.parse(record.start)
    last = start.unpack_moves(record.moves, describe(rules.spec.name).packed_move_bytes)
    return states_to(last)
