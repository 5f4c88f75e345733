"""`python -m studies search-loss`: expected loss of moves by the size of the search."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from sparring.cli.errors import UserError
from studies.options import command_line


def search_loss(
    records: Annotated[
        list[Path], typer.Option("--records", "-r", help="Tables by `sparring records build`.")
    ],
    policy: Annotated[str, typer.Option(help="Policy that searches, such as blend.")] = "blend",
    rating: Annotated[int, typer.Option(help="Rating that the policy is told.")] = 2000,
    positions: Annotated[int, typer.Option(min=10, help="Held-out positions.")] = 500,
    nodes: Annotated[str, typer.Option(help="Sizes of the search; 0 is none.")] = "0,8,16,32,50,100,200,800",
    searches: Annotated[str, typer.Option(help="Searches to compare, separated by ;")] = "leaf by leaf",
    stockfish: Annotated[str, typer.Option(help="Stockfish's program.")] = "/usr/games/stockfish",
    engine_nodes: Annotated[int, typer.Option(min=1000, help="Nodes of each analysis.")] = 200_000,
    cache: Annotated[Path, typer.Option(help="Journal of the analyses.")] = Path("move-values.jsonl"),
    out: Annotated[Path, typer.Option(help="JSON file of the report.")] = Path("results/search/loss.json"),
) -> None:
    """Measure the expected loss of a player's moves by the size of its search."""
    from sparring.policies import load_policy
    from sparring.reports.machine import provenance
    from sparring.reports.report import write_json
    from studies.search import loss
    from studies.search.move_values import MoveValues

    names = [name.strip() for name in searches.split(";")]
    if unknown := [name for name in names if name not in loss.VARIANTS]:
        raise UserError(f"unknown search '{unknown[0]}'; there are {', '.join(loss.VARIANTS)}")
    config = loss.LossConfig(tuple(records), positions, rating, tuple(int(n) for n in nodes.split(",")))
    opened = load_policy(policy, "chess")
    with Progress(TextColumn("{task.description}"), TimeElapsedColumn(), transient=True) as bar:
        task = bar.add_task("reading", total=None)
        with MoveValues(stockfish, engine_nodes, cache) as values:
            report = loss.run(opened, values, config, names, lambda text: bar.update(task, description=text))
    write_json(provenance(command_line()) | report, out)
    table = Table("search", "nodes", "loss", "95 %", "nodes/s", box=None)
    for row in report["table"]:
        interval = f"{row['low']:.4f}-{row['high']:.4f}"
        table.add_row(
            row["search"],
            str(row["nodes"]),
            f"{row['loss']:.4f}",
            interval,
            f"{row['nodes_per_second']:,.0f}",
        )
    people = report["people"]
    table.add_row("people", "", f"{people['loss']:.4f}", f"{people['low']:.4f}-{people['high']:.4f}", "")
    Console().print(table)
