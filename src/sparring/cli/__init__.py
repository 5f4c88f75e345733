"""The command `sparring`."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated, NoReturn

import typer

from sparring.cli import arena, blend, book, engine, measure, models, rbc, records, study, tables, train
from sparring.cli.accept import accept
from sparring.cli.errors import UserError
from sparring.cli.games import games
from sparring.cli.perft import perft
from sparring.cli.play import play
from sparring.cli.predict import predict
from sparring.cli.train_evaluator import evaluator
from sparring.games import IllegalMove, ParseError
from sparring.networks import BadNetwork
from sparring.storage import BadJournal

app = typer.Typer(
    name="sparring",
    help="The opponent you want to play.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _tell_version(wanted: bool) -> None:
    if wanted:
        print(f"sparring {version('sparring')}")
        raise typer.Exit


@app.callback()
def about(
    told: Annotated[
        bool,
        typer.Option("--version", "-V", callback=_tell_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """The opponent you want to play."""


app.command()(accept)
app.command()(games)
app.command()(perft)
app.command()(play)
app.command()(predict)
app.add_typer(arena.app, name="arena")
app.add_typer(blend.app, name="blend")
app.add_typer(book.app, name="book")
app.add_typer(engine.app, name="engine")
app.add_typer(measure.app, name="measure")
app.add_typer(models.app, name="models")
app.add_typer(rbc.app, name="rbc")
app.add_typer(records.app, name="records")
app.add_typer(study.app, name="study")
app.add_typer(tables.app, name="tables")
train.app.command()(evaluator)
app.add_typer(train.app, name="train")

_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs a command line. Errors that a user can make end in one line and a non-zero exit."""
    try:
        code = app(args=None if arguments is None else list(arguments), standalone_mode=False)
    except typer.TyperException as error:
        _fail(error.format_message(), error.exit_code)
    except (UserError, ParseError, IllegalMove, BadNetwork, BadJournal, OSError) as error:
        _fail(str(error), 2)
    except (typer.Abort, KeyboardInterrupt):
        _fail("interrupted", _INTERRUPTED)
    if code:  # what `typer.Exit` was raised with
        sys.exit(code)


def _fail(message: str, code: int) -> NoReturn:
    if message:
        # The operating system's errors begin with a number that tells people nothing.
        words = re.sub(r"^\[Errno \d+\] ", "", " ".join(message.split()))
        print(f"sparring: {words}", file=sys.stderr)
    sys.exit(code)
