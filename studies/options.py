"""Options that the studies share, and the command line that a report records."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from sparring.base.provenance import portable_command, provenance
from sparring.base.storage import lock_folder
from sparring.measure.reports import write_json

Html: TypeAlias = Annotated[bool, typer.Option("--html", help="Render the HTML page too.")]


def one_at_a_time(name: str, study: Callable[..., None]) -> Callable[..., None]:
    """The study, which locks the folder of its `out`: a second run of it there is refused."""

    @wraps(study)
    def locked(**options: Any) -> None:
        out = options.get("out")
        if not isinstance(out, Path):
            return study(**options)
        with lock_folder(out.parent if out.suffix else out, f".{name}.lock"):
            return study(**options)

    return locked


def command_line() -> str:
    """`python -m studies ...` as typed, without folders of this machine (`portable_command`)."""
    return portable_command(["python", "-m", "studies", *sys.argv[1:]])


def write_measurement(content: Mapping[str, Any], out: Path, module: str) -> None:
    """Writes the report of `python -m MODULE` as JSON, provenance first. Raises OSError."""
    command = portable_command(["python", "-m", module, *sys.argv[1:]])
    write_json(provenance(command) | dict(content), out)
