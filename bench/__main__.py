"""`python -m bench SUITE`: ours against a baseline in the same run, into results/bench/SUITE.json."""

from __future__ import annotations

import argparse
import importlib
import statistics
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.result import BenchmarkResult
from sparring.base.provenance import provenance
from sparring.measure.reports import write_json

SUITES = {
    "rules": ("chess_rules", "shogi_rules", "go_rules", "expendibots_rules"),
    "rbc": ("rbc_tracking",),
    "planner": ("rbc_planner",),
    "networks": ("network_speed",),
    "gpu": ("network_gpu",),
    "records": ("records_speed",),
    "search": ("search_speed", "search_batches"),
    "selfplay": ("selfplay_speed",),
    "blends": ("blend_speed",),
    "expendibots": ("expendibots_search",),
    "training": ("training_speed",),
    "export": ("export_speed",),
    "server": ("server_load",),
    "startup": ("startup",),
    "tuning": ("tuning_speed",),
}
RESULTS = Path(__file__).parent.parent / "results" / "bench"


def summary(rounds: list[BenchmarkResult]) -> dict[str, object]:
    """The JSON row of a benchmark: medians over the rounds, and the range of the ratio."""
    ratios = [row.ratio for row in rounds]
    return {
        "what": rounds[0].label,
        "peer": rounds[0].baseline,
        "unit": rounds[0].unit,
        "ours": statistics.median(row.ours for row in rounds),
        "theirs": statistics.median(row.theirs for row in rounds),
        "ratio": statistics.median(ratios),
        "ratio_low": min(ratios),
        "ratio_high": max(ratios),
        "min_ratio": rounds[0].min_ratio,
        "reached": statistics.median(ratios) >= rounds[0].min_ratio,
    }


def print_table(rows: list[dict[str, object]]) -> None:
    """Prints the rows as a table."""
    table = Table("what", "peer", "ours", "peer's", "unit", "ratio (range)", "at least", box=None)
    for row in rows:
        ratio = f"{row['ratio']:,.1f} ({row['ratio_low']:,.1f}-{row['ratio_high']:,.1f})"
        colour = "green" if row["reached"] else "red"
        required = f"{row['min_ratio']:g}" if row["min_ratio"] else ""
        table.add_row(
            str(row["what"]),
            str(row["peer"]),
            f"{row['ours']:,.0f}",
            f"{row['theirs']:,.0f}",
            str(row["unit"]),
            f"[{colour}]{ratio}[/]",
            required,
        )
    Console(width=160).print(table)


def write_report(suite: str, rounds: int, rows: list[dict[str, object]]) -> None:
    """Writes the rows after so many rounds into results/bench."""
    report = {
        **provenance(f"python -m bench {suite} --rounds {rounds}"),
        "interval": f"median of {rounds} rounds; ratio_low and ratio_high are the extremes",
        "rows": rows,
    }
    write_json(report, RESULTS / f"{suite}.json")


def main() -> None:
    """Runs a suite in rounds. Exits with an error if a ratio is below the required one."""
    parser = argparse.ArgumentParser("python -m bench", description=__doc__)
    parser.add_argument("suite", nargs="?", default="rules", choices=SUITES, help="benchmarks to run")
    parser.add_argument("--rounds", type=int, default=5, help="number of measurements of each benchmark")
    arguments = parser.parse_args()
    collected: dict[str, list[BenchmarkResult]] = {}
    rows: list[dict[str, object]] = []
    for done in range(arguments.rounds):
        for name in SUITES[arguments.suite]:
            print(f"{name}: round {done + 1} of {arguments.rounds}", file=sys.stderr)
            for row in importlib.import_module(f"bench.{name}").measure():
                collected.setdefault(row.label, []).append(row)
                rows = [summary(rounds) for rounds in collected.values()]
                write_report(arguments.suite, done + 1, rows)  # a long suite may be stopped after any row
    print_table(rows)
    if not all(row["reached"] for row in rows):
        sys.exit("a ratio is below the required one")


if __name__ == "__main__":
    main()
