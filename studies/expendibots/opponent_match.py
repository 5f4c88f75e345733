"""The shipped agent against test opponents under the course's limits: 60 s and 100 MB a game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.course_referee import COLOURS, PlayerFactory, referee
from sparring.base.provenance import provenance
from sparring.base.storage import Journal
from sparring.base.workers import Worker, open_pool
from sparring.expendibots.agent import tokens
from sparring.expendibots.game import Action
from sparring.expendibots.referee import SECONDS, RefereePlayer
from sparring.expendibots.tables import shipped_tables
from sparring.measure.reports import write_json
from sparring.players import SearchLimits
from studies.expendibots.acceptance import score_interval
from studies.expendibots.alphabeta_opponent import AlphaBetaOpponent
from studies.expendibots.ladder import PREVIOUS, previous_agent
from studies.expendibots.opponents import simple_opponent

SHIPPED, DEPTH = "champion", 6
"""The agent and the opponent's depth of the report `opponent.json`."""
DEEP = "alphabeta"
"""The opponent of `alphabeta_opponent.cpp`; the others are `SIMPLE_OPPONENTS`."""
_MEGABYTES = 100.0


@dataclass(frozen=True)
class OpponentGame:
    """A game against the test opponent, seen from the agent."""

    number: int
    """Even numbers: the agent is White. Two neighbours have the same seed of the opponent."""
    points: float
    ending: str
    actions: int
    seconds: float
    """Processor seconds of the agent."""
    opponent_seconds: float
    megabytes: float
    """Memory of both together."""
    endgame_win: bool
    """Whether the endgame tables had a win for the agent at some point of the game."""
    ending_lead: int
    """Largest lead in tokens of the agent with at most eight tokens on the board."""


class _ObservedAgent(RefereePlayer):
    """The agent, with what it had in its hands during the game."""

    def __init__(self, colour: str, agent: str, seconds: float) -> None:
        super().__init__(colour, seconds)
        if agent == PREVIOUS:
            self._agent = previous_agent(SearchLimits(seconds=1.0))
        self._side = COLOURS.index(colour)
        self.endgame_win, self.ending_lead = False, -8

    def update(self, colour: str, action: Action) -> None:
        super().update(colour, action)
        state = self._state
        mover, other = tokens(state)
        sign = 1 if state.to_move == self._side else -1
        if mover + other <= 8:
            self.ending_lead = max(self.ending_lead, sign * (mover - other))
        value = None if state.outcome is not None else shipped_tables().probe(state)
        self.endgame_win |= value is not None and sign * value > 0


class _GameWorker(Worker[int, OpponentGame]):
    """Plays games by their numbers."""

    def __init__(self, agent: str, opponent: str, depth: int, seconds: float) -> None:
        self._agent, self._opponent = agent, opponent
        self._depth, self._seconds = depth, seconds

    def _factory(self, seed: int) -> PlayerFactory:
        if self._opponent != DEEP:
            return simple_opponent(self._opponent, seed)
        return partial(AlphaBetaOpponent, seed=seed, depth=self._depth, seconds=self._seconds)

    def work(self, number: int) -> OpponentGame:
        side, agents = number % 2, list[_ObservedAgent]()

        def make_agent(colour: str) -> _ObservedAgent:
            agents.append(_ObservedAgent(colour, self._agent, self._seconds))
            return agents[-1]

        opponent = self._factory(number // 2)
        factories = (make_agent, opponent) if side == 0 else (opponent, make_agent)
        report = referee(factories, seconds=self._seconds, megabytes=_MEGABYTES)
        own, other = COLOURS[side], COLOURS[1 - side]
        return OpponentGame(
            number,
            _points(report.ending, own, other),
            report.ending,
            len(report.log) - 2,
            round(report.seconds[own], 2),
            round(report.seconds[other], 2),
            round(report.megabytes, 1),
            agents[0].endgame_win,
            agents[0].ending_lead,
        )


def _points(ending: str, own: str, other: str) -> float:
    """The agent's points. A broken limit or an illegal action ends the study: it is a fault."""
    if ending == f"winner: {own}":
        return 1.0
    if ending == f"winner: {other}":
        return 0.0
    if ending.startswith("draw detected"):
        return 0.5
    raise RuntimeError(f"the referee stopped the game: {ending}")


def play_opponent_match(
    out: Path,
    *,
    games: int,
    depth: int,
    command: str,
    agent: str = SHIPPED,
    opponent: str = DEEP,
    workers: int = 1,
    seconds: float = SECONDS,
    callback: Callable[[OpponentGame], None] = lambda _: None,
) -> dict[str, Any]:
    """Plays the games that `out/games` does not have yet; writes the report and returns it.

    `agent` is SHIPPED or the `previous` agent of the ladder. The report is `opponent.json`; its name says
    another opponent, agent or depth: `opponent-greedy.json`, `opponent-depth-12.json`. Both players have
    `seconds` of processor time and 100 MB for a game. `callback` is called after each game.
    Raises CompilerMissing, WorkerError or OSError.
    """
    against = f"opponent-{depth}" if opponent == DEEP else opponent
    journal = Journal(out / "games" / f"{agent}-{against}-{seconds:g}.jsonl", sync=True)
    played = {line["number"]: OpponentGame(**line) for line in journal.entries}
    spawn = partial(_GameWorker, agent, opponent, depth, seconds)
    with open_pool(spawn, workers) as pool:
        for game in pool.run(number for number in range(games) if number not in played):
            journal.add(asdict(game))
            played[game.number] = game
            callback(game)
    report = {
        **provenance(command),
        "agent": agent,
        "opponent": opponent,
        **({"depth": depth} if opponent == DEEP else {}),
        "seconds": seconds,
        **summarise([played[n] for n in range(games)]),
    }
    parts = ["opponent", *[opponent] * (opponent != DEEP), *[agent] * (agent != SHIPPED)]
    parts += [f"depth-{depth}"] * (opponent == DEEP and depth != DEPTH)
    write_json(report, out / f"{'-'.join(parts)}.json")
    return report


def summarise(played: list[OpponentGame]) -> dict[str, Any]:
    """Counts, score with its 95 % interval over pairs, and what became of won endings."""
    points = [game.points for game in played]
    score, low, high = score_interval([a + b for a, b in zip(points[::2], points[1::2], strict=True)])
    drawn = [game for game in played if game.points == 0.5]
    return {
        "games": len(played),
        "wins": points.count(1.0),
        "draws": points.count(0.5),
        "losses": points.count(0.0),
        "score": score,
        "score_low": low,
        "score_high": high,
        "endings": dict(Counter(game.ending for game in played)),
        "endgame_wins_not_won": sum(game.endgame_win and game.points < 1 for game in played),
        "largest_lead_in_drawn_endings": max((game.ending_lead for game in drawn), default=None),
        "longest_seconds": max(game.seconds for game in played),
        "opponent_longest_seconds": max(game.opponent_seconds for game in played),
        "most_megabytes_of_both": max(game.megabytes for game in played),
        "mean_actions": round(sum(game.actions for game in played) / len(played), 1),
    }
