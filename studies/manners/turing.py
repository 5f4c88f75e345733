"""The Turing test of the ACE paper (experiment 3): games to tell apart, their key, and the scorer.

At each level the kit has games of people, of an engine and of ours in equal numbers, shuffled, without names.
The paper has 18 games at each of four levels, and one expert who knows the level.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sparring.cli.errors import UserError
from sparring.records import GameRecord, RecordedGame, Termination
from sparring.storage import atomic_write
from studies.manners.traces import read_games

SOURCES = ("people", "engine", "ours")
KEY, ANSWERS = "key.json", "answers.csv"
_LEAST_PLIES = 30


@dataclass(frozen=True)
class ProgramGame:
    """A game of a program against itself: a line of a file of games."""

    source: str
    level: int
    moves: str
    """Packed moves in hexadecimal digits."""
    result: float
    start: str | None = None
    resigned: bool = False
    """Whether the loser resigned; else the rules or the length ended the game."""
    plies: int = 0

    def record(self) -> GameRecord:
        """The game as a record, with the level as both ratings."""
        return GameRecord(
            moves=bytes.fromhex(self.moves),
            result=self.result,
            start=self.start,
            ending=Termination.RESIGNATION if self.resigned else Termination.NORMAL,
            first=self.source,
            second=self.source,
            first_rating=self.level,
            second_rating=self.level,
        )


def read_program_games(path: Path) -> list[ProgramGame]:
    """The games of a file, one JSON object a line. Raises UserError or OSError."""
    try:
        return [ProgramGame(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
    except (TypeError, ValueError) as error:
        raise UserError(f"{path} is no file of games by `studies manners-games`: {error}") from None


def people_at(path: Path, level: int, width: int = 100) -> list[RecordedGame]:
    """Games of people whose ratings are both near a level, and which have some moves."""
    return [
        game
        for game in read_games(path)
        if all(rating is not None and abs(rating - level) <= width for rating in game.ratings)
        and len(game) >= _LEAST_PLIES
        and game.result is not None
        and game.record.ending != "time"
    ]


def write_kit(
    games: Mapping[int, Mapping[str, Sequence[GameRecord]]], folder: Path, *, each: int = 6, seed: int = 0
) -> Path:
    """Writes a PGN file a level, a sheet for the answers, and the key.

    `games` has the candidates by level and source. Raises UserError if there are too few.
    """
    from sparring.records.write_pgn import to_pgn

    rng, key, rows = np.random.default_rng(seed), [], []
    folder.mkdir(parents=True, exist_ok=True)
    for level, sources in games.items():
        chosen = []
        for source in SOURCES:
            known = sources.get(source, ())
            if len(known) < each:
                raise UserError(f"level {level}: {len(known)} games of {source}, {each} are needed")
            picked = rng.permutation(len(known))[:each]
            chosen += [(source, known[i]) for i in picked.tolist()]
        texts = []
        for number, place in enumerate(rng.permutation(len(chosen)).tolist(), 1):
            source, record = chosen[place]
            texts.append(to_pgn(anonymous(record, level, number)))
            key.append({"level": level, "game": number, "source": source})
            rows.append((level, number, ""))
        atomic_write(folder / f"level-{level}.pgn", "\n".join(texts).encode())
    atomic_write(folder / KEY, (json.dumps({"seed": seed, "games": key}, indent=1) + "\n").encode())
    sheet = "level,game,verdict\n" + "".join(f"{level},{number},{mark}\n" for level, number, mark in rows)
    atomic_write(folder / ANSWERS, sheet.encode())
    return folder


def anonymous(record: GameRecord, level: int, number: int) -> GameRecord:
    """Moves, result and level of a game, and nothing else that tells who played it."""
    return GameRecord(
        moves=record.moves,
        result=record.result,
        start=record.start,
        first="White",
        second="Black",
        first_rating=level,
        second_rating=level,
        event=f"Level {level}, game {number}",
    )


def score_answers(folder: Path, answers: Path) -> dict[str, Any]:
    """How often games of each source were called human, with intervals, in all and by level.

    A verdict is `human` or `computer`; games without one do not count. `p_value` is that of a permutation
    test of whether ours were called human as often as people. Raises UserError or OSError.
    """
    key = {
        (entry["level"], entry["game"]): entry["source"]
        for entry in json.loads((folder / KEY).read_text(encoding="utf-8"))["games"]
    }
    verdicts: list[tuple[int, str, bool]] = []
    with answers.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            verdict = (row.get("verdict") or "").strip().lower()
            try:
                place = int(row["level"]), int(row["game"])
                source = key[place]
            except (KeyError, TypeError, ValueError):
                raise UserError(f"{answers}: no such game: {dict(row)}") from None
            if verdict not in ("", "human", "computer"):
                raise UserError(
                    f"{answers}: level {place[0]}, game {place[1]}: '{verdict}' is not human or computer"
                )
            if verdict:
                verdicts.append((place[0], source, verdict == "human"))
    if not verdicts:
        raise UserError(f"{answers} has no verdict: write human or computer in the last column")
    levels = sorted({level for level, *_ in verdicts})
    by_source = {source: [said for _, who, said in verdicts if who == source] for source in SOURCES}
    return {
        "games": len(verdicts),
        "called_human": {source: _share(said) for source, said in by_source.items() if said},
        "by_level": {
            level: {
                source: _share([said for at, who, said in verdicts if (at, who) == (level, source)])
                for source in SOURCES
            }
            for level in levels
        },
        "p_value": _permutation(by_source["ours"], by_source["people"]),
    }


def _share(said: Sequence[bool]) -> dict[str, float] | None:
    """Share of true values with Wilson's 95 % interval; None without values."""
    if not said:
        return None
    n, share, z = len(said), sum(said) / len(said), 1.96
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return {"value": share, "low": float(middle - half), "high": float(middle + half), "games": n}


def _permutation(first: Sequence[bool], second: Sequence[bool], draws: int = 10_000) -> float | None:
    """The chance of a difference of shares at least as large if both were called human equally often."""
    if not first or not second:
        return None
    both, rng = np.array([*first, *second], float), np.random.default_rng(0)
    seen = abs(np.mean(first) - np.mean(second))
    count = 0
    for _ in range(draws):
        drawn = rng.permutation(both)
        count += abs(drawn[: len(first)].mean() - drawn[len(first) :].mean()) >= seen - 1e-12
    return (count + 1) / (draws + 1)
