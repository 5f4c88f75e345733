"""A mind: a policy or a search, and manners. What every front end plays."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.games import Move, describe, resolve
from sparring.networks import Position, Prediction
from sparring.players.book import Book, open_book
from sparring.players.player import Decision
from sparring.players.player_config import BadPlayerConfig, PlayerConfig
from sparring.players.time_management import Clock, allocate_time
from sparring.policies import Policy, load_policy, rating_out_of_range, rating_text, unrated
from sparring.search import (
    Budget,
    MoveSelection,
    Puct,
    PuctConfig,
    SearchResult,
    by_visits,
    kl_regularised,
    prefer_proven,
)


@dataclass(frozen=True)
class SearchLimits:
    """What bounds one thought. Without any, the description's own nodes and seconds do."""

    nodes: int | None = None
    seconds: float | None = None
    clock: Clock | None = None
    infinite: bool = False
    """Until it is stopped."""
    searchmoves: tuple[Move, ...] = ()
    """The moves to think about; empty for all."""


@dataclass(frozen=True)
class Thought:
    """A move, and everything that led to it."""

    choice: Decision
    found: SearchResult | None
    """What the search knows; None where the policy alone decided."""
    prediction: Prediction
    """What the policy said of the position."""
    resign: bool
    offer_draw: bool
    seconds: float


class Mind:
    """A player from a description. It remembers its search tree and how long it has been losing.

    The same seed and the same questions give the same answers, where they are bounded by nodes.
    """

    def __init__(
        self,
        player_config: PlayerConfig,
        policy: Policy,
        evaluator: Policy | None = None,
        book: Book | None = None,
    ) -> None:
        self.player_config, self.policy = player_config, policy
        self._evaluator, self._book = evaluator, book
        self._ratings = (
            player_config.rating_number("rating"),
            player_config.rating_number("opponent_rating"),
        )
        self._rng = np.random.default_rng(player_config.seed)
        self._search = Puct(self._evaluator_of(evaluator or policy), _settings(player_config), self._rng)
        self._rule = _rule(player_config)
        self._losing = [0, 0]
        self._me = 0

    def choose(self, state: Any) -> Decision:
        """The move in a state whose game goes on, within the description's own limits."""
        thought = self.think(state, SearchLimits())
        return dataclasses.replace(thought.choice, resign=thought.resign, offer_draw=thought.offer_draw)

    def think(
        self,
        state: Any,
        limits: SearchLimits,
        *,
        stop: Event | None = None,
        report: Callable[[SearchResult], None] | None = None,
        every: float = 1.0,
    ) -> Thought:
        """Thinks about a state whose game goes on; `report` hears of a search every so many seconds.

        Raises ValueError where the game is over.
        """
        started = time.perf_counter()
        self._me = state.to_move
        found = None
        if self._searches(limits):
            found = self._search.search(
                state,
                self._budget(limits),
                searchmoves=limits.searchmoves,
                stop=stop,
                report=report,
                every=every,
            )
        elif limits.infinite and stop is not None:
            stop.wait()
        known = None if found is None or self._evaluator is not None else found.evaluation
        prediction = known or self.policy.predict([self._position(state)])[0]
        choice = self._chosen(state, prediction, found, limits.searchmoves)
        value = prediction.value if found is None else found.value
        resign, offer = self._resign_or_offer_draw(state, value)
        return Thought(choice, found, prediction, resign, offer, time.perf_counter() - started)

    def for_new_game(self, seed: int | None) -> Mind:
        """The same player for another game: it remembers nothing of this one."""
        player_config = dataclasses.replace(self.player_config, seed=seed)
        return Mind(player_config, self.policy, self._evaluator, self._book)

    def forget(self) -> None:
        """A new game begins."""
        self._losing = [0, 0]

    def accepts_draw(self, state: Any) -> bool:
        """Whether it takes a draw that is offered."""
        value = self.policy.predict([self._position(state)])[0].value
        return value is not None and self._level(state, value)

    def _searches(self, limits: SearchLimits) -> bool:
        return self.player_config.nodes > 0 or (limits.nodes or 0) > 1

    def _budget(self, limits: SearchLimits) -> Budget:
        own = self.player_config
        if limits.infinite:
            return Budget()
        nodes = own.nodes if limits.nodes is None else limits.nodes
        seconds = [limit for limit in (own.seconds, limits.seconds) if limit is not None]
        if limits.clock is not None:
            seconds.append(allocate_time(limits.clock))
        return Budget(nodes or None, min(seconds, default=None))

    def _chosen(
        self, state: Any, prediction: Prediction, found: SearchResult | None, searchmoves: Sequence[Move]
    ) -> Decision:
        moves, shares, why = self._shares(state, prediction, found)
        if searchmoves:
            shares = np.where(np.isin(moves, searchmoves), shares, 0)
            if not shares.any():
                shares = np.isin(moves, searchmoves).astype(np.float64)
        shares = shares / shares.sum()
        drawn = int(self._rng.choice(len(shares), p=shares))
        distribution = {int(m): float(p) for m, p in zip(moves, shares, strict=True) if p > 0}
        return Decision(int(moves[drawn]), distribution, why(drawn, float(shares[drawn])))

    def _shares(
        self, state: Any, prediction: Prediction, found: SearchResult | None
    ) -> tuple[Any, NDArray[np.float64], Callable[[int, float], str]]:
        """The moves, how often each is to be played, and the words for it."""
        if (known := self._known(state)) is not None:
            return *known, lambda drawn, share: f"from the book ({share:.0%})"
        if found is not None:
            values, shares = found.values, self._rule(found)
            shares = self._adjusted(state, found.moves.tolist(), shares, found.value)
            return found.moves, shares, lambda drawn, share: _expectation(float(values[drawn]))
        shares = _sharpened(prediction.probabilities.astype(np.float64), self.player_config.temperature)
        shares = self._adjusted(state, prediction.moves, shares, prediction.value)
        return np.array(prediction.moves), shares, lambda drawn, share: self._likely(share, prediction)

    def _adjusted(
        self, state: Any, moves: Sequence[Move], shares: NDArray[np.float64], value: float | None
    ) -> NDArray[np.float64]:
        """The shares as the game's own rule corrects them, such as Go's passing rules."""
        reference = describe(self.player_config.game).search.adjust_policy
        if not reference:
            return shares
        prediction = Prediction(tuple(moves), shares.astype(np.float32), value)
        adjusted: NDArray[np.float64] = resolve(reference)(state, prediction)
        return adjusted

    def _likely(self, share: float, prediction: Prediction) -> str:
        """A move's share among those of such players, and what they hope for."""
        rating, _ = self._ratings
        who = "" if rating is None else f" of a {rating_text(self.policy.game, rating)}"
        hope = "" if prediction.value is None else f", {_expectation(prediction.value)}"
        return f"a {_percent(share)} move{who}{hope}"

    def _known(self, state: Any) -> tuple[Any, NDArray[np.float64]] | None:
        if self._book is None or state.ply >= self.player_config.book_plies:
            return None
        weights = self._book.moves(state)
        if not weights:
            return None
        return np.array(list(weights)), np.array(list(weights.values()))

    def _resign_or_offer_draw(self, state: Any, value: float | None) -> tuple[bool, bool]:
        """Whether to resign, and whether to offer a draw."""
        if value is None:
            return False, False
        side, hopeless = state.to_move, (value + 1) / 2 < self.player_config.resign_below
        self._losing[side] = self._losing[side] + 1 if hopeless else 0
        return self._losing[side] >= self.player_config.resign_after, self._level(state, value)

    def _level(self, state: Any, value: float) -> bool:
        own = self.player_config
        return abs(value) / 2 < own.draw_within and state.ply >= own.draw_after

    def _position(self, state: Any) -> Position:
        mine, theirs = self._ratings
        theirs = mine if theirs is None else theirs
        if state.to_move == self._me:
            return Position(state, mine, theirs)
        return Position(state, theirs, mine)

    def _evaluator_of(self, policy: Policy) -> Callable[[Sequence[Any]], Sequence[Prediction]]:
        return lambda states: policy.predict([self._position(state) for state in states])


def make_player(player_config: PlayerConfig, policy: Policy | None = None) -> Mind:
    """Loads what a description names, but for its policy where that is open already.

    Raises BadPlayerConfig, BadBook, BadPolicy, BadNetwork or OSError.
    """
    own = player_config
    policy = policy or load_policy(own.model, own.game, threads=own.threads)
    ratings = own.rating_number("rating"), own.rating_number("opponent_rating")
    if complaint := rating_out_of_range(policy, *ratings):
        raise BadPlayerConfig(complaint)
    if ratings != (None, None) and (complaint := unrated(policy)):
        raise BadPlayerConfig(f"{complaint}: leave out rating and opponent_rating")
    evaluator = load_policy(own.evaluator, own.game, threads=own.threads) if own.evaluator else None
    book = open_book(Path(own.book), own.game, own.book_plies) if own.book else None
    return Mind(own, policy, evaluator, book)


def _settings(own: PlayerConfig) -> PuctConfig:
    search = describe(own.game).search
    return PuctConfig(
        c_puct=own.c_puct,
        c_base=own.c_base,
        c_factor=own.c_factor,
        prior_temperature=own.policy_temperature,
        fpu_reduction=own.fpu_reduction,
        fpu_absolute=own.fpu_absolute,
        find_immediate_wins=search.find_immediate_wins,
        repetition_draws=search.repetition_draws,
        draw_value=own.draw_value,
        batch=own.batch,
        memory=own.memory,
    )


def _rule(own: PlayerConfig) -> MoveSelection:
    if own.rule == "kl":
        return kl_regularised(own.kl_weight)
    by_number = by_visits(own.temperature)
    return prefer_proven(by_number) if describe(own.game).search.prefer_proven else by_number


def _sharpened(shares: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    """p^(1/temperature); at 0 the likeliest alone."""
    if temperature == 0:
        best: NDArray[np.float64] = np.zeros(len(shares))
        best[int(shares.argmax())] = 1
        return best
    with np.errstate(divide="ignore"):
        logs = np.log(shares) / temperature
    weights = np.exp(logs - logs.max())
    sharpened: NDArray[np.float64] = weights / weights.sum()
    return sharpened


def _expectation(value: float) -> str:
    return "not looked at" if math.isnan(value) else f"hopes for {_percent((value + 1) / 2)}"


def _percent(share: float) -> str:
    return "<1%" if share < 0.005 else f"{share:.0%}"
