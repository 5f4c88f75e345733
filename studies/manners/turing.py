"""Makes the Turing test of the ACE paper (experiment 3), and reads the sheet of its answers.

The paper has 18 games at each of four levels, and one expert who knows the level. `sparring.measure` has the
format and the score.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from sparring.base.errors import BadFile, UserError
from sparring.base.storage import atomic_write
from sparring.games.states import states_to
from sparring.measure.turing import RESULTS, SOURCES, Source, TuringGame, TuringKit, read_kit, score_verdicts
from sparring.records import GameRecord, RecordedGame, Split, Termination
from studies.manners.traces import ending, read_games

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
    """Games of people whose ratings are both near a level, which can be judged, whose ending is known, and
    which are not in the training split of our networks."""
    return [
        game
        for path in paths
        for game in read_games(path)
        if game.split() is not Split.TRAIN
        and all(rating is not None and abs(rating - level) <= width for rating in game.ratings)
        and can_be_judged(game)
        and ending(game) != "unknown"
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
    """Chooses `each` games of each source and level that are alike (`alike_games`), and shuffles those of a
    level.

    `games` has the candidates by level and source. Raises UserError if there are too few.
    """
    rng, found = np.random.default_rng(seed), []
    key: dict[str, Source] = {}
    for level, sources in sorted(games.items()):
        for source in SOURCES:
            if (count := len(sources.get(source, ()))) < each:
                raise UserError(f"level {level}: {count} games of {source}, {each} are needed")
        groups = alike_games(sources, each, rng)
        if len(groups) < each:
            raise UserError(f"level {level}: {len(groups)} groups of games that end alike, {each} are needed")
        chosen = [(source, game) for group in groups for source, game in group.items()]
        for number, place in enumerate(rng.permutation(len(chosen)).tolist(), 1):
            source, game = chosen[place]
            found.append(anonymous(game, level, number))
            key[found[-1].id] = source
    return TuringKit(tuple(found), key)


def alike_games(
    sources: Mapping[Source, Sequence[RecordedGame]], count: int, rng: np.random.Generator
) -> list[dict[Source, RecordedGame]]:
    """At most `count` groups of a game of people, drawn at random, and the most similar game of each program.

    The games of a group have the same result and ending. As long as there are such games they also have the
    same first move and about the same length. So none of these tells who played.
    """
    left = {source: [_Candidate.of(game) for game in sources[source]] for source in SOURCES}
    people = left.pop("people")
    people = [people[place] for place in rng.permutation(len(people)).tolist()]
    groups: list[dict[Source, RecordedGame]] = []
    for ratio, same_opening in _LIKENESS:
        for game in list(people):
            partners = {
                source: game.most_similar(known, ratio, same_opening) for source, known in left.items()
            }
            found = {source: each for source, each in partners.items() if each is not None}
            if len(groups) < count and len(found) == len(left):
                people.remove(game)
                for source, each in found.items():
                    left[source].remove(each)
                groups.append({source: each.game for source, each in found.items()})
                groups[-1]["people"] = game.game
    return groups


_LIKENESS = ((1.15, True), (1.3, True), (1.3, False), (1.6, False), (10.0, False))
"""Largest ratio of lengths, and whether the first moves agree: the strictest first."""


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A game, and what a judge sees of it without looking at the moves."""

    game: RecordedGame
    end: tuple[float | None, str]
    opening: str
    plies: int

    @staticmethod
    def of(game: RecordedGame) -> _Candidate:
        return _Candidate(game, (game.result, _ending(game)), game.moves[0], len(game))

    def ratio(self, other: _Candidate) -> float:
        return max(self.plies, other.plies) / min(self.plies, other.plies)

    def most_similar(
        self, known: Sequence[_Candidate], ratio: float, same_opening: bool
    ) -> _Candidate | None:
        """The game of the nearest length among those with the same end and, if asked, the same first move."""
        alike = [
            each
            for each in known
            if each.end == self.end
            and self.ratio(each) <= ratio
            and (not same_opening or each.opening == self.opening)
        ]
        return min(alike, key=self.ratio, default=None)


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


def games_text(kit: TuringKit) -> str:
    """The file of games: one JSON object a line."""
    return _lines({**asdict(game), "moves": " ".join(game.moves)} for game in kit.games)


def key_text(kit: TuringKit) -> str:
    """The file of the key: one JSON object a line."""
    return _lines({"id": game.id, "source": kit.key[game.id]} for game in kit.games)


def _lines(rows: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def write_kit(kit: TuringKit, folder: Path) -> None:
    """Writes the games (one file for programs, a PGN file a level for people), the key, and a sheet for
    answers."""
    atomic_write(folder / GAMES, games_text(kit).encode())
    atomic_write(folder / KEY, key_text(kit).encode())
    for level in kit.levels:
        text = "\n".join(_pgn(game) for game in kit.games if game.level == level)
        atomic_write(folder / f"level-{level}.pgn", text.encode())
    sheet = "game,verdict\n" + "".join(f"{game.id},\n" for game in kit.games)
    atomic_write(folder / ANSWERS, sheet.encode())


def _pgn(game: TuringGame) -> str:
    from sparring.chess.pgn import to_pgn
    from sparring.games import load_game

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
    """The score of a sheet of answers (`sparring.measure.score_verdicts`). Raises UserError or OSError."""
    try:
        kit = read_kit(folder / GAMES, folder / KEY)
        with answers.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        verdicts = {row["game"]: (row["verdict"] or "").strip().lower() for row in rows}
        score = score_verdicts(kit, {name: verdict for name, verdict in verdicts.items() if verdict})
    except KeyError:
        raise UserError(f"{answers} is no sheet of answers: it needs the columns game and verdict") from None
    except (BadFile, ValueError) as error:
        raise UserError(f"{answers}: {error}") from None
    if not score["games"]:
        raise UserError(f"{answers} has no verdict: write human or computer in the last column")
    return score
