"""Small games, examples and configurations of synopsis networks for tests."""

from __future__ import annotations

from typing import Any

from sparring._core import RbcState
from sparring.base.config import Source, from_table
from sparring.rbc.game import Rbc
from sparring.rbc.plugin import DESCRIPTION
from sparring.rbc.training import RbcTrainingConfig
from sparring.rbc.training.config import ExampleConfig
from sparring.rbc.training.examples import ExampleSet, make_examples
from sparring.records import GameRecord, Termination
from tests.belief.games import random_game


def record_of(
    state: RbcState, result: float | None, first: str = "anna", second: str = "ben", site: str | None = None
) -> GameRecord:
    return GameRecord(
        moves=state.pack_moves(DESCRIPTION.packed_move_bytes),
        result=result,
        ending=Termination.NORMAL,
        first=first,
        second=second,
        site=site,
    )


def played(*texts: str) -> RbcState:
    """The state after actions in order: senses as `sense e2`, moves in UCI."""
    rules, state = Rbc(), Rbc().initial()
    for text in texts:
        state = state.play(rules.parse_move(state, text))
    return state


def small_rbc_config(**parts: Any) -> RbcTrainingConfig:
    table = {
        "name": "tiny",
        "network": {
            "blocks": 1,
            "width": 8,
            "policy_blocks": 1,
            "policy_width": 4,
            "value_width": 8,
            "dropout": 0.1,
        },
        "data": {"boards": 50, "sampled": 16, "draws": 2},
        "training": {"steps": 6, "batch": 16, "validate_every": 3, "validation_positions": 50, "seed": 3},
        "headsets": [
            {"name": "All", "players": ["*"], "weight": 3},
            {"name": "Top", "players": ["anna"]},
            {"name": "ben", "stop_gradient": True},
        ],
        **parts,
    }
    return from_table(RbcTrainingConfig, table, Source())


def small_examples(games: int = 12, turns: int = 6) -> ExampleSet:
    config = ExampleConfig(boards=50, sampled=16, draws=2)
    found = [
        make_examples(record_of(random_game(n, turns), float(n % 2), site=str(n)), config, n)
        for n in range(games)
    ]
    return ExampleSet.concatenate([each for each in found if each is not None])
