"""Files that ship with the package: networks, policies, evaluations, tables, books and TOML files.

A kind of file is a folder here, and all its files have one suffix. A file is named without it:
`path("networks", "human-chess")`. `cards.toml` says how each shipped network is trained, `versions.toml`
has the versions of networks and level tables, `unlicensed.toml` what a build may leave out.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

Kind = Literal[
    "anchors",
    "behaviour",
    "books",
    "bot_ratings",
    "difficulty",
    "endgames",
    "evaluations",
    "expectation",
    "levels",
    "line_search",
    "mistakes",
    "networks",
    "opening_names",
    "opening_styles",
    "openings",
    "policies",
    "presets",
    "selfplay_training",
    "strength",
    "student_training",
    "styles",
    "synopsis_networks",
    "synopsis_training",
    "training",
    "turing",
    "value_networks",
]
"""anchors: families of calibration. behaviour: models of people's think time, resignation and draws. books:
openings by position key. bot_ratings: measured ratings of named bots. difficulty: models of how hard problems
are. endgames: archives of endgame tables. evaluations: linear evaluations for alpha-beta. expectation: what
people score from positions. levels: level tables. line_search: the network of the search behind reviews.
mistakes: what people of each rating give away a move, by one judge. networks: ONNX graphs with model cards.
opening_names: names and codes of openings. opening_styles: models of what people of an opening style play.
openings: named openings and handicaps. policies: policy descriptions. presets: record filters.
selfplay_training: configurations of self-play. strength: models of a player's rating given its moves.
student_training: configurations of students. styles: style networks, which adapt a network to one person.
synopsis_networks: networks of the planner of reconnaissance blind chess. synopsis_training: their training
configurations. training: training configurations. turing: games of a Turing test and their key.
value_networks: small networks that alpha-beta evaluates with."""

_SUFFIXES: dict[Kind, str] = {
    "anchors": ".toml",
    "behaviour": ".json",
    "books": ".npz",
    "bot_ratings": ".toml",
    "difficulty": ".npz",
    "endgames": ".zip",
    "evaluations": ".json",
    "expectation": ".toml",
    "levels": ".toml",
    "mistakes": ".json",
    "networks": ".onnx",
    "opening_names": ".tsv",
    "opening_styles": ".json",
    "openings": ".toml",
    "policies": ".toml",
    "presets": ".toml",
    "selfplay_training": ".toml",
    "strength": ".json",
    "student_training": ".toml",
    "styles": ".npz",
    "synopsis_networks": ".onnx",
    "synopsis_training": ".toml",
    "training": ".toml",
    "turing": ".jsonl",
    "line_search": ".npz",
    "value_networks": ".npz",
}


def path(kind: Kind, name: str) -> Path:
    """The path of the shipped file `name` of a kind. The file exists if `name in names(kind)`."""
    return Path(__file__).parent / kind / f"{name}{_SUFFIXES[kind]}"


def is_shipped(file: Path) -> bool:
    """Whether a file is one of the package's own."""
    return file.resolve().is_relative_to(Path(__file__).resolve().parent)


@cache
def _cards() -> dict[str, dict[str, dict[str, str]]]:
    return tomllib.loads((Path(__file__).parent / "cards.toml").read_text(encoding="utf-8"))


def training_card(kind: Kind, name: str) -> dict[str, str]:
    """How a shipped network is trained: `task`, `config`, `command` and `made_by`; empty for other files."""
    return _cards().get(kind, {}).get(name, {})


@dataclass(frozen=True)
class FileVersion:
    """The version of a shipped file; another content has another version."""

    version: int
    """1, 2, ..."""
    sha256: str
    """SHA-256 of the content, in hexadecimal digits."""


@cache
def _versions() -> dict[str, dict[str, FileVersion]]:
    tables = tomllib.loads((Path(__file__).parent / "versions.toml").read_text())
    return {kind: {name: FileVersion(**row) for name, row in rows.items()} for kind, rows in tables.items()}


def file_version(kind: Kind, name: str) -> FileVersion | None:
    """The version of a shipped network, policy, level table or evaluation; None for other kinds of files."""
    return _versions().get(kind, {}).get(name)


def game_versions(game: str, kinds: Collection[Kind]) -> dict[str, int]:
    """The versions of a game's files of some kinds, such as {"networks/human-chess": 1}."""
    return {
        f"{kind}/{name}": row.version
        for kind in kinds
        for name, row in _versions().get(kind, {}).items()
        if game in name.split("-")
    }


@cache
def lacking(game: str) -> str:
    """Why files of a game are missing that a build may leave out, as the end of a sentence; empty if none
    is."""
    folder = Path(__file__).parent
    tables = tomllib.loads((folder / "unlicensed.toml").read_text(encoding="utf-8"))
    if game not in tables or all((folder / file).exists() for file in tables[game]["files"]):
        return ""
    return f"built without what learned from {tables[game]['learned_from']}, whose licence is not stated"


def page() -> Path | None:
    """The folder of the built page; None if it is not built."""
    folder = Path(__file__).parent / "page"
    return folder if (folder / "index.html").is_file() else None


def checkout() -> Path | None:
    """The root of the git checkout that the package runs from; None if it is installed from a wheel."""
    root = Path(__file__).parents[3]
    return root if (root / ".git").exists() else None


def browser_parts() -> Path | None:
    """The folder of the built parts of the browser edition: in a wheel that has them, or in a checkout after
    `make browser`; None if there are none."""
    root = checkout()
    folders = [Path(__file__).parent / "browser", *([root / "build/browser/parts"] if root else [])]
    return next((folder for folder in folders if (folder / "games.json").is_file()), None)


def names(kind: Kind) -> list[str]:
    """The names of the shipped files of a kind, without suffix, sorted."""
    return sorted(file.stem for file in path(kind, "*").parent.glob(f"*{_SUFFIXES[kind]}"))
