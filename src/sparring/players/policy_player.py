"""A player that draws its moves from a policy, without search."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from sparring.games import describe
from sparring.networks import Position, Prediction
from sparring.players.behaviour import make_draw_offers, make_resignation, make_think_time
from sparring.players.book import Book
from sparring.players.move_distribution import MoveDistribution, book_distribution, policy_distribution
from sparring.players.player import BasePlayer, Decision, GameStart, Turn
from sparring.players.player_config import PlayerConfig
from sparring.policies import Policy, rating_text
from sparring.search import SearchResult


class PolicyPlayer(BasePlayer):
    """Plays from its book, then draws each move from the policy. It has no tree and no thread.

    The policy is conditioned on the ratings of both players. `config.seed` takes precedence over the seed of
    a game.
    """

    def __init__(self, config: PlayerConfig, policy: Policy, book: Book | None = None) -> None:
        super().__init__(config.name, config.seed)
        self.config, self.policy = config, policy
        self._book = book
        self._ratings = (config.rating_number("rating"), config.rating_number("opponent_rating"))
        self._resignation = make_resignation(config)
        self._draw_offers = make_draw_offers(config)
        self._think_time = make_think_time(config)
        self._player = 0
        """The side of its last turn."""

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
        self.take_side(turn.state)
        prediction = self.predict(turn.state)
        return self.decide(turn, self._distribution(turn, prediction), prediction, None, started)

    def hint(self, turn: Turn) -> Decision:
        """The likeliest move of its book or its policy."""
        with self.taking_side(turn.state):
            prediction = self.predict(turn.state)
        likeliest = self._distribution(turn, prediction).likeliest(turn.limits.searchmoves)
        return replace(likeliest, value=prediction.value, prediction=prediction)

    def accepts_draw(self, state: Any) -> bool:
        """Whether a draw is no worse than the policy's value of the state."""
        value = self.predict(state).value
        if value is not None and state.to_move != self._player:
            value = -value
        return self._draw_offers.accepts(self._game_ply(state), value)

    def _distribution(self, turn: Turn, prediction: Prediction) -> MoveDistribution:
        rating, _ = self._ratings
        at_rating = "" if rating is None else f" at {rating_text(self.policy.game, rating)}"
        return self.opening(turn) or policy_distribution(
            self.config.game, turn.state, prediction, self.config.temperature, at_rating
        )

    # The parts below also serve SearchPlayer.

    def take_side(self, state: Any) -> None:
        """Makes the side to move the player's own side: `config.rating` is then its rating."""
        self._player = state.to_move

    @contextmanager
    def taking_side(self, state: Any) -> Iterator[None]:
        """Takes the side to move within the block only."""
        side, self._player = self._player, state.to_move
        try:
            yield
        finally:
            self._player = side

    def position(self, state: Any) -> Position:
        """The state with the ratings of both players. An unknown rating of the opponent is the
        player's own."""
        own, opponent = self._ratings
        opponent = own if opponent is None else opponent
        return Position(state, *((own, opponent) if state.to_move == self._player else (opponent, own)))

    def predict(self, state: Any) -> Prediction:
        """The policy's prediction."""
        return self.policy.predict([self.position(state)])[0]

    def predict_states(self, states: Sequence[Any]) -> Sequence[Prediction]:
        """The policy's predictions, with the ratings of both players."""
        return self.policy.predict([self.position(state) for state in states])

    def opening(self, turn: Turn) -> MoveDistribution | None:
        """The book's moves among those of the turn; None if there are none, or after `book_plies`."""
        if self._book is None or turn.state.ply >= self.config.book_plies:
            return None
        return book_distribution(self._book, turn.state, turn.limits.searchmoves)

    def decide(
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
        drawn = distribution.draw(self._rng, turn.limits.searchmoves)
        ply, human = self._game_ply(turn.state), prediction.value
        by_people = self.config.resignation == "human", self.config.draws == "human"
        think = self._think(turn, prediction, drawn)
        return replace(
            drawn,
            value=value,
            resign=self._resignation.decide(
                turn.state.to_move, human if by_people[0] else value, ply, self._rng
            ),
            offer_draw=self._draw_offers.offers(ply, human if by_people[1] else value, self._rng),
            seconds=max(time.perf_counter() - started, think),
            search=search,
            prediction=prediction,
        )

    def _think(self, turn: Turn, prediction: Prediction, drawn: Decision) -> float:
        """Seconds that a person would take; 0 without a clock."""
        limits = turn.limits
        if self._think_time is None or limits.clock is None:
            return 0.0
        places = dict(zip(prediction.moves, prediction.probabilities, strict=True))
        chosen = float(places.get(drawn.move, 0.0))
        return self._think_time.seconds(
            limits.clock,
            limits.opponent_clock,
            prediction,
            chosen,
            self._game_ply(turn.state),
            self._ratings[0],
            self._rng,
        )

    def _game_ply(self, state: Any) -> int:
        """Moves since the beginning of the game, also where play began from a later position."""
        return describe(self.config.game).game_ply(state)
