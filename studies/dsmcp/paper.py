"""Numbers of the DSMCP paper, for comparison: tables 6 to 8, whose diagonals are in table 1, and 9 and 10."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any


def paper_accuracy(measure: str, headset: str, dataset: str) -> float | None:
    """Returns top-1, top-5 or winner accuracy in % (`top1`, `top5`, `winner`) of a headset on the held-out
    decisions of a dataset; None if the paper has no such headset or dataset."""
    content = _content()
    row, players = content["tables"][measure].get(headset), content["players"]
    return float(row[players.index(dataset)]) if row and dataset in players else None


def paper_planes(statistic: str) -> list[float]:
    """Returns `loss_pbs` or `action_pbs` in 1/1000, `rank` by action PbS, or `ablation`, the change of the
    accuracy in %, of all planes."""
    values: list[float] = _content()["planes"][statistic]
    return values


@cache
def _content() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(Path(__file__).with_name("paper.json").read_text(encoding="utf-8"))
    return content
