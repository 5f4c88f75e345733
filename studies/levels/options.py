"""What the options of the level studies share."""

from __future__ import annotations

from pathlib import Path

from sparring.base.errors import UserError

RESULTS = Path("results/levels")


def integers(text: str) -> list[int]:
    """The numbers of a list such as 1600,1800. Raises UserError."""
    try:
        return [int(word) for word in text.split(",") if word.strip()]
    except ValueError as error:
        raise UserError(f"{text}: expected whole numbers, such as 1600,1800") from error
