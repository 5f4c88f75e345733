"""The `info` lines of UCI and USI."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sparring.engines.analysis import PvLine, permille, policy_pv_lines, search_pv_lines, wdl_of
from sparring.engines.protocols import ProtocolSpec
from sparring.engines.settings import EngineSettings
from sparring.games import Move
from sparring.networks.prediction import Prediction
from sparring.players import Decision
from sparring.search import SearchResult

_LONGEST = 30
"""Most moves of a line that are shown."""


def search_info(
    protocol: ProtocolSpec, settings: EngineSettings, state: Any, found: SearchResult
) -> list[str]:
    """The info lines of a search under way."""
    lines = search_pv_lines(found)[: settings.multipv]
    return [
        _info(protocol, settings, state, number, line, _effort(found, line), found.evaluation)
        for number, line in enumerate(lines, start=1)
    ]


def decision_info(
    protocol: ProtocolSpec, settings: EngineSettings, state: Any, decision: Decision
) -> list[str]:
    """The info lines of a decision. A single line is that of the move played, even if it ranks lower."""
    found, prediction = decision.search, decision.prediction
    lines = [] if found is None else search_pv_lines(found)
    if not lines and prediction is not None:
        lines = policy_pv_lines(prediction)
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
            chances = wdl_of(line.value, None if evaluation is None else evaluation.wdl)
            score += " wdl {} {} {}".format(*permille(chances))
    return f"info {effort} multipv {number}{score} pv {' '.join(pv_texts(state, line.moves))}"
