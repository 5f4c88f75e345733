"""Games of people as lines of USI moves, and people who are held out of training.

A line has five columns, separated by tabs: date, the codes of both players, the result (1-0, 0-1 or 1/2-1/2)
and the moves from the usual first position in USI, separated by spaces.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sparring.records.record import GameRecord
from sparring.records.sources import TextLine, open_chunks, read_lines
from sparring.shogi.records import ShogiGameBuilder

_RESULTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
_STEPS = 1_500_000
_PENALTY = 3
"""Games between a held-out and another player that one game more or less than asked is worth."""
_TEMPERATURE = 1.5


def read_games(path: Path) -> Iterator[GameRecord]:
    """The games of a file of USI lines, plain or compressed. Raises BadFile or ValueError with the line."""
    for line in read_lines(open_chunks(path), 0):
        text = line.text.decode().strip("\n")
        if text.strip():
            yield _game(text, line)


def _game(text: str, line: TextLine) -> GameRecord:
    date, first, second, result, moves = text.split("\t")
    builder = ShogiGameBuilder(line.number, players=[first, second], result=_RESULTS[result])
    builder.set_fact("date", date)
    for move in moves.split():
        builder.play(move, line, move)
    parsed = builder.parsed(line.end)
    if parsed.record is None:
        raise ValueError(parsed.error)
    return parsed.record


@dataclass(frozen=True)
class PlayerSplit:
    """Games divided by their players. Games between a held-out and another player are in neither part."""

    held_out: frozenset[str]
    """Players of the test games; no game of theirs is trained on."""
    train: tuple[GameRecord, ...]
    test: tuple[GameRecord, ...]
    """Games in which both players are held out."""


def split_by_player(games: Sequence[GameRecord], test_games: int, seed: int = 0) -> PlayerSplit:
    """Holds out people who play about `test_games` games among themselves, and few against others.

    Holding out people at random would lose most games: with a quarter of the people a sixteenth of the games
    is a test and three eighths are lost. Here the people are chosen by annealing: one is taken in or out,
    and the games between held-out and other people are to be few.
    """
    names = sorted({name for game in games for name in players(game)})
    number = {name: i for i, name in enumerate(names)}
    opponents: list[list[int]] = [[] for _ in names]
    for first, second in (players(game) for game in games):
        opponents[number[first]].append(number[second])
        opponents[number[second]].append(number[first])
    chosen = _anneal(opponents, test_games, seed)
    held_out = frozenset(name for name, held in zip(names, chosen, strict=True) if held)
    return PlayerSplit(
        held_out,
        tuple(game for game in games if held_out.isdisjoint(players(game))),
        tuple(game for game in games if held_out.issuperset(players(game))),
    )


def players(game: GameRecord) -> tuple[str, str]:
    """Both players' names. Raises ValueError if one is unknown."""
    if game.first is None or game.second is None:
        raise ValueError("a game without players cannot be split by player")
    return game.first, game.second


def _anneal(opponents: Sequence[Collection[int]], wanted: int, seed: int) -> list[bool]:
    """Whether each person is held out."""
    random = np.random.default_rng(seed)
    people = random.integers(0, len(opponents), _STEPS).tolist()
    limits = (-np.log(random.random(_STEPS)) * _TEMPERATURE * np.linspace(1, 1e-3, _STEPS)).tolist()
    held, inside = [False] * len(opponents), 0
    for person, limit in zip(people, limits, strict=True):
        there = sum(held[other] for other in opponents[person])
        more, mixed = there, len(opponents[person]) - 2 * there
        if held[person]:
            more, mixed = -more, -mixed
        if mixed + _PENALTY * (abs(inside + more - wanted) - abs(inside - wanted)) <= limit:
            held[person] = not held[person]
            inside += more
    return held


_SAME_PLIES = 30


def shared_with(games: Iterable[GameRecord], others: Iterable[GameRecord]) -> list[bool]:
    """Whether each of `games` is also among `others`: the same first 30 plies. Shorter games never are."""
    length = 2 * _SAME_PLIES  # bytes
    known = {other.moves[:length] for other in others if len(other.moves) >= length}
    return [game.moves[:length] in known for game in games]


def with_ratings(
    games: Iterable[GameRecord], numbers: Mapping[str, Sequence[int | None]]
) -> Iterator[GameRecord]:
    """Games with ratings: `numbers` has both players' by the identity of a game as text."""
    for game in games:
        first, second = numbers.get(str(game.identity("shogi")), (None, None))
        yield game._replace(first_rating=first, second_rating=second)


def write_table(games: Iterable[GameRecord], folder: Path, source: str) -> int:
    """Writes games into a new table, all with one source, and returns their number.

    Raises BadFile or OSError.
    """
    from sparring.records.presets import load_preset
    from sparring.records.table import TableWriter

    writer = TableWriter(folder, "shogi", load_preset("shogi-everything").manifest_entry())
    for game in games:
        writer.add(game, source)
    writer.commit({})
    return sum(shard["games"] for shard in writer.manifest["shards"])
