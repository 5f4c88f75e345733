"""`python -m studies networks`: agreement of our network readers with the original programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from sparring.base.errors import UserError
from sparring.cli.console import make_console
from studies.options import command_line


def networks(
    nets: Annotated[Path, typer.Option(help="Folder with lc0/, katago/ and maia3/.")],
    references: Annotated[Path, typer.Option(help="Folder with KataGo's recorded outputs.")],
    games: Annotated[Path, typer.Option(help="A PGN file, also .zst.")],
    positions: Annotated[int, typer.Option(min=1, help="Minimum number of positions.")] = 600,
    out: Annotated[Path, typer.Option(help="Folder of the report.")] = Path("results/networks"),
) -> None:
    """Compare our network readers with the original programs."""
    from studies.networks import agreement as study

    for path in (nets, references, games):
        if not path.exists():
            raise UserError(f"there is no {path}")
    report = study.run(nets, references, games, positions, out, command_line())
    table = Table("network", "positions", "largest differences", "", box=None)
    for name, found in report["networks"].items():
        differences = ", ".join(f"{key.split('_', 1)[1]} {found[key]:.2g}" for key in found["limits"])
        table.add_row(
            name, str(found["positions"]), differences, "agrees" if found["agrees"] else "[red]differs[/]"
        )
    make_console().print(table)
    if not all(found["agrees"] for found in report["networks"].values()):
        raise UserError("not every network agrees")
