"""A player whose level follows the opponent's results.

The opponent's strength is estimated from all recorded games by Bayes' rule on a grid of levels. Each game is
played at the mean of the estimate. Results are kept in a journal of the user's data folder.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.base.config import user_data_folder
from sparring.base.storage import Journal
from sparring.games import Move
from sparring.players.player import Decision, GameStart, Player, Turn

_GRID: NDArray[np.float64] = np.arange(0.0, 3201.0, 10.0)
_PRIOR_DEVIATION = 350.0
_DRIFT = 30.0
"""Standard deviation of the change of a person's strength from game to game."""
YOU = "you"
"""Name of the opponent where the front end names none."""


@dataclass(frozen=True)
class OpponentResult:
    """A game against the opponent: a line of the journal."""

    level: int
    """Level of the player in the game."""
    score: float
    """The opponent's: 1, 0.5 or 0."""
    opponent: str = YOU
    date: str = ""


@dataclass(frozen=True)
class StrengthEstimate:
    """The opponent's strength, on the scale of levels."""

    mean: float
    low: float
    """Lower end of the 95 % interval."""
    high: float
    games: int

    def __str__(self) -> str:
        return f"{self.mean:.0f} ({self.low:.0f} to {self.high:.0f}, {self.games} games)"


def estimate_strength(
    results: Sequence[OpponentResult], prior: float, deviations: Sequence[float] = ()
) -> StrengthEstimate:
    """The strength after games in their order, as `strength_course` has it."""
    course = strength_course(results, prior, deviations)
    return course[-1] if course else _estimate(_prior(prior), 0)


def strength_course(
    results: Sequence[OpponentResult], prior: float, deviations: Sequence[float] = ()
) -> list[StrengthEstimate]:
    """The strength after each game.

    The prior is normal with mean `prior` and deviation 350. A result has the likelihood of the Elo model; a
    draw counts as half a win and half a loss. Between games the strength may drift. `deviations` are those of
    the opponents' levels, if they are not known well: by Glicko's factor g such results say less.
    """
    density, course = _prior(prior), []
    step = np.arange(-10, 11) * 10.0
    kernel = np.exp(-0.5 * (step / _DRIFT) ** 2)
    for number, result in enumerate(results):
        deviation = deviations[number] if deviations else 0.0
        factor = 1 / np.sqrt(1 + 3 * (np.log(10) / 400 * deviation / np.pi) ** 2)
        expected = 1 / (1 + 10 ** (factor * (result.level - _GRID) / 400))
        density = density * expected**result.score * (1 - expected) ** (1 - result.score)
        density = np.convolve(density, kernel / kernel.sum(), "same")
        density /= density.sum()
        course.append(_estimate(density, number + 1))
    return course


def _prior(mean: float) -> NDArray[np.float64]:
    density: NDArray[np.float64] = np.exp(-0.5 * ((_GRID - mean) / _PRIOR_DEVIATION) ** 2)
    density /= density.sum()
    return density


def _estimate(density: NDArray[np.float64], games: int) -> StrengthEstimate:
    low, high = np.interp((0.025, 0.975), np.cumsum(density), _GRID)
    return StrengthEstimate(float(density @ _GRID), float(low), float(high), games)


class OpponentHistory:
    """The results of all games with adaptive players of a game. Raises BadFile or OSError."""

    def __init__(self, game: str, folder: Path | None = None) -> None:
        """`folder` holds the journal; None for the user's data folder."""
        folder = folder or user_data_folder() / "opponents"
        self._journal = Journal(folder / f"{game}.jsonl", lenient=True, kind=OpponentResult)
        self.results = [OpponentResult(**entry) for entry in self._journal.entries]

    def estimate(self, opponent: str, prior: float) -> StrengthEstimate:
        """The strength of an opponent."""
        return estimate_strength([result for result in self.results if result.opponent == opponent], prior)

    def add(self, result: OpponentResult) -> None:
        """Records a game. Raises OSError."""
        self._journal.add(asdict(result))
        self.results.append(result)


class AdaptivePlayer(Player):
    """Plays each game at the estimated level of its opponent."""

    def __init__(
        self,
        name: str,
        player_of_level: Callable[[int], Player],
        levels: tuple[int, int],
        history: OpponentHistory,
        prior: float,
    ) -> None:
        """`levels` are the lowest and the highest level; `prior` is the level of the first game."""
        super().__init__(name)
        self._player_of_level, self._levels = player_of_level, levels
        self._history, self._prior = history, prior
        self._opponent = YOU
        self.estimate = history.estimate(YOU, prior)
        """Of the present opponent."""
        self.level = self._nearest(self.estimate.mean)
        self.player = player_of_level(self.level)
        """The player of the present level."""

    def new_game(self, start: GameStart) -> None:
        """Chooses the level by the results so far."""
        self._opponent = start.opponent or YOU
        self.estimate = self._history.estimate(self._opponent, self._prior)
        level = self._nearest(self.estimate.mean)
        if level != self.level:
            self.player.close()
            self.level, self.player = level, self._player_of_level(level)
        self.player.new_game(start)

    def choose(self, turn: Turn) -> Decision:
        """The decision of the player of the level."""
        return self.player.choose(turn)

    def hint(self, turn: Turn) -> Decision:
        """The hint of the player of the level."""
        return self.player.hint(turn)

    def observe(self, observation: Move | Any) -> None:
        """Passes the event on."""
        self.player.observe(observation)

    def accepts_draw(self, state: Any) -> bool:
        """The answer of the player of the level."""
        return self.player.accepts_draw(state)

    def end_game(self, score: float | None) -> None:
        """Records the result; a game that was abandoned does not count."""
        self.player.end_game(score)
        if score is not None:
            today = datetime.date.today().isoformat()
            self._history.add(OpponentResult(self.level, 1 - score, self._opponent, today))
            self.estimate = self._history.estimate(self._opponent, self._prior)

    def close(self) -> None:
        """Releases the player of the level."""
        self.player.close()

    def _nearest(self, mean: float) -> int:
        low, high = self._levels
        return int(min(max(round(mean / 10) * 10, low), high))
