"""An engine's score and move in each position of people's games, with a journal that can be resumed.

`sparring measure mistakes` measures a group of games. Here the engine's own numbers are kept: its
centipawns, from which the scale of a strength is chosen later, and its moves, from which a network can learn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path

from sparring.base.storage import Journal
from sparring.base.workers import LocalWorkerPool
from sparring.players.engine_player import start_engine
from sparring.players.engines import EngineConfig, PositionHistory, kill_all
from sparring.records.record import GameRecord
from sparring.search.limits import SearchLimits

LOST = -32_000
"""Score of a side that is mated."""


@dataclass(frozen=True)
class EngineJudge:
    """An engine that judges positions."""

    command: tuple[str, ...]
    nodes: int
    skip: int
    """Plies at the start of a game that are not judged."""

    def header(self) -> dict[str, object]:
        """What decides the scores, as plain values."""
        return {"engine": Path(self.command[0]).name, "nodes": self.nodes, "skip": self.skip}


@dataclass(frozen=True)
class JudgedGame:
    """The engine's answers in a game: a line of the journal."""

    game: int
    """The game's identity."""
    first: int
    """The first judged ply."""
    scores: list[int]
    """[judged plies, and the end]: centipawns for the side to move."""
    moves: list[str]
    """[judged plies, and the end]: the engine's move; empty if it has none."""


@dataclass(frozen=True)
class _Task:
    identity: int
    record: GameRecord


class _Worker:
    """Judges games in one process."""

    def __init__(self, judge: EngineJudge) -> None:
        self._skip = judge.skip
        self._engine = start_engine(
            EngineConfig(
                "judge",
                "usi",
                judge.command,
                limits=SearchLimits(nodes=judge.nodes),
                preferences={"Threads": "1", "USI_Hash": "32"},
            )
        )

    def work(self, task: _Task) -> JudgedGame:
        """The engine's answers in one game."""
        states = task.record.states("shogi")
        played = tuple(before.move_text(after.last_move) for before, after in pairwise(states))
        self._engine.new_game(states[0], None)
        scores, moves = [], []
        for ply in range(self._skip, len(states)):
            if (outcome := states[ply].outcome) is not None:
                lost = outcome.winner is not None and outcome.winner != states[ply].to_move
                scores.append(LOST if lost else 0)
                moves.append("")
                break
            answer = self._engine.choose(PositionHistory(states[0], played[:ply], states[ply]), None)
            scores.append(answer.score if answer.score is not None else 0)
            moves.append(answer.move or "")
        return JudgedGame(task.identity, self._skip, scores, moves)

    def close(self) -> None:
        """Lets the engine quit."""
        self._engine.close()

    def terminate(self) -> None:
        """Kills the engine."""
        kill_all()


def judge_people(
    games: Sequence[GameRecord],
    judge: EngineJudge,
    journal: Path,
    processes: int,
    on_game: Callable[[int, int], None] = lambda *_: None,
) -> list[JudgedGame]:
    """The engine's answers in the games, in the order of their hashes.

    Games of the journal are not judged again.
    Raises JournalMismatch, EngineFailure, WorkerError or OSError.
    """
    written = Journal(journal, header=judge.header(), kind=JudgedGame)
    judged = [JudgedGame(**line) for line in written.entries]
    done = {entry.game for entry in judged}
    by_identity = {game.identity("shogi"): game for game in games if game.plies("shogi") > judge.skip}
    tasks = (_Task(identity, by_identity[identity]) for identity in sorted(by_identity.keys() - done))
    with LocalWorkerPool[_Task, JudgedGame](
        partial(_Worker, judge), processes, lambda task: f"game {task.identity:016x}"
    ) as pool:
        for entry in pool.run(tasks):
            written.add(asdict(entry))
            judged.append(entry)
            on_game(len(judged), len(by_identity))
    return judged


def engine_games(games: Sequence[GameRecord], judged: Sequence[JudgedGame]) -> Iterator[GameRecord]:
    """A game of one move for each judged position: the engine's move and the result by its score.

    A score within 300 centipawns is a draw: the value learns whether a position is decided.
    """
    by_identity = {game.identity("shogi"): game for game in games}
    for entry in judged:
        if entry.game not in by_identity:
            continue
        states = by_identity[entry.game].states("shogi")
        for ply, (score, move) in enumerate(zip(entry.scores, entry.moves, strict=True), entry.first):
            if not move or ply >= len(states):
                continue
            start = type(states[ply]).parse(states[ply].text())
            try:
                after = start.play(start.parse_move(move))
            except ValueError:  # a declaration, or a move by rules of the engine's own
                continue
            sign = 1 if start.to_move == 0 else -1
            result = 0.5 if abs(score) <= _EVEN else float(sign * score > 0)
            yield GameRecord(after.pack_moves(2), result, start.text())


_EVEN = 300
