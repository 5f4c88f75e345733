"""Where a player loses expected points: by kind of position, beside people in the same positions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring.players import PlayerConfig
from sparring.players.policy_player import lockstep_distributions
from sparring.policies import Policy
from studies.levels.positions import GamePosition

Losses: TypeAlias = NDArray[np.float64]
"""[positions]: expected loss of a move, in expected points."""
BLUNDER = 0.2
_DECIDED = 0.9
_ENDING_PIECES = 6


def phase(position: GamePosition) -> str:
    """opening: 24 plies; ending: at most six pieces other than kings and pawns; middle game: the rest."""
    if position.state.ply < 24:
        return "opening"
    pieces = sum(letter in "qrbnQRBN" for letter in position.state.text().split()[0])
    return "ending" if pieces <= _ENDING_PIECES else "middle game"


def standing(position: GamePosition) -> str:
    """won or lost: the best move has an expected score above 0.9 or below 0.1; else undecided."""
    assert position.scores is not None
    best = float(position.scores.max())
    return "won" if best > _DECIDED else "lost" if best < 1 - _DECIDED else "undecided"


KINDS: Mapping[str, Callable[[GamePosition], bool]] = {
    "all": lambda _: True,
    "undecided": lambda each: standing(each) == "undecided",
    "won": lambda each: standing(each) == "won",
    "lost": lambda each: standing(each) == "lost",
    "opening": lambda each: phase(each) == "opening",
    "middle game": lambda each: phase(each) == "middle game",
    "ending": lambda each: phase(each) == "ending",
}
"""Kinds of positions that are reported apart."""


def move_shares(policy: Policy, config: PlayerConfig, positions: Sequence[GamePosition]) -> list[Losses]:
    """The distribution from which a player draws in each position [moves], moves ascending."""
    found = lockstep_distributions(policy, config, [position.state for position in positions])
    shares = []
    for each, distribution in zip(positions, found, strict=True):
        order = np.argsort(distribution.moves)
        assert distribution.moves[order].tolist() == list(each.state.legal_moves())
        weights = distribution.weights[order].astype(np.float64)
        shares.append(weights / weights.sum())
    return shares


def expected_losses(positions: Sequence[GamePosition], shares: Sequence[Losses]) -> Losses:
    """Expected loss of a drawn move in each position."""
    return np.array([float(share @ each.losses) for each, share in zip(positions, shares, strict=True)])


def blunder_rates(positions: Sequence[GamePosition], shares: Sequence[Losses]) -> Losses:
    """Probability of a loss of at least 0.2 in each position."""
    return np.array(
        [float(share @ (each.losses >= BLUNDER)) for each, share in zip(positions, shares, strict=True)]
    )


def log_likelihoods(positions: Sequence[GamePosition], shares: Sequence[Losses]) -> Losses:
    """Log of the probability of the move that was played; 0.1 % of it is uniform over the legal moves."""
    return np.array(
        [
            np.log(0.999 * share[each.played] + 0.001 / len(share))
            for each, share in zip(positions, shares, strict=True)
        ]
    )


def played_losses(positions: Sequence[GamePosition]) -> Losses:
    """Loss of the move that was played in each position."""
    return np.array([position.losses[position.played] for position in positions])


def mean_by_kind(
    positions: Sequence[GamePosition], columns: Mapping[str, Losses], *, samples: int = 500, seed: int = 0
) -> list[dict[str, Any]]:
    """Means with 95 % intervals (bootstrap over games) of each column, by kind of position."""
    rows = []
    for kind, belongs in KINDS.items():
        chosen = np.array([belongs(position) for position in positions])
        if not chosen.any():
            continue
        games = np.array([position.game for position in positions])[chosen]
        row: dict[str, Any] = {
            "kind": kind,
            "positions": int(chosen.sum()),
            "games": len(set(games.tolist())),
        }
        for name, values in columns.items():
            row[name] = mean_of_games(values[chosen], games, samples=samples, seed=seed)
        rows.append(row)
    return rows


def mean_of_games(
    values: Losses, games: NDArray[np.int64], *, samples: int = 500, seed: int = 0
) -> dict[str, Any]:
    """Mean of a column with its 95 % interval, by bootstrap over games."""
    _, places = np.unique(games, return_inverse=True)
    sums, counts = np.bincount(places, values), np.bincount(places)
    rng = np.random.default_rng(seed)
    drawn = rng.integers(len(sums), size=(samples, len(sums)))
    means = sums[drawn].sum(1) / counts[drawn].sum(1)
    low, high = np.quantile(means, (0.025, 0.975))
    return {"mean": float(values.mean()), "interval": [float(low), float(high)]}


def clustering(values: Losses, games: NDArray[np.int64], *, samples: int = 500, seed: int = 0) -> float:
    """Variance of the mean loss of a game over that of games of shuffled positions: 1 if errors are
    independent of the game."""
    _, places = np.unique(games, return_inverse=True)
    counts = np.bincount(places)
    rng = np.random.default_rng(seed)
    observed = np.var(np.bincount(places, values) / counts)
    shuffled = [np.var(np.bincount(places, rng.permutation(values)) / counts) for _ in range(samples)]
    chance = float(np.mean(shuffled))
    return float(observed) / chance if chance else 1.0


def drawn_losses(positions: Sequence[GamePosition], shares: Sequence[Losses], seed: int = 0) -> Losses:
    """Loss of one drawn move in each position."""
    rng = np.random.default_rng(seed)
    return np.array(
        [each.losses[rng.choice(len(share), p=share)] for each, share in zip(positions, shares, strict=True)]
    )
