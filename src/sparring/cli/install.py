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
    gui: Annotated[str, typer.Option(help=f"The GUI: {', '.join(GUIS)}.", metavar="NAME")],
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
    if row is None:
        raise UserError(f"there is no GUI '{gui[:80]}' here: {', '.join(GUIS)}")
    folder = out or user_data_folder() / "engines"
    installed = install(
        row, _protocol(gui, row, game), _levels(levels), folder, own_place=out is None, force=force
    )
    _show(row, installed)


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


def _show(gui: Gui, installed: Installed) -> None:
    console = make_console(soft_wrap=True)
    for launcher in installed.launchers:
        console.print(f"[bold]{foreign(launcher.name)}[/]  {foreign(launcher.path)}")
    for path in installed.files:
        console.print(f"{'added to' if installed.merged else 'wrote'} {foreign(path)}")
    for name in installed.kept:
        console.print(f"{foreign(name)} was there already and stays as it was: --force replaces it")
    file = installed.files[0] if installed.files else ""
    first = installed.launchers[0].path if installed.launchers else ""
    steps = gui.steps.format(file=file, launcher=first)
    console.print(f"In {gui.title}: {foreign(steps)}.")
    if gui.writer is not None and not installed.merged and gui.places:
        console.print(
            f"{gui.title} keeps {foreign(gui.file)} in its own folder: after its first start the command "
            "without --out adds the levels there."
        )
