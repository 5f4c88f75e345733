"""Where draws come from: the agent against itself, and what either side had in its drawn games."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sparring._core import ExpendibotsState
from sparring.base.provenance import provenance
from sparring.expendibots.agent import tokens
from sparring.expendibots.game import Expendibots
from sparring.expendibots.tables import shipped_tables
from sparring.measure.reports import write_json
from sparring.play.game import LiveGame
from sparring.play.match import play_out
from sparring.players import SearchLimits
from sparring.search.linear_evaluation import open_evaluation
from studies.expendibots.acceptance import even_opening
from studies.expendibots.rungs import ladder_player

REPORT = "draws.json"
_FEW = 8
"""An ending has at most this many tokens."""


@dataclass
class SelfPlayEnding:
    """The end of a game of the agent against itself."""

    reason: str
    drawn: bool
    endgame_win: bool = False
    """Whether the endgame tables had a win for a side at some point of the game."""
    lead: int = 0
    """Largest lead in tokens of a side in the ending."""
    first_tabled: str = ""
    """Material of the first position in the tables, such as 2v2."""


def analyse_draws(out: Path, *, games: int, nodes: int, seed: int, command: str) -> dict[str, Any]:
    """Plays `games` of the agent against itself, `nodes` a move; writes `draws.json` and returns it."""
    searcher = open_evaluation("expendibots", "start").searcher(megabytes=4)
    endings = [
        play_game(even_opening("expendibots", searcher, np.random.default_rng([seed, number])), nodes)
        for number in range(games)
    ]
    drawn = [ending for ending in endings if ending.drawn]
    report = {
        **provenance(command),
        "games": games,
        "nodes_a_move": nodes,
        "seed": seed,
        "reasons": dict(Counter(ending.reason for ending in endings)),
        "draws": len(drawn),
        "drawn_with_an_endgame_win": sum(each.endgame_win for each in drawn),
        "first_tabled_material_of_draws": dict(Counter(each.first_tabled for each in drawn)),
        "largest_lead_in_drawn_endings": dict(Counter(str(each.lead) for each in drawn)),
    }
    write_json(report, out / REPORT)
    return report


def play_game(state: ExpendibotsState, nodes: int) -> SelfPlayEnding:
    """Plays a game from a state."""
    players = [ladder_player("champion", SearchLimits(nodes=nodes), megabytes=4) for _ in range(2)]
    ending = SelfPlayEnding("", True)

    def look(game: LiveGame) -> None:
        position = game.states[-1]
        own, other = tokens(position)
        if own + other <= _FEW:
            ending.lead = max(ending.lead, abs(own - other))
        value = shipped_tables().probe(position)
        if value is not None:
            ending.first_tabled = ending.first_tabled or f"{max(own, other)}v{min(own, other)}"
            ending.endgame_win |= value != 0

    end = play_out(LiveGame(Expendibots(), dict(enumerate(players)), start=state), look)
    ending.reason, ending.drawn = end.reason, end.winner is None
    return ending
