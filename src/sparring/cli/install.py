"""`sparring engine install`: launchers of levels for the GUI that one has."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sparring.base.config import user_data_folder
from sparring.base.errors import UserError
from sparring.cli.console import foreign, make_console
from sparring.engines.guis import GUIS, Gui, Installed, install
from sparring.engines.options import PROTOCOLS


def install_levels(
    gui: Annotated[str, typer.Option(help=f"The GUI: {', '.join(GUIS)}.", metavar="NAME")] = "",
    game: Annotated[str, typer.Option(help=f"{', '.join(PROTOCOLS.values())}. [default: the GUI's]")] = "",
    levels: Annotated[
        str,
        typer.Option(
            help="Levels with commas: 1000,1200. [default: those that were measured]", metavar="LIST"
        ),
    ] = "",
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for everything. [default: your data folder, and the GUI's own list]"),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace files and engines of the same names.")
    ] = False,
) -> None:
    """Write launchers of levels for a GUI.

    One small script a level, each an engine with nothing to set. Where the format of the GUI's list of
    engines is known they are added to it, and all else in it stays; close the GUI before. With --out nothing
    outside of that folder is written.
    """
    row = GUIS.get(gui)
    if not gui:
        raise UserError(f"--gui NAME is needed: {', '.join(GUIS)}")
    if row is None:
        raise UserError(f"there is no GUI '{gui[:80]}' here: {', '.join(GUIS)}")
    folder = out or user_data_folder() / "engines"
    installed = install(
        row, _protocol(gui, row, game), _levels(levels), folder, own_place=out is None, force=force
    )
    _show(gui, installed, own_place=out is None)


def _protocol(name: str, gui: Gui, game: str) -> str:
    """The protocol of a game that a GUI speaks."""
    if not game:
        return gui.protocols[0]
    for protocol in gui.protocols:
        if PROTOCOLS[protocol] == game:
            return protocol
    games = ", ".join(PROTOCOLS[protocol] for protocol in gui.protocols)
    raise UserError(f"{name} plays {games}, not '{game[:80]}'")


def _levels(text: str) -> list[int]:
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not all(word.isdecimal() and len(word) < 9 for word in words):
        raise UserError(f"--levels is a list such as 1000,1200, not '{text[:80]}'")
    return sorted({int(word) for word in words})


def _show(name: str, installed: Installed, own_place: bool) -> None:
    gui, console = GUIS[name], make_console(soft_wrap=True)
    for launcher in installed.launchers:
        console.print(f"[bold]{foreign(launcher.name)}[/]  {foreign(launcher.path)}")
    for path in installed.files:
        console.print(f"{'added to' if installed.merged else 'wrote'} {foreign(path)}")
    for kept in installed.kept:
        console.print(f"{foreign(kept)} was there already and stays as it was: --force replaces it")
    if gui.writer is not None and gui.places and not installed.merged and own_place:
        console.print(
            f"{gui.title} has not run here yet, and has no list of engines. Start it once, close it, and run "
            "this command again: then the levels are in its list."
        )
        return
    file = installed.files[0] if installed.files else ""
    first = installed.launchers[0].path if installed.launchers else ""
    console.print(f"In {gui.title}: {foreign(gui.steps.format(file=file, launcher=first))}.")
    if gui.writer is not None and gui.places and not installed.merged:
        console.print(
            f"{gui.title} keeps {foreign(gui.file)} in its own folder: without --out this command adds the "
            "levels there."
        )
