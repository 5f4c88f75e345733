"""Anchors: opponents with a nominal rating, by family. A family is a TOML file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from sparring import data
from sparring.arena.tournament import ParticipantConfig
from sparring.arena.tournament_config import parse_participant
from sparring.config import BadConfig, Fraction, Source, from_table, read_toml

Elo = Annotated[float, Meta(ge=-10_000, le=10_000)]


class BadAnchors(BadConfig):
    """A family of anchors that cannot be used."""


@dataclass(frozen=True)
class AnchorEntry:
    """An `[[anchor]]`: its own keys. The other keys are those of a tournament's `[[player]]`."""

    name: str
    """Name in the results."""
    elo: Elo | None = None
    """Nominal rating. Without it, the anchor is rated by games against its neighbours in the file."""
    random_share: Fraction = 0.0
    """Share of its moves that are drawn uniformly from the legal moves."""


@dataclass(frozen=True)
class AnchorFile:
    """A family of anchors: the keys of its TOML file."""

    game: str
    """Name of the game."""
    anchor: tuple[Mapping[str, Any], ...]
    """`[[anchor]]`, from the weakest to the strongest."""
    family: str = ""
    """Name of the family; without it, that of the file."""


@dataclass(frozen=True)
class Anchor:
    """An opponent of known strength."""

    name: str
    family: str
    participant: ParticipantConfig
    elo: float | None
    random_share: float = 0.0


def read_anchors(source: str, game: str) -> list[Anchor]:
    """The anchors of a family that is part of the package, or of a TOML file. Raises BadAnchors."""
    path = data.path("anchors", source) if source in data.names("anchors") else Path(source)
    if path.suffix != ".toml":
        known = ", ".join(data.names("anchors"))
        raise BadAnchors(f"there is no family of anchors '{source}': expected a TOML file, or one of {known}")
    where = Source(path, BadAnchors)
    file = from_table(AnchorFile, read_toml(path, BadAnchors), where)
    if file.game != game:
        raise BadAnchors(f"{path} has anchors of {file.game}, not of {game}")
    members = []
    for number, table in enumerate(file.anchor, 1):
        place = where.inside(f"anchor[{number}]")
        own = {key: value for key, value in table.items() if key in ("name", "elo", "random_share")}
        rest = {key: value for key, value in table.items() if key not in ("elo", "random_share")}
        entry, participant = from_table(AnchorEntry, own, place), parse_participant(rest, game, place)
        members.append(
            Anchor(entry.name, file.family or path.stem, participant, entry.elo, entry.random_share)
        )
    return members
