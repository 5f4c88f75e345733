"""Dates in game files."""

from __future__ import annotations

import datetime
import re

_DATE = re.compile(r"(\d{4})[-./年](\d{1,2})[-./月](\d{1,2})")


def parse_date(text: str) -> datetime.date | None:
    """The first day in a text such as 2020/05/28 19:30:00 or 2020年5月28日; None if there is none."""
    match = _DATE.search(text)
    try:
        return datetime.date(*map(int, match.groups())) if match else None
    except ValueError:
        return None
