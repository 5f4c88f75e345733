"""`python -m studies NAME [options]` runs an experiment; `--help` lists them."""

from __future__ import annotations

from collections.abc import Sequence

import typer

from sparring.cli.run import run_app
from studies.blend.commands import blend_command
from studies.expendibots.commands import expendibots, ladder, opponent
from studies.networks.commands import networks
from studies.pages import page
from studies.rbc.commands import rbc_games, rbc_matches, rbc_tracking
from studies.search.commands import search_figures, search_loss, search_match, search_positions

app = typer.Typer(
    name="studies",
    help="Experiments: data in, report out.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for _game in ("chess", "go", "shogi"):
    app.command(f"blend-{_game}")(blend_command(_game))
app.command()(expendibots)
app.command()(ladder)
app.command("expendibots-opponent")(opponent)
app.command()(networks)
app.command()(page)
app.command("rbc-games")(rbc_games)
app.command("rbc-matches")(rbc_matches)
app.command("rbc-tracking")(rbc_tracking)
app.command("search-positions")(search_positions)
app.command("search-loss")(search_loss)
app.command("search-match")(search_match)
app.command("search-figures")(search_figures)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs a study. Errors that a user can make end in one line and a non-zero exit."""
    run_app(app, "studies", arguments)


if __name__ == "__main__":
    main()
