"""`sparring games`: lists the games."""

from __future__ import annotations

import dataclasses
import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated

import typer
from rich.table import Table

from sparring import data
from sparring.cli.arguments import (
    AsJson,
    GameName,
    Options,
    PositionText,
    choose_game,
    choose_state,
    option_texts,
)
from sparring.cli.console import foreign, make_console, start_native, visible
from sparring.games import GAMES, load_game
from sparring.networks import store
from sparring.networks.card import ModelCard
from sparring.networks.formats import open_network


def games(as_json: AsJson = False) -> None:
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


# `sparring perft`: counts move sequences, the standard test of a move generator.


def perft(
    game: GameName,
    depth: Annotated[int, typer.Argument(min=0, max=100, help="Plies.")],
    position: PositionText = None,
    as_json: AsJson = False,
    option: Options = None,
) -> None:
    """Count the move sequences of a given length (perft).

    Draws by repetition or move count do not end a sequence.
    """
    rules = choose_game(game, option)
    state = choose_state(rules, position)
    counted: list[int] = []
    start = time.perf_counter()
    worker = start_native(lambda: counted.append(state.perft(depth)))
    while worker.is_alive():
        worker.join(0.1)
    seconds = time.perf_counter() - start
    nodes = counted[0]
    if as_json:
        print(json.dumps({"game": game, "depth": depth, "nodes": nodes, "seconds": round(seconds, 6)}))
    else:
        print(
            f"{nodes:,} nodes in {seconds:.3f} s ({nodes / max(seconds, 1e-9) / 1e6:,.1f} million per second)"
        )


# `sparring report`: renders the HTML page of a report's folder.


def report(
    folder: Annotated[Path, typer.Argument(help="A folder written by `sparring measure matching --out`.")],
    out: Annotated[
        Path | None, typer.Option(help="Output file (default: report.html in the folder).")
    ] = None,
) -> None:
    """Render a measurement's report as an HTML page."""
    from sparring.measure.matching_report import write_page

    print(visible(write_page(folder, out)))


# `sparring models`: networks of the user's store.


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
        rows = [
            {"name": "", "shipped": entry.shipped, **dataclasses.asdict(entry.card)}
            | {"name": entry.name}
            | _version_of(entry.path)
            for entry in stored_models
        ]
        print(json.dumps(rows))
        return
    if not stored_models:
        print("No models yet: sparring models add FILE")
        return
    table = Table("name", "", "game", "parameters", "trained on", box=None)
    for entry in stored_models:
        card, version = entry.card, _version_of(entry.path)
        table.add_row(
            f"[bold]{foreign(entry.name)}[/]",
            f"shipped, version {version['version']} ({version['sha256']:.8})" if version else "added",
            foreign(card.game),
            f"{card.parameters:,}",
            foreign(card.trained_on),
        )
    console = make_console()
    console.print(table)
    levels = (f"{game} {row.version}" for game in GAMES if (row := data.file_version("levels", game)))
    console.print(f"[dim]Versions of the level tables: {', '.join(levels)}[/]")


def info(
    model: Annotated[str, typer.Argument(help="Name of a model, or a network file.")],
    as_json: AsJson = False,
) -> None:
    """Show the model card of a network."""
    path = store.find(model)
    _, card = open_network(path)
    if as_json:
        print(json.dumps({**dataclasses.asdict(card), **_version_of(path)}))
        return
    shipped = path == data.path("networks", path.stem)
    rows = {key: str(value) for key, value in _version_of(path).items()}
    _print_card(card, {**rows, **data.training_card("networks", path.stem)} if shipped else {})


def remove(name: Annotated[str, typer.Argument(help="Name of an added model.")]) -> None:
    """Remove an added network."""
    store.remove(name)
    print(f"Removed {visible(name)}.")


def _version_of(path: Path) -> dict[str, int | str]:
    """`version` and `sha256` of a shipped network; nothing for others."""
    row = data.file_version("networks", path.stem) if path == data.path("networks", path.stem) else None
    return {} if row is None else dataclasses.asdict(row)


def _print_card(card: ModelCard, training: Mapping[str, str] = MappingProxyType({})) -> None:
    table = Table(box=None, show_header=False)
    for key, value in (*card.describe(), *training.items()):
        table.add_row(f"[dim]{key.replace('_', ' ')}[/]", foreign(value))
    make_console().print(table)
