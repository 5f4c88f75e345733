"""`sparring models`: networks of the user's store."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from sparring.cli.printing import foreign, make_console, visible
from sparring.networks import store
from sparring.networks.card import ModelCard
from sparring.networks.formats import read_network

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def add(
    file: Annotated[Path, typer.Argument(help="A network file of Lc0, Maia, KataGo, dlshogi or Sparring.")],
    name: Annotated[str | None, typer.Option(help="Name in the store (default: the file name).")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace a model of the same name.")] = False,
) -> None:
    """Check a network file, convert it and store it."""
    entry = store.add(file, name, replace=replace)
    make_console().print(f"[bold]{foreign(entry.name)}[/] is ready.")
    _print_card(entry.card)


def list_models(as_json: AsJson = False) -> None:
    """List the shipped and the added networks."""
    stored_models = store.stored_models(
        lambda message: print(f"sparring: {visible(message)}", file=sys.stderr)
    )
    if as_json:
        rows = [{"name": e.name, "shipped": e.shipped, **_without_name(e.card)} for e in stored_models]
        print(json.dumps(rows))
        return
    if not stored_models:
        print("No models yet: sparring models add FILE")
        return
    table = Table("name", "", "game", "parameters", "trained on", box=None)
    for entry in stored_models:
        card = entry.card
        kind = "shipped" if entry.shipped else "added"
        table.add_row(
            f"[bold]{foreign(entry.name)}[/]",
            kind,
            foreign(card.game),
            f"{card.parameters:,}",
            foreign(card.trained_on),
        )
    make_console().print(table)


def info(
    model: Annotated[str, typer.Argument(help="Name of a model, or a network file.")],
    as_json: AsJson = False,
) -> None:
    """Show the model card of a network."""
    _, card = read_network(store.find(model))
    if as_json:
        print(json.dumps(dataclasses.asdict(card)))
    else:
        _print_card(card)


def remove(name: Annotated[str, typer.Argument(help="Name of an added model.")]) -> None:
    """Remove an added network."""
    store.remove(name)
    print(f"Removed {visible(name)}.")


def _without_name(card: ModelCard) -> dict[str, object]:
    return {key: value for key, value in dataclasses.asdict(card).items() if key != "name"}


def _print_card(card: ModelCard) -> None:
    table = Table(box=None, show_header=False)
    for key, value in card.describe():
        table.add_row(f"[dim]{key}[/]", foreign(value))
    make_console().print(table)
