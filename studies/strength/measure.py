"""Errors, coverage and accuracy by group of estimates of strength, also of `sparring measure level`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.measure import strength as product
from sparring.policies.policy import Array
from studies.ace.strength_fit import RatedPlayer, fit_strength_model
from studies.strength.fit import normal_kernel
from studies.strength.model import GRID, StrengthModel, log_likelihoods
from studies.strength.moves import GROUPS, RATINGS, Side, group_of, hashed

GAMES = (1, 5, 10, 20)
"""Numbers of games of which groups are told."""
_RESAMPLES, _SETS = 200, 40
"""Bootstrap resamples, and sets of games of each group in one of them."""


@dataclass(frozen=True)
class Method:
    """A way to estimate ratings."""

    name: str
    likelihoods: Callable[[Sequence[Side]], Array]
    """[sides, grid]: log-likelihoods of single sides at `GRID`."""
    player_error: Callable[[Side], float]
    """Standard deviation of the offset of the player of a side."""
    log_prior: Array
    """[grid]."""

    def estimates(self, players: Sequence[Sequence[Side]]) -> Array:
        """[players, 3]: rating and 95 % interval of the player of some sides."""
        rows = []
        for sides in players:
            kernel = normal_kernel(self.player_error(sides[0]))
            logs = self.likelihoods(sides).sum(axis=0)
            posterior = kernel @ np.exp(logs - logs.max()) * np.exp(self.log_prior)
            posterior /= posterior.sum()
            bounds = np.interp((0.025, 0.975), np.cumsum(posterior), GRID)
            rows.append([posterior @ GRID, *bounds])
        return np.array(rows)


def new_method(name: str, model: StrengthModel, log_prior: Array) -> Method:
    """The log-linear model."""

    def likelihoods(sides: Sequence[Side]) -> Array:
        return log_likelihoods(model, [side.evidence() for side in sides])

    return Method(name, likelihoods, lambda side: model.player_error, log_prior)


def curve_method(name: str, models: dict[bool, product.StrengthModel], log_prior: Array) -> Method:
    """The likelihood curve alone, with a model of blitz and one of slower games."""

    def likelihoods(sides: Sequence[Side]) -> Array:
        rows = []
        for side in sides:
            model = replace(models[side.slow], player_error=0.0)
            # A polynomial through the ratings asked gives the curve at those of the model.
            fitted = np.polynomial.Polynomial.fit(RATINGS, np.sum(side.curves, axis=0), len(RATINGS) - 1)
            logs = product.curve_log_likelihood(model, fitted(np.array(model.ratings))[None])[0]
            rows.append(np.interp(GRID, model.grid, logs))
        return np.array(rows)

    return Method(name, likelihoods, lambda side: models[side.slow].player_error, log_prior)


def refitted_curves(sides: Sequence[Side]) -> dict[bool, product.StrengthModel]:
    """The likelihood curve's models of blitz and of slower games, fitted on the same sides."""
    players: dict[bool, list[RatedPlayer]] = {False: [], True: []}
    for side in sides:
        curve = np.sum(side.curves, axis=0)
        game = product.GameEvidence(curve, np.zeros(4), len(side.curves))
        players[side.slow].append(RatedPlayer(side.name, float(side.rating), (game,)))
    return {slow: fit_strength_model("chess", RATINGS, some) for slow, some in players.items()}


def errors(methods: Sequence[Method], players: Sequence[Sequence[Side]]) -> dict[str, Any]:
    """Mean absolute error, bias, coverage and width of the interval for players, by method, with bootstrap
    intervals over people; differences of the error from that of the first method are paired."""
    if not players:
        return {}
    known = np.array([np.mean([side.rating for side in sides]) for sides in players])
    found = {method.name: method.estimates(players) for method in methods}
    resamples = _resampled([sides[0].name for sides in players])
    first = np.abs(found[methods[0].name][:, 0] - known)
    report: dict[str, Any] = {
        "estimates": len(players),
        "people": len({sides[0].name for sides in players}),
        "error_of_the_median": _interval(np.abs(known - np.median(known)), resamples),
    }
    for name, numbers in found.items():
        gaps = np.abs(numbers[:, 0] - known)
        inside = (numbers[:, 1] <= known) & (known <= numbers[:, 2])
        report[name] = {
            "mean_absolute_error": _interval(gaps, resamples),
            "less_the_first": _interval(gaps - first, resamples),
            "bias": _interval(numbers[:, 0] - known, resamples),
            "coverage": _interval(inside.astype(np.float64), resamples),
            "width": float((numbers[:, 2] - numbers[:, 1]).mean()),
        }
    return report


def _resampled(names: Sequence[str]) -> list[Array]:
    rng = np.random.default_rng(0)
    by_name: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        by_name.setdefault(name, []).append(place)
    people = [np.array(places) for places in by_name.values()]
    return [
        np.concatenate([people[which] for which in rng.integers(0, len(people), len(people))])
        for _ in range(1000)
    ]


def _interval(values: Array, resamples: Sequence[Array]) -> dict[str, float]:
    low, high = np.quantile([values[places].mean() for places in resamples], (0.025, 0.975)).tolist()
    return {"value": float(values.mean()), "low": low, "high": high}


def group_accuracy(methods: Sequence[Method], sides: Sequence[Side]) -> list[dict[str, Any]]:
    """Shares of sets of games of one group that are put into it, by number of games, with bootstrap intervals
    over the sides. All groups are equally likely before; those with too few sides for a set have none."""
    members = [
        np.array([place for place, side in enumerate(sides) if group_of(side.rating) == group], np.int64)
        for group in range(GROUPS)
    ]
    logs = {method.name: method.likelihoods(sides) for method in methods}
    groups = np.array([group_of(rating) for rating in GRID])
    inside = np.array([groups == group for group in range(GROUPS)]).T / 1.0
    report = []
    for games in GAMES:
        if max(map(len, members)) < games:
            continue
        rng = np.random.default_rng(games)
        shares: dict[str, list[float]] = {name: [] for name in logs}
        near: dict[str, list[float]] = {name: [] for name in logs}
        for resample in range(_RESAMPLES + 1):
            chosen, truth = [], []
            for group, own in enumerate(members):
                if len(own) < games:
                    continue
                # The first is the sample itself.
                pool = own if resample == 0 else rng.choice(own, len(own))
                sets = 500 if resample == 0 else _SETS
                chosen += [rng.choice(pool, games, replace=False) for _ in range(sets)]
                truth += [group] * sets
            for name, rows in logs.items():
                summed = rows[np.array(chosen)].sum(axis=1)
                mass = np.exp(summed - summed.max(axis=1, keepdims=True)) @ inside
                gaps = np.abs(mass.argmax(axis=1) - np.array(truth))
                shares[name].append(float((gaps == 0).mean()))
                near[name].append(float((gaps <= 1).mean()))
        report.append({"games": games, "sides_of_a_group": [len(own) for own in members]} | {
            name: {"accuracy": _quantiles(shares[name]), "within_one_group": _quantiles(near[name])}
            for name in logs
        })  # fmt: skip
    return report


def placed_accuracy(methods: Sequence[Method], sides: Sequence[Side]) -> list[dict[str, Any]]:
    """The same, with bounds between the groups half way between the mean estimates of other people's sets.

    People are halved by a hash; each half is told by the bounds of the other.
    """
    half = np.array([hashed(f"half {side.name}") % 2 for side in sides])
    groups = np.array([group_of(side.rating) for side in sides])
    members = [
        [np.flatnonzero((groups == group) & (half == which)) for group in range(GROUPS)] for which in (0, 1)
    ]
    report = []
    for games in GAMES:
        if min(len(own) for some in members for own in some) < games:
            continue
        row: dict[str, Any] = {
            "games": games,
            "sides_of_a_group": [[len(own) for own in some] for some in members],
        }
        for method in methods:
            rng = np.random.default_rng(games)
            rows = method.likelihoods(sides)
            shares = [
                _placed_share(rows, members, games, rng, resample > 0)
                for resample in range(_RESAMPLES // 2 + 1)
            ]
            row[method.name] = {"accuracy": _quantiles(shares)}
        report.append(row)
    return report


def _placed_share(
    rows: Array,
    members: Sequence[Sequence[NDArray[np.int64]]],
    games: int,
    rng: np.random.Generator,
    resampled: bool,
) -> float:
    estimates: list[list[Array]] = []
    for some in members:
        estimates.append([])
        for own in some:
            pool = rng.choice(own, len(own)) if resampled else own
            chosen = np.array([rng.choice(pool, games, replace=False) for _ in range(_SETS)])
            summed = rows[chosen].sum(axis=1)
            chances = np.exp(summed - summed.max(axis=1, keepdims=True))
            estimates[-1].append(chances @ GRID / chances.sum(axis=1))
    shares = []
    for bounds_of, told in ((0, 1), (1, 0)):
        means = np.sort([own.mean() for own in estimates[bounds_of]])
        bounds = (means[1:] + means[:-1]) / 2
        shares += [
            float((np.searchsorted(bounds, own) == group).mean()) for group, own in enumerate(estimates[told])
        ]
    return float(np.mean(shares))


def _quantiles(shares: Sequence[float]) -> dict[str, float]:
    low, high = np.quantile(shares[1:], (0.025, 0.975)).tolist()
    return {"value": shares[0], "low": low, "high": high}


def persons(sides: Sequence[Side], games: int) -> list[list[Side]]:
    """The first `games` sides, in the order of a hash, of each person with so many."""
    by_name: dict[str, list[Side]] = {}
    for side in sides:
        if side.role == "person":
            by_name.setdefault(side.name, []).append(side)
    ordered = (sorted(own, key=lambda side: hashed(side.game)) for own in by_name.values())
    return [own[:games] for own in ordered if len(own) >= games]
