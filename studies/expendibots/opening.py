"""The report's opening put to the test: two tokens to e4 as fast as possible, whatever Black does.

The report believes that this wins unless Black mirrors it. Here every reply of Black's to the first move is
followed by the second, and a search says what is left of the advantage.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sparring._core import Analysis, ExpendibotsSearch, ExpendibotsState
from sparring.games.expendibots import Expendibots
from sparring.players.expendibots import AlphaBetaLimits, ExpendibotsAgent, agent_components
from sparring.reports import describe_machine, today
from sparring.storage import atomic_write

_FIRST, _SECOND, _MIRRORED = "1e1-e2", "2e2-e4", "1e8-e7"
EVEN = 5.0
"""Of 100: with no more than this for either side, a position counts as even."""


def analyse_opening(out: Path, *, nodes: int, command: str) -> dict[str, Any]:
    """Searches the start and each reply to the report's first move; writes `opening.json`."""
    search = ExpendibotsAgent(agent_components("network"), AlphaBetaLimits(nodes=nodes), megabytes=64).search
    start = Expendibots().initial()
    found = search.analyse(start, nodes=4 * nodes, margin=20.0)
    opened = start.play(start.parse_move(_FIRST))
    replies = []
    for reply in _distinct(opened):
        after = _played(opened.play(reply), _SECOND)
        if after is None:
            continue
        replies.append(
            {"reply": opened.move_text(reply), **_told(after, _searched(search, after, nodes), -1)}
        )
    replies.sort(key=lambda row: float(row["value"]))
    report = {
        "command": command,
        "date": today(),
        "machine": describe_machine(),
        "nodes": nodes,
        "start": {
            **_told(start, found, 1),
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
    atomic_write(out / "opening.json", json.dumps(report, indent=1) + "\n")
    return report


def _searched(search: ExpendibotsSearch, state: ExpendibotsState, nodes: int) -> Analysis:
    search.clear()
    return search.analyse(state, nodes=nodes)


def _told(state: ExpendibotsState, found: Analysis, sign: int) -> dict[str, Any]:
    """What a search found, for White where `sign` turns it."""
    line, at = [], state
    for move in found.pv:
        line.append(at.move_text(move))
        at = at.play(move)
        if at.outcome is not None:
            break
    return {"value": round(sign * found.value, 2), "depth": found.depth, "line": line}


def _played(state: ExpendibotsState, text: str) -> ExpendibotsState | None:
    move = state.parse_move(text)
    return state.play(move) if move in state.legal_moves() else None


def _distinct(state: ExpendibotsState) -> list[int]:
    """A move for each position that can come next."""
    chosen: dict[int, int] = {}
    for move in state.legal_moves():
        chosen.setdefault(state.play(move).key, move)
    return list(chosen.values())
