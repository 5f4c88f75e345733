"""Players by a policy: `PolicyPlayer` draws moves from it, `SearchPlayer` adds PUCT."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.base.config import bad_value, native_values
from sparring.base.errors import BadConfig
from sparring.games import Move, describe
from sparring.networks import Position, Prediction
from sparring.players.behaviour_models import (
    DrawOffers,
    HumanResignation,
    Resignation,
    ResignationModel,
    ResignationRule,
    ThinkTime,
    ThinkTimeModel,
    behaviour,
)
from sparring.players.game_players import Book, OpeningStyle, StyleWeights, game_players, open_book
from sparring.players.player import Decision, GameStart, Player, Turn
from sparring.players.player_config import PlayerConfig
from sparring.policies import Policy, load_policy, rating_out_of_range, unrated
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
    search_together,
)
from sparring.search.limits import allocate_time, stop_timer

# Distributions over moves from which a player draws: of its book, its policy or its search.


WON = 0.5
"""Value, from -1 to 1, above which a searched position counts as won."""


_NODE_BYTES = 32_000
"""Most memory of a node of a tree with its moves: Go on 19x19; chess takes a third."""


@dataclass(frozen=True)
class MoveDistribution:
    """Moves with weights, and a description of the move that is drawn."""

    moves: NDArray[np.int64]
    """[moves]"""
    weights: NDArray[np.float64]
    """[moves], at least 0; `draw` normalises them."""
    describe: Callable[[int, float], str]
    """(index, probability) -> description of a move, such as `from the book (40%)`."""
    value: float | None = None
    """The player's expected result from -1 to 1; None if unknown."""

    def draw(self, rng: np.random.Generator, searchmoves: Sequence[Move] = ()) -> Decision:
        """Draws one of the moves; `searchmoves` restricts them, empty for all. Raises ValueError if none of
        them is in the distribution."""
        probabilities = self._probabilities(searchmoves)
        return self._decision(int(rng.choice(len(probabilities), p=probabilities)), probabilities)

    def likeliest(self, searchmoves: Sequence[Move] = ()) -> Decision:
        """The move with the highest probability; the rest is as in `draw`."""
        probabilities = self._probabilities(searchmoves)
        return self._decision(int(probabilities.argmax()), probabilities)

    def in_style(self, style: StyleWeights, state: Any) -> MoveDistribution:
        """The distribution given the style of its player, by Bayes' rule."""
        factors = style(state, self.moves.tolist())
        if factors is None:
            return self
        weights = self.weights * factors
        return replace(self, weights=weights) if weights.any() else self

    def _probabilities(self, searchmoves: Sequence[Move]) -> NDArray[np.float64]:
        weights = self.weights
        if searchmoves:
            allowed = np.isin(self.moves, searchmoves)
            if not allowed.any():
                raise ValueError("none of the moves to search is in the distribution")
            weights = np.where(allowed, weights, 0)
            if not weights.any():
                weights = allowed.astype(np.float64)
        probabilities: NDArray[np.float64] = weights / weights.sum()
        return probabilities

    def _decision(self, index: int, probabilities: NDArray[np.float64]) -> Decision:
        distribution = {int(m): float(p) for m, p in zip(self.moves, probabilities, strict=True) if p > 0}
        return Decision(
            int(self.moves[index]), distribution, self.describe(index, float(probabilities[index]))
        )


def policy_distribution(
    game: str, state: Any, prediction: Prediction, temperature: float, at_rating: str = ""
) -> MoveDistribution:
    """The policy's probabilities to the power of 1 / temperature; at temperature 0 its likeliest move alone.

    `at_rating` is part of the description of a move, such as ` at 1500`; empty without a rating.
    """
    weights = _tempered(prediction.probabilities.astype(np.float64), temperature)
    weights = _adjusted(game, state, prediction.moves, weights, prediction.value)
    score = "" if prediction.value is None else f", {_expected_score(prediction.value)}"
    return MoveDistribution(
        np.array(prediction.moves),
        weights,
        lambda index, probability: f"probability {_percent(probability)}{at_rating}{score}",
        prediction.value,
    )


def search_distribution(
    game: str, state: Any, result: SearchResult, selection: MoveSelection, *, avoid_draws: bool = True
) -> MoveDistribution:
    """A search's moves, by a rule of move selection.

    With `avoid_draws`, a search with a node for each move plays none that draws a won position at once.
    """
    moves = result.moves.tolist()
    weights = _adjusted(game, state, moves, selection(result), result.value)
    if avoid_draws and result.value > WON and result.nodes >= len(moves):
        weights = _without_draws(state, moves, weights)

    def searched(index: int, probability: float) -> str:
        """The probability unless no other move could be drawn, and the value unless it was not visited."""
        value = float(result.values[index])
        if math.isnan(value):
            return f"probability {_percent(probability)}"
        chance = "" if probability >= 0.995 else f"probability {_percent(probability)}, "
        return chance + _expected_score(value)

    return MoveDistribution(result.moves, weights, searched, result.value)


def _without_draws(state: Any, moves: Sequence[Move], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weights without moves that end the game as a draw, such as stalemate; as they are if all do.

    A search does not visit every move, and takes one without visits for as good as the position.
    """
    outcomes = [
        state.play(move).outcome if weight > 0 else None for move, weight in zip(moves, weights, strict=True)
    ]
    draws = np.array([outcome is not None and outcome.winner is None for outcome in outcomes])
    others: NDArray[np.float64] = np.where(draws, 0, weights)
    return others if others.any() else weights


def _adjusted(
    game: str, state: Any, moves: Sequence[Move], weights: NDArray[np.float64], value: float | None
) -> NDArray[np.float64]:
    """The weights as the game's own rule corrects them, such as Go's passing rules."""
    adjust = game_players(game).adjust_policy
    if adjust is None:
        return weights
    return adjust(state, Prediction(tuple(moves), weights.astype(np.float32), value))


def _tempered(probabilities: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    if temperature == 0:
        best: NDArray[np.float64] = np.zeros(len(probabilities))
        best[int(probabilities.argmax())] = 1
        return best
    with np.errstate(divide="ignore"):
        logs = np.log(probabilities) / temperature
    weights = np.exp(logs - logs.max())
    tempered: NDArray[np.float64] = weights / weights.sum()
    return tempered


def _expected_score(value: float) -> str:
    return f"expected score {_percent((value + 1) / 2)}"


def _percent(share: float) -> str:
    return "<1%" if share < 0.005 else f"{share:.0%}"


# The think time, resignation and draw offers of a player, by its configuration.


@cache
def _think_time_model() -> ThinkTimeModel:
    return ThinkTimeModel.from_json(behaviour("think-time"))


def make_think_time(config: PlayerConfig) -> ThinkTime | None:
    """The think times of a player; None if it answers at once."""
    return None if config.think_time == "none" else ThinkTime(_think_time_model())


def make_resignation(config: PlayerConfig) -> ResignationRule:
    """When a player resigns. Raises BadConfig if the game has no model of people's resignations."""
    if config.resignation == "rule":
        return Resignation(config.resign_below, config.resign_after)
    # The level is on the scale of people's ratings.
    strength = config.rating_number("rating") if config.level is None else config.level
    return HumanResignation(ResignationModel.from_json(_part(config.game, "resignation")), strength)


def make_draw_offers(config: PlayerConfig) -> DrawOffers:
    """When a player offers and accepts draws. Raises BadConfig if the game has no model of people's draws."""
    if config.draws == "rule":
        return DrawOffers(config.draw_within, config.draw_after, config.draw_offers)
    content = _part(config.game, "draws")
    return DrawOffers(content["within"], content["after"], chance=content["chance"])


def _part(game: str, name: str) -> Mapping[str, Any]:
    content: Mapping[str, Any] | None = behaviour(game).get(name)
    if content is None:
        raise bad_value(name, "human", f"'rule': {game} has no model of people's {name}")
    return content


def _ratings(config: PlayerConfig) -> tuple[int | None, int | None]:
    """The ratings of the player and of its opponent, by default the same."""
    own, opponent = config.rating_number("rating"), config.rating_number("opponent_rating")
    return own, own if opponent is None else opponent


def find_opening_style(game: str, name: str | None) -> OpeningStyle | None:
    """The style of a name; None for no name. Raises BadConfig for a style that the game does not have."""
    if not name:
        return None
    styles = game_players(game).opening_styles
    if name not in styles:
        raise bad_value("opening_style", name, f"one of {', '.join(styles)}" if styles else f"none in {game}")
    return styles[name]


class PolicyPlayer(Player):
    """Plays from its book, then draws each move from the policy. It has no tree and no thread.

    The policy is conditioned on the ratings of both players. `config.seed` takes precedence over the seed of
    a game.
    """

    def __init__(self, config: PlayerConfig, policy: Policy, book: Book | None = None) -> None:
        super().__init__(config.name, config.seed)
        self.config, self.policy = config, policy
        self._book = book
        self._ratings = _ratings(config)
        self._resignation = make_resignation(config)
        self._draw_offers = make_draw_offers(config)
        self._think_time = make_think_time(config)
        self._style = find_opening_style(config.game, config.opening_style)
        self._player = 0
        """The side of its last turn, whose rating is `config.rating`."""

    def new_game(self, start: GameStart) -> None:
        """Clears the state of the last game and seeds the random generator."""
        seed = start.seed if self.config.seed is None else self.config.seed
        self._rng = np.random.default_rng(seed)
        self._resignation.reset()
        if self._think_time is not None:
            self._think_time.reset()
        if start.player is not None:
            self._player = start.player

    def choose(self, turn: Turn) -> Decision:
        """Draws a move. With `limits.infinite` it answers when `stop` is set."""
        started = time.perf_counter()
        if turn.limits.infinite and turn.stop is not None:
            turn.stop.wait()
        self._player = turn.state.to_move
        prediction = self.predict(turn.state)
        return self._decide(turn, self._distribution(turn, prediction), prediction, None, started)

    def hint(self, turn: Turn) -> Decision:
        """The likeliest move of its book or its policy."""
        with self._taking_side(turn.state):
            prediction = self.predict(turn.state)
        likeliest = self._distribution(turn, prediction).likeliest(turn.limits.searchmoves)
        return replace(likeliest, value=prediction.value, prediction=prediction)

    def accepts_draw(self, state: Any) -> bool:
        """Whether a draw is no worse than the policy's value of the state."""
        value = self.predict(state).value
        if value is not None and state.to_move != self._player:
            value = -value
        return self._draw_offers.accepts(self._game_ply(state), value)

    def predict(self, state: Any) -> Prediction:
        """The policy's prediction."""
        return self.predict_states([state])[0]

    def predict_states(self, states: Sequence[Any]) -> Sequence[Prediction]:
        """The policy's predictions, with the ratings of both players."""
        return self.policy.predict([self._position(state) for state in states])

    def _distribution(self, turn: Turn, prediction: Prediction) -> MoveDistribution:
        rating, _ = self._ratings
        at_rating = "" if rating is None else f" at {describe(self.policy.game).ratings.format(rating)}"
        return self._opening(turn) or policy_distribution(
            self.config.game, turn.state, prediction, self.config.temperature, at_rating
        )

    @contextmanager
    def _taking_side(self, state: Any) -> Iterator[None]:
        """Takes the side to move within the block only."""
        side, self._player = self._player, state.to_move
        try:
            yield
        finally:
            self._player = side

    def _position(self, state: Any) -> Position:
        """The state with the ratings of both players."""
        own, opponent = self._ratings
        return Position(state, *((own, opponent) if state.to_move == self._player else (opponent, own)))

    def _opening(self, turn: Turn) -> MoveDistribution | None:
        """The book's moves among those of the turn; None if there are none, or after `book_plies`."""
        if self._book is None or turn.state.ply >= self.config.book_plies:
            return None
        allowed, weights = turn.limits.searchmoves, self._book.moves(turn.state)
        if allowed:
            weights = {move: weight for move, weight in weights.items() if move in allowed}
        if not weights:
            return None
        return MoveDistribution(
            np.array(list(weights)),
            np.array(list(weights.values())),
            lambda index, probability: f"from the book ({probability:.0%})",
        )

    def _decide(
        self,
        turn: Turn,
        distribution: MoveDistribution,
        prediction: Prediction,
        search: SearchResult | None,
        started: float,
    ) -> Decision:
        """Draws the move and adds resignation, draw offer, value and time.

        `started` is the `time.perf_counter()` at which the turn began. People's rules for resigning and draws
        go by the policy's value, which is the expected score of people; the others by the search's.
        """
        value = prediction.value if search is None else search.value
        if self._style is not None and self._opening(turn) is None:
            distribution = distribution.in_style(self._style.weights, turn.state)
        drawn = distribution.draw(self._rng, turn.limits.searchmoves)
        ply, config = self._game_ply(turn.state), self.config
        resigning = prediction.value if config.resignation == "human" else value
        drawing = prediction.value if config.draws == "human" else value
        think = self._think(turn, prediction, drawn)
        return replace(
            drawn,
            value=value,
            resign=self._resignation.decide(turn.state.to_move, resigning, ply, self._rng),
            offer_draw=self._draw_offers.offers(ply, drawing, self._rng),
            seconds=max(time.perf_counter() - started, think),
            search=search,
            prediction=prediction,
        )

    def _think(self, turn: Turn, prediction: Prediction, drawn: Decision) -> float:
        """Seconds that a person would take; 0 without a clock."""
        clock, opponent = turn.limits.clock, turn.limits.opponent_clock
        if self._think_time is None or clock is None:
            return 0.0
        chosen = dict(zip(prediction.moves, prediction.probabilities, strict=True)).get(drawn.move, 0.0)
        ply, rating = self._game_ply(turn.state), self._ratings[0]
        return self._think_time.seconds(clock, opponent, prediction, float(chosen), ply, rating, self._rng)

    def _game_ply(self, state: Any) -> int:
        """Moves since the beginning of the game, also where play began from a later position."""
        return describe(self.config.game).game_ply(state)


class SearchPlayer(PolicyPlayer):
    """A policy player that searches each move with PUCT and selects one by the result.

    It keeps its tree from move to move. With `config.nodes` 0 it plays from the policy alone, unless a turn
    has a limit of more than one node. The tree is made by the first search.
    """

    def __init__(
        self,
        config: PlayerConfig,
        policy: Policy,
        evaluator: Policy | None = None,
        book: Book | None = None,
    ) -> None:
        """`evaluator` searches in place of the policy, if given."""
        super().__init__(config, policy, book)
        self._evaluator = evaluator
        self._selection = move_selection(config)
        self._search: Puct | None = None

    def new_game(self, start: GameStart) -> None:
        """Clears the state of the last game and seeds the random generator."""
        super().new_game(start)
        self._search = None

    def choose(self, turn: Turn) -> Decision:
        """Plays from its book, or searches and draws a move by the rule of its configuration. An infinite
        search does not use the book."""
        if not self._searches(turn):
            return super().choose(turn)
        started = time.perf_counter()
        self._player = turn.state.to_move
        if self._search is None or not self.config.reuse_tree:
            self._search = self._new_search()
        result, prediction, distribution = self._consider(self._search, turn)
        return self._decide(turn, distribution, prediction, result, started)

    def hint(self, turn: Turn) -> Decision:
        """The likeliest move, by a search of its own: the game's tree stays as it is."""
        if not self._searches(turn):
            return super().hint(turn)
        with self._taking_side(turn.state):
            result, prediction, distribution = self._consider(self._new_search(), turn)
        likeliest = distribution.likeliest(turn.limits.searchmoves)
        return replace(likeliest, value=result.value, search=result, prediction=prediction)

    @property
    def memory_bytes(self) -> int:
        """The size of the tree."""
        return 0 if self._search is None else self._search.memory_bytes

    @property
    def search_bytes(self) -> int:
        """The size of a tree of as many nodes as the player searches."""
        return (self.config.nodes or 0) * _NODE_BYTES

    def close(self) -> None:
        """Releases the tree."""
        self._search = None

    def _searches(self, turn: Turn) -> bool:
        limits = turn.limits
        if self.config.nodes == 0 and (limits.nodes or 0) <= 1:
            return False
        return limits.infinite or self._opening(turn) is None

    def _new_search(self) -> Puct:
        policy = self._evaluator or self.policy
        return Puct(
            lambda states: policy.predict([self._position(state) for state in states]),
            puct_config(self.config),
        )

    def _consider(self, search: Puct, turn: Turn) -> tuple[SearchResult, Prediction, MoveDistribution]:
        """Searches within the limits of the turn. A time limit holds also during a slow evaluation."""
        limits, config = self._limits(turn), self.config
        seconds = limits.seconds if turn.stop is None else None
        stop = Event() if seconds is not None else turn.stop
        with stop_timer(seconds, stop):
            result = search.search(
                turn.state,
                limits,
                stop=stop,
                report=turn.report,
                every=turn.report_seconds,
                until_decided=config.rule == "visits" and config.temperature == 0,
            )
        prediction = result.evaluation if self._evaluator is None else None
        distribution = search_distribution(
            config.game, turn.state, result, self._selection, avoid_draws=config.play_forced_wins
        )
        return result, prediction or self.predict(turn.state), distribution

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


def puct_config(config: PlayerConfig) -> PuctConfig:
    """The search settings of a player."""
    search = describe(config.game).search
    values = native_values(config)
    values["find_immediate_wins"] &= search.find_immediate_wins
    return PuctConfig(repetition_draws=search.repetition_draws, **values)


def move_selection(config: PlayerConfig) -> MoveSelection:
    """The rule by which a player selects a move from its search."""
    if config.rule == "kl":
        return kl_regularised(config.kl_weight)
    if config.rule == "visits":
        rule = by_visits(
            config.temperature,
            unvisited_share=config.unvisited_share,
            policy_temperature=config.policy_temperature,
        )
    else:
        rule = regularised_policy(config.c_puct, config.temperature)
    forced = config.play_forced_wins and describe(config.game).search.prefer_proven
    return prefer_proven(rule) if forced else rule


# A player's move distributions in many positions at once: one network batch, or one search in lockstep.


def lockstep_distributions(
    policy: Policy, config: PlayerConfig, states: Sequence[Any]
) -> list[MoveDistribution]:
    """The distributions from which a player with this policy draws its moves, one per state.

    The player is on move in all states. Each search begins with an empty tree; there is no book.
    """
    if not states:
        return []
    positions = [Position(state, *_ratings(config)) for state in states]
    if config.nodes <= 1:  # a search of one node plays from the policy
        return [
            policy_distribution(policy.game, state, prediction, config.temperature)
            for state, prediction in zip(states, policy.predict(positions), strict=True)
        ]
    selection = move_selection(config)
    results = search_together(policy, positions, puct_config(config), config.nodes)
    return [
        search_distribution(policy.game, state, result, selection, avoid_draws=config.play_forced_wins)
        for state, result in zip(states, results, strict=True)
    ]


def make_player(config: PlayerConfig, policy: Policy | None = None, *, search: bool = False) -> PolicyPlayer:
    """The player of a configuration: a PolicyPlayer if it has no nodes to search, else a SearchPlayer.

    Args:
        policy: the configuration's policy, if it is loaded already.
        search: makes a SearchPlayer in any case, for front ends whose turns may ask for a search.

    Raises one of `players.LOAD_ERRORS`.
    """
    policy = policy or load_policy(config.model, config.game, threads=config.threads)
    ratings = config.rating_number("rating"), config.rating_number("opponent_rating")
    if complaint := rating_out_of_range(policy, *ratings):
        raise BadConfig(complaint)
    if ratings != (None, None) and (complaint := unrated(policy)):
        raise BadConfig(f"{complaint}: leave out rating and opponent_rating")
    book = open_book(Path(config.book), config.game, config.book_plies) if config.book else None
    if not search and not config.nodes:
        return PolicyPlayer(config, policy, book)
    evaluator = None
    if config.evaluator:
        evaluator = load_policy(config.evaluator, config.game, threads=config.threads)
    return SearchPlayer(config, policy, evaluator, book)
