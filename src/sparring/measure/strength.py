"""A player's rating from the evidence of its games: a posterior on a grid of ratings.

The log-likelihood of the moves under the rating conditioned on is not taken at face value. Moves of one game
are not independent, the network's ratings are not exactly people's, and players differ in style at equal
strength:

    r - m = shift + scale * (r' - m) + offset,   p(games | r') = exp(weight * sum log p(move | r')) / Z

with the middle m of those ratings and a normal offset of each player. The features of the strong network
are a second, normal observation of the rating. The parameters are fitted to players of known rating
(`studies/ace/strength_fit.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from sparring import data
from sparring.base.errors import BadConfig, NotFound
from sparring.games import describe
from sparring.networks.codec import PositionBatch, PredictionBatch
from sparring.policies import Policy, load_policy
from sparring.policies.policy import Array, clipped_log, predict_batch, segment_argmax
from sparring.records.readers import RecordedGame

# What the moves of a game say about the strength of each player.
#
# The evidence of a player's moves is the log-likelihood sum log p(move | r) under a policy of people's moves,
# as a function of the rating r that the policy is conditioned on, and features of the moves by a strong
# network. The opponent's rating is r, too: the true one would give the answer away, since people play their
# equals.


FEATURES = ("loss", "blunders", "surprise", "agreement")
"""Means over a player's moves by the strong network: expected points lost, share of moves that lose more than
0.1, log-probability of its best move less that of the move (at most 5), share of its best moves."""
_BLUNDER = 0.1
_MOST_SURPRISE = 5.0
_GAMES = 100
"""Games that are evaluated together."""


@dataclass(frozen=True)
class GameEvidence:
    """The moves of one player in one game."""

    curve: Array
    """[ratings]: sum of log p(move | r)."""
    features: Array
    """[features]: sums over the moves; divide by `moves` for means."""
    moves: int


@dataclass(frozen=True)
class _Plies:
    """The plies of some games in which there was a choice."""

    states: list[Any]
    played: NDArray[np.int64]
    """[plies]: index of the move played among the legal moves."""
    after: list[Any]
    side: NDArray[np.int64]
    """[plies]: twice the index of the game, plus the player to move."""


def collect_evidence(
    human: Policy,
    strong: Policy | None,
    games: Sequence[RecordedGame],
    ratings: Sequence[float],
    most_moves: int = 0,
) -> Iterator[tuple[GameEvidence | None, GameEvidence | None]]:
    """Yields the evidence of the first and of the second player of each game; None without moves.

    `human` is conditioned on ratings, `strong` gives values; without it all features are 0. `most_moves` of a
    player's moves in a game count, evenly spread; 0 for all. Raises BadFile if a move is not legal.
    """
    for start in range(0, len(games), _GAMES):
        some = games[start : start + _GAMES]
        plies = _plies(some, most_moves)
        curves, features = _curves(human, plies, ratings), _features(strong, plies)
        for number in range(len(some)):
            first, second = (plies.side == 2 * number + side for side in (0, 1))
            yield _evidence(curves, features, first), _evidence(curves, features, second)


def _evidence(curves: Array, features: Array, mine: NDArray[np.bool_]) -> GameEvidence | None:
    if not mine.any():
        return None
    return GameEvidence(curves[mine].sum(axis=0), features[mine].sum(axis=0), int(mine.sum()))


def _plies(games: Sequence[RecordedGame], most_moves: int) -> _Plies:
    rows = [
        (state, legal.index(following.last_move), following, 2 * number + state.to_move)
        for number, game in enumerate(games)
        for state, following in pairwise(game.states)
        if len(legal := state.legal_moves()) > 1 and following.last_move in legal
    ]
    if most_moves:
        sides = np.array([side for *_, side in rows], np.int64)
        places = [_spread(np.flatnonzero(sides == side), most_moves) for side in np.unique(sides)]
        rows = [rows[place] for own in places for place in own]
    states, played, after, side = zip(*rows, strict=True) if rows else ((), (), (), ())
    return _Plies(list(states), np.array(played, np.int64), list(after), np.array(side, np.int64))


def _spread(places: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """At most so many places, evenly spread, each from the middle of its part."""
    if len(places) <= most:
        return places
    return places[(2 * np.arange(most) + 1) * len(places) // (2 * most)]


def _predict(policy: Policy, states: list[Any], rating: float) -> PredictionBatch:
    count = len(states)
    batch = PositionBatch(
        describe(policy.game).states_class(states), np.full((count, 2), rating), np.full(count, np.nan)
    )
    return predict_batch(policy, batch)


def _curves(human: Policy, plies: _Plies, ratings: Sequence[float]) -> Array:
    """log p(move played | r) [plies, ratings]."""
    if not plies.states:
        return np.zeros((0, len(ratings)))
    columns = []
    for rating in ratings:
        predicted = _predict(human, plies.states, rating)
        columns.append(clipped_log(predicted.probabilities[predicted.offsets[:-1] + plies.played]))
    return np.stack(columns, axis=1)


def _features(strong: Policy | None, plies: _Plies) -> Array:
    """[plies, features] of `FEATURES`."""
    if strong is None or not plies.states:
        return np.zeros((len(plies.states), len(FEATURES)))
    predicted = _predict(strong, plies.states, np.nan)
    logs = clipped_log(predicted.probabilities)
    best = segment_argmax(logs, predicted.offsets)
    chosen = predicted.offsets[:-1] + plies.played
    loss = np.clip(predicted.values + policy_values(strong, plies.after), 0, 2) / 2
    surprise = np.minimum(logs[best] - logs[chosen], _MOST_SURPRISE)
    return np.stack([loss, loss > _BLUNDER, surprise, best == chosen], axis=1).astype(np.float64)


def policy_values(policy: Policy, states: list[Any]) -> Array:
    """The values of states for the side to move; of ended games, the result."""
    values = np.zeros(len(states))
    going = [i for i, state in enumerate(states) if state.outcome is None]
    for i, state in enumerate(states):
        if state.outcome is not None and state.outcome.winner is not None:
            values[i] = 1.0 if state.outcome.winner == state.to_move else -1.0
    if going:
        values[going] = _predict(policy, [states[i] for i in going], np.nan).values
    return values


GRID_POINTS = 141
"""Ratings at which a posterior is computed."""
_DEGREE = 4
"""Degree of the polynomial through the log-likelihoods, if the policy was asked at enough ratings."""
_BEYOND = 0.25
"""Margin of the rating grid beyond the policy's rating range, as a fraction of that range."""


@dataclass(frozen=True)
class StrengthModel:
    """The parameters of the posterior."""

    game: str
    ratings: tuple[float, ...]
    """Ratings on which the policy is conditioned."""
    prior: tuple[float, float]
    """Mean and standard deviation of the population's ratings."""
    weight: float
    """Weight of the log-likelihood."""
    scale: float
    shift: float
    player_error: float
    """Standard deviation of a player's offset from what its moves say, in rating points."""
    feature_weights: tuple[float, ...]
    """The predicted rating of a game: a constant, and one weight for each feature's mean."""
    feature_line: tuple[float, float]
    """The expected prediction at a rating: intercept and slope."""
    feature_errors: tuple[float, float]
    """Standard deviation of the prediction between games of one player, and between players."""
    feature_weight: float
    """Weight of the features' log-likelihood."""
    note: str = ""
    """How it was fitted."""
    most_moves: int = 0
    """Moves of a player in a game that count, evenly spread; 0 for all."""
    rows: int = 0
    """Rows of the boards that it was fitted on, in a game with boards of several sizes; 0 for any."""

    @property
    def grid(self) -> Array:
        """The ratings [grid] at which a posterior is computed."""
        low, high = self.ratings[0], self.ratings[-1]
        beyond = _BEYOND * (high - low)
        return np.linspace(low - beyond, high + beyond, GRID_POINTS)

    def fits(self, game: RecordedGame) -> bool:
        """Whether the board of a game is of the size that the model knows."""
        return not self.rows or game.states[0].size == self.rows

    @classmethod
    def of(cls, content: dict[str, Any]) -> StrengthModel:
        """The model of a file's content. Raises BadConfig."""
        try:
            arguments: dict[str, Any] = {
                key: tuple(value) if isinstance(value, list) else value for key, value in content.items()
            }
            return cls(**arguments)
        except TypeError as error:
            raise BadConfig(f"not a strength model: {error}") from None


@dataclass(frozen=True)
class RatingEstimate:
    """The rating of a player with a 95 % interval."""

    rating: float
    """Mean of the posterior."""
    low: float
    high: float
    games: int
    moves: int
    posterior: Array
    """[grid]: probabilities."""


def estimate_rating(model: StrengthModel, games: Sequence[GameEvidence]) -> RatingEstimate:
    """The rating of the player of these games. Without games it is that of the population."""
    prior = _normalised(_log_prior(model)[None])
    posterior = np.exp(log_posteriors(model, PlayerSummary.of([games])) if games else prior)[0]
    total = np.cumsum(posterior)
    low, high = (float(np.interp(share, total, model.grid)) for share in (0.025, 0.975))
    mean = float((posterior * model.grid).sum())
    return RatingEstimate(mean, low, high, len(games), sum(game.moves for game in games), posterior)


@dataclass(frozen=True)
class PlayerSummary:
    """What the posteriors of n players depend on."""

    curves: Array
    """[n, ratings]: sums of log p(move | r) over the games."""
    features: Array
    """[n, 1 + features]: means over the games of `feature_rows`."""
    games: Array
    """[n]: number of games."""

    @classmethod
    def of(cls, players: Sequence[Sequence[GameEvidence]]) -> PlayerSummary:
        """The summary of players, each with at least one game."""
        return cls(
            np.array([np.sum([game.curve for game in games], axis=0) for games in players]),
            np.array([feature_rows(games).mean(axis=0) for games in players]),
            np.array([float(len(games)) for games in players]),
        )


def log_posteriors(model: StrengthModel, players: PlayerSummary) -> Array:
    """The logarithms of the posterior probabilities [n, grid]."""
    logs = (
        _log_prior(model)
        + curve_log_likelihood(model, players.curves)
        + model.feature_weight * feature_log_likelihood(model, players)
    )
    return _normalised(logs)


def curve_log_likelihood(model: StrengthModel, curves: Array) -> Array:
    """The log-likelihoods [n, grid] of moves from those at the policy's ratings [n, ratings]."""
    levels, grid = np.array(model.ratings), model.grid
    middle = levels.mean()
    inside = np.clip(middle + (grid - middle - model.shift) / model.scale, levels[0], levels[-1])
    interpolation = _polynomials(inside, levels) @ np.linalg.pinv(_polynomials(levels, levels))
    logs = model.weight * (curves - curves.max(axis=1, keepdims=True)) @ interpolation.T
    likelihoods = np.exp(logs - logs.max(axis=1, keepdims=True))
    # The player's offset: a convolution with its normal distribution.
    step = grid[1] - grid[0]
    kernel = np.exp(-0.5 * ((grid[:, None] - grid[None, :]) / max(model.player_error, 0.1 * step)) ** 2)
    smoothed: Array = np.log(likelihoods @ (kernel / kernel.sum(axis=1, keepdims=True)).T + 1e-300)
    return smoothed


def feature_log_likelihood(model: StrengthModel, players: PlayerSummary) -> Array:
    """The log-likelihoods [n, grid] of the features' predictions."""
    predictions = players.features @ np.array(model.feature_weights)
    intercept, slope = model.feature_line
    between_games, between_players = model.feature_errors
    variances = between_players**2 + between_games**2 / players.games
    logs: Array = -0.5 * (predictions[:, None] - intercept - slope * model.grid) ** 2 / variances[:, None]
    return logs


def feature_rows(games: Sequence[GameEvidence]) -> Array:
    """[games, 1 + features]: a constant and the features' means."""
    return np.array([[1.0, *(game.features / game.moves)] for game in games])


def _polynomials(ratings: Array, levels: Array) -> Array:
    x = 2 * (ratings - levels.mean()) / (levels[-1] - levels[0])
    return np.stack([x**power for power in range(min(_DEGREE, len(levels) - 1) + 1)], axis=1)


def _log_prior(model: StrengthModel) -> Array:
    mean, deviation = model.prior
    logs: Array = -0.5 * ((model.grid - mean) / deviation) ** 2
    return logs


def _normalised(logs: Array) -> Array:
    logs = logs - logs.max(axis=1, keepdims=True)
    normalised: Array = logs - np.log(np.exp(logs).sum(axis=1, keepdims=True))
    return normalised


# `measure_levels`: how strong are the players of some games?


@dataclass(frozen=True)
class PlayerLevel:
    """A player of some games and its estimated rating."""

    name: str
    estimate: RatingEstimate
    known: float | None
    """Mean of the ratings in the records; None where unknown. The estimate does not use them."""


def shipped_strength_model(game: str) -> StrengthModel:
    """The model of a game that is part of the package. Raises NotFound."""
    if game not in data.names("strength"):
        there = ", ".join(data.names("strength"))
        raise NotFound(f"strength can be measured in {there}, not in {game} (docs/measuring.md says why)")
    return StrengthModel.of(msgspec.json.decode(data.path("strength", game).read_bytes()))


def measure_levels(
    games: Sequence[RecordedGame],
    names: Sequence[str] = (),
    *,
    model: StrengthModel | None = None,
    human: Policy | None = None,
    strong: Policy | None = None,
    on_game: Callable[[int], None] = lambda _: None,
) -> list[PlayerLevel]:
    """Estimates the ratings of the players with these names, or of all players, from their moves in `games`.

    Players are in the order of `names`, else by number of games. `model`, `human` and `strong` are by default
    the shipped ones; `strong` is used only if the model has a weight for its features. `on_game` is called
    after each game with the number of games so far. Raises NotFound or BadFile, and ValueError for a
    name without moves, no games, or games of several kinds.
    """
    if len({game.game for game in games}) != 1:
        raise ValueError("games of one kind are expected, at least one")
    kind = games[0].game
    model = model or shipped_strength_model(kind)
    wanted = [game for game in games if not names or any(name in names for name in game.players)]
    if wanted and not (wanted := [game for game in wanted if model.fits(game)]):
        raise ValueError(f"strength is measured on boards of {model.rows} rows, and there is no such game")
    human = human or load_policy("human", kind)
    if model.feature_weight > 0:
        strong = strong or load_policy("strong", kind)
    by_player: dict[str, list[GameEvidence]] = {name: [] for name in names}
    ratings: dict[str, list[int]] = {}
    collected = collect_evidence(human, strong, wanted, model.ratings, model.most_moves)
    for number, (game, sides) in enumerate(zip(wanted, collected, strict=True), 1):
        for name, rating, evidence in zip(game.players, game.ratings, sides, strict=True):
            name = name or "?"
            if evidence is None or (names and name not in names):
                continue
            by_player.setdefault(name, []).append(evidence)
            if rating is not None:
                ratings.setdefault(name, []).append(rating)
        on_game(number)
    if missing := [name for name, evidence in by_player.items() if not evidence]:
        raise ValueError(f"there are no moves of {missing[0]}")
    players = list(by_player) if names else sorted(by_player, key=lambda name: -len(by_player[name]))
    means = {name: sum(values) / len(values) for name, values in ratings.items()}
    return [PlayerLevel(name, estimate_rating(model, by_player[name]), means.get(name)) for name in players]
