"""Changes fields of a network's model card.

python -m studies.student.set_card NETWORK.onnx CARD.json
"""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path

import onnx

from sparring.networks.card import read_card_from_file, write_card


def set_card(path: Path, fields: dict[str, str]) -> None:
    """Rewrites a file with these fields of its card."""
    model, card = onnx.load(path), read_card_from_file(path)
    write_card(model, dataclasses.replace(card, **fields))  # type: ignore[arg-type]
    onnx.save(model, path)


if __name__ == "__main__":
    set_card(Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text()))
