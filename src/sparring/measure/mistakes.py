"""What moves give away, by a judge: loss a move, mistakes and blunders, with intervals over games.

The loss of a move is the judge's value of the position before it minus the value after it, both for the side
that moved. Values are expected scores from 0 to 1, or leads in points (`points.py`). The same judge serves
people's games and those of our players, so that the two can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sparring import data
from sparring.base.errors import BadConfig
from sparring.base.storage import Journal
from sparring.base.workers import LocalWorkerPool
from sparring.games import describe
from sparring.measure.metrics import Buckets, Estimate, Resamples, all_buckets
from sparring.measure.reports import read_json
from sparring.measure.samples import Sample
from sparring.measure.strength import policy_values
from sparring.play.result import GameResult
from sparring.players.engine_player import start_engine
from sparring.players.engines import (
    EngineClient,
    EngineConfig,
    EngineFailure,
    FailureReason,
    PositionHistory,
    kill_all,
)
from sparring.policies import Policy, load_policy
from sparring.records.readers import RecordedGame
from sparring.search.limits import SearchLimits

Array = NDArray[np.float64]

COLUMNS = ("loss", "mistakes", "blunders", "drift")
"""loss: mean loss, gains counted as 0; mistakes, blunders: shares of moves; drift: mean loss less gains, in
which the noise of the judge cancels."""


@dataclass(frozen=True)
class LossScale:
    """How a unit of loss is judged."""

    unit: str
    mistake: float
    """Losses above this are mistakes."""
    blunder: float
    standings: tuple[tuple[float, str], ...]
    """Lower bounds of the mover's value before the move, with names."""
    undecided: tuple[str, ...]
    """The standings that count in the figures by group and phase."""


EXPECTED_SCORE = LossScale(
    "expected score", 0.1, 0.2,
    ((0.0, "lost"), (0.08, "worse"), (0.35, "even"), (0.65, "better"), (0.92, "won")),
    ("worse", "even", "better"),
)  # fmt: skip
POINTS = LossScale(
    "points", 2.0, 6.0,
    ((-np.inf, "lost"), (-30.0, "behind"), (-10.0, "close"), (10.0, "ahead"), (30.0, "won")),
    ("behind", "close", "ahead"),
)  # fmt: skip
"""Two points stand out of the judge's noise; six are what programs that review games call a blunder. From a
lead of 30 points on, people play to finish the game."""
CLEAR = 1.5
"""A score beyond so many times the engine's scale (in chess 4 pawns) is clear: a short search is enough."""
PEOPLE_KIND = "rapid"
"""Kind of people's games whose curves are shown beside measured games."""
_DIGITS = 4
_MOST_LOGIT = 3.68208


# Judges.


class Judge(Protocol):
    """Values positions of one game."""

    def values(self, states: Sequence[Any]) -> Array:
        """The expected scores [states] of the side to move; the states are of one game, in its order."""

    def close(self) -> None:
        """Ends what it has opened."""


@dataclass(frozen=True)
class JudgeConfig:
    """Who judges: a policy with values, or an engine with so many nodes a position."""

    game: str
    policy: str = ""
    """Name or file of a policy; empty for an engine."""
    engine: tuple[str, ...] = ()
    """The command of an engine that speaks UCI or USI."""
    nodes: int = 40_000
    """Nodes of an engine's search of one position."""
    quick_nodes: int = 0
    """Nodes of a first search; a position that it finds clear (`CLEAR`) is not searched further. 0 searches
    every position with `nodes`."""
    own_chances: bool = True
    """Whether values are the engine's own chances, where it reports them; if not, they follow from its score
    by Lichess's formula."""
    hash_megabytes: int = 32

    def open(self) -> Judge:
        """Starts the judge. Raises BadConfig, BadFile or EngineFailure."""
        if self.policy:
            return _PolicyJudge(load_policy(self.policy, self.game))
        support = describe(self.game).engine
        if support is None or support.protocol not in ("uci", "usi"):
            raise BadConfig(f"no engine can judge {self.game}: name a policy, such as strong")
        hash_option = "USI_Hash" if support.protocol == "usi" else "Hash"
        config = EngineConfig(
            Path(self.engine[0]).stem,
            support.protocol,
            self.engine,
            preferences={
                "Threads": "1",
                hash_option: str(self.hash_megabytes),
                "UCI_ShowWDL": "true" if self.own_chances else "false",
            },
        )
        stages = [nodes for nodes in (self.quick_nodes, self.nodes) if nodes]
        return _EngineJudge(start_engine(config), support.score_scale, stages)

    def header(self) -> dict[str, Any]:
        """What decides the values, as plain values."""
        if self.policy:
            return {"policy": self.policy}
        header = {
            "engine": [Path(self.engine[0]).name, *self.engine[1:]],
            "nodes": self.nodes,
            "hash_megabytes": self.hash_megabytes,
        }
        if self.quick_nodes:
            header["quick_nodes"] = self.quick_nodes
        return header if self.own_chances else header | {"own_chances": False}


class _PolicyJudge:
    """The values of a policy, without search."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def values(self, states: Sequence[Any]) -> Array:
        """The expected scores of the side to move."""
        return (1 + policy_values(self._policy, list(states))) / 2

    def close(self) -> None:
        """Has nothing to end."""


class _EngineJudge:
    """An engine with fixed numbers of nodes and one thread: the same values in every run."""

    def __init__(self, engine: EngineClient, scale: float, stages: Sequence[int]) -> None:
        """`stages` are the nodes of the searches of a position; each but the last may find it clear."""
        self._engine, self._scale, self._stages = engine, scale, stages

    def values(self, states: Sequence[Any]) -> Array:
        """The expected scores of the side to move: the engine's own, else by its centipawns."""
        if states:
            self._engine.new_game(PositionHistory.of(states[0]).start, None)
        return np.array([self._value(state) for state in states])

    def _value(self, state: Any) -> float:
        if (outcome := state.outcome) is not None:
            return GameResult.by_rules(outcome).score(state.to_move) or 0.0
        history = PositionHistory.of(state)
        expected, score = None, 0
        for nodes in self._stages:
            answer = self._engine.choose(history, None, SearchLimits(nodes=nodes))
            if answer.score is None:
                raise EngineFailure(FailureReason.PROTOCOL_ERROR, "it reported no score")
            expected, score = answer.expected, answer.score
            if abs(score) > CLEAR * self._scale:
                break
        return expected_score(score, self._scale) if expected is None else expected

    def close(self) -> None:
        """Lets the engine quit."""
        self._engine.close()


def expected_score(centipawns: float, scale: float) -> float:
    """The expected score of a player whose position an engine gives so many centipawns.

    `scale` of them multiply the odds by e. Scores beyond 3.68 times the scale count
    as that (Lichess: beyond 1,000).
    """
    return float(1 / (1 + np.exp(-np.clip(centipawns / scale, -_MOST_LOGIT, _MOST_LOGIT))))


# Judging games, in processes.


@dataclass(frozen=True)
class _JudgeTask:
    """The measured plies of one game."""

    number: int
    record: RecordedGame
    plies: tuple[int, ...]


@dataclass(frozen=True)
class GameLosses:
    """The judge's values of a game: a line of the journal."""

    game: int
    """The game's identity."""
    plies: list[int]
    """The measured plies."""
    before: list[float]
    """[measured plies]: expected score of the side to move before its move."""
    after: list[float]
    """The same side's expected score after its move."""


class _JudgeWorker:
    """Judges games in one process."""

    def __init__(self, config: JudgeConfig) -> None:
        self._judge = config.open()

    def work(self, task: _JudgeTask) -> tuple[int, list[float], list[float]]:
        """The number of the game, and the values before and after its measured plies."""
        states = task.record.states
        places = sorted({ply for played in task.plies for ply in (played, played + 1)})
        values = dict(zip(places, self._judge.values([states[ply] for ply in places]), strict=True))
        before = [round(float(values[ply]), _DIGITS) for ply in task.plies]
        after = [
            round(float(values[ply + 1]), _DIGITS)
            if states[ply].to_move == states[ply + 1].to_move
            else round(float(1 - values[ply + 1]), _DIGITS)
            for ply in task.plies
        ]
        return task.number, before, after

    def close(self) -> None:
        """Ends the judge."""
        self._judge.close()

    def terminate(self) -> None:
        """Kills engines."""
        kill_all()


def judge_games(
    sample: Sample,
    judge: JudgeConfig,
    journal: Path,
    *,
    processes: int = 1,
    on_progress: Callable[[str, int, int], None] = lambda *_: None,
) -> tuple[Array, Array]:
    """The values before and after each move of a sample, both [positions] and for the side that moved.

    Each game is a line of the journal as soon as it is judged; games that are there already are not judged
    again. Raises BadConfig, BadFile, JournalMismatch, WorkerError or OSError.
    """
    bounds = np.searchsorted(sample.metadata["game"], np.arange(len(sample.games) + 1))
    plies = [tuple(sample.metadata["ply"][begin:end].tolist()) for begin, end in pairwise(bounds)]
    written = Journal(journal, header={"game": sample.game, "judge": judge.header()}, kind=GameLosses)
    numbers = {played.identity: number for number, played in enumerate(sample.games)}
    before, after = (np.full(len(sample), np.nan) for _ in range(2))

    def keep(entry: GameLosses) -> None:
        begin, end = bounds[numbers[entry.game] : numbers[entry.game] + 2]
        before[begin:end], after[begin:end] = entry.before, entry.after

    done = set()
    for entry in (GameLosses(**line) for line in written.entries):
        if (number := numbers.get(entry.game)) is not None and tuple(entry.plies) == plies[number]:
            keep(entry)
            done.add(number)
    tasks = [
        _JudgeTask(number, RecordedGame(sample.game, played.record), plies[number])
        for number, played in enumerate(sample.games)
        if number not in done
    ]
    with LocalWorkerPool(
        partial(_JudgeWorker, judge),
        min(processes, max(1, len(tasks))),
        lambda task: f"game {task.number + 1}",
    ) as pool:
        for judged, (number, *values) in enumerate(pool.run(iter(tasks)), len(done) + 1):
            entry = GameLosses(sample.games[number].identity, list(plies[number]), *values)
            written.add(asdict(entry))
            keep(entry)
            on_progress("judging the games", judged, len(sample.games))
    return before, after


# What people give away, as it was measured once.


def people_mistakes(
    game: str, judge: Mapping[str, Any], kind: str = PEOPLE_KIND
) -> dict[int, dict[str, dict[str, float]]]:
    """What people of each hundred rating points give away a move by this judge: smoothed loss, mistakes and
    blunders with 95 % intervals. Empty if the shipped table has another judge, or there is none."""
    if game not in data.names("mistakes"):
        return {}
    content = read_json(data.path("mistakes", game))
    if content["judge"] != dict(judge):
        return {}
    return {
        row["rating"]: {column: row[f"smooth_{column}"] for column in ("loss", "mistakes", "blunders")}
        for row in content["curves"][kind]["rows"]
    }


# Loss a move, with intervals.


def mistakes_report(
    sample: Sample, before: Array, after: Array, scale: LossScale = EXPECTED_SCORE
) -> dict[str, Any]:
    """The report by group: games, moves in undecided positions, and `COLUMNS` with 95 % intervals over games;
    the same by standing, phase, seconds on the clock, and the distribution of the loss over games. Moves
    whose values are NaN do not count."""
    valid = ~np.isnan(before - after)
    loss = np.where(valid, before - after, 0.0)
    values = np.stack([loss.clip(0), loss > scale.mistake, loss > scale.blunder, loss], axis=1)
    bounds = [bound for bound, _ in scale.standings]
    standing = Buckets(
        "standing",
        tuple(name for _, name in scale.standings),
        np.where(valid, np.searchsorted(bounds, before, side="right") - 1, -1),
    )
    undecided = np.isin(standing.of, [standing.names.index(name) for name in scale.undecided])
    resamples = Resamples.draw(sample.group_of_game)
    games = sample.metadata["game"]
    counted = resamples.bucket_sums(values, games, np.where(undecided, 0, -1), 1)[0]
    kinds = [
        (buckets.title, buckets.names, np.where(undecided, buckets.of, -1))
        for buckets in all_buckets(sample.game, sample.metadata)
        if buckets.title in ("phase", "clock")
    ]
    parts = {
        title: (names, resamples.bucket_sums(values, games, of, len(names)))
        for title, names, of in [(standing.title, standing.names, standing.of), *kinds]
    }
    report: dict[str, Any] = {}
    for number, group in enumerate(sample.groups):
        members = np.flatnonzero(sample.group_of_game == number)
        report[group] = {
            "games": len(members),
            **_entry(counted.group(number).positions, counted.group(number).estimates()),
            "by": {
                title: {
                    name: _entry(sums.group(number).positions, sums.group(number).estimates())
                    for name, sums in zip(names, buckets, strict=True)
                    if sums.group(number).positions
                }
                for title, (names, buckets) in parts.items()
            },
            "loss_of_games": _quantiles(loss.clip(0), games, undecided, members),
        }
    return report


def _entry(moves: int, estimates: Sequence[Estimate]) -> dict[str, Any]:
    return {"moves": moves} | {
        name: {key: round(value, 5) for key, value in asdict(estimate).items()}
        for name, estimate in zip(COLUMNS, estimates, strict=True)
    }


def _quantiles(
    loss: Array, games: NDArray[np.integer], counted: NDArray[np.bool_], members: NDArray[np.integer]
) -> Mapping[str, float]:
    """Quantiles over games and sides' games of the mean loss of a game with at least ten counted moves."""
    number = int(games.max()) + 1
    moves = np.bincount(games[counted], minlength=number)[members]
    sums = np.bincount(games[counted], loss[counted], minlength=number)[members]
    means = sums[moves >= 10] / moves[moves >= 10]
    if not len(means):
        return {}
    shares = (0.1, 0.25, 0.5, 0.75, 0.9)
    return {
        f"{share:g}": round(float(q), 5) for share, q in zip(shares, np.quantile(means, shares), strict=True)
    }
