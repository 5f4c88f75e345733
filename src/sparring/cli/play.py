"""`sparring play`: a game in the terminal."""

from __future__ import annotations

from typing import Annotated, Any, cast

import numpy as np
import typer

from sparring.cli.choosing import GameName, Options, PositionText, choose_game, choose_state
from sparring.cli.errors import UserError
from sparring.cli.table import HiddenTable, OpenTable
from sparring.games import Game, HiddenGame
from sparring.players import LEVELS, small_hidden_player, small_player


def play(
    game: GameName,
    side: Annotated[str, typer.Option(help="The side you play: its name (such as white), or random.")] = "",
    level: Annotated[
        int,
        typer.Option(
            min=LEVELS[0], max=LEVELS[-1], help="The opponent's strength: each thinks three times longer."
        ),
    ] = 5,
    seed: Annotated[
        int | None, typer.Option(min=0, help="The same seed and moves give the same game.")
    ] = None,
    position: PositionText = None,
    option: Options = None,
) -> None:
    """Play against a small search player. Type moves, or `help` at the prompt."""
    rules = choose_game(game, option)
    rng = np.random.default_rng(seed)
    human = _choose_side(rules, side, rng)
    if rules.spec.hidden:
        if position is not None:
            raise UserError(f"{game} is played from its beginning: a position would give secrets away")
        HiddenTable(cast(HiddenGame[Any, Any], rules), human, small_hidden_player(game, level, rng)).play()
    else:
        state = choose_state(rules, position)
        OpenTable(rules, state, human, small_player(game, level, rng)).play()


def _choose_side(rules: Game[Any], side: str, rng: np.random.Generator) -> int:
    names = [name.lower() for name in rules.spec.players]
    wanted = side.lower() or names[0]
    if wanted == "random":
        return int(rng.integers(2))
    if wanted not in names:
        raise UserError(f"the sides of {rules.spec.name} are {' and '.join(names)} (or random), not '{side}'")
    return names.index(wanted)
