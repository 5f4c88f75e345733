"""Makes the Turing test of the ACE paper (experiment 3), and reads the sheet of its answers.

The paper has 18 games at each of four levels, and one expert who knows the level. `sparring.turing` has the
format and the score.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from sparring.cli.errors import UserError
from sparring.games.history import states_to
from sparring.records import GameRecord, RecordedGame, Split, Termination
from sparring.storage import atomic_write
from sparring.turing import BadTuringKit, TuringGame, TuringKit, read_kit, score_verdicts
from sparring.turing.kit import RESULTS, SOURCES, Source
from studies.manners.traces import read_games

GAMES, KEY, ANSWERS = "games.jsonl", "key.jsonl", "answers.csv"
_LEAST_PLIES, _MOST_PLIES = 30, 240
"""Shorter games say little; games that no rule ended are left out by their length."""


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


def people_at(paths: Sequence[Path], level: int, width: int = 100) -> list[RecordedGame]:
    """Games of people whose ratings are both near a level, which can be judged, and which are not in the
    training split of our networks."""
    return [
        game
        for path in paths
        for game in read_games(path)
        if game.split() is not Split.TRAIN
        and all(rating is not None and abs(rating - level) <= width for rating in game.ratings)
        and can_be_judged(game)
    ]


def can_be_judged(game: RecordedGame) -> bool:
    """Whether a game has enough moves, was played from the initial position, and time did not end it."""
    return (
        _LEAST_PLIES <= len(game) <= _MOST_PLIES
        and game.record.start is None
        and game.result is not None
        and game.record.ending != "time"
    )


def make_kit(
    games: Mapping[int, Mapping[Source, Sequence[RecordedGame]]], *, each: int = 6, seed: int = 0
) -> TuringKit:
    """Chooses `each` games of each source and level, and shuffles those of a level.

    `games` has the candidates by level and source. Raises UserError if there are too few.
    """
    rng, found = np.random.default_rng(seed), []
    key: dict[str, Source] = {}
    for level, sources in sorted(games.items()):
        chosen = []
        for source in SOURCES:
            known = sources.get(source, ())
            if len(known) < each:
                raise UserError(f"level {level}: {len(known)} games of {source}, {each} are needed")
            chosen += [(source, known[i]) for i in rng.permutation(len(known))[:each].tolist()]
        for number, place in enumerate(rng.permutation(len(chosen)).tolist(), 1):
            source, game = chosen[place]
            found.append(anonymous(game, level, number))
            key[found[-1].id] = source
    return TuringKit(tuple(found), key)


def anonymous(game: RecordedGame, level: int, number: int) -> TuringGame:
    """Moves, result and level of a game, and nothing else that tells who played it."""
    states = states_to(game.states[-1])
    moves = tuple(before.move_text(after.last_move) for before, after in pairwise(states))
    result = {1.0: RESULTS[0], 0.0: RESULTS[1]}.get(game.result or 0.0, RESULTS[2])
    return TuringGame(f"{level}-{number:02}", level, moves, result, _ending(game))


def _ending(game: RecordedGame) -> str:
    outcome = game.states[-1].outcome
    if outcome is not None and "stalemate" in outcome.reason:
        return "stalemate"
    if game.result == 0.5:
        return "draw"
    return "resignation" if outcome is None else "checkmate"


def write_kit(kit: TuringKit, folder: Path) -> None:
    """Writes the games (one file for programs, a PGN file a level for people), the key, and a sheet for
    answers."""
    atomic_write(folder / GAMES, kit.games_text().encode())
    atomic_write(folder / KEY, kit.key_text().encode())
    for level in kit.levels:
        text = "\n".join(_pgn(game) for game in kit.games if game.level == level)
        atomic_write(folder / f"level-{level}.pgn", text.encode())
    sheet = "game,verdict\n" + "".join(f"{game.id},\n" for game in kit.games)
    atomic_write(folder / ANSWERS, sheet.encode())


def _pgn(game: TuringGame) -> str:
    from sparring.games import load_game
    from sparring.records.write_pgn import to_pgn

    state = load_game("chess").initial()
    for move in game.moves:
        state = state.play(state.parse_move(move))
    record = GameRecord(
        moves=state.pack_moves(1),
        result={RESULTS[0]: 1.0, RESULTS[1]: 0.0}.get(game.result, 0.5),
        first="White",
        second="Black",
        first_rating=game.level,
        second_rating=game.level,
        event=f"Game {game.id}",
    )
    return to_pgn(record)


def score_answers(folder: Path, answers: Path) -> dict[str, Any]:
    """The score of a sheet of answers (`sparring.turing.score_verdicts`). Raises UserError or OSError."""
    try:
        kit = read_kit(folder / GAMES, folder / KEY)
        with answers.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        verdicts = {row["game"]: (row["verdict"] or "").strip().lower() for row in rows}
        score = score_verdicts(kit, {name: verdict for name, verdict in verdicts.items() if verdict})
    except KeyError:
        raise UserError(f"{answers} is no sheet of answers: it needs the columns game and verdict") from None
    except (BadTuringKit, ValueError) as error:
        raise UserError(f"{answers}: {error}") from None
    if not score["games"]:
        raise UserError(f"{answers} has no verdict: write human or computer in the last column")
    return score
