"""The numbers of the blend paper (Ogawa, Hsueh and Ikeda, 2024), each with its place in the paper."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Row:
    """A blend of the paper in one group."""

    policy: str
    group: str
    alpha: float | None
    """The best alpha on the validation games; None for search."""
    gain: float
    """Accuracy of the blend minus that of the policy alone, on the test games."""
    source: str
    c_puct: str | None = None
    """The best c_puct of a search: a number or "infinite"."""


@dataclass(frozen=True)
class Accuracy:
    """An accuracy of a blend that the paper gives as a number."""

    group: str
    accuracy: float
    policy: str | None
    """The human-like policy of the blend; None where the paper does not say it."""
    source: str


_CONCLUSION = "section VII; the text does not say of which blend"
_SHOGI = "section VII; {}"

ROWS: dict[str, tuple[Row, ...]] = {
    "chess": (
        Row("Maia-S-1100", "1100", 0.69, 0.015, "section IV-B, figure 1"),
        Row("Maia-S-1900", "1900", 0.53, 0.038, "section IV-B, figure 1"),
        Row("Maia-S-Wide", "1100", 0.85, 0.004, "section IV-B, figures 1 and 2"),
        Row("Maia-S-Wide", "1900", 0.56, 0.034, "section IV-B, figures 1 and 2"),
        Row("Maia-1100", "1100", 0.91, 0.002, "section IV-C, figure 3"),
        Row("Maia-1900", "1900", 0.68, 0.011, "section IV-C, figure 3"),
    ),
    "go": (
        Row("Maia-S-3k", "3k", 0.78, 0.020, "section V-B, figure 4"),
        Row("Maia-S-6d", "6d", 0.58, 0.057, "section V-B, figure 4"),
        Row("Maia-S-Wide", "3k", 0.85, 0.009, "section V-B, figures 4 and 5"),
        Row("Maia-S-Wide", "6d", 0.54, 0.060, "section V-B, figures 4 and 5"),
        Row("KL-regularised search, Maia-S-Wide", "3k", None, 0.0, "section V-C, figure 6", "infinite"),
        Row("KL-regularised search, Maia-S-Wide", "6d", None, 0.008, "section V-C, figure 6", "1"),
    ),
    "shogi": (
        Row("Maia-S-1", "group 1", 0.64, 0.029, "section VI-B, figure 7"),
        Row("Maia-S-6", "group 6", 0.48, 0.052, "section VI-B, figure 7"),
        Row("Maia-S-Wide", "group 1", 0.89, 0.003, "section VI-B, figures 7 and 8"),
        Row("Maia-S-Wide", "group 6", 0.63, 0.020, "section VI-B, figures 7 and 8"),
    ),
}
"""Alphas and gains. Search gains over Maia-S-Wide."""

ACCURACIES: dict[str, tuple[Accuracy, ...]] = {
    "chess": (
        Accuracy("1100", 0.471, None, _CONCLUSION),
        Accuracy("1900", 0.507, None, _CONCLUSION),
    ),
    "go": (
        Accuracy("3k", 0.510, None, _CONCLUSION),
        Accuracy("6d", 0.534, None, _CONCLUSION),
    ),
    "shogi": (
        Accuracy(
            "group 1 (1433 to 1591)",
            0.569,
            "Maia-S-Wide",
            _SHOGI.format(
                "of Maia-S-Wide by VI-B: it is as accurate in group 1 as in group 6, Maia-S-1 0.050 less"
            ),
        ),
        Accuracy(
            "group 6 (1856 to 2140)",
            0.585,
            "Maia-S-Wide",
            _SHOGI.format("of Maia-S-Wide by figure 9 (56.2 to 58.4 %); Maia-S-6 would be at 0.566 by VI-B"),
        ),
    ),
}
"""Accuracies of blends. Curves that are drawn without numbers are left out."""

POLICIES = {
    "chess": "Maia-S: 120,000 Lichess games of one group; Maia-S-Wide: 720,000 of 1100 to 1999; strong: Lc0 "
    "(section IV-A)",
    "go": "Maia-S: 120,000 Fox games of one rank; Maia-S-Wide: 720,000 of 3k to 6d; strong: KataGo "
    "(section V-A)",
    "shogi": "Maia-S: about 120,000 games of Shogi-Quest of one group; Maia-S-Wide: all 760,000; strong: "
    "DLshogi (section VI-A)",
}

MECHANISM: dict[str, float] = {
    "positions": 8926,
    "policy matches": 0.562,
    "blend matches": 0.584,
    "bad": 500,
    "nodes": 100_000,
    "policy bad": 1466 / 8926,
    "gain": 0.022,
    "gain where bad": 0.015,
}
"""Section VI-C, figures 9 and 10, appendix B: shogi, group 6, Maia-S-Wide. The 1.5 % of figure 10 are of all
8,926 positions: of the 1,466 bad ones alone they could not be the larger part of 2.2 %."""


def paper(game: str) -> dict[str, Any] | None:
    """The paper's numbers for a game, as a report's content; None for a game that it does not have."""
    if game not in ROWS:
        return None
    found: dict[str, Any] = {
        "policies": POLICIES[game],
        "rows": [asdict(row) for row in ROWS[game]],
        "accuracies": [asdict(accuracy) for accuracy in ACCURACIES[game]],
    }
    if game == "shogi":
        found["mechanism"] = MECHANISM
    return found
