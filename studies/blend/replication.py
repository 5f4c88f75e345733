"""The paper's rows beside the same experiment here: the grid's alpha and gain of each policy and group."""

from __future__ import annotations

from typing import Any

from studies.blend.trends import wide_policy

_SEARCH = "KL-regularised search"


def replication(content: dict[str, Any]) -> list[dict[str, Any]]:
    """A row of the paper each, with ours in the same group: None where there is no such policy or group."""
    rows = []
    for row in content["paper"]["rows"]:
        name = _counterpart(content, row["policy"])
        rows.append({**row, "here": None if name is None else _ours(content, name, row)})
    return rows


def _counterpart(content: dict[str, Any], policy: str) -> str | None:
    """The human-like policy here in the place of the paper's: by its name, or for Maia-S-Wide by its role."""
    if policy.endswith("Maia-S-Wide"):
        return wide_policy(content)
    return policy.lower() if policy.lower() in content["humans"] else None


def _ours(content: dict[str, Any], name: str, row: dict[str, Any]) -> dict[str, Any] | None:
    group = row["group"]
    if group not in content["policies"][name]["groups"]:
        return None
    if row["policy"].startswith(_SEARCH):
        found = content.get("search", {}).get(name, {})
        if "rules" not in found:
            return None
        rule = found["rules"]["visits"]
        return {
            "policy": name,
            "c_puct": rule["c_puct"][group],
            "gain": rule["less policy"]["groups"][group],
            "accuracy": rule["groups"][group],
        }
    blend = content["blends"][name]
    return {
        "policy": name,
        "alpha": blend["fit"]["groups"][group]["grid"],
        "gain": blend["methods"]["grid"]["gain"]["groups"][group],
        "accuracy": blend["methods"]["grid"]["groups"][group],
    }
