"""Names of networks as readers know them."""

from __future__ import annotations

import re

_KNOWN: tuple[tuple[str, str], ...] = (
    (r"human", "Sparring's human network"),
    (r"strong", "Sparring's strong network"),
    (r"blend", "Sparring's blend"),
    (r"maia-(\d{4})", r"Maia \1"),
    (r"maias|maia-own-group", "the Maia of each rating"),
    (r"maia-s-wide", "Maia's recipe, all ratings"),
    (r"maia-s-(\d{4})", r"Maia's recipe, \1"),
    (r"t1(-256x10)?", "Lc0 T1"),
    (r"maia3-(\d+)m", r"Maia-3 \1M"),
    (r"(?:g170e?-)?(b\d+(?:c\d+)?)", r"KataGo \1"),
)
"""Patterns of names and what readers call them."""


def reader_name(name: str) -> str:
    """The name of a policy for plots and findings: `maia-1500` is Maia 1500. Other names stay as they are."""
    for pattern, known in _KNOWN:
        if found := re.fullmatch(pattern, name):
            return found.expand(known)
    return name
