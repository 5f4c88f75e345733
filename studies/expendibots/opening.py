"""The opening of the Expendibots report: two tokens to e4 at once, after any reply of Black.

The report claims that this wins unless Black mirrors it. This study plays the second move after each of
Black's replies to the first and searches the result.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sparring._core import Analysis, ExpendibotsState
from sparring.base.provenance import provenance
from sparring.expendibots.agent import ExpendibotsAgent
from sparring.expendibots.game import Expendibots
from sparring.measure.reports import write_json
from sparring.players import SearchLimits
from studies.expendibots.rungs import agent_components

REPORT = "opening.json"
_FIRST, _SECOND, _MIRRORED = "1e1-e2", "2e2-e4", "1e8-e7"
EVEN = 5.0
"""A position counts as even up to this value for either side, of 100."""


def analyse_opening(out: Path, *, nodes: int, command: str) -> dict[str, Any]:
    """Searches each reply with `nodes`, the start with four times as many; writes `opening.json`.

    Returns the report. Values are White's, from -100 to 100.
    """
    search = ExpendibotsAgent(agent_components("network"), SearchLimits(nodes=nodes), megabytes=64).searcher
    start = Expendibots().initial()
    found = search.analyse(start, nodes=4 * nodes, margin=20.0)
    opened = start.play(start.parse_move(_FIRST))
    replies = []
    for reply in _distinct_moves(opened):
        after = _play(opened.play(reply), _SECOND)
        if after is None:
            continue
        search.clear()
        analysis = search.analyse(after, nodes=nodes)
        replies.append({"reply": opened.move_text(reply), **_describe(after, analysis, -1)})
    replies.sort(key=lambda row: float(row["value"]))
    report = {
        **provenance(command),
        "nodes": nodes,
        "start": {
            **_describe(start, found, 1),
            "moves": [
                {"move": start.move_text(move), "value": round(value, 2)}
                for move, value in found.moves
                if value >= found.value - 20.0
            ],
        },
        "replies": replies,
        "won_for_white": sum(float(row["value"]) > EVEN for row in replies),
        "even": sum(abs(float(row["value"])) <= EVEN for row in replies),
        "won_for_black": sum(float(row["value"]) < -EVEN for row in replies),
        "mirroring": next((row["value"] for row in replies if row["reply"] == _MIRRORED), None),
    }
    write_json(report, out / REPORT)
    return report


def _describe(state: ExpendibotsState, found: Analysis, sign: int) -> dict[str, Any]:
    """Value, depth and principal variation; `sign` -1 turns the value when Black is to move."""
    line, at = [], state
    for move in found.pv:
        line.append(at.move_text(move))
        at = at.play(move)
        if at.outcome is not None:
            break
    return {"value": round(sign * found.value, 2), "depth": found.depth, "line": line}


def _play(state: ExpendibotsState, text: str) -> ExpendibotsState | None:
    """The state after a move, or None if the move is illegal."""
    move = state.parse_move(text)
    return state.play(move) if move in state.legal_moves() else None


def _distinct_moves(state: ExpendibotsState) -> list[int]:
    """One legal move for each distinct successor position."""
    chosen: dict[int, int] = {}
    for move in state.legal_moves():
        chosen.setdefault(state.play(move).key, move)
    return list(chosen.values())
