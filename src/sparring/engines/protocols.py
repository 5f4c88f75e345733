"""The differences between UCI and USI."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from sparring.engines.options import PROTOCOLS, EngineSettings
from sparring.games import Move, load_game
from sparring.networks.codec import Prediction
from sparring.players import Decision
from sparring.search import SearchResult

# Principal variations and scores of an engine, as protocols report them.


Wdl: TypeAlias = tuple[float, float, float]


@dataclass(frozen=True)
class PvLine:
    """A principal variation with its statistics."""

    moves: tuple[Move, ...]
    """The move and the line after it; never empty."""
    visits: int
    prior: float
    value: float | None
    """For the side to move, from -1 to 1; None if unknown."""
    forced: int = 0
    """Plies to the forced end: positive for a win, negative for a loss, 0 if nothing is proven."""
    wdl: Wdl | None = None
    """Probabilities of a win, a draw and a loss after the move; None if unknown."""


def search_pv_lines(result: SearchResult, searchmoves: Sequence[Move] = ()) -> list[PvLine]:
    """Lines of the moves that a search visited, the most visited first.

    `searchmoves` restricts the moves; empty for all. A tree of an earlier search may have visited others.
    """
    return [
        PvLine(
            tuple(result.principal_variation(int(result.moves[i]))) or (int(result.moves[i]),),
            int(result.visits[i]),
            float(result.priors[i]),
            float(result.values[i]),
            int(result.forced[i]),
        )
        for i in result.ranked()
        if result.visits[i] and (not searchmoves or int(result.moves[i]) in searchmoves)
    ]


def policy_pv_lines(prediction: Prediction, searchmoves: Sequence[Move] = ()) -> list[PvLine]:
    """A line of one move for each legal move, the likeliest first; each has the value of the position.
    `evaluated_lines` gives each its own. `searchmoves` restricts the moves; empty for all."""
    order = np.argsort(-prediction.probabilities, kind="stable")
    return [
        PvLine((prediction.moves[i],), 0, float(prediction.probabilities[i]), prediction.value)
        for i in order
        if not searchmoves or prediction.moves[i] in searchmoves
    ]


def evaluated_lines(
    state: Any, lines: Sequence[PvLine], predict: Callable[[Sequence[Any]], Sequence[Prediction]]
) -> list[PvLine]:
    """The lines of a policy with the value and the chances of the position after each one's move."""
    after = [state.play_past_end(line.moves[0]) for line in lines]
    going_on = [child for child in after if child.outcome is None]
    predictions = iter(predict(going_on) if going_on else ())
    evaluated = []
    for line, child in zip(lines, after, strict=True):
        if child.outcome is None:
            reply = next(predictions)
            value = None if reply.value is None else -reply.value
            evaluated.append(replace(line, value=value, wdl=None if reply.wdl is None else reply.wdl[::-1]))
        elif child.outcome.winner is None:
            evaluated.append(replace(line, value=0.0, wdl=(0.0, 1.0, 0.0)))
        else:
            won = 1 if child.outcome.winner == state.to_move else -1
            evaluated.append(replace(line, value=float(won), forced=won))
    return evaluated


def lc0_centipawns(value: float) -> int:
    """A value from -1 to 1 in centipawns, by Lc0's curve: 0.5 is about 110."""
    return round(111.714640912 * math.tan(1.5620688421 * _inside(value)))


def shogi_centipawns(value: float) -> int:
    """A value from -1 to 1 in shogi centipawns, by dlshogi's curve: 0.5 is about 830."""
    return round(756 * 2 * math.atanh(_inside(value)))


def mate_in_moves(forced: int) -> int:
    """A forced mate as UCI counts it: in the winner's moves, negative if the side to move is mated."""
    return (forced + 1) // 2 if forced > 0 else -(-forced // 2)


def mate_in_plies(forced: int) -> int:
    """A forced mate as USI counts it: in plies."""
    return forced


def wdl_of(value: float, evaluation: Wdl | None) -> Wdl:
    """Probabilities of a win, a draw and a loss for a value from -1 to 1.

    The draw probability is that of the network's evaluation, as far as the value leaves room for it.
    """
    drawn = min(evaluation[1] if evaluation is not None else 0.0, 1 - abs(value))
    return (1 - drawn + value) / 2, drawn, (1 - drawn - value) / 2


def permille(wdl: Wdl) -> tuple[int, int, int]:
    """The probabilities in permille; they add up to 1000."""
    won, lost = round(1000 * wdl[0]), round(1000 * wdl[2])
    return won, 1000 - won - lost, lost


def _inside(value: float) -> float:
    """Keeps a value away from -1 and 1, where the curves are infinite."""
    return max(-0.9999, min(0.9999, value))


@dataclass(frozen=True)
class ProtocolSpec:
    """The parts in which UCI and USI differ."""

    name: str
    position_keyword: str
    """The word before a position's text."""
    sides: tuple[str, str]
    """Letters of the clocks of players 0 and 1."""
    no_move: str
    """Answer if there is no legal move."""
    can_resign: bool
    """Whether an engine can resign."""
    claim_move: str | None
    """Move that claims a win; it is played whenever it is legal."""
    centipawns: Callable[[float], int]
    """From a value from -1 to 1 to a score."""
    mate_in: Callable[[int], int]
    """From `PvLine.forced` to the number after `score mate`."""
    game: Any = None
    """The rules of its game."""


def protocol_spec(protocol: str) -> ProtocolSpec:
    """The UCI or USI of the game that speaks it."""
    return replace(_SPECS[protocol], game=load_game(PROTOCOLS[protocol]))


_SPECS = {
    "uci": ProtocolSpec(
        name="uci",
        position_keyword="fen",
        sides=("w", "b"),
        no_move="(none)",
        can_resign=False,
        claim_move=None,
        centipawns=lc0_centipawns,
        mate_in=mate_in_moves,
    ),
    "usi": ProtocolSpec(
        name="usi",
        position_keyword="sfen",
        sides=("b", "w"),
        no_move="resign",
        can_resign=True,
        claim_move="win",
        centipawns=shogi_centipawns,
        mate_in=mate_in_plies,
    ),
}


# The `info` lines of UCI and USI.


_LONGEST = 30
"""Most moves of a line that are shown."""


def search_info(
    protocol: ProtocolSpec,
    settings: EngineSettings,
    state: Any,
    result: SearchResult,
    searchmoves: Sequence[Move] = (),
) -> list[str]:
    """The info lines of a search under way."""
    lines = search_pv_lines(result, searchmoves)[: settings.multipv]
    return [
        _info(protocol, settings, state, number, line, _effort(result, line), result.evaluation)
        for number, line in enumerate(lines, start=1)
    ]


def decision_info(
    protocol: ProtocolSpec,
    settings: EngineSettings,
    state: Any,
    decision: Decision,
    predict: Callable[[Sequence[Any]], Sequence[Prediction]],
    searchmoves: Sequence[Move] = (),
) -> list[str]:
    """The info lines of a decision. A single line is that of the move played, even if it ranks lower.

    Several lines are the moves that the search visited and, if these are fewer, the likeliest others, each
    with its own score: `predict` evaluates the positions after them.
    """
    result, prediction = decision.search, decision.prediction
    lines = [] if result is None else search_pv_lines(result, searchmoves)
    if prediction is not None and len(lines) < settings.multipv:
        visited = {line.moves[0] for line in lines}
        others = [line for line in policy_pv_lines(prediction, searchmoves) if line.moves[0] not in visited]
        if settings.multipv > 1:
            others = evaluated_lines(state, others[: settings.multipv - len(lines)], predict)
        lines += others
    if settings.multipv == 1:
        lines = [line for line in lines if line.moves[0] == decision.move] or lines
    infos = []
    for number, line in enumerate(lines[: settings.multipv], start=1):
        if result is None:
            effort = f"depth 1 seldepth 1 nodes 1 time {round(1000 * (decision.seconds or 0))}"
        else:
            effort = _effort(result, line)
        infos.append(_info(protocol, settings, state, number, line, effort, prediction))
    return infos


def move_stats(state: Any, decision: Decision) -> list[str]:
    """A text for each legal move in the manner of Lc0's VerboseMoveStats, the best first: visits N,
    probability P of the policy, and value Q of the search."""
    if (result := decision.search) is not None and len(result.moves):
        rows = [
            (int(result.moves[i]), int(result.visits[i]), float(result.priors[i]), float(result.values[i]))
            for i in result.ranked()
        ]
    elif decision.prediction is not None:
        rows = [(line.moves[0], 0, line.prior, math.nan) for line in policy_pv_lines(decision.prediction)]
    else:
        return []
    return [
        f"{state.move_text(move):5} N: {visits:7} (P: {100 * prior:5.2f}%) "
        f"(Q: {'  -.----' if math.isnan(value) else f'{value:8.5f}'})"
        for move, visits, prior, value in rows
    ]


def pv_texts(state: Any, moves: Sequence[Move]) -> list[str]:
    """Moves of a line in the game's notation."""
    texts = []
    for move in moves[:_LONGEST]:
        texts.append(state.move_text(move))
        state = state.play_past_end(move)
    return texts


def _effort(result: SearchResult, line: PvLine) -> str:
    milliseconds = round(1000 * result.seconds)
    speed = round(result.new_visits / max(result.seconds, 0.001))
    depth = f"depth {len(line.moves)} seldepth {max(result.depth, len(line.moves))}"
    hashfull = round(1000 * result.memory_used)
    return f"{depth} nodes {result.nodes} nps {speed} hashfull {hashfull} time {milliseconds}"


def _info(
    protocol: ProtocolSpec,
    settings: EngineSettings,
    state: Any,
    number: int,
    line: PvLine,
    effort: str,
    evaluation: Prediction | None,
) -> str:
    score = ""
    if line.value is not None:
        if line.forced:
            score = f" score mate {protocol.mate_in(line.forced)}"
        else:
            score = f" score cp {protocol.centipawns(line.value)}"
        if settings.show_wdl:
            chances = line.wdl or wdl_of(line.value, None if evaluation is None else evaluation.wdl)
            score += " wdl {} {} {}".format(*permille(chances))
    return f"info {effort} multipv {number}{score} pv {' '.join(pv_texts(state, line.moves))}"
