"""`sparring games`: lists the games."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.table import Table

from sparring.cli.arguments import option_texts
from sparring.cli.printing import make_console
from sparring.games import GAMES, load_game


def games(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the games and their rule options."""
    specs = {name: load_game(name).spec for name in GAMES}
    if as_json:
        rows = [
            {
                "game": name,
                "title": spec.title,
                "players": spec.players,
                "board": spec.board,
                "hidden": spec.hidden,
                "options": option_texts(name),
            }
            for name, spec in specs.items()
        ]
        print(json.dumps(rows))
        return
    table = Table("game", "", "board", "begins", "options", box=None)
    for name, spec in specs.items():
        board = f"{spec.board[0]}x{spec.board[1]}"
        table.add_row(f"[bold]{name}[/]", spec.title, board, spec.players[0], " ".join(option_texts(name)))
    make_console().print(table)
