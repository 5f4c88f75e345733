"""How often the opponent attacks the king in recorded games, against the planner's belief.

Games are replayed to a planner as each of their players. Before each sense and each move, `believed` is the
share of the particles on which the king is attacked. The report has the odds factor of such boards that makes
the truth likeliest: 1 if the belief is right. A planner's `attack_weight` is this factor; the replaying
planner should have a factor of 1.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring._core import RbcBoardSet, RbcState
from sparring.players import GameStart
from sparring.rbc.game import OpponentSense, Rbc
from sparring.rbc.planner import PlannerBot
from sparring.rbc.plugin import DESCRIPTION
from sparring.records import GameRecord
from studies.rbc.replays import ReplayPlanner, replay_games

REPORT = "attacks.json"
FACTORS = np.geomspace(0.25, 32, 57)
"""Odds factors that are compared."""
_RESAMPLES = 1_000


@dataclass(frozen=True)
class BelievedAttack:
    """A decision of a recorded game."""

    opponent: str
    sensing: bool
    believed: float
    """Share of the particles on which the opponent attacks the king."""
    attacked: bool
    """Whether it does."""


def replay_attacks(record: GameRecord, bot: PlannerBot, seed: int) -> Iterator[BelievedAttack]:
    """The decisions of both players of a game, from their second turn on."""
    line = [RbcState.initial().unpack_moves(record.moves, DESCRIPTION.packed_move_bytes)]
    while (before := line[-1].previous) is not None:
        line.append(before)
    line.reverse()
    rules, names = Rbc(), (record.first, record.second)
    for player in (0, 1):
        opponent = names[1 - player] or ""
        bot.new_game(GameStart(rules, player, seed=[seed, player], opponent=opponent))
        for state, after in itertools.pairwise(line):
            if state.to_move == player and state.ply >= 4:
                bot.draw_belief()
                boards, shares = bot.planner.particle_boards(bot.options.particles)
                believed = float(shares[boards.indices(boards.with_king_attacked())].sum())
                attacked = len(RbcBoardSet.of([state], player).with_king_attacked()) > 0
                yield BelievedAttack(opponent, state.sensing, round(believed, 5), attacked)
            if after.outcome is not None:
                break
            assert after.last_move is not None
            observation = rules.observe(state, player, after.last_move)
            if not isinstance(observation, OpponentSense):
                bot.observe(observation)


def log_likelihoods(believed: NDArray[np.float64], attacked: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Log-likelihoods of the truth [decisions, factors], if the odds of attacks are multiplied by FACTORS."""
    odds = FACTORS * believed[:, None]
    return np.asarray(
        np.log(np.where(attacked[:, None], odds, 1 - believed[:, None]) / (odds + 1 - believed[:, None]))
    )


def summary(games: Sequence[Sequence[dict[str, Any]]]) -> dict[str, Any]:
    """For each opponent the decisions in doubt, what was believed, the truth, and the likeliest factor with
    its 95 % interval by bootstrap over games. Decisions in which all particles agree say nothing about it."""
    rows = [(number, BelievedAttack(**each)) for number, game in enumerate(games) for each in game]
    doubted = [(number, each) for number, each in rows if 0 < each.believed < 1]
    opponents = sorted({each.opponent for _, each in doubted})
    return {
        "games": len(games),
        "decisions": len(rows),
        "opponents": [
            _fit(name, [(n, each) for n, each in doubted if each.opponent == name], len(games))
            for name in opponents
        ],
    }


def _fit(opponent: str, doubted: Sequence[tuple[int, BelievedAttack]], games: int) -> dict[str, Any]:
    believed = np.array([each.believed for _, each in doubted])
    attacked = np.array([each.attacked for _, each in doubted])
    by_game = np.zeros((games, len(FACTORS)))
    np.add.at(by_game, [number for number, _ in doubted], log_likelihoods(believed, attacked))
    rng = np.random.default_rng(1)
    drawn = rng.multinomial(games, np.full(games, 1 / games), _RESAMPLES) @ by_game
    low, high = np.percentile(FACTORS[drawn.argmax(axis=1)], [2.5, 97.5])
    return {
        "opponent": opponent,
        "decisions": len(doubted),
        "believed": round(float(believed.mean()), 4),
        "attacked": round(float(attacked.mean()), 4),
        "factor": round(float(FACTORS[by_game.sum(axis=0).argmax()]), 2),
        "interval_95": [round(float(low), 2), round(float(high), 2)],
    }


def run(
    records: Sequence[GameRecord],
    planner: ReplayPlanner,
    out: Path,
    command: str,
    on_progress: Callable[[int, int], None] = lambda *_: None,
) -> dict[str, Any]:
    """Replays the games that the journal does not have; writes `attacks.json` after each; returns it.

    Raises JournalMismatch if the journal is of another planner or of other games.
    """

    def replay(record: GameRecord, bot: PlannerBot, number: int) -> dict[str, Any]:
        return {"decisions": [asdict(replay_attack) for replay_attack in replay_attacks(record, bot, number)]}

    def summarise(games: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return summary([game["decisions"] for game in games])

    return replay_games(records, planner, out / REPORT, command, replay, summarise, on_progress)
