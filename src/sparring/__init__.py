"""Sparring: human-like opponents and the tools to build them. `docs/api.md` describes the names here.

Nothing is imported before a name is used. Importing this package switches off the telemetry of the libraries
that it uses.
"""

from typing import TYPE_CHECKING

from sparring._lazy import attach
from sparring._telemetry import disable_telemetry

if TYPE_CHECKING:
    from sparring._version import __version__ as __version__
    from sparring.games import load_game as load_game
    from sparring.games.game import Game as Game
    from sparring.games.position import Position as Position
    from sparring.networks.prediction import Prediction as Prediction
    from sparring.networks.store import load_network as load_network
    from sparring.players.loading import load_player as load_player
    from sparring.players.player import Decision as Decision
    from sparring.players.player import GameStart as GameStart
    from sparring.players.player import Player as Player
    from sparring.players.player import Turn as Turn
    from sparring.policies.loading import load_policy as load_policy
    from sparring.policies.policy import Policy as Policy
    from sparring.records.game_records import open_records as open_records

disable_telemetry()

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "_version": ("__version__",),
        "games": ("load_game",),
        "games.game": ("Game",),
        "games.position": ("Position",),
        "networks.prediction": ("Prediction",),
        "networks.store": ("load_network",),
        "players.loading": ("load_player",),
        "players.player": ("Decision", "GameStart", "Player", "Turn"),
        "policies.loading": ("load_policy",),
        "policies.policy": ("Policy",),
        "records.game_records": ("open_records",),
    },
)
