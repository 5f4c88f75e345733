"""`sparring accept`: does an agent beat its predecessor?"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from sparring.cli.errors import UserError
from sparring.players.expendibots import LADDER
from sparring.studies.acceptance import SIGNIFICANCE_LEVEL, MatchSummary


def accept(
    new: Annotated[str, typer.Argument(help=f"The new player: {', '.join(LADDER)}.")],
    old: Annotated[str, typer.Argument(help="Its predecessor.")],
    games: Annotated[int, typer.Option(min=2, help="Half of them with each colour.")] = 100,
    nodes: Annotated[int, typer.Option(min=1, help="That a search may visit for a move.")] = 50_000,
    seed: Annotated[int, typer.Option(min=0, help="Of the openings.")] = 0,
    out: Annotated[Path | None, typer.Option(help="A folder for the games, to go on with.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """The acceptance match of Expendibots: pairs of games from random openings, a test of significance."""
    from sparring.studies.ladder import match

    for name in (new, old):
        if name not in LADDER:
            raise UserError(f"there is no player {name}; there are {', '.join(LADDER)}")
    if new == old:
        raise UserError("a player does not play against itself")
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task(f"{new} v {old}", total=games)
        summary = match(
            new,
            old,
            games=games,
            nodes=nodes,
            seed=seed,
            folder=out,
            callback=lambda _: progress.advance(task),
        )
    print(json.dumps(asdict(summary)) if as_json else format_summary(summary))


def format_summary(summary: MatchSummary) -> str:
    """A verdict in two lines."""
    elo = "" if summary.elo is None else f", {summary.elo:+.0f} ± {summary.elo_half_width:.0f} Elo"
    return (
        f"{summary.new} v {summary.old}: {summary.wins} won, {summary.draws} drawn, {summary.losses} lost, "
        f"{summary.score:.1%} ({summary.score_low:.1%} to {summary.score_high:.1%}){elo}\n"
        f"{'accepted' if summary.accepted else 'not accepted'}: p = {summary.p_value:.2g}, "
        f"level {SIGNIFICANCE_LEVEL:g}"
    )
