"""What the options of the level studies share."""

from __future__ import annotations

from pathlib import Path

RESULTS = Path("results/levels")
