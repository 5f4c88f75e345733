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
from sparring.players.expendibots import RUNGS
from sparring.studies.acceptance import LEVEL, Verdict


def accept(
    new: Annotated[str, typer.Argument(help=f"The new player: {', '.join(RUNGS)}.")],
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
        if name not in RUNGS:
            raise UserError(f"there is no player {name}; there are {', '.join(RUNGS)}")
    if new == old:
        raise UserError("a player does not play against itself")
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task(f"{new} v {old}", total=games)
        verdict = match(
            new, old, games=games, nodes=nodes, seed=seed, folder=out, heard=lambda _: progress.advance(task)
        )
    print(json.dumps(asdict(verdict)) if as_json else in_words(verdict))


def in_words(verdict: Verdict) -> str:
    """A verdict in two lines."""
    elo = "" if verdict.elo is None else f", {verdict.elo:+.0f} ± {verdict.elo_half_width:.0f} Elo"
    return (
        f"{verdict.new} v {verdict.old}: {verdict.wins} won, {verdict.draws} drawn, {verdict.losses} lost, "
        f"{verdict.score:.1%} ({verdict.score_low:.1%} to {verdict.score_high:.1%}){elo}\n"
        f"{'accepted' if verdict.accepted else 'not accepted'}: p = {verdict.p_value:.2g}, level {LEVEL:g}"
    )
