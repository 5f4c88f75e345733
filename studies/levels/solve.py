"""Solves the dial of each level: the player whose measured rating is the level."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sparring.calibration.run import CalibrationGame, GamesTask
from sparring.players import LevelTable
from sparring.players.levels import Level

SLOPE = 1.3
"""Elo per point of the nominal scale, as the grid found it."""
PRIOR_GAIN, PRIOR_SPREAD = 220.0, 60.0
"""Rating points per unit of the dial before the first game, and its standard deviation."""
_START_SPREAD = 150.0
_FEWEST_NODES = 8
RULE: Literal["regularised"] = "regularised"
"""After a search every move keeps a probability, as with people; visits of a small search do not do so."""


def dial_of(level: int, x: float, ratings: tuple[int, int] = (600, 2600)) -> Level:
    """The player of a level at a position of the dial; higher positions are stronger.

    At 0 it draws from the policy, which is conditioned on the level's rating. Below, the temperature grows:
    2^(-x / 3). To 1 it falls to 0.7. From 1 on it searches: eight nodes at temperature 1, then more nodes at
    slowly falling temperatures. A search at temperature 1 predicts people better than a cold policy.
    """
    rating = min(max(level, ratings[0]), ratings[1])
    if x <= 0:
        return Level(level, rating, round(2.0 ** (-x / 3), 3))
    if x <= 1:
        return Level(level, rating, round(1 - 0.3 * x, 3))
    return Level(level, rating, round(max(0.3, 1 - 0.12 * (x - 1)), 3), round(_FEWEST_NODES * 2.8 ** (x - 1)))


@dataclass
class DialSearch:
    """The games of one level, and the dial that they suggest."""

    level: int
    start: float
    """First guess of the dial's position."""
    games: list[tuple[float, float, float]] = field(default_factory=list)
    """Position, anchor's rating, score."""

    def estimate(self) -> tuple[float, float, float]:
        """Rating at the start, gain per unit, and the position at which the rating is the level.

        The rating is linear in the position; a maximum of the posterior by Newton's method.
        """
        theta = np.array([float(self.level), PRIOR_GAIN])
        prior = np.diag([_START_SPREAD**-2, PRIOR_SPREAD**-2])
        mean = theta.copy()
        if self.games:
            x, anchor, score = np.array(self.games).T
            design = np.stack([np.ones_like(x), x - self.start], 1)
            unit = SLOPE * math.log(10) / 400
            for _ in range(50):
                expected = 1 / (1 + np.exp(-unit * (design @ theta - anchor)))
                gradient = unit * design.T @ (score - expected) - prior @ (theta - mean)
                weights: NDArray[np.float64] = unit**2 * expected * (1 - expected)
                information = (design * weights[:, None]).T @ design + prior
                step = np.linalg.solve(information, gradient)
                theta = theta + np.clip(step, -200, 200)
        rating, gain = float(theta[0]), max(float(theta[1]), 60.0)
        return rating, gain, self.start + (self.level - rating) / gain

    @property
    def position(self) -> float:
        """The suggested position, at most one unit from those that were played."""
        known = [x for x, _, _ in self.games] or [self.start]
        return min(max(self.estimate()[2], min(known) - 1), max(known) + 1)


def solve_dials(
    searches: Sequence[DialSearch],
    elo: Mapping[str, float],
    play: Callable[[list[GamesTask]], Iterable[CalibrationGame]],
    *,
    games: int,
    rounds: int,
    chunk: int,
    on_round: Callable[[int], None] = lambda _: None,
) -> None:
    """Plays rounds of games: each level at its suggested position against the three anchors nearest to the
    level. The searches collect the games."""
    for number in range(rounds):
        places = {f"{each.level}@{each.position:.3f}": (each, each.position) for each in searches}
        tasks = []
        for name, (search, x) in places.items():
            config = LevelTable("chess", (dial_of(search.level, x),), rule=RULE).at(search.level)
            nearest = sorted(elo, key=lambda anchor: abs(elo[anchor] - search.level))[:3]
            pairings = [(nearest[n % 3], number * games + n // 3) for n in range(games)]
            count = -(-games // chunk)
            tasks += [GamesTask(name, tuple(pairings[part::count]), config) for part in range(count)]
        for game in play(tasks):
            search, x = places[game.player]
            search.games.append((x, elo[game.anchor], game.score))
        on_round(number)


def level_table_text(rows: Sequence[Level], family: str, command: str) -> str:
    """A level table as TOML."""
    lines = [f"# {command}", 'game = "chess"', 'policy = "blend"', f'rule = "{RULE}"', f'family = "{family}"']
    for row in rows:
        lines += ["", "[[levels]]", f"level = {row.level}", f"rating = {row.rating}"]
        lines += [f"temperature = {row.temperature}", f"nodes = {row.nodes}"]
    return "\n".join(lines) + "\n"
