"""Policies as TOML files that people read, share and edit.

    # Maia-1500 with some of Lc0's judgement, more of it for strong players.
    game = "chess"
    kind = "geometric"          # or "arithmetic", or "power" with its beta
    temperature = 1.0           # of the whole; may be left out

    [[policy]]
    use = "maia-1500.pb.gz"     # a model's name, a file (from this one's folder), or another such TOML
    weight = { 1100 = 0.91, 1900 = 0.68 }   # or one number; straight lines between the ratings

    [[policy]]
    use = "t1.pb.gz"
    weight = { 1100 = 0.09, 1900 = 0.32 }
    temperature = 1.2           # of this policy alone; may be left out

In Go the ratings are ranks: { 6k = 0.9, 9d = 0.5 }.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparring.games import GAMES
from sparring.policies.curve import Curve
from sparring.policies.pool import KINDS, Kind
from sparring.records.ranks import normal_rank, rank_order

_FILE_KEYS = ("game", "kind", "beta", "temperature", "policy")
_MEMBER_KEYS = ("use", "weight", "temperature")


class BadPolicy(Exception):
    """A policy that cannot be opened; the message says which, and why."""


@dataclass(frozen=True)
class MemberEntry:
    """One [[policy]] of a file."""

    use: str
    weight: Curve
    temperature: Curve | None


@dataclass(frozen=True)
class PolicyFile:
    """What a policy's file says."""

    game: str
    kind: Kind
    beta: float
    temperature: Curve | None
    members: tuple[MemberEntry, ...]


def read_policy_file(path: Path) -> PolicyFile:
    """The content of a policy's file. Raises BadPolicy or OSError."""
    try:
        return _parse(tomllib.loads(path.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadPolicy(f"{path} is no TOML file: {error}") from None
    except ValueError as error:
        raise BadPolicy(f"{path}: {error}") from None


def _parse(entries: dict[str, Any]) -> PolicyFile:
    _check_keys(entries, _FILE_KEYS, "entry")
    game, kind, beta = entries.get("game"), entries.get("kind", "geometric"), entries.get("beta")
    if game not in GAMES:
        raise ValueError(f"'game' is one of {', '.join(GAMES)}, not {game!r}")
    if kind not in KINDS:
        raise ValueError(f"'kind' is one of {', '.join(KINDS)}, not {kind!r}")
    if (beta is not None) != (kind == "power"):
        raise ValueError("a pool of kind power needs 'beta', and no other has it")
    if beta is not None and not _is_number(beta):
        raise ValueError(f"'beta' is a number, not {beta!r}")
    members = entries.get("policy")
    if not isinstance(members, list) or not members or not all(isinstance(each, dict) for each in members):
        raise ValueError("at least one [[policy]] is needed")
    return PolicyFile(
        game,
        kind,
        1.0 if beta is None else float(beta),
        _temperature(entries, game),
        tuple(_parse_member(number, entry, game) for number, entry in enumerate(members, 1)),
    )


def _parse_member(number: int, entry: dict[str, Any], game: str) -> MemberEntry:
    _check_keys(entry, _MEMBER_KEYS, f"entry of [[policy]] {number}")
    use = entry.get("use")
    if not isinstance(use, str) or not use:
        raise ValueError(f"[[policy]] {number} needs 'use': a model's name or a file")
    return MemberEntry(use, _curve(entry.get("weight", 1), "weight", game), _temperature(entry, game))


def _check_keys(entries: dict[str, Any], known: tuple[str, ...], what: str) -> None:
    for key in entries:
        if key not in known:
            raise ValueError(f"unknown {what} '{key}'; there are {', '.join(known)}")


def _temperature(entries: dict[str, Any], game: str) -> Curve | None:
    return _curve(entries["temperature"], "temperature", game) if "temperature" in entries else None


def _curve(value: Any, what: str, game: str) -> Curve:
    if _is_number(value):
        return Curve.constant(value)
    if not isinstance(value, dict) or not value or not all(map(_is_number, value.values())):
        raise ValueError(f"'{what}' is a number, or a table of ratings and numbers, not {value!r}")
    return Curve.through({_rating(key, what, game): number for key, number in value.items()})


def _is_number(value: object) -> bool:
    """TOML has infinities and no-numbers too, which are of no use here."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _rating(text: str, what: str, game: str) -> int:
    if game == "go":
        if (rank := normal_rank(text)) is not None:
            return rank_order(rank)
        raise ValueError(f"'{what}' goes by rank, such as 6k or 3d, not by '{text}'")
    if text.isascii() and text.isdecimal():
        return int(text)
    raise ValueError(f"'{what}' goes by rating, such as 1500, not by '{text}'")
