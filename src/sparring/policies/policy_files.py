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

In Go the ratings are ranks: { 6k = 0.9, 9d = 0.5 }. A blend of two may say `alpha = 0.8`, from 0 to 1, and
leave the weights out: alpha is the first policy's, and the second has the rest. Weights that also go by
position are a kind of their own:

    kind = "position"

    [traits]                    # the mean and the spread of each
    ply = [50, 30]
    ...

    [[policy]]
    use = "human"
    weight = { 1100 = 0.9, 1900 = 0.7 }     # in a position with mean traits; for each spread beyond add:
    by = { ply = 0.01, divergence = -0.1, entropy-1 = 0.0, entropy-2 = 0.02 }
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sparring.games import GAMES
from sparring.policies.curve import Curve
from sparring.policies.features import FeatureScaler, position_feature_names
from sparring.policies.pool import POOL_KINDS, PoolKind
from sparring.records.ranks import parse_rank, rank_order

_FILE_KEYS = ("game", "kind", "beta", "alpha", "temperature", "traits", "policy")
_BY_POSITION = "position"
_MEMBER_KEYS = ("use", "weight", "temperature")


class BadPolicy(Exception):
    """A policy that cannot be opened; the message says which, and why."""


@dataclass(frozen=True)
class MemberConfig:
    """One [[policy]] of a file."""

    use: str
    temperature: Curve | None
    weight: Curve
    by: tuple[float, ...] = ()
    """What a spread of each trait adds to the weight, where weights go by position."""


@dataclass(frozen=True)
class PolicyConfig:
    """What a policy's file says."""

    game: str
    kind: PoolKind
    beta: float
    temperature: Curve | None
    members: tuple[MemberConfig, ...]
    scale: FeatureScaler | None = None
    """Of traits, where weights go by position."""


def read_policy_config(path: Path) -> PolicyConfig:
    """The content of a policy's file. Raises BadPolicy or OSError."""
    try:
        return _parse(tomllib.loads(path.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadPolicy(f"{path} is no TOML file: {error}") from None
    except ValueError as error:
        raise BadPolicy(f"{path}: {error}") from None


def _parse(entries: dict[str, Any]) -> PolicyConfig:
    _check_keys(entries, _FILE_KEYS, "entry")
    game, kind, beta = entries.get("game"), entries.get("kind", "geometric"), entries.get("beta")
    if game not in GAMES:
        raise ValueError(f"'game' is one of {', '.join(GAMES)}, not {game!r}")
    if kind not in (*POOL_KINDS, _BY_POSITION):
        raise ValueError(f"'kind' is one of {', '.join((*POOL_KINDS, _BY_POSITION))}, not {kind!r}")
    if (beta is not None) != (kind == "power"):
        raise ValueError("a pool of kind power needs 'beta', and no other has it")
    if beta is not None and not _is_number(beta):
        raise ValueError(f"'beta' is a number, not {beta!r}")
    members = entries.get("policy")
    if not isinstance(members, list) or not members or not all(isinstance(each, dict) for each in members):
        raise ValueError("at least one [[policy]] is needed")
    if ("traits" in entries) != (kind == _BY_POSITION):
        raise ValueError("a pool of kind position needs [traits], and no other has them")
    temperature = _temperature(entries, game)
    if kind == _BY_POSITION:
        if "alpha" in entries:
            raise ValueError("a pool of kind position has no 'alpha'")
        return _parse_by_position(game, temperature, entries["traits"], members)
    if "alpha" in entries:
        members = _weights_from_alpha(_curve(entries["alpha"], "alpha", game), members)
    return PolicyConfig(
        game,
        kind,
        1.0 if beta is None else float(beta),
        temperature,
        tuple(_parse_member(number, entry, game) for number, entry in enumerate(members, 1)),
    )


def _parse_member(number: int, entry: dict[str, Any], game: str) -> MemberConfig:
    _check_keys(entry, _MEMBER_KEYS, f"entry of [[policy]] {number}")
    use, weight = entry.get("use"), entry.get("weight", 1)
    if not isinstance(use, str) or not use:
        raise ValueError(f"[[policy]] {number} needs 'use': a model's name or a file")
    curve = weight if isinstance(weight, Curve) else _curve(weight, "weight", game)
    return MemberConfig(use, _temperature(entry, game), curve)


def _weights_from_alpha(alpha: Curve, members: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The paper's two weights, alpha and 1 - alpha."""
    if len(members) != 2 or any("weight" in each for each in members):
        raise ValueError("'alpha' is for two policies that have no weights")
    if not all(0 <= value <= 1 for value in alpha.values):
        wrong = next(value for value in alpha.values if not 0 <= value <= 1)
        raise ValueError(f"'alpha' is from 0 to 1, not {wrong:g}")
    rest = Curve(tuple((rating, 1 - value) for rating, value in alpha.knots))
    return [{**members[0], "weight": alpha}, {**members[1], "weight": rest}]


def _parse_by_position(
    game: str, temperature: Curve | None, traits: Any, members: list[dict[str, Any]]
) -> PolicyConfig:
    names = position_feature_names(len(members))
    parsed = []
    for number, entry in enumerate(members, 1):
        by = _numbers(entry.get("by"), names, f"'by' of [[policy]] {number}")
        rest = {key: value for key, value in entry.items() if key != "by"}
        parsed.append(replace(_parse_member(number, rest, game), by=by))
    if not isinstance(traits, dict) or set(traits) != set(names):
        raise ValueError(f"[traits] has {', '.join(names)}, each with its mean and its spread")
    pairs = [traits[name] for name in names]
    for name, pair in zip(names, pairs, strict=True):
        if not isinstance(pair, list) or len(pair) != 2 or not all(map(_is_number, pair)) or pair[1] <= 0:
            raise ValueError(f"trait '{name}' is its mean and its spread, such as [0.5, 0.2], not {pair!r}")
    means, stds = zip(*((float(mean), float(spread)) for mean, spread in pairs), strict=True)
    return PolicyConfig(game, "geometric", 1.0, temperature, tuple(parsed), FeatureScaler(means, stds))


def _numbers(entries: Any, names: tuple[str, ...], what: str) -> tuple[float, ...]:
    """The numbers of a table that has exactly these names."""
    if (
        not isinstance(entries, dict)
        or set(entries) != set(names)
        or not all(map(_is_number, entries.values()))
    ):
        raise ValueError(f"{what} is a table of numbers for {', '.join(names)}")
    return tuple(float(entries[name]) for name in names)


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
        if (rank := parse_rank(text)) is not None:
            return rank_order(rank)
        raise ValueError(f"'{what}' goes by rank, such as 6k or 3d, not by '{text}'")
    if text.isascii() and text.isdecimal():
        return int(text)
    raise ValueError(f"'{what}' goes by rating, such as 1500, not by '{text}'")
