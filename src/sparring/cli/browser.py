"""`sparring browser`: the browser edition as a folder of static files."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from sparring.cli.console import foreign, make_console
from sparring.server.browser_site import build_site


def browser(
    out: Annotated[
        Path, typer.Option(help="Folder to write: a new or an empty one, or an older browser edition.")
    ],
    source: Annotated[
        str | None,
        typer.Option(
            help="The source of the site, which the licences page links: an address, or a .tar.gz file, "
            "which is put into the site."
        ),
    ] = None,
) -> None:
    """Write the browser edition: a folder of static files.

    In a browser it plays chess, Go, shogi, Breakthrough and Expendibots without a server behind it, and
    offline after the first visit. Any web server can carry the folder.
    """
    size = build_site(out, source)
    make_console().print(
        f"{size / 1e6:,.1f} MB: [bold]{foreign(out)}[/]\n"
        f"Serve it: python3 -m http.server --directory {foreign(shlex.quote(str(out)))}",
        soft_wrap=True,
    )
