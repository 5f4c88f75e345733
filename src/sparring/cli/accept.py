"""`sparring accept`: acceptance matches between Expendibots agents."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from sparring.arena.acceptance import (
    SIGNIFICANCE_LEVEL,
    MatchSummary,
    NamedPlayer,
    TimedResult,
    play_match,
    summarise_match,
)
from sparring.cli.errors import UserError
from sparring.cli.printing import foreign, make_console
from sparring.players.expendibots import LADDER, ladder_player
from sparring.reports.numbers import plus_minus, signed
from sparring.search import SearchLimits
from sparring.storage import lock_folder


def accept(
    new: Annotated[str, typer.Argument(help=f"The new player: {', '.join(LADDER)}.")],
    old: Annotated[str, typer.Argument(help="Its predecessor.")],
    games: Annotated[int, typer.Option(min=2, help="Games, half with each colour.")] = 100,
    nodes: Annotated[int, typer.Option(min=1, help="Nodes of a search for a move.")] = 50_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the openings.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Folder of the games; a second run resumes.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Play an acceptance match between two Expendibots agents.

    Pairs of games from random openings, and a significance test.
    """
    for name in (new, old):
        if name not in LADDER:
            raise UserError(f"there is no player {name}; there are {', '.join(LADDER)}")
    if new == old:
        raise UserError("a player does not play against itself")
    lock = nullcontext() if out is None else lock_folder(out)
    with lock, Progress(console=make_console(stderr=True)) as progress:
        task = progress.add_task(foreign(f"{new} v {old}"), total=games)
        summary = play_ladder_match(
            new,
            old,
            games=games,
            nodes=nodes,
            seed=seed,
            folder=out,
            callback=lambda _: progress.advance(task),
        )
    print(json.dumps(asdict(summary)) if as_json else format_summary(summary))


def play_ladder_match(
    new: str,
    old: str,
    *,
    games: int,
    nodes: int,
    seed: int,
    folder: Path | None = None,
    callback: Callable[[TimedResult], None] = lambda _: None,
) -> MatchSummary:
    """Plays an acceptance match between two players of the Expendibots ladder.

    `nodes` is the search limit a move. With a `folder`, each game is appended to a journal there and a second
    call resumes. `callback` is called after each game.
    """
    limits = SearchLimits(nodes=nodes)
    journal = None if folder is None else folder / f"{new}-{old}-{nodes}-{seed}.jsonl"
    played = []
    sides = (NamedPlayer(name, ladder_player(name, limits)) for name in (new, old))
    for each in play_match("expendibots", *sides, games=games, seed=seed, journal=journal):
        played.append(each)
        callback(each)
    return summarise_match(new, old, played)


def format_summary(summary: MatchSummary) -> str:
    """The summary of a match in two lines of text."""
    elo = ""
    if summary.elo is not None and summary.elo_half_width is not None:
        elo = f", {signed(summary.elo, 0)} {plus_minus(summary.elo_half_width, 0)} Elo"
    return (
        f"{summary.new} v {summary.old}: {summary.wins} won, {summary.draws} drawn, {summary.losses} lost, "
        f"{summary.score:.1%} ({summary.score_low:.1%} to {summary.score_high:.1%}){elo}\n"
        f"{'accepted' if summary.accepted else 'not accepted'}: p = {summary.p_value:.2g}, "
        f"level {SIGNIFICANCE_LEVEL:g}"
    )
