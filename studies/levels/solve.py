"""Solves the dial of each level: the player whose measured rating is the level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from sparring.measure.calibration import CalibrationGame, GamesTask
from sparring.players import LevelTable
from sparring.players.player_config import Level
from studies.levels.pooled import POLICY, SEARCH, DialGame, PooledFit, fit_pooled

RULE: Literal["regularised"] = "regularised"
"""After a search every move keeps a probability, as with people; visits of a small search do not do so."""
SEARCH_FROM = 2200
"""The lowest level that searches by default. Below, the policy is strong enough at some temperature."""
TEMPERATURES = {1600: 1.0, 2000: 0.5, 2200: 0.4, 2400: 0.3, 2600: 0.28}
"""Temperature of a search by level: near 1 it predicts people best; at the top it saves nodes."""
_MOST_NODES = 250
_JITTER = 40.0
"""Spread of the strengths that are played around a level."""


@dataclass
class DialSolver:
    """All games so far, and the dial of each level that they suggest."""

    levels: Sequence[int]
    games: list[DialGame] = field(default_factory=list)
    search_from: int = SEARCH_FROM
    """The lowest level that searches."""
    policy: str = "level-blend"
    """Policy of all levels; earlier games are its own."""
    nodes: int = 0
    """Nodes of every search, at which the temperature is solved; 0 solves the nodes near TEMPERATURES."""

    def __post_init__(self) -> None:
        self.refit()

    def refit(self) -> None:
        """Fits the models to the games so far."""
        self._fits = {
            search: fit_pooled([game for game in self.games if (game.nodes > 1) == search], model)
            for search, model in ((False, POLICY), (True, SEARCH))
        }

    def fit(self, level: int) -> PooledFit:
        """The model of a level's players."""
        return self._fits[level >= self.search_from]

    def dial(self, level: int, strength: float | None = None) -> Level:
        """The player of a level, conditioned on its rating, with the strength of the level or another."""
        aim, fit = level if strength is None else strength, self.fit(level)
        if level < self.search_from:
            return Level(level, level, fit.temperature(level, aim))
        if self.nodes:
            return Level(level, level, fit.temperature(level, aim, self.nodes), self.nodes)
        warm = float(np.interp(level, list(TEMPERATURES), list(TEMPERATURES.values())))
        sizes = np.unique(np.geomspace(2, _MOST_NODES, 120).round().astype(int)).tolist()
        nodes = min(sizes, key=lambda size: abs(fit.strength(level, warm, size)[0] - aim))
        exact = fit.temperature(level, aim, nodes)  # corrects the rounding of the nodes
        return Level(level, level, round(min(max(exact, 0.85 * warm), 1.15 * warm), 3), nodes)

    def strength(self, row: Level) -> tuple[float, float]:
        """Strength of a dial and its standard error."""
        return self.fit(row.level).strength(row.rating or row.level, row.temperature, row.nodes)

    def tasks(
        self, elo: Mapping[str, float], chunk: int, seed: int, more: Callable[[], bool]
    ) -> Iterator[GamesTask]:
        """Games of the level with the fewest so far at its present dial, as long as `more` says so."""
        rng = np.random.default_rng(seed)
        given: Counter[int] = Counter(dict.fromkeys(self.levels, 0))
        numbers: Counter[tuple[str, str]] = Counter()
        while more():
            level = min(given, key=lambda each: (given[each], -each))  # the slowest first
            first = given[level] // 2
            given[level] += chunk
            aim = level + rng.normal(0, _JITTER)
            row = self.dial(level, aim)
            nearest = sorted(elo, key=lambda anchor: abs(elo[anchor] - aim))[:3]
            config = LevelTable("chess", (row,), self.policy, RULE).at(level)
            name = f"{row.rating}:{row.temperature}:{row.nodes}:{RULE}:{config.model}"
            pairings = []
            for place in range(chunk):
                anchor = nearest[(first + place // 2) % len(nearest)]
                pairings.append((anchor, numbers[name, anchor]))
                numbers[name, anchor] += 1
            yield GamesTask(name, tuple(pairings), config)

    def add(self, task_games: Sequence[CalibrationGame], elo: Mapping[str, float]) -> None:
        """Adds the games of a task."""
        for game in task_games:
            rating, temperature, nodes, *_ = game.player.split(":")
            self.games.append(
                DialGame(float(rating), float(temperature), float(nodes), elo[game.anchor], game.score)
            )
        self.refit()


def level_table_text(rows: Sequence[Level], policy: str, family: str, command: str) -> str:
    """A level table as TOML."""
    lines = [
        f"# {command}",
        'game = "chess"',
        f'policy = "{policy}"',
        f'rule = "{RULE}"',
        f'family = "{family}"',
    ]
    for row in rows:
        lines += ["", "[[levels]]", f"level = {row.level}", f"rating = {row.rating}"]
        lines += [f"temperature = {row.temperature}", f"nodes = {row.nodes}"]
    return "\n".join(lines) + "\n"
