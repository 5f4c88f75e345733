"""Players of Expendibots: the agent, its predecessors, and the report's endgame heuristics."""

from sparring.players.expendibots.agent import AgentComponents, ExpendibotsAgent
from sparring.players.expendibots.baselines import GreedyPlayer, ReportAgent
from sparring.players.expendibots.endgame_heuristics import endgame_move
from sparring.players.expendibots.ladder import (
    LADDER,
    agent_components,
    ladder_player,
    make_level_agent,
    shipped_agent,
)

__all__ = [
    "LADDER",
    "AgentComponents",
    "ExpendibotsAgent",
    "GreedyPlayer",
    "ReportAgent",
    "agent_components",
    "endgame_move",
    "ladder_player",
    "make_level_agent",
    "shipped_agent",
]
