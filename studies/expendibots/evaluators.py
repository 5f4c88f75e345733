"""Networks against the linear evaluation, at equal time: each gets as many nodes as it visits in it."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sparring.arena.acceptance import NamedPlayer, play_match, summarise_match
from sparring.games.expendibots import Expendibots
from sparring.players.expendibots import AgentComponents, AlphaBetaLimits, ExpendibotsAgent, agent_components
from sparring.reports import describe_machine, today
from sparring.search.expendibots.endgame_tables import shipped_tables
from sparring.search.expendibots.value_network_files import open_network, origin_of
from sparring.search.linear_evaluation import open_evaluation
from sparring.storage import atomic_write

_PROBED = ("1e1-e2", "1d8-d7", "2e2-e4", "1g8-g7", "1b1-b2", "2d7-d5")
"""A line into the middle game in which speeds are measured."""


def compare(
    out: Path, networks: Mapping[str, Path], *, seconds: float, games: int, seed: int, command: str
) -> dict[str, Any]:
    """Each network against the learned weights, both with tables; writes `networks.json`."""
    linear = agent_components("tables")
    known = {
        name: AgentComponents(
            open_evaluation("expendibots"), network=open_network(path), tables=shipped_tables()
        )
        for name, path in networks.items()
    }
    speeds = {name: nodes_per_second(each) for name, each in {"linear": linear, **known}.items()}
    rows = []
    for name, each in known.items():
        sides = [
            NamedPlayer(who, _maker(what, max(1, round(speeds[who] * seconds))))
            for who, what in ((name, each), ("linear", linear))
        ]
        played = list(play_match("expendibots", sides[0], sides[1], games=games, seed=seed))
        origin = origin_of(networks[name])
        rows.append(
            {
                "network": name,
                "positions": origin.get("positions"),
                "epochs": origin.get("epochs", [])[-1:],
                "made_by": origin.get("command"),
                "match": asdict(summarise_match(name, "linear", played)),
            }
        )
    report = {
        "command": command,
        "date": today(),
        "machine": describe_machine(),
        "seconds_a_move": seconds,
        "nodes_a_second": {name: round(value) for name, value in speeds.items()},
        "networks": rows,
    }
    atomic_write(out / "networks.json", json.dumps(report, indent=1) + "\n")
    return report


def nodes_per_second(known: AgentComponents) -> float:
    """Nodes a second of the processor, over the positions of a line; at least a fifth of a second of them."""
    champion, nodes, spent = ExpendibotsAgent(known, AlphaBetaLimits(nodes=2000), megabytes=4), 0, 0.0
    while spent < 0.2:
        state = Expendibots().initial()
        for text in _PROBED:
            state = state.play(state.parse_move(text))
            champion.search.clear()
            before = time.process_time()
            nodes += champion.search.analyse(state, nodes=2000).nodes
            spent += time.process_time() - before
    return nodes / spent


def _maker(known: AgentComponents, nodes: int) -> Any:
    return lambda _: ExpendibotsAgent(known, AlphaBetaLimits(nodes=nodes), megabytes=4)
