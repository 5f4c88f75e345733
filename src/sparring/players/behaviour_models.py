"""The shipped models of how people behave at the board: think time, resignation, draws.

`data/behaviour/GAME.json` has the models of a game, `think-time.json` the think times of all games, whose
features are those of the policy and the clock. `python -m studies manners` fits them to people's games.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from sparring import data


def has_model(game: str, name: str) -> bool:
    """Whether the package has a model of people's `resignation` or `draws` in a game."""
    return name in behaviour(game)


@cache
def behaviour(name: str) -> Mapping[str, Any]:
    """The models of a file by name; empty if there is no such file."""
    if name not in data.names("behaviour"):
        return {}
    content: dict[str, Any] = json.loads(data.path("behaviour", name).read_text(encoding="utf-8"))
    return content
