"""`sparring measure level`: how strong is a player, from its games."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from sparring.cli.errors import UserError
from sparring.cli.printing import foreign, make_console
from sparring.cli.progress import ProgressBar
from sparring.config import is_file
from sparring.networks.sessions import BACKENDS
from sparring.records import BadTable, UnsupportedFormat

_SHOWN = 20
"""Players that are printed without --name."""


def level(
    games: Annotated[Path, typer.Option("--pgn", "--games", help="File of games, or the folder of a table.")],
    name: Annotated[
        list[str] | None, typer.Option(help="Name of the player; repeatable. Default: all players.")
    ] = None,
    game: Annotated[
        str | None, typer.Option(help="Name of the game, where the file does not say it.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Most games that are read.")] = 200,
    backend: Annotated[
        str, typer.Option(help=f"Runtime of the networks: {', '.join(BACKENDS)}.")
    ] = "onnxruntime",
    threads: Annotated[int, typer.Option(min=1, help="Threads of a network's session.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Estimate the rating of a player from its moves.

    Prints the rating with a 95 % interval.
    """
    from itertools import islice

    from sparring import strength
    from sparring.policies import load_policy
    from sparring.records import open_records

    if not (is_file(games) or games.is_dir()):
        raise UserError(f"no such file or table: {games}")
    names = tuple(name or ())
    try:
        records = open_records(games, game)
        model = strength.shipped_strength_model(records.game)
        wanted = (each for each in records if not names or any(known in names for known in each.players))
        chosen = list(islice(wanted, limit))
        if not chosen:
            raise UserError(
                f"{games.name}: there are no games" + (f" of {', '.join(names)}" if names else "")
            )
        human = load_policy("human", records.game, backend=backend, threads=threads)
        with ProgressBar() as bar:
            found = strength.measure_levels(
                chosen, names, model=model, human=human,
                on_game=lambda done: bar.on_progress("evaluating the moves", done, len(chosen)),
            )  # fmt: skip
    except (BadTable, UnsupportedFormat, strength.NoStrengthModel, ValueError) as error:
        raise UserError(str(error)) from None
    if as_json:
        print(json.dumps({"players": [_facts(each) for each in found]}))
    else:
        _show(found, names)


def _facts(player: Any) -> dict[str, Any]:
    estimate = player.estimate
    return {
        "name": player.name,
        "rating": round(estimate.rating),
        "low": round(estimate.low),
        "high": round(estimate.high),
        "games": estimate.games,
        "moves": estimate.moves,
        "recorded_rating": None if player.known is None else round(player.known),
    }


def _show(found: list[Any], names: tuple[str, ...]) -> None:
    shown = found if names else found[:_SHOWN]
    table = Table("player", "rating", "95 %", "games", "moves", "in the records", box=None)
    for each in map(_facts, shown):
        recorded = "" if each["recorded_rating"] is None else str(each["recorded_rating"])
        interval = f"{each['low']} to {each['high']}"
        table.add_row(foreign(each["name"]), str(each["rating"]), interval, str(each["games"]),
                      str(each["moves"]), recorded)  # fmt: skip
    console = make_console()
    console.print(table)
    if len(found) > len(shown):
        console.print(f"[dim]and {len(found) - len(shown)} more players; --name shows one[/]")
