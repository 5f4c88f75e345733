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

from sparring._core import GoState
from sparring.games import Move
from sparring.networks import Position, Prediction
from sparring.players.book import Book, open_book
from sparring.players.clock import Clock, thinking_time
from sparring.players.description import BadDescription, Description
from sparring.players.go_ending import with_sense_of_the_end
from sparring.players.player import Choice
from sparring.policies import Policy, beyond, open_policy, strength_text, untold
from sparring.search import (
    Budget,
    ChoiceRule,
    Found,
    Puct,
    PuctSettings,
    by_visits,
    kl_regularised,
    seeing_the_end,
)


@dataclass(frozen=True)
class Limits:
    """What bounds one thought. Without any, the description's own nodes and seconds do."""

    nodes: int | None = None
    seconds: float | None = None
    clock: Clock | None = None
    infinite: bool = False
    """Until it is stopped."""
    only: tuple[Move, ...] = ()
    """The moves to think about; empty for all."""


@dataclass(frozen=True)
class Thought:
    """A move, and everything that led to it."""

    choice: Choice
    found: Found | None
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
        description: Description,
        policy: Policy,
        judge: Policy | None = None,
        book: Book | None = None,
    ) -> None:
        self.description, self.policy = description, policy
        self._judge, self._book = judge, book
        self._ratings = (description.number("rating"), description.number("opponent_rating"))
        self._rng = np.random.default_rng(description.seed)
        self._search = Puct(self._judged_by(judge or policy), _settings(description), self._rng)
        self._rule = _rule(description)
        self._losing = [0, 0]
        self._me = 0

    def choose(self, state: Any) -> Choice:
        """The move in a state whose game goes on, within the description's own limits."""
        thought = self.think(state, Limits())
        return dataclasses.replace(thought.choice, resign=thought.resign, offer_draw=thought.offer_draw)

    def think(
        self,
        state: Any,
        limits: Limits,
        *,
        stop: Event | None = None,
        report: Callable[[Found], None] | None = None,
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
                state, self._budget(limits), only=limits.only, stop=stop, report=report, every=every
            )
        elif limits.infinite and stop is not None:
            stop.wait()
        known = None if found is None or self._judge is not None else found.judged
        prediction = known or self.policy.predict([self._position(state)])[0]
        choice = self._chosen(state, prediction, found, limits.only)
        value = prediction.value if found is None else found.value
        resign, offer = self._manners(state, value)
        return Thought(choice, found, prediction, resign, offer, time.perf_counter() - started)

    def fresh(self, seed: int | None) -> Mind:
        """The same player for another game: it remembers nothing of this one."""
        description = dataclasses.replace(self.description, seed=seed)
        return Mind(description, self.policy, self._judge, self._book)

    def forget(self) -> None:
        """A new game begins."""
        self._losing = [0, 0]

    def accepts_draw(self, state: Any) -> bool:
        """Whether it takes a draw that is offered."""
        value = self.policy.predict([self._position(state)])[0].value
        return value is not None and self._level(state, value)

    def _searches(self, limits: Limits) -> bool:
        return self.description.nodes > 0 or (limits.nodes or 0) > 1

    def _budget(self, limits: Limits) -> Budget:
        own = self.description
        if limits.infinite:
            return Budget()
        nodes = own.nodes if limits.nodes is None else limits.nodes
        seconds = [limit for limit in (own.seconds, limits.seconds) if limit is not None]
        if limits.clock is not None:
            seconds.append(thinking_time(limits.clock))
        return Budget(nodes or None, min(seconds, default=None))

    def _chosen(
        self, state: Any, prediction: Prediction, found: Found | None, only: Sequence[Move]
    ) -> Choice:
        moves, shares, why = self._shares(state, prediction, found)
        if only:
            shares = np.where(np.isin(moves, only), shares, 0)
            if not shares.any():
                shares = np.isin(moves, only).astype(np.float64)
        shares = shares / shares.sum()
        drawn = int(self._rng.choice(len(shares), p=shares))
        distribution = {int(m): float(p) for m, p in zip(moves, shares, strict=True) if p > 0}
        return Choice(int(moves[drawn]), distribution, why(drawn, float(shares[drawn])))

    def _shares(
        self, state: Any, prediction: Prediction, found: Found | None
    ) -> tuple[Any, NDArray[np.float64], Callable[[int, float], str]]:
        """The moves, how often each is to be played, and the words for it."""
        if (known := self._known(state)) is not None:
            return *known, lambda drawn, share: f"from the book ({share:.0%})"
        if found is not None:
            values, shares = found.values, self._rule(found)
            if isinstance(state, GoState):
                shares = _ending(state, found.moves.tolist(), shares, found.value)
            return found.moves, shares, lambda drawn, share: _expectation(float(values[drawn]))
        shares = _sharpened(prediction.probabilities.astype(np.float64), self.description.temperature)
        if isinstance(state, GoState):
            shares = _ending(state, prediction.moves, shares, prediction.value)
        return np.array(prediction.moves), shares, lambda drawn, share: self._likely(share, prediction)

    def _likely(self, share: float, prediction: Prediction) -> str:
        """A move's share among those of such players, and what they hope for."""
        rating, _ = self._ratings
        who = "" if rating is None else f" of a {strength_text(self.policy.game, rating)}"
        hope = "" if prediction.value is None else f", {_expectation(prediction.value)}"
        return f"a {_percent(share)} move{who}{hope}"

    def _known(self, state: Any) -> tuple[Any, NDArray[np.float64]] | None:
        if self._book is None or state.ply >= self.description.book_plies:
            return None
        weights = self._book.moves(state)
        if not weights:
            return None
        return np.array(list(weights)), np.array(list(weights.values()))

    def _manners(self, state: Any, value: float | None) -> tuple[bool, bool]:
        """Whether to resign, and whether to offer a draw."""
        if value is None:
            return False, False
        side, hopeless = state.to_move, (value + 1) / 2 < self.description.resign_below
        self._losing[side] = self._losing[side] + 1 if hopeless else 0
        return self._losing[side] >= self.description.resign_after, self._level(state, value)

    def _level(self, state: Any, value: float) -> bool:
        own = self.description
        return abs(value) / 2 < own.draw_within and state.ply >= own.draw_after

    def _position(self, state: Any) -> Position:
        mine, theirs = self._ratings
        theirs = mine if theirs is None else theirs
        if state.to_move == self._me:
            return Position(state, mine, theirs)
        return Position(state, theirs, mine)

    def _judged_by(self, policy: Policy) -> Callable[[Sequence[Any]], Sequence[Prediction]]:
        return lambda states: policy.predict([self._position(state) for state in states])


def make_mind(description: Description, policy: Policy | None = None) -> Mind:
    """Loads what a description names, but for its policy where that is open already.

    Raises BadDescription, BadBook, BadPolicy, BadNetwork or OSError.
    """
    own = description
    policy = policy or open_policy(own.model, own.game, threads=own.threads)
    ratings = own.number("rating"), own.number("opponent_rating")
    if complaint := beyond(policy, *ratings):
        raise BadDescription(complaint)
    if ratings != (None, None) and (complaint := untold(policy)):
        raise BadDescription(f"{complaint}: leave out rating and opponent_rating")
    judge = open_policy(own.judge, own.game, threads=own.threads) if own.judge else None
    book = open_book(Path(own.book), own.game, own.book_plies) if own.book else None
    return Mind(own, policy, judge, book)


def _settings(own: Description) -> PuctSettings:
    return PuctSettings(
        c_puct=own.c_puct,
        c_base=own.c_base,
        c_factor=own.c_factor,
        prior_temperature=own.prior_temperature,
        unvisited=own.unvisited,
        unvisited_absolute=own.unvisited_absolute,
        # In Go only passes end a game, and when to pass is another question (go_ending.py).
        seek_wins=own.game != "go",
        repetition_draws=own.game != "go",
        draw_value=own.draw_value,
        batch=own.batch,
        memory=own.memory,
    )


def _rule(own: Description) -> ChoiceRule:
    if own.rule == "kl":
        return kl_regularised(own.kl_weight)
    by_number = by_visits(own.temperature)
    return by_number if own.game == "go" else seeing_the_end(by_number)


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


def _ending(
    state: GoState, moves: Sequence[Move], shares: NDArray[np.float64], value: float | None
) -> NDArray[np.float64]:
    return with_sense_of_the_end(state, Prediction(tuple(moves), shares.astype(np.float32), value))


def _expectation(value: float) -> str:
    return "not looked at" if math.isnan(value) else f"hopes for {_percent((value + 1) / 2)}"


def _percent(share: float) -> str:
    return "<1%" if share < 0.005 else f"{share:.0%}"
