"""A player that searches with PUCT, guided by a policy."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from threading import Event
from typing import Any

from sparring.games import describe
from sparring.networks import Prediction
from sparring.players.book import Book
from sparring.players.move_distribution import MoveDistribution, search_distribution
from sparring.players.player import BasePlayer, Decision, GameStart, Turn
from sparring.players.player_config import PlayerConfig
from sparring.players.policy_player import PolicyPlayer
from sparring.players.stop_timer import stop_timer
from sparring.players.time_management import allocate_time
from sparring.policies import Policy
from sparring.search import (
    MoveSelection,
    Puct,
    PuctConfig,
    SearchLimits,
    SearchResult,
    by_visits,
    kl_regularised,
    prefer_proven,
    regularised_policy,
)


class SearchPlayer(BasePlayer):
    """Searches each move and selects one by the result. It keeps its tree from move to move.

    With `config.nodes` 0 it plays from the policy alone, unless a turn has a limit of more than one node.
    The tree is made by the first search.
    """

    def __init__(
        self,
        config: PlayerConfig,
        policy: Policy,
        evaluator: Policy | None = None,
        book: Book | None = None,
    ) -> None:
        """`evaluator` searches in place of the policy, if given."""
        super().__init__(config.name)
        self.config, self.policy = config, policy
        self._evaluator = evaluator
        self._policy_player = PolicyPlayer(config, policy, book)
        self._selection = move_selection(config)
        self._search: Puct | None = None

    def new_game(self, start: GameStart) -> None:
        """Clears the state of the last game and seeds the random generator."""
        self._policy_player.new_game(start)
        self._search = None

    def choose(self, turn: Turn) -> Decision:
        """Plays from its book, or searches and draws a move by the rule of its configuration. An infinite
        search does not use the book."""
        player = self._policy_player
        if not self._searches(turn):
            return player.choose(turn)
        started = time.perf_counter()
        player.take_side(turn.state)
        if self._search is None or not self.config.reuse_tree:
            self._search = self._new_search()
        result, prediction, distribution = self._consider(self._search, turn)
        return player.decide(turn, distribution, prediction, result, started)

    def hint(self, turn: Turn) -> Decision:
        """The likeliest move, by a search of its own: the game's tree stays as it is."""
        player = self._policy_player
        if not self._searches(turn):
            return player.hint(turn)
        with player.taking_side(turn.state):
            result, prediction, distribution = self._consider(self._new_search(), turn)
        likeliest = distribution.likeliest(turn.limits.searchmoves)
        return replace(likeliest, value=result.value, search=result, prediction=prediction)

    def accepts_draw(self, state: Any) -> bool:
        """Whether a draw is no worse than the policy's value of the state."""
        return self._policy_player.accepts_draw(state)

    def predict_states(self, states: Sequence[Any]) -> Sequence[Prediction]:
        """The policy's predictions, with the ratings of both players."""
        return self._policy_player.predict_states(states)

    def close(self) -> None:
        """Releases the tree."""
        self._search = None

    def _searches(self, turn: Turn) -> bool:
        limits = turn.limits
        if self.config.nodes == 0 and (limits.nodes or 0) <= 1:
            return False
        return limits.infinite or self._policy_player.opening(turn) is None

    def _new_search(self) -> Puct:
        return Puct(self._evaluate, puct_config(self.config))

    def _consider(self, search: Puct, turn: Turn) -> tuple[SearchResult, Prediction, MoveDistribution]:
        """Searches within the limits of the turn. A time limit holds also during a slow evaluation."""
        limits, stop = self._limits(turn), turn.stop
        timer: AbstractContextManager[None] = nullcontext()
        if stop is None and limits.seconds is not None:
            stop = Event()
            timer = stop_timer(limits.seconds, stop)
        with timer:
            result = search.search(
                turn.state,
                limits,
                stop=stop,
                report=turn.report,
                every=turn.report_seconds,
                until_decided=self.config.rule == "visits" and self.config.temperature == 0,
            )
        prediction = result.evaluation if self._evaluator is None else None
        prediction = prediction or self._policy_player.predict(turn.state)
        config = self.config
        distribution = search_distribution(
            config.game, turn.state, result, self._selection, avoid_draws=config.play_forced_wins
        )
        return result, prediction, distribution

    def _limits(self, turn: Turn) -> SearchLimits:
        """Limits of a search: the nodes of the turn, else the configured ones; the least of all times.

        On a clock an only move gets one node: no search can change the choice.
        """
        requested = turn.limits
        if requested.infinite:
            return SearchLimits(infinite=True, searchmoves=requested.searchmoves)
        if requested.clock is not None and len(turn.legal_moves) == 1:
            return SearchLimits(nodes=1)
        nodes = self.config.nodes if requested.nodes is None else requested.nodes
        seconds = [limit for limit in (self.config.seconds, requested.seconds) if limit is not None]
        if requested.clock is not None:
            seconds.append(allocate_time(requested.clock))
        return SearchLimits(
            nodes=nodes or None, seconds=min(seconds, default=None), searchmoves=requested.searchmoves
        )

    def _evaluate(self, states: Sequence[Any]) -> Sequence[Prediction]:
        policy = self._evaluator or self.policy
        return policy.predict([self._policy_player.position(state) for state in states])


def puct_config(config: PlayerConfig) -> PuctConfig:
    """The search settings of a player."""
    search = describe(config.game).search
    return PuctConfig(
        c_puct=config.c_puct,
        c_base=config.c_base,
        c_factor=config.c_factor,
        prior_temperature=config.policy_temperature,
        fpu_reduction=config.fpu_reduction,
        fpu_absolute=config.fpu_absolute,
        solver=config.solver,
        find_immediate_wins=config.find_immediate_wins and search.find_immediate_wins,
        repetition_draws=search.repetition_draws,
        draw_value=config.draw_value,
        batch=config.batch,
        memory=config.memory,
    )


def move_selection(config: PlayerConfig) -> MoveSelection:
    """The rule by which a player selects a move from its search."""
    if config.rule == "kl":
        return kl_regularised(config.kl_weight)
    rule = (
        by_visits(
            config.temperature,
            unvisited_share=config.unvisited_share,
            policy_temperature=config.policy_temperature,
        )
        if config.rule == "visits"
        else regularised_policy(config.c_puct, config.temperature)
    )
    forced = config.play_forced_wins and describe(config.game).search.prefer_proven
    return prefer_proven(rule) if forced else rule
