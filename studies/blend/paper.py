"""The numbers of the blend paper (Ogawa, Hsueh and Ikeda, 2024), for comparison."""

from __future__ import annotations

from typing import Any

PAPER: dict[str, dict[str, Any]] = {
    "chess": {
        "policies": "Maia-S: 120,000 games of one group; Maia-S-Wide: 720,000 of 1100 to 1999; strong: Lc0",
        "rows": [
            ["Maia-S-1100 at 1100", 0.69, 0.015, 0.471],
            ["Maia-S-1900 at 1900", 0.53, 0.038, 0.507],
            ["Maia-S-Wide at 1100", 0.85, 0.004, None],
            ["Maia-S-Wide at 1900", 0.56, 0.034, None],
            ["Maia-1100 at 1100 (12 million games)", 0.91, 0.002, None],
            ["Maia-1900 at 1900 (12 million games)", 0.68, 0.011, None],
        ],
    },
    "go": {
        "policies": "Maia-S: 120,000 Fox games of one rank; Maia-S-Wide: 720,000 of 3k to 6d; strong: KataGo",
        "rows": [
            ["Maia-S-3k at 3k", 0.78, 0.020, 0.510],
            ["Maia-S-6d at 6d", 0.58, 0.057, 0.534],
            ["Maia-S-Wide at 3k", 0.85, 0.009, None],
            ["Maia-S-Wide at 6d", 0.54, 0.060, None],
            ["KL-regularised search at 3k (infinite c_puct)", None, 0.000, None],
            ["KL-regularised search at 6d (c_puct 1)", None, 0.008, None],
        ],
    },
    "shogi": {
        "policies": "Maia-S: 120,000 games of one group; Maia-S-Wide: 760,000 of all; strong: DLshogi",
        "rows": [
            ["Maia-S-1 at group 1 (1433 to 1591)", 0.64, 0.029, 0.569],
            ["Maia-S-6 at group 6 (1856 to 2140)", 0.48, 0.052, 0.585],
            ["Maia-S-Wide at group 1", 0.89, 0.003, None],
            ["Maia-S-Wide at group 6", 0.63, 0.020, None],
        ],
        "mechanism": {
            "positions": 8926,
            "policy matches": 0.562,
            "blend matches": 0.584,
            "bad": 500,
            "policy bad": 1466 / 8926,
            "gain": 0.022,
            "gain where bad": 0.015,
        },
    },
}
"""By game. Rows: label, alpha, gain in accuracy, and accuracy of the blend; None if not in the paper."""
