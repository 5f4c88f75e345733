"""Numbers in tables: signs and half widths of intervals, without `-0.000` and `±0.000`."""

from __future__ import annotations

import math


def signed(value: float, digits: int) -> str:
    """A number with its sign; one that rounds to zero has none."""
    text = f"{value:+.{digits}f}"
    return text[1:] if float(text) == 0 else text


def plus_minus(half_width: float, digits: int) -> str:
    """Half the width of an interval: ±0.012, or ±<0.001. Empty where there is no interval."""
    if math.isnan(half_width) or half_width == 0:
        return ""
    text = f"{half_width:.{digits}f}"
    return f"±{text}" if float(text) else f"±<{10**-digits:.{digits}f}"
