"""The `info` lines of UCI and USI."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from sparring.engines.analysis import (
    PvLine,
    evaluated_lines,
    permille,
    policy_pv_lines,
    search_pv_lines,
    wdl_of,
)
from sparring.engines.protocols import ProtocolSpec
from sparring.engines.settings import EngineSettings
from sparring.games import Move
from sparring.networks.prediction import Prediction
from sparring.players import Decision
from sparring.search import SearchResult

_LONGEST = 30
"""Most moves of a line that are shown."""


def search_info(
    protocol: ProtocolSpec,
    settings: EngineSettings,
    state: Any,
    found: SearchResult,
    searchmoves: Sequence[Move] = (),
) -> list[str]:
    """The info lines of a search under way."""
    lines = search_pv_lines(found, searchmoves)[: settings.multipv]
    return [
        _info(protocol, settings, state, number, line, _effort(found, line), found.evaluation)
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

    Several lines of a policy without search are its likeliest moves, each with its own score: `predict`
    evaluates the positions after them.
    """
    found, prediction = decision.search, decision.prediction
    lines = [] if found is None else search_pv_lines(found, searchmoves)
    if not lines and prediction is not None:
        lines = policy_pv_lines(prediction, searchmoves)
        if settings.multipv > 1:
            lines = evaluated_lines(state, lines[: settings.multipv], predict)
    if settings.multipv == 1:
        lines = _first(lines, decision.move)
    infos = []
    for number, line in enumerate(lines[: settings.multipv], start=1):
        if found is None:
            effort = f"depth 1 seldepth 1 nodes 1 time {round(1000 * (decision.seconds or 0))}"
        else:
            effort = _effort(found, line)
        infos.append(_info(protocol, settings, state, number, line, effort, prediction))
    return infos


def move_stats(state: Any, decision: Decision) -> list[str]:
    """A text for each legal move in the manner of Lc0's VerboseMoveStats, the best first: visits N,
    probability P of the policy, and value Q of the search."""
    if (found := decision.search) is not None and len(found.moves):
        rows = [
            (int(found.moves[i]), int(found.visits[i]), float(found.priors[i]), float(found.values[i]))
            for i in found.ranked()
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


def _first(lines: list[PvLine], move: Move) -> list[PvLine]:
    return [line for line in lines if line.moves[0] == move] or lines


def _effort(found: SearchResult, line: PvLine) -> str:
    milliseconds = round(1000 * found.seconds)
    speed = round(found.new_visits / max(found.seconds, 0.001))
    depth = f"depth {len(line.moves)} seldepth {max(found.depth, len(line.moves))}"
    hashfull = round(1000 * found.memory_used)
    return f"{depth} nodes {found.nodes} nps {speed} hashfull {hashfull} time {milliseconds}"


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
