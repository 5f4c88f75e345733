"""What the network says about the positions of a person, read once and kept in a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sparring.training.person.adaptation import rating_offset
from sparring.training.person.choices import ChoiceReader, PersonChoices, PersonGames

RATED_BY = 50
"""Games from which the rating offset is estimated."""


@dataclass(frozen=True)
class Reading:
    """The choices of a person, and what a rating offset gains."""

    choices: PersonChoices
    rating: dict[str, float]
    """The rating offset that `RATED_BY` games before the test games give, and what it alone gains on the test
    games in nats per move; empty if it was not measured."""

    def save(self, path: Path) -> None:
        """Writes it, whole or not at all. Features and log-probabilities are rounded to 16 bits."""
        part = path.with_suffix(".part")
        with part.open("wb") as file:
            arrays = {**vars(self.choices)}
            for name in ("logs", "features"):
                arrays[name] = arrays[name].astype(np.float16)
            rating = [self.rating.get(key, np.nan) for key in ("offset", "nats")]
            np.savez(file, rating=np.array(rating), **arrays)
        part.replace(path)

    @staticmethod
    def load(path: Path) -> Reading:
        """Reads it again."""
        with np.load(path) as file:
            arrays = {name: file[name] for name in file.files if name != "rating"}
            offset, nats = file["rating"].tolist()
        for name in ("logs", "features"):
            arrays[name] = arrays[name].astype(np.float32)
        return Reading(PersonChoices(**arrays), {} if np.isnan(nats) else {"offset": offset, "nats": nats})


def read_person(games: PersonGames, reader: ChoiceReader, held: int, rating: bool) -> Reading:
    """Runs the network over all positions of a person."""
    choices = reader.read(games)
    before = len(games) - held
    if not rating:
        return Reading(choices, {})
    offset, _ = rating_offset(games[max(0, before - RATED_BY) : before], reader, lambda *_: None)
    gain = 0.0
    if offset:
        moved = reader.read(games[before:], offset=offset)
        gain = float((moved.logs[:, 0] - choices.take(choices.game >= before).logs[:, 0]).mean())
    return Reading(choices, {"offset": offset, "nats": gain})
