"""Levels by days: what people lose a move from their worst to their best games, and what our players lose.

A side of a game has a mean loss a move, by an engine's scores, over the moves that it made in undecided
positions. The sides of people's games are ordered by it and divided into fifths, from a very bad day to a
very good one; the worst twentieth is a day of its own. A player of ours has the level of a day if it loses as
much a move on average in games against itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.base.storage import append_or_rollback
from sparring.games import load_game
from sparring.measure.calibration import PolicyMover
from sparring.play.match import LockstepGame, play_together
from sparring.players import PlayerConfig
from sparring.policies import load_policy
from sparring.records.record import GameRecord
from studies.shogi.judge import JudgedGame
from studies.shogi.people import players

Array = NDArray[np.float64]

DAYS = {
    "a terrible day": (0.0, 0.05),
    "a very bad day": (0.0, 0.2),
    "a bad day": (0.2, 0.4),
    "an average day": (0.4, 0.6),
    "a good day": (0.6, 0.8),
    "a very good day": (0.8, 1.0),
}
"""Shares of the sides, ordered from the one that loses most, by name."""
SCALE = 1200
"""Centipawns that multiply the odds of winning by e, as `EngineSupport.score_scale` of shogi."""
_DECIDED = 0.08
"""Expected scores below this and above 1 minus this are decided."""
_LEAST_MOVES = 10
_MOST_PLIES = 200
_RESAMPLES = 1000
_DATE = "2026-11-20"


# Losses.


@dataclass(frozen=True)
class SideLosses:
    """Sides of judged games with enough moves in undecided positions."""

    game: NDArray[np.int64]
    """[sides]: index of the game."""
    loss: Array
    """[sides]: mean expected score lost a move, gains counted as 0."""
    moves: NDArray[np.int64]
    """[sides]: moves behind the mean."""


def side_losses(judged: Sequence[JudgedGame]) -> SideLosses:
    """The losses of the sides of judged games."""
    rows = []
    for number, entry in enumerate(judged):
        value = 1 / (1 + np.exp(-np.array(entry.scores, np.float64) / SCALE))
        loss = (value[:-1] + value[1:] - 1).clip(0)
        undecided = (value[:-1] > _DECIDED) & (value[:-1] < 1 - _DECIDED)
        side = (entry.first + np.arange(len(loss))) % 2
        for player in (0, 1):
            own = loss[undecided & (side == player)]
            if len(own) >= _LEAST_MOVES:
                rows.append((number, own.mean(), len(own)))
    columns = zip(*rows, strict=True) if rows else ((), (), ())
    game, loss, moves = (np.array(column) for column in columns)
    return SideLosses(game.astype(np.int64), loss.astype(np.float64), moves.astype(np.int64))


def days(sides: SideLosses, seed: int = 0) -> list[dict[str, Any]]:
    """Mean loss a move on each day, the worst first, with 95 % intervals by a bootstrap over games."""
    drawn = np.array([_day_means(sides.loss[rows]) for rows in _resamples(sides, seed)])
    low, high = np.quantile(drawn, (0.025, 0.975), axis=0)
    return [
        {
            "day": name,
            "loss": float(mean),
            "interval": [float(low[i]), float(high[i])],
            "range": (-np.quantile(-sides.loss, DAYS[name])[::-1]).tolist(),
        }
        for i, (name, mean) in enumerate(zip(DAYS, _day_means(sides.loss), strict=True))
    ]


def mean_loss(sides: SideLosses, seed: int = 0) -> dict[str, Any]:
    """Mean loss a move over the sides, with its 95 % interval by a bootstrap over games."""
    drawn = [sides.loss[rows].mean() for rows in _resamples(sides, seed)]
    low, high = np.quantile(drawn, (0.025, 0.975))
    return {
        "loss": float(sides.loss.mean()),
        "interval": [float(low), float(high)],
        "games": len(np.unique(sides.game)),
        "sides": len(sides.loss),
        "moves": int(sides.moves.sum()),
    }


def _day_means(losses: Array) -> Array:
    ordered = -np.sort(-losses)
    places = [(round(low * len(losses)), round(high * len(losses))) for low, high in DAYS.values()]
    return np.array([ordered[begin:end].mean() for begin, end in places])


def _resamples(sides: SideLosses, seed: int) -> Iterator[NDArray[np.int64]]:
    """Rows of the sides of as many games as there are, drawn with replacement."""
    rng = np.random.default_rng(seed)
    games, first = np.unique(sides.game, return_index=True)
    ends = np.append(first[1:], len(sides.game))
    for _ in range(_RESAMPLES):
        chosen = rng.integers(len(games), size=len(games))
        yield np.concatenate([np.arange(first[i], ends[i]) for i in chosen])


def temperature_for(loss: float, measured: Sequence[tuple[float, float]]) -> float | None:
    """The temperature at which a player loses so much a move: the logarithm of the loss is linear between
    `measured`, pairs of temperature and loss. None outside of them."""
    rows = sorted(measured)
    for (cool, less), (warm, more) in pairwise(rows):
        if less <= loss <= more:
            share = float(np.log(loss / less) / np.log(more / less))
            return round(cool + share * (warm - cool), 2)
    return None


# Games of our players.


@dataclass(frozen=True)
class Setting:
    """A player of ours."""

    policy: str
    temperature: float
    nodes: int = 0

    @property
    def name(self) -> str:
        """Its name in the files of games, such as blend-T1.2-n4."""
        return f"{self.policy}-T{self.temperature:g}-n{self.nodes}"

    def config(self) -> PlayerConfig:
        """The player; it does not resign."""
        return PlayerConfig(
            "shogi", name=self.name, model=self.policy, temperature=self.temperature, nodes=self.nodes,
            rule="regularised", reuse_tree=False,
        )  # fmt: skip


def play_own(
    settings: Sequence[Setting],
    games: int,
    out: Path,
    *,
    played: Callable[[str], int] = lambda name: 0,
    together: int = 20,
    seed: int = 0,
) -> None:
    """Plays `games` games of each player against itself up to mate or 200 plies, and appends them to a file
    of lines as `people.read_games` reads them. `played` says how many of a player's games the file has."""
    policy = cache(partial(load_policy, game="shogi", threads=1))
    for begin in range(0, games, together):
        for setting in settings:
            numbers = range(max(begin, played(setting.name)), min(begin + together, games))
            if not numbers:
                continue
            mover = PolicyMover(setting.config(), policy(setting.policy))
            started = [
                LockstepGame(
                    number,
                    (mover, mover),
                    np.random.default_rng([seed, number]),
                    load_game("shogi").initial(),
                )
                for number in numbers
            ]
            ended = sorted(play_together(started, max_plies=_MOST_PLIES), key=lambda game: game.number)
            append_or_rollback(out, "".join(_line(game, setting.name) for game in ended).encode())


def _line(game: LockstepGame, name: str) -> str:
    score = game.result.score(0)
    result = {1.0: "1-0", 0.0: "0-1"}.get(0.5 if score is None else score, "1/2-1/2")
    states = game.live.record().row().states("shogi")
    moves = (before.move_text(after.last_move) for before, after in pairwise(states))
    return f"{_DATE}\t{name}\t{name}#{game.number}\t{result}\t{' '.join(moves)}\n"


def by_player(records: Sequence[GameRecord], judged: Sequence[JudgedGame]) -> dict[str, SideLosses]:
    """The losses of our players by name."""
    name_of = {record.identity("shogi"): players(record)[0] for record in records}
    names = sorted({name_of[entry.game] for entry in judged if entry.game in name_of})
    return {
        name: side_losses([entry for entry in judged if name_of.get(entry.game) == name]) for name in names
    }
