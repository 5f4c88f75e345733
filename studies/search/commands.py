"""`python -m studies search-positions`, `search-loss`, `search-match` and `search-ratings`."""

from __future__ import annotations

import re
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer
from rich.progress import Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from sparring.base.errors import UserError
from sparring.cli.console import make_console
from studies.options import command_line

RESULTS = Path("results/search")
Nodes: TypeAlias = Annotated[str, typer.Option(help="Sizes of the search, separated by commas.")]
Rating: TypeAlias = Annotated[str, typer.Option(help="Rating or rank that the policy is conditioned on.")]
Backend: TypeAlias = Annotated[str, typer.Option(help="Runtime of the networks: onnxruntime or torch.")]
Batch: TypeAlias = Annotated[int, typer.Option(min=1, help="Positions that a network evaluates at once.")]
Games: TypeAlias = Annotated[int, typer.Option(min=2, help="Games of each pair.")]


def search_positions(
    records: Annotated[
        list[Path], typer.Option("--records", "-r", help="Tables by `sparring records build`.")
    ],
    positions: Annotated[int, typer.Option(min=10, help="Held-out positions.")] = 500,
    stockfish: Annotated[str, typer.Option(help="Stockfish's program.")] = "/usr/games/stockfish",
    engine_nodes: Annotated[int, typer.Option(min=1000, help="Nodes of each analysis.")] = 200_000,
    cache: Annotated[Path, typer.Option(help="Journal of the analyses.")] = Path("move-values.jsonl"),
    out: Annotated[Path, typer.Option(help="File of the positions.")] = RESULTS / "positions.jsonl.gz",
) -> None:
    """Evaluate all moves of held-out chess positions with Stockfish, for `search-loss`."""
    from studies.search.move_values import MoveValues
    from studies.search.positions import collect_positions, write_positions

    with Progress(TextColumn("{task.description}"), TimeElapsedColumn(), transient=True) as bar:
        task = bar.add_task("reading", total=None)
        with MoveValues(stockfish, engine_nodes, cache) as values:
            found = collect_positions(
                records, positions, values, lambda text: bar.update(task, description=text)
            )
    write_positions(found, out)
    print(f"{out}: {len(found)} positions of {len({each.game for each in found})} games")


def search_loss(
    positions: Annotated[Path, typer.Argument(help="File by `search-positions`.")] = RESULTS
    / "positions.jsonl.gz",
    policy: Annotated[str, typer.Option(help="Policy that searches.")] = "human",
    rating: Rating = "2000",
    nodes: Nodes = "8,16,32,50,100,200,800",
    searches: Annotated[
        str, typer.Option(help="Searches to compare, separated by ;")
    ] = "default;batches of 16, virtual loss",
    backend: Backend = "onnxruntime",
    batch: Batch = 64,
    out: Annotated[Path, typer.Option(help="JSON file of the report.")] = RESULTS / "loss.json",
) -> None:
    """Measure the expected loss of a chess player's moves by the size of its search."""
    from sparring.base.provenance import provenance
    from sparring.measure.reports import write_json
    from sparring.policies import load_policy
    from studies.search import loss
    from studies.search.positions import read_positions

    names = [name.strip() for name in searches.split(";")]
    if unknown := [name for name in names if name not in loss.SEARCHES]:
        raise UserError(f"unknown search '{unknown[0]}'; there are {', '.join(loss.SEARCHES)}")
    scored = read_positions(positions)
    opened = load_policy(policy, "chess", backend=backend, batch=batch)
    facts = {"policy": opened.name, "rating": int(rating), "backend": backend}
    rows: list[loss.LossRow] = []
    report: dict[str, Any] = {}
    for row in loss.measure_losses(opened, scored, names, _numbers(nodes), int(rating)):
        rows.append(row)
        report = loss.loss_report(scored, rows)
        write_json(provenance(command_line()) | facts | report, out)
        print(f"{row.search}, {row.nodes} nodes: {row.losses.mean():.4f}", flush=True)
    _print_losses(report)
    for sentence in loss.findings(report):
        print(sentence)


def search_match(
    players: Annotated[
        str, typer.Argument(help="Nodes of each player, such as 0,8,16; 200:1 for batches of one leaf.")
    ] = "0,8,16,32,50,100,200",
    game: Annotated[str, typer.Option(help="Name of the game.")] = "chess",
    policy: Annotated[str, typer.Option(help="Policy of all players.")] = "blend",
    rating: Rating = "2000",
    games: Games = 200,
    max_plies: Annotated[int, typer.Option(min=1, help="Length at which a game is drawn.")] = 1000,
    seed: Annotated[int, typer.Option(help="Seed of all moves.")] = 1,
    backend: Backend = "onnxruntime",
    batch: Batch = 64,
    out: Annotated[Path, typer.Option(help="Games, as a journal.")] = RESULTS / "ladder.jsonl",
) -> None:
    """Play matches between neighbouring sizes of search, all games of a pair at once."""
    from sparring.arena.results import compute_standings
    from sparring.base.storage import Journal
    from sparring.games import describe
    from sparring.policies import load_policy
    from studies.search.match import Contestant, play_match

    known = [Contestant.parse(word) for word in players.split(",")]
    opened = load_policy(policy, game, backend=backend, batch=batch)
    number = describe(game).ratings.parse(rating) if rating else None
    journal = Journal(out)
    if journal.entries:
        raise UserError(f"{out} holds games already: give another --out")
    for pair in pairwise(known):
        results = []
        for result in play_match(opened, pair, games, rating=number, seed=seed, max_plies=max_plies):
            journal.add({**asdict(result), "games_end": 0})
            results.append(result)
        row = compute_standings(results, [pair[1].name]).rows[0]
        print(f"{row.name} against {pair[0].name}: {row.score:.1%} of {row.games} games", flush=True)


def search_ratings(
    folder: Annotated[
        Path, typer.Argument(help="Folder with loss.json, ladder.jsonl and other matches.")
    ] = RESULTS,
) -> None:
    """Rate the matches of a folder into ratings.json, and draw loss and Elo over nodes."""
    from sparring.arena.results import compute_standings, read_results
    from sparring.base.provenance import provenance
    from sparring.measure.reports import write_json
    from studies.search.figures import write_figures

    ratings = {}
    for path in sorted(folder.glob("*.jsonl")):
        results = read_results([path])
        names = sorted({name for result in results for name in (result.first, result.second)}, key=_nodes_in)
        ratings[path.stem] = compute_standings(results, names, anchor=names[0]).as_json()
    write_json(provenance(command_line()) | ratings, folder / "ratings.json")
    for path in (folder / "ratings.json", *write_figures(folder)):
        print(path)


def _nodes_in(name: str) -> int:
    """The nodes in a player's name, such as "32 nodes" or "blend 2000, 32 nodes"; 0 without any."""
    found = re.search(r"(\d+) nodes", name)
    return int(found[1]) if found else 0


def _numbers(text: str) -> list[int]:
    return [int(word) for word in text.split(",")]


def _print_losses(report: dict[str, Any]) -> None:
    table = Table("search", "nodes", "loss", "95 %", "less than before", "95 %", box=None)
    steps = {(step["search"], step["to"]): step for step in report["steps"]}
    for row in report["table"]:
        step = steps.get((row["search"], row["nodes"]))
        change = ("", "") if step is None else (f"{step['value']:+.4f}", _interval(step))
        table.add_row(row["search"], str(row["nodes"]), f"{row['value']:.4f}", _interval(row), *change)
    people = report["people"]
    table.add_row("people", "", f"{people['value']:.4f}", _interval(people))
    make_console().print(table)


def _interval(row: dict[str, float]) -> str:
    return f"{row['low']:.4f} to {row['high']:.4f}"
