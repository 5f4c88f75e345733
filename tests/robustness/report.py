"""The counts of long runs beside those of the attack: `python -m tests.robustness.report`."""

from __future__ import annotations

import json
from pathlib import Path

from sparring.base.provenance import provenance
from sparring.measure.reports import write_json
from tests.robustness.trials import TRIALS

COUNTS = Path(__file__).parents[2] / "build" / "robustness" / "trials.json"
COMMAND = f"SPARRING_TRIALS={TRIALS} python -m pytest tests/robustness/test_surfaces.py"


def add_count(surface: str, trials: int, broken: int) -> None:
    """Writes the count of a surface, whose trials have all ended. Those of the others stay."""
    counts = json.loads(COUNTS.read_text()) if COUNTS.exists() else {}
    counts[surface] = {"trials": trials, "broken": broken, **provenance(COMMAND)}
    COUNTS.parent.mkdir(parents=True, exist_ok=True)
    write_json(dict(sorted(counts.items())), COUNTS)
