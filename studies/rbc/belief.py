"""The planner's belief and choices in recorded games, compared with the inference bot's.

Games are replayed to a planner as each of their players. Before each move the true board has a probability by
the particles, by the inference bot's weights, and by a uniform distribution. Then the planner and the
inference bot choose a move; its regret is what it loses on the true board against the best move, by a search
of three plies, at most `MOST_REGRET`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from sparring._core import RbcBoardSet, RbcState
from sparring.measure.metrics import Resamples
from sparring.players import GameStart, Turn
from sparring.rbc.game import Rbc, board_fen, observed_steps
from sparring.rbc.knowledge import WIN, BoardKnowledge, likelihoods, win_probabilities
from sparring.rbc.planner import PlannerBot
from sparring.rbc.plugin import DESCRIPTION
from sparring.records import GameRecord
from studies.rbc.replays import ReplayPlanner, replay_games

REPORT = "belief.json"
MOST_REGRET = 400
"""Centipawns."""
_DECIDED = 1_500
"""Beyond this score on the true board a game is decided, and regrets mean nothing."""
_MOST_BOARDS = 3_000
"""Larger sets are left out: the inference bot's weights need an evaluation of each board."""
_UNIFORM_SHARE = 0.05
"""Share of the uniform distribution in the particles' probability, so that its logarithm is finite."""
_DEPTH, _MARGIN = 3, 100_000


@dataclass(frozen=True)
class ReplayedMove:
    """A move decision of a recorded game."""

    boards: int
    uniform: float
    """Probability of the true board if all are equally likely."""
    inference: float
    """Its probability by the inference bot's weights."""
    particles: float
    """Its share of the particles."""
    inference_regret: float
    planner_regret: float


def replay_moves(record: GameRecord, bot: PlannerBot, seed: int) -> Iterator[ReplayedMove]:
    """The decisions of both players of a game."""
    game = RbcState.initial().unpack_moves(record.moves, DESCRIPTION.packed_move_bytes)
    for player in (0, 1):
        bot.new_game(GameStart(Rbc(), player, seed=[seed, player], opponent=""))
        for step in observed_steps(game):
            state = step.before
            if state.to_move == player and not state.sensing and (move := _decide(bot, state)) is not None:
                yield move
            if step.after.outcome is not None:
                break
            bot.observe(step.seen[player])


def _decide(bot: PlannerBot, state: RbcState) -> ReplayedMove | None:
    tracker, player = bot.knowledge.tracker, bot.knowledge.player
    boards, truth = tracker.boards, RbcBoardSet.of([state], player)
    requests, scores, _ = truth.evaluate_requests(_DEPTH, _MARGIN)
    best = int(scores.max())
    if not tracker.exact or len(boards) > _MOST_BOARDS or abs(best) > _DECIDED:
        return None
    turn = Turn(None, state.legal_moves())

    def regret(move: int) -> float:
        score = int(scores[0, int(np.searchsorted(requests, move))])
        return float(np.clip(best - score, 0, MOST_REGRET))

    choices = bot.knowledge.choose(turn.legal_moves, None).move, bot.choose(turn).move
    if bot.last_search is None:
        bot.draw_belief()
    fens = Counter(fen.rsplit(" ", 2)[0] for fen in bot.planner.particle_fens())
    return ReplayedMove(
        len(boards),
        1 / len(boards),
        _inference_weight(bot.knowledge, boards, truth),
        fens[board_fen(state).rsplit(" ", 2)[0]] / fens.total(),
        *(regret(move) for move in choices),
    )


def _inference_weight(knowledge: BoardKnowledge, boards: RbcBoardSet, truth: RbcBoardSet) -> float:
    options, evaluations = knowledge.options, knowledge.evaluator.evaluate(boards)
    win_probability = win_probabilities(evaluations.scores, evaluations.attacks, options.unseen_attack_rate)
    danger = evaluations.scores[:, 0] <= 1 - WIN
    weights = likelihoods(
        win_probability,
        danger,
        float(danger.mean()),
        options.opponent_rationality,
        options.king_danger_weight,
    )
    return float(weights[boards.indices(truth)[0]])


def run(
    records: Sequence[GameRecord],
    planner: ReplayPlanner,
    out: Path,
    command: str,
    on_progress: Callable[[int, int], None] = lambda *_: None,
) -> dict[str, Any]:
    """Replays the games that the journal does not have; writes `belief.json` after each; returns it.

    Raises JournalMismatch if the journal is of another planner or of other games.
    """

    def replay(record: GameRecord, bot: PlannerBot, number: int) -> dict[str, Any]:
        moves = [asdict(replay_move) for replay_move in replay_moves(record, bot, number)]
        return {"players": [record.first, record.second], "moves": moves}

    def summarise(games: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return summary([game["moves"] for game in games])

    return replay_games(records, planner, out / REPORT, command, replay, summarise, on_progress)


def summary(games: Sequence[Sequence[dict[str, Any]]]) -> dict[str, Any]:
    """Means over decisions, with 95 % intervals by bootstrap over games."""
    rows = [ReplayedMove(**move) for game in games for move in game]
    owners = np.array([number for number, game in enumerate(games) for _ in game])
    table = {
        field.name: np.array([getattr(row, field.name) for row in rows]) for field in fields(ReplayedMove)
    }
    mixed = (1 - _UNIFORM_SHARE) * table["particles"] + _UNIFORM_SHARE * table["uniform"]
    table["uniform_bits"], table["inference_bits"] = np.log2(table["uniform"]), np.log2(table["inference"])
    table["particles_bits"] = np.log2(mixed)
    table["regret_difference"] = table["planner_regret"] - table["inference_regret"]
    names = [name for name in table if name != "boards"]
    resamples = Resamples.draw(np.zeros(len(games), np.int64))
    values = np.stack([table[name].astype(np.float64) for name in names], axis=1)
    estimates = resamples.group_sums(values, owners).pooled().estimates()
    return {
        "games": len(games),
        "decisions": len(rows),
        "means": {
            name: {"mean": round(each.value, 4), "interval_95": [round(each.low, 4), round(each.high, 4)]}
            for name, each in zip(names, estimates, strict=True)
        },
    }
