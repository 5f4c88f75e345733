"""People's games for the measurement of points: a sample by rank, with rules and komi that can be trusted.

Records of Fox say "Japanese" and komi 0 nearly always. `infer_komi` compares the counted games with the score
of their last position, by a network's ownership.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from sparring.go.game import Go
from sparring.go.sgf import read_sgf, to_sgf
from sparring.networks import Position
from sparring.policies import Policy
from sparring.records import GameRecord, Termination
from sparring.records.sources import open_chunks

USUAL_KOMI = 7.5
RULES = (("area", 7.5), ("territory", 6.5), ("area", 0.0), ("territory", 0.0))
"""Scoring and komi of Fox's games, the likeliest first."""
_AGREES = 1.01
"""Points by which a margin may differ: a territory score differs by one with the player of the last move, and
shared liberties that were not filled count for nobody."""
_BATCH = 32
_KGS_ROWS = 19


@dataclass(frozen=True)
class FoxGame:
    """A game with its players."""

    record: GameRecord
    rank: str
    """Of both players; "mixed" if they differ."""


def read_games(path: Path) -> list[FoxGame]:
    """The games of an SGF file without handicap, both of whose players have ranks."""
    games = []
    for parsed in read_sgf(open_chunks(path)):
        record = parsed.record
        if record is None or parsed.defect or record.first_rank is None or record.second_rank is None:
            continue
        rows, side, *_ = (record.start or "").split()
        if side == "b" and not set("XO") & set(rows):
            same = record.first_rank == record.second_rank
            games.append(FoxGame(record, record.first_rank if same else "mixed"))
    return games


def unseen(games: Iterable[FoxGame], training: Path) -> list[FoxGame]:
    """The games neither of whose players is in another SGF file."""
    seen = players_in(training)
    return [game for game in games if not seen & {game.record.first, game.record.second}]


def players_in(path: Path) -> set[str | None]:
    """The players of an SGF file."""
    text = b"".join(open_chunks(path)).decode("utf-8", "replace")
    return set(re.findall(r"P[BW]\[([^\]]+)\]", text))


def draw_sample(games: Sequence[FoxGame], per_rank: int) -> list[FoxGame]:
    """At most so many games of each rank, in the order of a hash."""

    def order(game: FoxGame) -> tuple[str, str]:
        return game.rank, _hash(game.record.moves)

    ordered = sorted((game for game in games if game.rank != "mixed"), key=order)
    return [game for _, members in groupby(ordered, lambda game: game.rank) for game in [*members][:per_rank]]


def corrected(game: FoxGame, komi: float = USUAL_KOMI) -> str:
    """The game as SGF under Chinese rules with this komi."""
    start = Go.by_rules("chinese", komi=komi).initial().text()
    return to_sgf(game.record._replace(start=start))


def infer_komi(games: Sequence[FoxGame], judge: Policy) -> dict[int, tuple[str, float]]:
    """Scoring and komi by the index of each counted game whose margin agrees with one of `RULES`.

    `judge` is a network with ownership.
    """
    counted = [(index, game) for index, game in enumerate(games) if recorded_margin(game) is not None]
    found = {}
    for begin in range(0, len(counted), _BATCH):
        part = counted[begin : begin + _BATCH]
        chinese = Go.by_rules("chinese").initial().text()
        ends = []
        for _, game in part:
            states = game.record._replace(start=chinese).states("go")
            ends.append(next(state for state in reversed(states) if state.outcome is None))
        for (index, game), state, answer in zip(
            part, ends, judge.predict([Position(state) for state in ends]), strict=True
        ):
            assert answer.ownership is not None
            black = answer.ownership if state.to_move == 0 else -answer.ownership
            lead = float((black > 0).sum() - (black < 0).sum())
            if (rules := _matching(lead, recorded_margin(game) or 0.0)) is not None:
                found[index] = rules
    return found


def kgs_sample(path: Path, ranks: Sequence[str], per_rank: int) -> list[GameRecord]:
    """For each rank at most so many games of KGS in which a player has it, each game once; with handicap, and
    with the recorded komi under Chinese rules."""
    by_rank: dict[str, list[GameRecord]] = {rank: [] for rank in ranks}
    for parsed in read_sgf(open_chunks(path)):
        record = parsed.record
        if record is None or parsed.defect or (record.start or "").count("/") != _KGS_ROWS - 1:
            continue
        for rank in {record.first_rank, record.second_rank} & by_rank.keys():
            by_rank[rank or ""].append(record)
    chosen = {}
    for records in by_rank.values():
        for record in sorted(records, key=lambda record: _hash(record.moves))[:per_rank]:
            chosen[_hash(record.moves)] = record._replace(start=_chinese(record.start or ""))
    return [*chosen.values()]


def _chinese(start: str) -> str:
    """The text of a position under Chinese rules, with its komi."""
    rows, side, ko, by_black, by_white, passes, komi, *_ = start.split()
    return " ".join((rows, side, ko, by_black, by_white, passes, komi, "simple"))


def _hash(moves: bytes) -> str:
    return hashlib.blake2b(moves, digest_size=8).hexdigest()


def _matching(lead: float, margin: float) -> tuple[str, float] | None:
    """The first of `RULES` under which Black's lead by area, without komi, gives the margin."""
    possible = [rules for rules in RULES if rules[1].is_integer() == margin.is_integer()]
    exact = [rules for rules in possible if rules[0] == "area" and lead - rules[1] == margin]
    near = [rules for rules in possible if abs(lead - rules[1] - margin) <= _AGREES]
    return next(iter([*exact, *near]), None)


def recorded_margin(game: FoxGame) -> float | None:
    """The recorded margin, from Black's side; None if the game was not counted."""
    record = game.record
    if record.ending != Termination.NORMAL or record.margin is None or record.result is None:
        return None
    return record.margin if record.result == 1 else -record.margin


def komi_facts(games: Sequence[FoxGame], found: Mapping[int, tuple[str, float]]) -> dict[str, object]:
    """How often each of `RULES` agrees with a counted game."""
    counted = sum(recorded_margin(game) is not None for game in games)
    agreeing = Counter(f"{scoring} {komi:g}" for scoring, komi in found.values())
    return {"games": len(games), "counted": counted, "agreeing": dict(agreeing.most_common())}
