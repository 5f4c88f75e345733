"""`sparring measure person`: how much more likely a person's moves became, and whether they are told from
others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from sparring.cli.arguments import GameName
from sparring.cli.errors import UserError
from sparring.cli.printing import foreign, make_console
from sparring.cli.progress import ProgressBar
from sparring.games import GAMES
from sparring.records import BadTable, UnsupportedFormat

_SETS = (1, 2, 5, 10)
"""Numbers of games from which a person is identified."""


def measure_person(
    game: GameName,
    player: Annotated[
        list[Path],
        typer.Option(
            "--player",
            "-p",
            help="Name of a person in your data folder, or player's file of `sparring train person`; may be "
            "repeated.",
        ),
    ],
    records: Annotated[
        list[Path],
        typer.Option("--records", "-r", help="Files of games or folders of tables; may be repeated."),
    ],
    games: Annotated[int, typer.Option(min=1, help="Most games of a person, the latest ones.")] = 50,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure people's models on games that they did not see.

    With several players it also says who of them played a game.
    """
    if game not in GAMES:
        raise UserError(f"unknown game '{game}'; there are {', '.join(GAMES)}")
    from sparring.players.persons import UnknownPerson
    from sparring.training.person.measurement import measure_people
    from sparring.training.person.person_games import NoSuchPerson

    try:
        files = [_file(each, game) for each in player]
        with ProgressBar() as bar:
            found = measure_people(files, records, game, games, _SETS, bar.on_progress)
    except (NoSuchPerson, UnknownPerson, BadTable, UnsupportedFormat, ValueError) as error:
        raise UserError(str(error)) from None
    if as_json:
        print(json.dumps(found))
    else:
        _show(found)


def _file(player: Path, game: str) -> Path:
    """The person's file of a player's file, or of a name. Raises UnknownPerson."""
    from sparring.players.persons import find_person

    if player.suffix not in (".toml", ".person"):
        player = find_person(str(player), game).path
    return player.with_suffix(".person")


def _show(found: dict[str, Any]) -> None:
    console = make_console()
    for name, entry in found["people"].items():
        console.print(
            f"{foreign(name)}: {entry['games']:,} games that were not trained on; the base has top-1 "
            f"{entry['base_top1']:.3f}, {entry['base_nll']:.3f} nats a move",
            soft_wrap=True,
        )
        table = Table("phase", "moves", "nats gained", "top-1 gained", box=None)
        for phase, part in [*entry["phases"].items(), ("all", entry)]:
            table.add_row(phase, f"{part['positions']:,}", _cell(part["nats"]), _cell(part["top1"]))
        console.print(table)
    for entry in found.get("identification", []):
        plural = "game" if entry["games"] == 1 else "games"
        console.print(
            f"who of {len(found['people'])} played, from {entry['games']} {plural}: "
            f"{entry['value']:.0%} right ({entry['low']:.0%} to {entry['high']:.0%})"
        )


def _cell(estimate: dict[str, float]) -> str:
    return f"{estimate['value']:+.3f} [dim]({estimate['low']:+.3f} to {estimate['high']:+.3f})[/]"
