"""The words of a blend report come from its numbers."""

from __future__ import annotations

from typing import Any

import pytest

from studies.blend.departures import departures
from studies.blend.paper import paper
from studies.blend.replication import replication
from studies.blend.trends import trends

GROUPS = ("1100", "1500", "1700", "1900")


def entry(value: float, half: float = 0.004) -> dict[str, float]:
    return {"top1": value, "low": value - half, "high": value + half, "positions": 2000}


def by_group(*values: float, half: float = 0.004) -> dict[str, Any]:
    found = {group: entry(value, half) for group, value in zip(GROUPS, values, strict=True)}
    return {"groups": found, "mean": entry(sum(values) / len(values), half)}


def blend(alphas: tuple[float, ...], gains: tuple[float, ...]) -> dict[str, Any]:
    fits = {
        group: {"grid": {"value": alpha, "low": alpha - 0.05, "high": alpha + 0.05}}
        for group, alpha in zip(GROUPS, alphas, strict=True)
    }
    grid = {**by_group(0.5, 0.5, 0.5, 0.5), "gain": by_group(*gains)}
    return {
        "fit": {"groups": fits, "trend": None},
        "methods": {"grid": grid},
        "robustness": {"grid": {"mean": {"value": 0.0015, "low": -0.0004, "high": 0.0035}}},
    }


@pytest.fixture
def content() -> dict[str, Any]:
    """A report in which everything is as in the paper, but Maia-S-1900, which is best at 1500."""
    search = by_group(0.48, 0.48, 0.48, 0.48)
    rule = {
        **search,
        "c_puct": dict.fromkeys(GROUPS, "2"),
        "less policy": by_group(0.001, 0.002, 0.002, 0.003),
        "blend less it": by_group(0.01, -0.02, 0.03, 0.04, half=0.001),
    }
    return {
        "game": "chess",
        "paper": paper("chess"),
        "humans": ["maia-s-wide", "maia-s-1100", "maia-s-1900"],
        "strong": "t1",
        "policies": {
            "maia-s-wide": by_group(0.48, 0.481, 0.481, 0.482),
            "maia-s-1100": by_group(0.40, 0.39, 0.38, 0.37),
            "maia-s-1900": by_group(0.36, 0.40, 0.38, 0.38),
            "t1": by_group(0.39, 0.44, 0.46, 0.49),
        },
        "blends": {
            "maia-s-wide": blend((0.86, 0.7, 0.6, 0.54), (0.005, 0.02, 0.03, 0.05)),
            "maia-s-1100": blend((0.6, 0.5, 0.5, 0.4), (0.05, 0.1, 0.1, 0.14)),
            "maia-s-1900": blend((0.4, 0.5, 0.5, 0.6), (0.09, 0.09, 0.09, 0.09)),
        },
        "kinds": {"geometric": {}, "arithmetic": {"less geometric": entry(-0.007)},
                  "power, beta 0.5": {"less geometric": entry(0.006)}},
        "trials": {"maia-s-wide": {"methods": {"grid": {"mean": {"gains": [0.02, 0.03]}}}}},
        "search": {"maia-s-wide": {"nodes": 50, "c_pucts": ["2", "infinite"], "rules": {"visits": rule},
                   "parts": {"validation": {"positions": 900}, "test": {"positions": 1000}}}},
        "mechanism": {"maia-s-wide": {"engine": "stockfish", "nodes": 20_000, "bad": 200, "decided": 1000,
                      "left out": 44, "groups": ["1900"], "positions": 500, "method": "grid",
                      "gain": {"value": 0.05, "low": 0.03, "high": 0.07},
                      "share of the gain": {"value": 0.27, "low": 0.13, "high": 0.44}}},
        "networks": {"maia-s-wide": {"network": "maia-s-wide", "parameters": 900_000,
                     "architecture": "residual", "trained on": "29,297 games"}},
        "training": {"maia-s-wide": {"1100": 900, "1500": 3_000, "mixed": 25_000},
                     "maia-s-1100": {"1100": 900}},
        "data": {"games": 32_669, "with clocks": 1_707,
                 "groups": {"1100": 1_658, "1500": 5_640, "1900": 748}},
    }  # fmt: skip


def verdicts(content: dict[str, Any], start: str) -> list[str]:
    return [trend["verdict"] for trend in trends(content) if trend["claim"].startswith(start)]


def test_a_trend_that_fails_is_said_with_its_numbers(content: dict[str, Any]) -> None:
    (failed,) = [trend for trend in trends(content) if trend["claim"].startswith("A policy of one group")
                 and trend["verdict"] != "holds"]  # fmt: skip
    assert failed["verdict"] == "fails"
    assert failed["here"] == "maia-s-1900 is best at 1500 (0.400); at 1900: 0.380."


def test_each_trend_has_its_verdict(content: dict[str, Any]) -> None:
    assert verdicts(content, "Maia-S-Wide is more accurate") == ["holds", "holds"]
    assert verdicts(content, "Maia-S-Wide is about equally") == ["holds"]
    assert verdicts(content, "The strong policy") == ["holds"]
    assert verdicts(content, "The blend with the grid") == ["holds"] * 3
    assert verdicts(content, "The gain grows") == ["holds", "holds", "not clear"]
    assert verdicts(content, "The best alpha falls") == ["holds", "holds", "fails"]
    assert verdicts(content, "0.1 of alpha") == ["holds"]
    assert verdicts(content, "The geometric mean") == ["holds"]
    assert verdicts(content, "The power mean") == ["fails"]
    assert verdicts(content, "The blend is more accurate than KL") == ["holds"]
    assert verdicts(content, "Avoided blunders") == ["fails"]
    assert verdicts(content, "The blend is better in every trial") == ["holds"]


def test_groups_in_which_search_is_ahead_are_named(content: dict[str, Any]) -> None:
    (found,) = [trend for trend in trends(content) if "KL-regularised" in trend["claim"]]
    assert found["here"].endswith("search is ahead at 1500.")


def test_a_share_of_no_gain_is_not_told(content: dict[str, Any]) -> None:
    content["mechanism"]["maia-s-wide"] |= {
        "gain": {"value": -0.006, "low": -0.029, "high": 0.019},
        "share of the gain": {"value": -2.3, "low": -7.0, "high": None},
    }
    (found,) = [trend for trend in trends(content) if trend["claim"].startswith("Avoided")]
    assert found["verdict"] == "not clear"
    assert found["here"].endswith(
        "the gain on these positions is -0.006 (-0.029 to +0.019); no share can be told."
    )


def test_departures_name_clocks_groups_networks_trials_and_the_mechanism(content: dict[str, Any]) -> None:
    text = " ".join(departures(content))
    assert "1,707 of 32,669 games have them" in text
    assert "748 games (1900) to 5,640 (1500)" in text
    assert "maia-s-wide is maia-s-wide (900,000 parameters, residual); trained on: 29,297 games." in text
    assert "maia-s-wide learned from 28,900 games of the training split, 25,000 of them between" in text
    assert "maia-s-1100 learned from 900 games of the training split, 0 of them between" in text
    assert "networks are not trained anew" in text
    assert "20,000 nodes a move, the paper's has 100,000" in text
    assert "44 more, whose best move is worth 1,000 or more for a side, are dropped as decided" in text
    assert "Values are clipped at 2,000" in text


def test_the_papers_rows_stand_beside_ours(content: dict[str, Any]) -> None:
    rows = {(row["policy"], row["group"]): row["here"] for row in replication(content)}
    assert rows["Maia-S-1100", "1100"]["alpha"]["value"] == 0.6
    assert rows["Maia-S-Wide", "1900"]["gain"]["top1"] == 0.05
    assert rows["Maia-1100", "1100"] is None
    content["paper"] = {"rows": paper("go")["rows"]}  # type: ignore[index]
    assert [row["here"] for row in replication(content)] == [None] * 6
