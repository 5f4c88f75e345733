"""`sparring report`: renders the HTML page of a report's folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sparring.cli.printing import visible


def report(
    folder: Annotated[Path, typer.Argument(help="A folder written by `sparring measure matching --out`.")],
    out: Annotated[
        Path | None, typer.Option(help="Output file (default: report.html in the folder).")
    ] = None,
) -> None:
    """Render a measurement's report as an HTML page."""
    from sparring.matching.report import write_page

    print(visible(write_page(folder, out)))
