"""The blend paper's numbers, as its text gives them, with their places."""

from __future__ import annotations

import pytest

from studies.blend.paper import ACCURACIES, MECHANISM, ROWS, paper

SAID: dict[str, list[tuple[str, str, float | None, float, str]]] = {
    "chess": [
        ("Maia-S-1100", "1100", 0.69, 0.015, "IV-B"),
        ("Maia-S-1900", "1900", 0.53, 0.038, "IV-B"),
        ("Maia-S-Wide", "1100", 0.85, 0.004, "IV-B"),
        ("Maia-S-Wide", "1900", 0.56, 0.034, "IV-B"),
        ("Maia-1100", "1100", 0.91, 0.002, "IV-C"),
        ("Maia-1900", "1900", 0.68, 0.011, "IV-C"),
    ],
    "go": [
        ("Maia-S-3k", "3k", 0.78, 0.020, "V-B"),
        ("Maia-S-6d", "6d", 0.58, 0.057, "V-B"),
        ("Maia-S-Wide", "3k", 0.85, 0.009, "V-B"),
        ("Maia-S-Wide", "6d", 0.54, 0.060, "V-B"),
        ("KL-regularised search, Maia-S-Wide", "3k", None, 0.0, "V-C"),
        ("KL-regularised search, Maia-S-Wide", "6d", None, 0.008, "V-C"),
    ],
    "shogi": [
        ("Maia-S-1", "group 1", 0.64, 0.029, "VI-B"),
        ("Maia-S-6", "group 6", 0.48, 0.052, "VI-B"),
        ("Maia-S-Wide", "group 1", 0.89, 0.003, "VI-B"),
        ("Maia-S-Wide", "group 6", 0.63, 0.020, "VI-B"),
    ],
}


@pytest.mark.parametrize("game", SAID)
def test_the_rows_are_those_of_the_text(game: str) -> None:
    rows = [(row.policy, row.group, row.alpha, row.gain) for row in ROWS[game]]
    assert rows == [said[:4] for said in SAID[game]]
    for row, said in zip(ROWS[game], SAID[game], strict=True):
        assert row.source.startswith(f"section {said[4]}, figure")


@pytest.mark.parametrize(
    ("game", "accuracies"), [("chess", [0.471, 0.507]), ("go", [0.510, 0.534]), ("shogi", [0.569, 0.585])]
)
def test_the_accuracies_are_those_of_the_conclusion(game: str, accuracies: list[float]) -> None:
    assert [accuracy.accuracy for accuracy in ACCURACIES[game]] == accuracies
    assert all(accuracy.source.startswith("section VII") for accuracy in ACCURACIES[game])


def test_the_accuracies_in_shogi_are_of_maia_s_wide() -> None:
    """Figure 9 gives 58.4 % for its blend in group 6. The two numbers put Maia-S-Wide at 0.566 and 0.565:
    "about the same", as VI-B says. Maia-S-6 and its gain would be at 0.566, not 0.585."""
    assert {each.policy for each in ACCURACIES["shogi"]} == {"Maia-S-Wide"}
    wide = [
        each.accuracy - row.gain for each, row in zip(ACCURACIES["shogi"], ROWS["shogi"][2:], strict=True)
    ]
    assert wide == pytest.approx([0.566, 0.565])
    assert ACCURACIES["shogi"][1].accuracy == pytest.approx(MECHANISM["blend matches"], abs=0.0011)
    assert wide[1] - 0.051 + ROWS["shogi"][1].gain == pytest.approx(0.566)
    assert {accuracy.policy for game in ("chess", "go") for accuracy in ACCURACIES[game]} == {None}


def test_only_games_of_the_paper_have_numbers() -> None:
    assert paper("breakthrough") is None
    found = paper("shogi")
    assert found is not None
    assert found["mechanism"]["policy bad"] == pytest.approx(0.164, abs=0.001)
