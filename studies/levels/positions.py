"""Positions of people's and of our own games, with Stockfish's expected score of every legal move."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.base.storage import atomic_write
from sparring.games import load_game
from sparring.measure.calibration import PolicyMover
from sparring.play.match import LockstepGame, play_together
from sparring.players import PlayerConfig
from sparring.policies import Policy
from sparring.records import open_records
from studies.search.move_values import analyse_moves

PEOPLE = "people"
_FIRST_PLY = 8


@dataclass(frozen=True)
class GamePosition:
    """A position in which somebody moved."""

    source: str
    """`people`, or the name of a player of ours."""
    rating: int
    """Class of ratings of the player who moved."""
    game: int
    """Number of the game; a game counts once for each of its players."""
    state: Any
    """With all earlier positions of the game."""
    played: int
    """Index of the move that was played among the legal moves, ascending."""
    scores: NDArray[np.float64] | None = None
    """[moves]: Stockfish's expected score of each legal move; None before the analysis."""

    @property
    def losses(self) -> NDArray[np.float64]:
        """[moves]: the best expected score minus that of each move."""
        assert self.scores is not None, "the position is not analysed yet"
        losses: NDArray[np.float64] = self.scores.max() - self.scores
        return losses


def people_positions(
    files: Sequence[Path], classes: Sequence[int], games: int, each: int, whole: Sequence[int]
) -> Iterator[GamePosition]:
    """Positions of test games whose mover's rating is within 50 of a class.

    Of each class so many games, and of each game `each` positions of one player, spread evenly; of the
    classes in `whole` all positions of that player.
    """
    found = Counter[int]()
    for file in files:
        for recorded in open_records(file, "chess"):
            if all(found[each_class] >= games for each_class in classes):
                return
            ratings = recorded.ratings
            fitting = [
                (side, near)
                for side, rating in enumerate(ratings)
                for near in classes
                if rating is not None and abs(rating - near) < 50 and found[near] < games
            ]
            if not fitting or len(recorded) < 24 or recorded.split() != "test":
                continue
            side, near = fitting[0]
            found[near] += 1
            number = sum(found.values())
            rows = list(_of_side(recorded.states[-1], side))
            step = 1 if near in whole else max(1, len(rows) // each)
            for state, move in rows[::step][: len(rows) if near in whole else each]:
                yield GamePosition(PEOPLE, near, number, state, state.legal_moves().index(move))


def _of_side(end: Any, side: int) -> Iterator[tuple[Any, int]]:
    """The positions of one player in the game that led to a state, with the moves, in order."""
    line, state = [], end
    while (before := state.previous) is not None:
        line.append((before, state.last_move))
        state = before
    for before, move in line[: len(line) - _FIRST_PLY][::-1]:
        if before.to_move == side and len(before.legal_moves()) > 1:
            yield before, move


def own_positions(
    config: PlayerConfig, policy: Policy, name: str, rating: int, games: int, seed: int = 0
) -> Iterator[GamePosition]:
    """All positions of one player of games that a player of ours plays against itself."""
    game, mover = load_game("chess", claim_draws=True), PolicyMover(config, policy)
    started = [
        LockstepGame(n, (mover, mover), np.random.default_rng([seed, rating, n]), game.initial())
        for n in range(games)
    ]
    for ended in play_together(started, max_plies=240):
        for before, move in _of_side(ended.state, ended.number % 2):
            yield GamePosition(name, rating, ended.number, before, before.legal_moves().index(move))


def score_position(position: GamePosition, engine: Any, nodes: int) -> GamePosition:
    """The position with Stockfish's scores, by one MultiPV search of all moves."""
    scores = analyse_moves(engine, position.state.text(), nodes)
    state = position.state
    ordered = np.array([scores[state.move_text(move)] for move in state.legal_moves()])
    return GamePosition(position.source, position.rating, position.game, state, position.played, ordered)


def write_game_positions(positions: Sequence[GamePosition], path: Path) -> None:
    """Writes a file of JSON lines, compressed by gzip. Raises OSError."""
    lines = [json.dumps(_line(position)) + "\n" for position in positions]
    atomic_write(path, gzip.compress("".join(lines).encode(), mtime=0))


def _line(position: GamePosition) -> dict[str, Any]:
    moves, state = [], position.state
    while state.previous is not None:
        moves.append(state.previous.move_text(state.last_move))
        state = state.previous
    scores = None if position.scores is None else [round(float(score), 5) for score in position.scores]
    return {
        "source": position.source,
        "rating": position.rating,
        "game": position.game,
        "moves": " ".join(reversed(moves)),
        "played": position.played,
        "scores": scores,
    }


def read_game_positions(path: Path) -> list[GamePosition]:
    """Reads a file of `write_game_positions`. Raises OSError or ValueError."""
    return [_position(json.loads(line)) for line in gzip.decompress(path.read_bytes()).splitlines()]


def _position(facts: dict[str, Any]) -> GamePosition:
    state = load_game("chess").initial()
    for text in facts["moves"].split():
        state = state.play(state.parse_move(text))
    scores = None if facts["scores"] is None else np.array(facts["scores"])
    return GamePosition(facts["source"], facts["rating"], facts["game"], state, facts["played"], scores)
