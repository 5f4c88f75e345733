"""The counts of long runs beside those of the attack: `python -m tests.robustness.report [COUNTS]`.

A run writes the counts of each surface; the command makes trials.json and trials.md of them, in
results/robustness.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from sparring.base.provenance import provenance
from sparring.base.storage import atomic_write
from sparring.measure.reports import write_json
from tests.robustness.trials import TRIALS, load_surfaces

_ROOT = Path(__file__).parents[2]
COUNTS = _ROOT / "build" / "robustness" / "trials.json"
REPORT = _ROOT / "results" / "robustness"
COMMAND = f"SPARRING_TRIALS={TRIALS} python -m pytest tests/robustness/test_surfaces.py"
ATTACK: tuple[tuple[str, int, int, tuple[str, ...]], ...] = (
    ("Host header", 53, 11, ("host-headers",)),
    ("Origin", 90, 15, ("origins",)),
    ("Sec-Fetch-Site, methods, content types", 24, 0, ("other-sites",)),
    ("a hostile page in Chromium, 17 ways a trial", 17, 0, ("other-site-in-browser",)),
    ("paths, static files", 34, 0, ("paths",)),
    ("framing", 23, 0, ("framing",)),
    ("numbers", 698, 0, ("numbers",)),
    ("JSON shapes", 160, 3, ("shapes",)),
    ("moves and commands", 102, 0, ("moves",)),
    ("safer moves, warnings, the deck, progress (not in the attack)", 0, 0, ("study",)),
    ("positions", 361, 0, ("positions",)),
    ("pasted records", 143, 18, ("pasting",)),
    ("cookies", 46, 18, ("cookies",)),
    ("token", 28, 6, ("tokens",)),
    ("WebSocket", 17, 0, ("websockets",)),
    ("results folder", 6, 3, ("report-files",)),
    ("XSS in Chromium, 24 texts or 60 names a trial", 14, 0, ("hostile-reports", "hostile-names")),
    ("races of deletions", 101, 4, ("delete-races", "deletions")),
    ("slow clients", 6, 3, ("slow-clients",)),
    ("two servers", 3, 2, ("two-servers", "another-writer")),
    ("disk full, database locked", 5, 3, ("full-disk", "locked-file")),
    ("hostile database files", 14, 1, ("damaged-files", "damaged-rows")),
    ("kills of the page", 60, 0, ("kills-page",)),
    ("kills of `arena run`", 20, 0, ("kills-arena",)),
    ("kills of `train person` (not in the attack)", 0, 0, ("kills-train-person",)),
    ("abandoned work", 9, 4, ("abandoned-work",)),
    ("system clock", 1, 1, ("system-clock",)),
    ("UCI, USI, GTP", 63, 0, ("engines",)),
    ("reconchess with a lying server", 25, 0, ("reconchess",)),
    ("`.person` files", 425, 94, ("person-files",)),
    ("book, style and value files", 30, 5, ("array-files",)),
    ("ONNX", 19, 0, ("models",)),
    ("openings, books, records, tables", 45, 0, ("records", "tables", "backups", "arena")),
    ("TOML and names", 49, 0, ("toml", "names", "terminal")),
    ("the same seed", 8, 0, ("same-seed",)),
)
"""Title, trials and broken ones of a surface of the attack, and our surfaces that repeat it."""


def add_count(surface: str, trials: int, broken: int) -> None:
    """Writes the count of a surface, whose trials have all ended. Those of the others stay."""
    counts = json.loads(COUNTS.read_text()) if COUNTS.exists() else {}
    counts[surface] = {"trials": trials, "broken": broken, **provenance(COMMAND)}
    COUNTS.parent.mkdir(parents=True, exist_ok=True)
    write_json(dict(sorted(counts.items())), COUNTS)


def table(counts: dict[str, dict[str, Any]]) -> str:
    """The counts of a run beside those of the attack, as Markdown."""
    lines = [
        "| surface | attack: tried | broke | here: surfaces | trials | broke |",
        "|---|---:|---:|---|---:|---:|",
    ]
    for title, tried, broke, names in ATTACK:
        done = [counts[name] for name in names if name in counts]
        whole = len(done) == len(names)
        trials = f"{sum(each['trials'] for each in done):,}" + ("" if whole else " so far")
        broken = sum(each["broken"] for each in done) if done else "-"
        surfaces = ", ".join(f"`{name}`" for name in names)
        before = f"{tried or '-'} | {broke if tried else '-'}"
        lines.append(f"| {title} | {before} | {surfaces} | {trials} | {broken} |")
    tried, broke = sum(entry[1] for entry in ATTACK), sum(entry[2] for entry in ATTACK)
    ours, ours_broken = (sum(each[key] for each in counts.values()) for key in ("trials", "broken"))
    known = f"{len(counts)} of {len(load_surfaces())}"
    lines.append(f"| all | {tried:,} | {broke} | {known} | {ours:,} | {ours_broken} |")
    return "\n".join(lines)


def with_origin(counts: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The counts below the provenance that most of them have."""
    usual = Counter(row["commit"] for row in counts.values()).most_common(1)[0][0]
    row = next(row for row in counts.values() if row["commit"] == usual)
    return {key: value for key, value in row.items() if key not in ("trials", "broken")} | {
        "surfaces": counts
    }


def main() -> None:
    """Writes the report."""
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else COUNTS
    counts = json.loads(source.read_text())
    write_json(with_origin(counts), REPORT / "trials.json")
    text = "# Trials of a long run\n\n" + table(counts) + "\n"
    atomic_write(REPORT / "trials.md", text)


if __name__ == "__main__":
    main()
