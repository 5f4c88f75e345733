"""The players of the round robin: the tuned classes, and the shipped levels of their ratings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sparring.players.player_config import PlayerConfig, shipped_levels
from studies.ace.curve import results_in

CLASS_NAMES = {1250: "D", 1650: "B", 2150: "Expert", 2550: "GM"}
"""The paper's names of its classes (section 4.1)."""


def class_name(rating: int) -> str:
    """The paper's name of a class; the rating if the paper has none."""
    return CLASS_NAMES.get(rating, str(rating))


def level_players(ratings: Sequence[int]) -> dict[str, PlayerConfig]:
    """The shipped chess levels of these ratings, by the names of the classes. Raises BadConfig."""
    table = shipped_levels("chess", "engine")
    assert table is not None
    return {class_name(rating): table.at(rating, name=class_name(rating)) for rating in ratings}


def class_players(folder: Path, ratings: Sequence[int]) -> dict[str, PlayerConfig]:
    """The players of the tuned classes in a folder of journals, by name.

    They draw moves from the distribution that was fitted: they search leaf by leaf, and neither prefer proven
    wins to it nor leave out moves that draw.
    """
    found = {}
    for result in results_in(folder):
        if result["class"] in ratings:
            theta, name = result["theta"], class_name(result["class"])
            found[name] = PlayerConfig(
                "chess",
                name=name,
                model=result["network"],
                temperature=theta["temperature"],
                policy_temperature=theta["policy_temperature"],
                c_puct=theta["c_puct"],
                unvisited_share=theta["backoff"],
                nodes=result["nodes"],
                batch=1,
                play_forced_wins=False,
            )
    return found
