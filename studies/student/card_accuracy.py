"""Text for the field `accuracy` of a model card, from a report of `sparring measure matching`.

python -m studies.student.card_accuracy REPORT.json POLICY
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


def with_interval(part: dict[str, Any]) -> str:
    """Top-1 accuracy and its interval."""
    return f"{part['top1']:.3f} ({part['low']:.3f} to {part['high']:.3f})"


def accuracy_text(report: dict[str, Any], policy: str) -> str:
    """Sentences: the sample, the mean of the groups with nats a move, each group, and each phase."""
    found = report["policies"][policy]
    groups, mean = found["groups"], found["mean"]
    sample = f"{report['positions']:,} positions of {report['games']:,} games, 95 % intervals over games"
    nats = f"{mean['nll']:.3f} nats a move ({mean['nll_low']:.3f} to {mean['nll_high']:.3f})"
    texts = [f"{report['split'].capitalize()} split, {sample}: top-1 {with_interval(mean)}, {nats}"]
    if len(groups) > 1:
        texts[0] += f", mean of {len(groups)} groups"
        texts.append("By group: " + _listed(groups))
    texts.append("By phase: " + _listed(found["kinds"]["phase"]))
    return ". ".join(texts) + "."


def _listed(parts: dict[str, Any]) -> str:
    return ", ".join(f"{name} {with_interval(part)}" for name, part in parts.items())


if __name__ == "__main__":
    print(accuracy_text(json.loads(Path(sys.argv[1]).read_text()), sys.argv[2]))
