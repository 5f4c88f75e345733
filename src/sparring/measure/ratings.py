"""Maximum likelihood ratings: Bradley-Terry with Davidson's draws and a first-move advantage.

With strengths t, the advantage g of the first player and the draw weight v, let d = t_first - t_second + g.
Then (Davidson 1970, with the order effect of Davidson and Beaver 1977)

    P(first wins) = e^(d/2) / z,   P(draw) = v / z,   P(second wins) = e^(-d/2) / z,   z their sum.

The log-likelihood is concave in (t, g, log v): Newton's method finds its maximum, and the inverse of the
information there is the covariance. Ratings are t on the Elo scale, 400 / ln 10 times 2 / (2 + v), so that
between equal players a rating point is worth what it is in the Elo formula, whatever the draw rate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Literal, NamedTuple, TypeAlias

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from sparring.base.errors import UserError

ELO_PER_NAT = 400 / math.log(10)
"""Rating points per factor e of the odds."""
DEFAULT_PRIOR = 0.5
"""Default prior: half a win and half a loss of each player against a player of mean strength."""

_Vector = NDArray[np.float64]
_STEPS = 100


class RatedGame(NamedTuple):
    """A game for rating: indices of the players, and the score of the first player: 1, 0.5 or 0."""

    first: int
    second: int
    result: float


@dataclass(frozen=True)
class Ratings:
    """Ratings of n players with their covariance."""

    elo: _Vector
    """[n], anchored."""
    covariance: _Vector
    """[n, n], the covariance of `elo`; zero for the anchor."""
    strengths: _Vector
    """[n], in nats of odds, with mean 0."""
    strength_covariance: _Vector
    """[n + 2, n + 2], of the strengths, the first player's advantage and log v (0 without draws)."""
    first_advantage: float
    """Advantage of the first player in Elo."""
    draw_weight: float
    """Davidson's v: the odds of a draw to a win between equal players."""

    @cached_property
    def half_widths(self) -> _Vector:
        """[n]: half of the width of the 95 % interval of `elo`."""
        return 1.959964 * np.sqrt(np.clip(np.diagonal(self.covariance), 0, None))

    @cached_property
    def superiority(self) -> _Vector:
        """[n, n]: the likelihood of superiority of the row's player over the column's."""
        strengths = self.strength_covariance[: len(self.elo), : len(self.elo)]
        variances = np.diagonal(strengths)
        spread = np.sqrt(np.clip(variances[:, None] + variances[None, :] - 2 * strengths, 1e-12, None))
        z = (self.strengths[:, None] - self.strengths[None, :]) / spread
        return np.array([[_normal(value) for value in row] for row in z])

    def expected(self, first: int, second: int) -> tuple[float, float]:
        """The expected score of the first player, and the variance of the score of one game."""
        advantage = self.first_advantage / (ELO_PER_NAT * elo_scale(self.draw_weight))
        win, draw, _ = _probabilities(
            np.array([self.strengths[first] - self.strengths[second] + advantage]), self.draw_weight
        )
        mean = float(win[0] + draw[0] / 2)
        return mean, float(win[0] + draw[0] / 4) - mean**2


def elo_scale(draw_weight: float) -> float:
    """The factor by which draws flatten the expected score; ratings are divided by it."""
    return 2 / (2 + draw_weight)


def rate(
    games: Sequence[RatedGame],
    players: int,
    *,
    anchor: int | None = None,
    at: float = 0.0,
    prior: float = DEFAULT_PRIOR,
) -> Ratings:
    """Rates `players` players. The anchor's rating, or the mean rating if `anchor` is None, is `at`.

    `prior` is the number of wins, and of losses, of each player against a player of mean strength before the
    first game. With 0 the estimate is plain maximum likelihood, which raises UserError if it is not
    finite.
    """
    if not games:
        raise UserError("there are no games to rate")
    if prior < 0:
        raise UserError(f"a prior is a number of games, not {prior:g}")
    model = _Model(games, players, prior)
    parameters, information = model.maximum()
    covariance = _inverse(information, players)
    return _anchored(parameters, covariance, model, anchor, at)


def connected_components(games: Sequence[RatedGame], players: int) -> list[list[int]]:
    """Groups of players connected by games. Ratings of different groups cannot be compared."""
    group = list(range(players))

    def root(player: int) -> int:
        while group[player] != player:
            player = group[player]
        return player

    for game in games:
        group[root(game.first)] = root(game.second)
    components: dict[int, list[int]] = {}
    for player in range(players):
        components.setdefault(root(player), []).append(player)
    return list(components.values())


class _Model:
    """The log-posterior of (strengths, first player's advantage, log v)."""

    def __init__(self, games: Sequence[RatedGame], players: int, prior: float) -> None:
        table: dict[tuple[int, int], list[int]] = {}
        for game in games:
            table.setdefault((game.first, game.second), [0, 0, 0])[round(2 - 2 * game.result)] += 1
        self.players = players
        self.prior = prior
        self.counts = np.array(list(table.values()), float)  # [pairs, 3]: first wins, draws, second wins
        self.has_draws = bool(self.counts[:, 1].sum())
        self.design = np.zeros((len(table), players + 1))  # d = design @ (strengths, advantage)
        for row, (first, second) in enumerate(table):
            self.design[row, first], self.design[row, second], self.design[row, -1] = 1, -1, 1

    def maximum(self) -> tuple[_Vector, _Vector]:
        """The maximum of the log-posterior, and the information there."""
        at = np.zeros(self.players + 2)
        for _ in range(_STEPS):
            value, slope, information = self._derivatives(at)
            step = _inverse(information, self.players) @ slope
            if not self.has_draws:
                step[-1] = 0
            size = 1.0
            while self._derivatives(at + size * step)[0] < value - 1e-12 * abs(value) and size > 1e-9:
                size /= 2
            at = at + size * step
            if np.abs(at).max() > 50:
                break
            if np.abs(step).max() < 1e-10:
                return at, self._derivatives(at)[2]
        raise UserError("a player won or lost all games, so its rating is not finite; use the prior")

    def _derivatives(self, at: _Vector) -> tuple[float, _Vector, _Vector]:
        """The log-posterior, its gradient, and its negative Hessian."""
        weight = math.exp(at[-1]) if self.has_draws else 0.0
        win, draw, loss = _probabilities(self.design @ at[:-1], weight)
        total = self.counts.sum(axis=1)
        value = float((self.counts * np.log(np.stack([win, np.maximum(draw, 1e-300), loss], 1))).sum())
        # d enters wins with +1/2 and losses with -1/2; log v enters draws with 1.
        half = (win - loss) / 2
        slope = np.append(
            self.design.T @ ((self.counts[:, 0] - self.counts[:, 2]) / 2 - total * half),
            (self.counts[:, 1] - total * draw).sum(),
        )
        by_d = total * ((win + loss) / 4 - half**2)
        mixed = -total * half * draw
        information = np.zeros((self.players + 2, self.players + 2))
        information[:-1, :-1] = self.design.T @ (self.design * by_d[:, None])
        information[:-1, -1] = information[-1, :-1] = self.design.T @ mixed
        information[-1, -1] = (total * draw * (1 - draw)).sum()
        return self._with_prior(at, value, slope, information)

    def _with_prior(
        self, at: _Vector, value: float, slope: _Vector, information: _Vector
    ) -> tuple[float, _Vector, _Vector]:
        """Adds `prior` wins and losses for every strength and for the first player's advantage."""
        chance = 1 / (1 + np.exp(-at[:-1]))
        value += self.prior * float((np.log(chance) + np.log1p(-chance)).sum())
        slope[:-1] += self.prior * (1 - 2 * chance)
        information[:-1, :-1] += np.diag(2 * self.prior * chance * (1 - chance))
        if not self.has_draws:
            information[-1, -1] = 1.0
            return value, slope, information
        drawn = math.exp(at[-1]) / (
            2 + math.exp(at[-1])
        )  # the prior has one drawn and one decided game between equals
        value += self.prior * (math.log(drawn) + math.log1p(-drawn))
        slope[-1] += self.prior * (1 - 2 * drawn)
        information[-1, -1] += 2 * self.prior * drawn * (1 - drawn)
        return value, slope, information


def _probabilities(d: _Vector, weight: float) -> tuple[_Vector, _Vector, _Vector]:
    """Win, draw and loss of the first player."""
    d = np.clip(d, -200, 200)
    up, down = np.exp(d / 2), np.exp(-d / 2)
    total = up + down + weight
    return up / total, weight / total, down / total


def _inverse(information: _Vector, players: int) -> _Vector:
    """The covariance. The direction in which all strengths shift together gets a finite variance."""
    together = np.zeros(len(information))
    together[:players] = 1 / math.sqrt(players)
    # Without a prior the mean is not determined. Ratings are differences, which this does not change.
    curvature = together @ information @ together
    try:
        pinned = information + np.outer(together, together) * (curvature < 1e-9)
        inverse = np.asarray(np.linalg.inv(pinned), np.float64)
    except np.linalg.LinAlgError:
        inverse = np.full_like(information, np.nan)
    if not np.isfinite(inverse).all() or np.abs(inverse).max() > 1e9:
        raise UserError("the games do not connect all players by wins and losses; use the prior")
    return inverse


def _anchored(
    parameters: _Vector, covariance: _Vector, model: _Model, anchor: int | None, at: float
) -> Ratings:
    """Strengths to ratings; the uncertainty of the scale is propagated (delta method)."""
    players = model.players
    strengths = parameters[:players] - parameters[:players].mean()
    weight = math.exp(parameters[-1]) if model.has_draws else 0.0
    if not model.has_draws:
        covariance[-1, :] = covariance[:, -1] = 0
    scale = ELO_PER_NAT * elo_scale(weight)
    reference = np.full(players, 1 / players) if anchor is None else np.eye(players)[anchor]
    differences = strengths - strengths @ reference
    jacobian = np.zeros((players, players + 2))
    jacobian[:, :players] = scale * (np.eye(players) - reference)
    jacobian[:, -1] = -differences * scale * weight / (2 + weight)
    return Ratings(
        elo=at + scale * differences,
        covariance=jacobian @ covariance @ jacobian.T,
        strengths=strengths,
        strength_covariance=covariance,
        first_advantage=float(scale * parameters[players]),
        draw_weight=weight,
    )


def _normal(z: float) -> float:
    """The normal cumulative distribution function."""
    return 0.5 * math.erfc(-z / math.sqrt(2))


# Confidence intervals and significance of match scores.


Z95 = 1.959964
"""The 97.5 % quantile of the normal distribution: two-sided 95 % intervals."""


def wilson_interval(share: float, count: float, z: float = Z95) -> tuple[float, float]:
    """Wilson's score interval of a share of points over `count` games; `count` may be an effective size.

    Draws as half points have less variance than the formula assumes, so the interval is slightly too wide.
    """
    centre = share + z * z / (2 * count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    scale = 1 + z * z / count
    return (centre - half) / scale, (centre + half) / scale


# Sequential probability ratio test: is a player stronger by elo1 rather than by elo0?
#
# The generalised SPRT of fishtest: a multinomial over the scores of a game (loss, draw, win) or of a pair of
# games with colours swapped (0, 1/2, 1, 3/2, 2 points). The ratio compares the maximum likelihoods of
# multinomials whose expected scores are those of elo0 and elo1 (M. Van den Bergh, "A Practical Introduction
# to
# the GSPRT" and "Maximum likelihood estimation of multinomials with given expectation", the documents behind
# fishtest's LLRcalc).


Elo = Annotated[float, Meta(ge=-10_000, le=10_000)]
ErrorRate = Annotated[float, Meta(gt=0, lt=0.5)]
SprtStatus: TypeAlias = Literal["elo1", "elo0", "undecided"]

_NEVER_SEEN = 1e-3
"""Pseudo-count of a score that was never seen, which keeps logarithms finite; fishtest's number."""


@dataclass(frozen=True)
class Sprt:
    """`[sprt]`: the two hypotheses and the error probabilities of a sequential test."""

    elo0: Elo = 0.0
    """Elo difference of the null hypothesis."""
    elo1: Elo = 5.0
    """Elo difference of the alternative hypothesis, above elo0."""
    alpha: ErrorRate = 0.05
    """Probability of accepting elo1 if elo0 is true."""
    beta: ErrorRate = 0.05
    """Probability of accepting elo0 if elo1 is true."""

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0 ({self.elo0:g}) must be less than elo1 ({self.elo1:g})")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError(f"alpha and beta are between 0 and 0.5, not {self.alpha:g} and {self.beta:g}")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which elo0 and elo1 are accepted (Wald)."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)


@dataclass
class SequentialTest:
    """A running test."""

    sprt: Sprt
    counts: list[int] = field(default_factory=lambda: [0] * 5)
    """How often each score occurred, lowest first: five counts of pairs, or three of games."""
    llr: float = 0.0
    status: SprtStatus = "undecided"

    def add(self, score: float) -> None:
        """Adds the score of a pair (0 to 2 points) or of a game (0 to 1). Does nothing after the
        decision."""
        if self.status != "undecided":
            return
        self.counts[round(2 * score)] += 1
        self.llr = log_likelihood_ratio(self.counts, self.sprt.elo0, self.sprt.elo1)
        low, high = self.sprt.bounds
        if self.llr >= high:
            self.status = "elo1"
        elif self.llr <= low:
            self.status = "elo0"


def log_likelihood_ratio(counts: Sequence[float], elo0: float, elo1: float) -> float:
    """The log-likelihood ratio of elo1 against elo0 for the counts (3 of games, or 5 of pairs)."""
    if not sum(counts):
        return 0.0
    seen = [count or _NEVER_SEEN for count in counts]
    at0, at1 = (_likeliest(seen, 1 / (1 + 10 ** (-elo / 400))) for elo in (elo0, elo1))
    return sum(n * (math.log(p1) - math.log(p0)) for n, p0, p1 in zip(seen, at0, at1, strict=True))


def _likeliest(counts: Sequence[float], mean: float) -> list[float]:
    """The maximum likelihood probabilities with this expected score in [0, 1].

    With p the observed shares, they are p_i / (1 + x (a_i - mean)), where x is the root of sum p_i (a_i -
    mean) / (1 + x (a_i - mean)), a decreasing function: found by bisection.
    """
    total = sum(counts)
    away = [i / (len(counts) - 1) - mean for i in range(len(counts))]
    low, high = -1 / away[-1], -1 / away[0]
    for _ in range(64):
        x = (low + high) / 2
        if sum(n * a / (1 + x * a) for n, a in zip(counts, away, strict=True)) > 0:
            low = x
        else:
            high = x
    return [n / total / (1 + x * a) for n, a in zip(counts, away, strict=True)]
