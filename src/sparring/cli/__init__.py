"""The command `sparring`."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated

import typer

from sparring.cli import arena, blend, book, engine, measure, models, rbc, records, tables, train
from sparring.cli.accept import accept
from sparring.cli.games import games
from sparring.cli.perft import perft
from sparring.cli.play import play
from sparring.cli.predict import predict
from sparring.cli.run import run_app
from sparring.cli.study import study
from sparring.cli.train_evaluator import evaluator

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
app.command(hidden=True, context_settings={"ignore_unknown_options": True})(study)
app.add_typer(arena.app, name="arena")
app.add_typer(blend.app, name="blend")
app.add_typer(book.app, name="book")
app.add_typer(engine.app, name="engine")
app.add_typer(measure.app, name="measure")
app.add_typer(models.app, name="models")
app.add_typer(rbc.app, name="rbc")
app.add_typer(records.app, name="records")
app.add_typer(tables.app, name="tables")
train.app.command()(evaluator)
app.add_typer(train.app, name="train")


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs a command line. Errors that a user can make end in one line and a non-zero exit."""
    run_app(app, "sparring", arguments)
