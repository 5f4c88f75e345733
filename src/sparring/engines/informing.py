"""The `info` lines of UCI and USI."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sparring.engines.analysis import Line, expected_lines, searched_lines, thousandths, wdl_of
from sparring.engines.dialects import Dialect
from sparring.engines.settings import Settings
from sparring.games import Move
from sparring.networks.prediction import Prediction
from sparring.players.thinking import Thought
from sparring.search import Found

_LONGEST = 30
"""Moves of a line that are shown."""


def found_infos(dialect: Dialect, settings: Settings, state: Any, found: Found) -> list[str]:
    """What a search knows so far."""
    lines = searched_lines(found)[: settings.multipv]
    return [
        _info(dialect, settings, state, number, line, _effort(found, line), found.judged)
        for number, line in enumerate(lines, start=1)
    ]


def thought_infos(dialect: Dialect, settings: Settings, state: Any, thought: Thought) -> list[str]:
    """What a thought came to. A single line is that of the move it plays, whether or not it ranks first."""
    found, prediction = thought.found, thought.prediction
    lines = ([] if found is None else searched_lines(found)) or expected_lines(prediction)
    if settings.multipv == 1:
        lines = _first(lines, thought.choice.move)
    infos = []
    for number, line in enumerate(lines[: settings.multipv], start=1):
        if found is None:
            effort = f"depth 1 seldepth 1 nodes 1 time {round(1000 * thought.seconds)}"
        else:
            effort = _effort(found, line)
        infos.append(_info(dialect, settings, state, number, line, effort, prediction))
    return infos


def line_texts(state: Any, moves: Sequence[Move]) -> list[str]:
    """A line's moves in the game's notation."""
    texts = []
    for move in moves[:_LONGEST]:
        texts.append(state.move_text(move))
        state = state.play_on(move)
    return texts


def _first(lines: list[Line], move: Move) -> list[Line]:
    return [line for line in lines if line.moves[0] == move] or lines


def _effort(found: Found, line: Line) -> str:
    milliseconds = round(1000 * found.seconds)
    speed = round(found.searched / max(found.seconds, 0.001))
    depth = f"depth {len(line.moves)} seldepth {max(found.depth, len(line.moves))}"
    return (
        f"{depth} nodes {found.nodes} nps {speed} hashfull {round(1000 * found.filled)} time {milliseconds}"
    )


def _info(
    dialect: Dialect,
    settings: Settings,
    state: Any,
    number: int,
    line: Line,
    effort: str,
    judged: Prediction | None,
) -> str:
    score = ""
    if line.value is not None:
        if line.forced:
            score = f" score mate {dialect.mate_in(line.forced)}"
        else:
            score = f" score cp {dialect.centipawns(line.value)}"
        if settings.show_wdl:
            chances = wdl_of(line.value, None if judged is None else judged.wdl)
            score += " wdl {} {} {}".format(*thousandths(chances))
    return f"info {effort} multipv {number}{score} pv {' '.join(line_texts(state, line.moves))}"
