"""Analyses of positions: values and best lines of whole games, by whoever can see most.

An `Analyst` gives a position its value and its line. There are three: a game's own search of lines (chess), a
search of many positions in lockstep with the strong network (every game that has one), and another program
that speaks UCI or USI. All values are expected scores of the side to move; scores in centipawns become
expected scores by the logistic curve of the game (`EngineSupport.score_scale`; Lichess's for chess).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from threading import Event
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sparring._core import PuctConfig
from sparring.base.errors import BadConfig, raise_if_stopped
from sparring.games import Move, describe
from sparring.games.description import EngineSupport
from sparring.measure.mistakes import expected_score
from sparring.networks import Position
from sparring.play.result import GameResult
from sparring.players.engine_player import start_engine
from sparring.players.engines import (
    EngineClient,
    EngineConfig,
    EngineFailure,
    FailureReason,
    PositionHistory,
)
from sparring.policies import Policy
from sparring.policies.policy import StoppablePolicy
from sparring.search.limits import SearchLimits
from sparring.search.lockstep import search_together

Array = NDArray[np.float64]

_NETWORK_NODES, _NETWORK_DEEP_NODES = 24, 160
"""Visits of a position in the search with the strong network."""
_ENGINE_NODES, _ENGINE_DEEP_NODES = 60_000, 400_000
"""Nodes of another program."""
_SEEN_MOVES = 5
"""Moves of a line after which the strong network sees the positions."""
_LONGEST_LINE = 12
_MATE = 32_000
"""Centipawns of a mate, less the moves to it, as engines' clients report them."""


@dataclass(frozen=True)
class Evaluation:
    """The value of a position, and how it goes on."""

    score: float
    """Expected score of the side to move, from 0 to 1."""
    line: tuple[Move, ...]
    """The best moves; empty if the game is over."""
    mate: int | None = None
    """Moves of its own with which the side to move mates, negative if it is mated in so many; None without a
    forced mate."""


class Analyst(Protocol):
    """Evaluates positions of one game."""

    name: str
    """What a report calls it."""

    def evaluate(
        self, states: Sequence[Any], *, deep: bool = False, stop: Event | None = None
    ) -> list[Evaluation]:
        """The evaluations of states of one game, in its order; `deep` ones take several times as long. Raises
        Abandoned if `stop` is set meanwhile."""

    def losses_at_a_glance(self, state: Any, moves: Sequence[Move]) -> Array:
        """What each move gives away against the best of these moves, in expected score, quickly."""

    def close(self) -> None:
        """Ends what it has opened."""


# A game's own search of lines.


@dataclass(frozen=True)
class ScoredLine:
    """A line with its score."""

    moves: tuple[Move, ...]
    centipawns: int
    """For the side to move."""
    mate: int | None = None
    """As in `Evaluation`."""


class LineSearch(Protocol):
    """A game's native search of lines. One search runs at a time."""

    def search(self, state: Any, nodes: int, lines: int = 1, only: Sequence[Move] = ()) -> list[ScoredLine]:
        """The best lines with different first moves, best first. The game is not over."""

    def clear(self) -> None:
        """Forgets earlier searches, on which the results depend."""


@dataclass(frozen=True)
class GameAnalysis:
    """What a game adds to analyses: the value of `GameDescription.analysis`."""

    line_search: Callable[[], LineSearch] | None = None
    """Opens the game's own search of lines. None: the strong network's search is used."""
    search_weight: float = 1.0
    network_weight: float = 0.0
    """Weights of the search and of the strong network in the logarithm of the odds, where there is a
    search."""
    programs: tuple[str, ...] = ()
    """Names of engines that are looked for on the path, the best first."""
    kinds: Callable[[MistakeFacts], str] | None = None
    """The kind of a mistake as far as it can be proved, one of `kind_titles`; empty if it cannot."""
    kind_titles: Mapping[str, str] = field(default_factory=dict)
    """A sentence about each kind of mistake, for people."""


@dataclass(frozen=True)
class MistakeFacts:
    """What the kind of a mistake is decided by."""

    before: Any
    """The state in which the move was played."""
    move: Move
    best: Evaluation
    """Of the state before the move."""
    answer: Evaluation
    """Of the state after the move, for the opponent."""


def game_analysis(game: str) -> GameAnalysis:
    """What a game adds to analyses; nothing by default. Raises BadConfig for an unknown game."""
    make = describe(game).analysis
    return GameAnalysis() if make is None else make()


class LineAnalyst:
    """The game's own search, blended with the strong network.

    Positions are searched from the last to the first, so that what follows a move is known when the move is
    judged; the same positions give the same values. The network sees the positions of the best line, of all
    positions in one batch. Its mean value there and the score of the search are added as logarithms of odds;
    forced mates stay as they are.
    """

    name = "own search"

    def __init__(self, game: str, parts: GameAnalysis, strong: Policy, nodes: tuple[int, int, int]) -> None:
        """`nodes` of a search at a glance, usually, and deep."""
        assert parts.line_search is not None
        self._search, self._strong, self._nodes = parts.line_search(), strong, nodes
        self._weights = parts.search_weight, parts.network_weight
        self._scale = _score_scale(game)

    def evaluate(
        self, states: Sequence[Any], *, deep: bool = False, stop: Event | None = None
    ) -> list[Evaluation]:
        """The evaluations of states of one game, in its order."""
        if not deep:
            self._search.clear()
        nodes = self._nodes[2 if deep else 1]
        searched = [self._searched(state, nodes, stop) for state in reversed(states)][::-1]
        return self._blended(states, searched)

    def _blended(self, states: Sequence[Any], searched: list[Evaluation]) -> list[Evaluation]:
        children: list[Position] = []
        signs: list[float] = []
        bounds = [0]
        for state, evaluation in zip(states, searched, strict=True):
            at = state
            for move in (None, *evaluation.line[:_SEEN_MOVES]):
                at = at if move is None else at.play(move)
                if evaluation.mate is not None or at.outcome is not None:
                    break
                children.append(Position(at, None, None))
                signs.append(1.0 if at.to_move == state.to_move else -1.0)
            bounds.append(len(children))
        values = np.array([prediction.value or 0.0 for prediction in self._strong.predict(children)])
        values *= np.array(signs)
        blended = []
        for evaluation, begin, end in zip(searched, bounds, bounds[1:], strict=False):
            if end > begin:
                network = (1 + float(values[begin:end].mean())) / 2
                odds = self._weights[0] * _logit(evaluation.score) + self._weights[1] * _logit(network)
                evaluation = replace(evaluation, score=float(1 / (1 + np.exp(-odds))))
            blended.append(evaluation)
        return blended

    def losses_at_a_glance(self, state: Any, moves: Sequence[Move]) -> Array:
        """What each move gives away against the best of these moves, by short searches."""
        scores = []
        for move in moves:
            after = state.play(move)
            score = self._searched(after, self._nodes[0]).score
            scores.append(1 - score if after.to_move != state.to_move else score)
        return np.asarray(max(scores) - np.array(scores), np.float64)

    def _searched(self, state: Any, nodes: int, stop: Event | None = None) -> Evaluation:
        raise_if_stopped(stop)
        if (ended := _ended(state)) is not None:
            return ended
        (best,) = self._search.search(state, nodes)
        return Evaluation(expected_score(best.centipawns, self._scale), best.moves[:_LONGEST_LINE], best.mate)

    def close(self) -> None:
        """Has nothing to end."""


def _logit(score: float) -> float:
    """Logarithm of the odds of an expected score; beyond 3.7 counts as that."""
    clipped = min(max(score, 0.0246), 0.9754)
    return float(np.log(clipped / (1 - clipped)))


# The strong network.


class NetworkAnalyst:
    """The strong network, whose search sees all positions of a game at once."""

    name = "network"

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def evaluate(
        self, states: Sequence[Any], *, deep: bool = False, stop: Event | None = None
    ) -> list[Evaluation]:
        """The evaluations of states of one game, in its order."""
        evaluations = [_ended(state) for state in states]
        open_places = [place for place, ended in enumerate(evaluations) if ended is None]
        results = search_together(
            StoppablePolicy(self._policy, stop),
            [Position(states[place], None, None) for place in open_places],
            PuctConfig(),
            _NETWORK_DEEP_NODES if deep else _NETWORK_NODES,
        )
        for place, result in zip(open_places, results, strict=True):
            best = int(result.ranked()[0])
            move, forced = int(result.moves[best]), int(result.forced[best])
            line = result.principal_variation(move)
            value = float(result.values[best])
            score = (1 + (result.value if np.isnan(value) else value)) / 2
            mate = None if forced == 0 else int(np.sign(forced)) * ((abs(forced) + 1) // 2)
            evaluations[place] = Evaluation(score, tuple(line[:_LONGEST_LINE]), mate)
        return [evaluation for evaluation in evaluations if evaluation is not None]

    def losses_at_a_glance(self, state: Any, moves: Sequence[Move]) -> Array:
        """What each move gives away against the best of these moves, without search."""
        after = [state.play(move) for move in moves]
        ended = [_ended(child) for child in after]
        live = [child for child, end in zip(after, ended, strict=True) if end is None]
        predicted = iter(self._policy.predict([Position(child, None, None) for child in live]))
        scores = []
        for child, end in zip(after, ended, strict=True):
            value = 0.0 if end is not None else next(predicted).value or 0.0
            score = end.score if end is not None else (1 + value) / 2
            scores.append(1 - score if child.to_move != state.to_move else score)
        return np.asarray(max(scores) - np.array(scores), np.float64)

    def close(self) -> None:
        """Has nothing to end."""


# Other programs.


class EngineAnalyst:
    """Another program with a fixed number of nodes and one thread. It starts when it is first asked."""

    def __init__(self, game: str, command: Sequence[str], quick: Analyst) -> None:
        """`quick` answers `losses_at_a_glance`. Raises BadConfig if the game has no such engines."""
        support = describe(game).engine
        if support is None or support.protocol not in ("uci", "usi"):
            raise BadConfig(f"no other program can analyse {game}")
        self.name = Path(command[0]).name
        self._scale, self._quick = support.score_scale, quick
        self._config = EngineConfig(
            self.name,
            support.protocol,
            tuple(command),
            preferences={"Threads": "1", "USI_Hash" if support.protocol == "usi" else "Hash": "32"},
        )

    @cached_property
    def _engine(self) -> EngineClient:
        return start_engine(self._config)

    def evaluate(
        self, states: Sequence[Any], *, deep: bool = False, stop: Event | None = None
    ) -> list[Evaluation]:
        """The evaluations of states of one game, in its order. Raises EngineFailure."""
        limits = SearchLimits(nodes=_ENGINE_DEEP_NODES if deep else _ENGINE_NODES)
        if not deep:
            self._engine.new_game(PositionHistory.of(states[0]).start, None)
        return [self._evaluate(state, limits, stop) for state in states]

    def _evaluate(self, state: Any, limits: SearchLimits, stop: Event | None) -> Evaluation:
        raise_if_stopped(stop)
        if (ended := _ended(state)) is not None:
            return ended
        answer = self._engine.choose(PositionHistory.of(state), None, limits)
        if answer.score is None or answer.move is None:
            raise EngineFailure(FailureReason.PROTOCOL_ERROR, "it reported no score")
        mate = None
        if abs(answer.score) > _MATE - 1_000:
            mate = int(np.sign(answer.score)) * (_MATE - abs(answer.score))
        texts = answer.line if answer.line[:1] == (answer.move,) else (answer.move,)
        return Evaluation(expected_score(answer.score, self._scale), _legal_line(state, texts), mate)

    def losses_at_a_glance(self, state: Any, moves: Sequence[Move]) -> Array:
        """What each move gives away against the best of these moves, by our own analysis."""
        return self._quick.losses_at_a_glance(state, moves)

    def close(self) -> None:
        """Lets the engine quit."""
        if "_engine" in self.__dict__:
            self._engine.close()


def find_program(game: str) -> str | None:
    """The first program of the path that can analyse a game."""
    paths = (shutil.which(name) for name in game_analysis(game).programs)
    return next((path for path in paths if path is not None), None)


def _legal_line(state: Any, texts: Sequence[str]) -> tuple[Move, ...]:
    """The moves of a line as far as they are legal."""
    moves: list[Move] = []
    for text in texts[:_LONGEST_LINE]:
        try:
            move = state.parse_move(text)
            state = state.play(move)
        except ValueError:
            break
        moves.append(move)
    return tuple(moves)


def _ended(state: Any) -> Evaluation | None:
    """The evaluation of a state whose game is over."""
    if (outcome := state.outcome) is None:
        return None
    score = GameResult.by_rules(outcome).score(state.to_move)
    return Evaluation(0.5 if score is None else score, (), None)


def _score_scale(game: str) -> float:
    support = describe(game).engine
    return EngineSupport.score_scale if support is None else support.score_scale
