"""`python -m studies level-pairs` and `level-rate`: dials against chosen anchors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from sparring.base.errors import UserError
from studies.options import command_line


def level_pairs(
    pairs: Annotated[
        list[str],
        typer.Argument(
            help="dial/opponents, such as 6:1:0/gnugo-1,gnugo-10; an opponent is an anchor, or another dial."
        ),
    ],
    game: Annotated[str, typer.Option(help="Name of the game.")] = "go",
    anchors: Annotated[str, typer.Option(help="Family of anchors: a name or a TOML file.")] = "gnugo",
    rule: Annotated[str, typer.Option(help="Choice of a move after a search, of all dials.")] = "regularised",
    games: Annotated[int, typer.Option(min=1, help="Games of each pair.")] = 20,
    together: Annotated[int, typer.Option(min=1, help="Games of a pair that a process plays together.")] = 1,
    seconds: Annotated[float, typer.Option(min=0, help="Time in which games are begun.")] = 600,
    concurrency: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    backend: Annotated[str, typer.Option(help="Runtime of the networks.")] = "onnxruntime",
    seed: Annotated[int, typer.Option(help="Seed of all moves.")] = 1,
    out: Annotated[Path, typer.Option(help="Journal of the games.")] = Path("results/levels/pairs.jsonl"),
) -> None:
    """Play dials against chosen anchors or each other, the games of all pairs in turn, or resume.

    Our players resign as in `sparring play`.
    """
    import time
    from dataclasses import replace
    from functools import partial

    from sparring.base.storage import Journal
    from sparring.base.workers import LocalWorkerPool
    from sparring.measure.calibration import (
        CalibrationGame,
        CalibrationPlan,
        CalibrationWorker,
        GamesTask,
        Results,
        read_anchors,
    )
    from sparring.players.player_config import default_player_config
    from studies.levels.grid import parse_dials

    begun = time.monotonic()
    members = read_anchors(anchors, game)
    wanted = [pair for text in pairs for pair in _pairs(text)]
    names = {each for pair in wanted for each in pair} - {anchor.name for anchor in members}
    ending = default_player_config(game)
    players = {
        name: replace(config, resign_below=ending.resign_below, resign_after=ending.resign_after)
        for text in names
        for name, config in zip([text], parse_dials([f"{text}:{rule}"], game).values(), strict=True)
    }
    plan = CalibrationPlan(game, players, tuple(members), seed, backend)
    results = Results(
        Journal(out, header={"game": game, "seed": seed, "rule": rule}, kind=CalibrationGame),
        lambda done: print(f"{time.monotonic() - begun:.0f} s: {done} games", flush=True),
    )
    known = {(each.player, each.anchor, each.number) for each in results.games}

    def tasks() -> Iterator[GamesTask]:
        for start in range(0, games, together):
            for player, opponent in wanted:
                numbers = range(start, min(start + together, games))
                left = tuple((opponent, n) for n in numbers if (player, opponent, n) not in known)
                if left and time.monotonic() - begun < seconds:
                    yield GamesTask(player, left)

    pool: LocalWorkerPool[GamesTask, list[CalibrationGame]] = LocalWorkerPool(
        partial(CalibrationWorker, plan), concurrency
    )
    with pool:
        results.play(tasks(), pool)


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """The pairs of a dial. Raises UserError."""
    dial, _, opponents = text.partition("/")
    if not dial or not opponents:
        raise UserError(f"{text}: expected dial/opponents, such as 6:1:0/gnugo-1,gnugo-10")
    yield from ((dial, opponent) for opponent in opponents.split(","))


def level_rate(
    journals: Annotated[list[Path], typer.Argument(help="Journals by `level-pairs`.")],
    anchors: Annotated[str, typer.Option(help="Family of anchors: a name or a TOML file.")] = "gnugo",
    game: Annotated[str, typer.Option(help="Name of the game.")] = "go",
    least: Annotated[int, typer.Option(min=1, help="Dials with fewer games are rated, but left out.")] = 1,
    out: Annotated[Path, typer.Option(help="JSON file, for `level-table`.")] = Path("results/levels/go.json"),
) -> None:
    """Rate dials and anchors by one Bradley-Terry model, in Elo from the anchor with a nominal rating."""
    from sparring.base.provenance import provenance
    from sparring.base.storage import read_journal
    from sparring.measure.calibration import read_anchors
    from sparring.measure.reports import write_json
    from studies.levels.pairs import rate_pairs

    members = read_anchors(anchors, game)
    nominal = {anchor.name: anchor.elo for anchor in members if anchor.elo is not None}
    if len(nominal) != 1:
        raise UserError(f"{anchors}: expected one anchor with a nominal rating")
    played = [entry for path in journals for entry in read_journal(path) if "player" in entry]
    names = {anchor.name for anchor in members}
    report = rate_pairs(played, nominal, names, members[0].family, least)
    write_json(provenance(command_line()) | report, out)
    for row in report["families"][members[0].family]["levels"]:
        low, high = row["interval"]
        measured = f"{row['rating']:.0f} ({low:.0f} to {high:.0f}), {row['games']} games"
        print(f"{row['player']}: {measured}; {row['scores']}")
    print(report["families"][members[0].family]["anchors"])
