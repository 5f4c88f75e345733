"""Value networks against the linear evaluation, at equal processor time a move."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sparring.base.provenance import provenance
from sparring.expendibots.agent import AgentComponents, ExpendibotsAgent, open_network
from sparring.expendibots.game import Expendibots
from sparring.expendibots.tables import shipped_tables
from sparring.measure.reports import write_json
from sparring.players import SearchLimits
from sparring.search.linear_evaluation import open_evaluation
from sparring.search.value_network import origin_of
from studies.expendibots.acceptance import NamedPlayer, play_match, summarise_match
from studies.expendibots.rungs import agent_components

REPORT = "networks.json"
_PROBED = ("1e1-e2", "1d8-d7", "2e2-e4", "1g8-g7", "1b1-b2", "2d7-d5")
"""A line into the middle game, on whose positions the speed is measured."""


def compare_networks(
    out: Path, networks: Mapping[str, Path], *, seconds: float, games: int, seed: int, command: str
) -> dict[str, Any]:
    """Plays each network (files by name) against the learned weights, both with endgame tables.

    `seconds` of processor time a move are converted to nodes by the measured speed, so that a loaded machine
    changes nothing. Writes `networks.json` and returns the report. Raises BadFile or OSError.
    """
    linear = agent_components("tables")
    components = {
        name: AgentComponents(
            open_evaluation("expendibots"), network=open_network(path), tables=shipped_tables()
        )
        for name, path in networks.items()
    }
    speeds = {name: nodes_per_second(each) for name, each in {"linear": linear, **components}.items()}
    rows = []
    for name, each in components.items():
        sides = [
            NamedPlayer(player, _agent(parts, max(1, round(speeds[player] * seconds))))
            for player, parts in ((name, each), ("linear", linear))
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
        **provenance(command),
        "seconds_a_move": seconds,
        "nodes_a_second": {name: round(value) for name, value in speeds.items()},
        "networks": rows,
    }
    write_json(report, out / REPORT)
    return report


def nodes_per_second(components: AgentComponents) -> float:
    """Nodes per processor second over a line's positions, measured for at least 0.2 s."""
    agent, nodes, spent = ExpendibotsAgent(components, SearchLimits(nodes=2000), megabytes=4), 0, 0.0
    while spent < 0.2:
        state = Expendibots().initial()
        for text in _PROBED:
            state = state.play(state.parse_move(text))
            agent.searcher.clear()
            before = time.process_time()
            nodes += agent.searcher.analyse(state, nodes=2000).nodes
            spent += time.process_time() - before
    return nodes / spent


def _agent(components: AgentComponents, nodes: int) -> ExpendibotsAgent:
    return ExpendibotsAgent(components, SearchLimits(nodes=nodes), megabytes=4)
