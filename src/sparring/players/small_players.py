"""Players without a network: random moves, alpha-beta, UCT, and learned linear evaluations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from threading import Event, Thread
from typing import Any, Protocol

import numpy as np

from sparring._core import Analysis
from sparring.base.numbers import signed
from sparring.games import Move, describe
from sparring.games.states import State
from sparring.players.game_players import game_players
from sparring.players.player import Decision, GameStart, Player, Turn
from sparring.search import SearchLimits, uct
from sparring.search.limits import resolve_limits
from sparring.search.linear_evaluation import AlphaBetaSearcher, LinearEvaluation, open_evaluation


class RandomPlayer(Player):
    """Plays uniformly random legal moves, in open and in hidden games."""

    def __init__(self) -> None:
        super().__init__("random")

    def choose(self, turn: Turn) -> Decision:
        """Draws one of the legal moves."""
        return random_decision(turn.legal_moves, self._rng, "at random")


def random_decision(moves: Sequence[Move], rng: np.random.Generator, reason: str) -> Decision:
    """Draws one of the moves, each with the same probability."""
    move = moves[int(rng.integers(len(moves)))]
    return Decision(move, dict.fromkeys(moves, 1 / len(moves)), reason)


# A small opponent without a network: alpha-beta over material.


class AlphaBetaState(State, Protocol):
    """A state with the native material search."""

    def alphabeta(self, nodes: int, margin: int) -> list[tuple[Move, int]]:
        """The legal moves with their scores in centipawns for the side to move, best first. Scores within
        `margin` of the best are exact; the others are upper bounds. `nodes` is about the number of positions
        searched."""


class AlphaBetaPlayer(Player):
    """Alpha-beta over material. Draws any of the moves within `margin` centipawns of the best.

    `nodes` is the limit of its search; `Turn.limits.nodes` takes precedence.
    """

    def __init__(self, nodes: int, *, margin: int = 15) -> None:
        super().__init__(f"alpha-beta, {nodes} nodes")
        self.nodes = nodes
        self.margin = margin

    def choose(self, turn: Turn) -> Decision:
        """Draws one of the best moves."""
        state: AlphaBetaState = turn.state
        scores = state.alphabeta(turn.limits.nodes or self.nodes, self.margin)
        best = scores[0][1]
        good = [move for move, score in scores if score >= best - self.margin]
        return random_decision(good, self._rng, f"{best / 100:+.2f}")


# A small opponent without a network: UCT with random playouts.


class UctPlayer(Player):
    """UCT: plays the most visited move of a search with random playouts.

    `playouts` is the limit of its search; `Turn.limits.nodes` takes precedence.
    """

    def __init__(self, playouts: int) -> None:
        super().__init__(f"UCT, {playouts} playouts")
        self.playouts = playouts

    def choose(self, turn: Turn) -> Decision:
        """Returns the most visited move."""
        stats = uct(turn.state, turn.limits.nodes or self.playouts, self._rng)
        best, total = stats[0], sum(move.visits for move in stats)
        distribution = {move.move: move.visits / total for move in stats}
        reason = f"wins {best.value:.0%} of its playouts"
        return Decision(best.move, distribution, reason, value=2 * best.value - 1)


# Alpha-beta with an evaluation that was learned by TreeStrap.


_POLL_SECONDS = 0.005
"""Seconds between checks of the stop event."""


class LearnedPlayer(Player):
    """Searches and draws any of the moves whose value is within `margin` of the best.

    The transposition table is made by the first search and kept from move to move. Values are in
    hundredths of a win.
    """

    def __init__(
        self,
        evaluation: LinearEvaluation,
        limits: SearchLimits,
        *,
        margin: float = 0.25,
        megabytes: int = 16,
        prepare: Callable[[Any], None] = lambda searcher: None,
    ) -> None:
        """`limits` apply where a turn has none; `megabytes` is the size of the transposition table.

        `prepare` is called with each new native searcher, such as to add endgame tables.
        """
        super().__init__("alpha-beta with learned weights")
        self._evaluation, self._megabytes, self._prepare = evaluation, megabytes, prepare
        self.limits = limits
        self._searcher: AlphaBetaSearcher | None = None
        self._margin = margin

    def new_game(self, start: GameStart) -> None:
        """Begins with an empty transposition table and seeds the randomness."""
        super().new_game(start)
        self._searcher = None

    def choose(self, turn: Turn) -> Decision:
        """Draws one of the best moves; of forced wins it plays the shortest."""
        limits = resolve_limits(turn.limits, self.limits)
        with stopping(self.searcher.stop, turn.stop):
            analysis = self.searcher.analyse(turn.state, margin=self._margin, **analysis_limits(limits))
        good = [move for move, value in analysis.moves if value >= analysis.value - self._margin]
        if analysis.plies_to_end is not None:
            good = good[:1]  # values are equal for all forced wins; the first is the shortest
        decision = random_decision(good, self._rng, describe_analysis(analysis))
        return replace(decision, value=expected_value(analysis))

    def hint(self, turn: Turn) -> Decision:
        """The best move, by a search of its own: the game's transposition table stays as it is."""
        kept, self._searcher = self._searcher, None
        try:
            return super().hint(turn)
        finally:
            self._searcher = kept

    @property
    def searcher(self) -> AlphaBetaSearcher:
        """The native search with its transposition table, made by the first use."""
        if self._searcher is None:
            self._searcher = self._evaluation.searcher(self._megabytes)
            self._prepare(self._searcher)
        return self._searcher

    @property
    def memory_bytes(self) -> int:
        """The size of the transposition table, if there is one."""
        return 0 if self._searcher is None else self._megabytes << 20

    @property
    def search_bytes(self) -> int:
        """The size of the transposition table."""
        return self._megabytes << 20

    def close(self) -> None:
        """Releases the transposition table."""
        self._searcher = None


@contextmanager
def stopping(end_search: Callable[[], None], stop: Event | None) -> Iterator[None]:
    """Calls `end_search` once `stop` is set, from a thread that lives as long as the block."""
    if stop is None:
        yield
        return
    done = Event()

    def watch() -> None:
        while not done.wait(_POLL_SECONDS):
            if stop.is_set():
                end_search()  # repeatedly: a search that starts later clears the request

    watcher = Thread(target=watch, name="stop", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def analysis_limits(limits: SearchLimits) -> dict[str, Any]:
    """Converts limits to the keyword arguments of the native alpha-beta search."""
    return {"depth": limits.depth, "nodes": limits.nodes, "seconds": limits.seconds}


def expected_value(analysis: Analysis) -> float:
    """The value of a search, scaled from -1 to 1."""
    return max(-1.0, min(1.0, analysis.value / 100))


def describe_analysis(analysis: Analysis) -> str:
    """The value of a search as text; 100 is a win."""
    value, depth = analysis.value, analysis.depth
    if analysis.plies_to_end is not None:
        return f"{'wins' if value > 0 else 'loses'} in {analysis.plies_to_end}, depth {depth}"
    return f"{signed(value, 1)} of 100, depth {depth}"


# The small search players of strengths 1 to 9. They need no network of people's moves.


STRENGTHS = range(1, 10)
"""The strengths. Each searches three times as long as the one before."""


def make_strength_player(game: str, strength: int) -> Player:
    """Makes the small search player of a strength from 1 to 9, as the game defines it. Raises BadConfig for
    an unknown game."""
    usual = alphabeta_player if describe(game).native else uct_player
    return (game_players(game).strength_player or usual)(game, strength)


def alphabeta_player(game: str, strength: int) -> AlphaBetaPlayer:
    """Makes an alpha-beta player: material evaluation, 150 nodes at strength 1."""
    return AlphaBetaPlayer(150 * effort(strength))


def uct_player(game: str, strength: int) -> UctPlayer:
    """Makes a UCT player: random playouts, 60 at strength 1."""
    return UctPlayer(60 * effort(strength))


def learned_player(game: str, strength: int) -> LearnedPlayer:
    """Makes an alpha-beta player with the shipped linear evaluation: 150 nodes at strength 1."""
    nodes, megabytes = 150 * effort(strength), max(1, effort(strength) // 100)
    return LearnedPlayer(open_evaluation(game), SearchLimits(nodes=nodes), megabytes=megabytes)


def effort(strength: int) -> int:
    """Search effort relative to strength 1: a factor of 3 per step."""
    return int(3 ** (strength - 1))
