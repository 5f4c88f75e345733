"""Loading policies by the name of a model, the file of a network, a policy's TOML file, or a shipped name.

A policy's TOML file:

    # Maia-1500 with a strong network, which weighs more for strong players.
    game = "chess"
    kind = "geometric"          # or "arithmetic", or "power" with its beta
    temperature = 1.0           # of the whole pool

    [[policy]]
    use = "maia-1500.pb.gz"     # a model name, a file (relative to this one), or another policy file
    weight = { 1100 = 0.91, 1900 = 0.68 }   # or one number; linear between the ratings

    [[policy]]
    use = "t1.pb.gz"
    weight = { 1100 = 0.09, 1900 = 0.32 }
    temperature = 1.2           # of this policy alone

In Go the ratings are ranks: { 6k = 0.9, 9d = 0.5 }. A blend of two policies may have `alpha = 0.8` instead of
weights: alpha is the weight of the first policy and 1 - alpha that of the second. Weights that depend on the
position are a kind of their own:

    kind = "position"

    [features]                  # mean and standard deviation of each
    ply = [50, 30]
    ...

    [[policy]]
    use = "human"
    weight = { 1100 = 0.9, 1900 = 0.7 }     # in a position with mean features
    feature_weights = { ply = 0.01, divergence = -0.1, entropy-1 = 0.0, entropy-2 = 0.02 }
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Literal, TypeAlias

from sparring import data
from sparring.base.config import PositiveInt, Source, bad_value, from_table, is_file, read_toml
from sparring.base.errors import BadConfig, unknown_word
from sparring.games import GAMES, describe
from sparring.networks import load_network
from sparring.networks.formats import model_name
from sparring.networks.store import find, has_added
from sparring.policies.person import SUFFIX as PERSON_SUFFIX
from sparring.policies.person import PersonPolicy, load_person_network, read_person
from sparring.policies.policy import Curve, NetworkPolicy, Policy, SharedPolicy, TemperedPolicy
from sparring.policies.pool import (
    FeatureScaler,
    FeatureWeightedPool,
    PolicyPool,
    PoolKind,
    PoolMember,
    position_feature_names,
)

# Policy files.

CurveValue: TypeAlias = float | Mapping[str, float]
"""A number, or numbers by rating (in Go by rank)."""


@dataclass(frozen=True)
class PolicyEntry:
    """A `[[policy]]`: one member of the pool."""

    use: str
    """A model name, a network file relative to this one, or another policy file."""
    weight: CurveValue | None = None
    """Weight in the pool; 1 by default. Linear between the ratings and constant beyond them."""
    temperature: CurveValue | None = None
    """Temperature of this policy."""
    feature_weights: Mapping[str, float] | None = None
    """Change of the weight for one standard deviation of each feature, for kind position."""

    def __post_init__(self) -> None:
        if not self.use:
            raise bad_value("use", self.use, "a model name or a file")


@dataclass(frozen=True)
class PolicyFile:
    """A pool of policies: the keys of its TOML file."""

    game: str
    """Name of the game."""
    policy: tuple[PolicyEntry, ...]
    """At least one `[[policy]]`."""
    kind: Literal["geometric", "arithmetic", "power", "position"] = "geometric"
    """Formula of the pool; see the next table."""
    beta: float | None = None
    """Exponent of kind power."""
    alpha: CurveValue | None = None
    """Weight of the first of two policies, from 0 to 1; the second has the rest."""
    temperature: CurveValue | None = None
    """Temperature of the whole pool."""
    features: Mapping[str, tuple[float, float]] | None = None
    """Mean and standard deviation of each position feature, for kind position."""
    move_numbering: PositiveInt = 1
    """Version of the game's move numbering with which the weights were fitted. Another version is refused."""

    def __post_init__(self) -> None:
        if self.game not in GAMES:
            raise bad_value("game", self.game, f"one of {', '.join(GAMES)}")
        if self.move_numbering != (expected := describe(self.game).move_numbering):
            raise bad_value("move_numbering", self.move_numbering, f"{expected}: fit the weights again")
        if not self.policy:
            raise ValueError("at least one [[policy]] is needed")
        if (self.beta is not None) != (self.kind == "power"):
            raise ValueError("kind power needs 'beta', and no other kind has it")
        if (self.features is not None) != (self.kind == "position"):
            raise ValueError("kind position needs [features], and no other kind has it")
        if self.alpha is not None:
            if self.kind == "position":
                raise ValueError("kind position has no 'alpha'")
            if len(self.policy) != 2 or any(member.weight is not None for member in self.policy):
                raise ValueError("'alpha' is for two policies without weights")


@dataclass(frozen=True)
class MemberConfig:
    """A member of a pool with its weight and temperature as curves over ratings."""

    use: str
    temperature: Curve | None
    weight: Curve
    by: tuple[float, ...] = ()
    """Change of the weight for one standard deviation of each feature; empty if weights ignore positions."""


@dataclass(frozen=True)
class PolicyConfig:
    """The content of a policy file."""

    game: str
    kind: PoolKind
    beta: float
    temperature: Curve | None
    members: tuple[MemberConfig, ...]
    scale: FeatureScaler | None
    """Means and standard deviations of the features; None if weights ignore positions."""


def read_policy_config(path: Path) -> PolicyConfig:
    """Reads a policy's TOML file. Raises BadConfig."""
    source = Source(path)
    file = from_table(PolicyFile, read_toml(path), source)
    names, scale = position_feature_names(len(file.policy)), None
    if file.features is not None:
        if set(file.features) != set(names):
            wanted = f"mean and deviation of {', '.join(names)}"
            raise source.bad_value("features", dict(file.features), wanted)
        for name, (mean, deviation) in file.features.items():
            if not deviation > 0:
                wanted = "a mean and a deviation > 0, such as [0.5, 0.2]"
                raise source.bad_value(f"features.{name}", [mean, deviation], wanted)
        means, stds = zip(*(file.features[name] for name in names), strict=True)
        scale = FeatureScaler(means, stds)
    weights = _weights(file, source)
    members = []
    for number, (entry, weight) in enumerate(zip(file.policy, weights, strict=True), 1):
        place, by = source.inside(f"policy[{number}]"), entry.feature_weights
        if file.kind != "position" and by is not None:
            raise place.fault(f"{place.key_path('feature_weights')} is for kind position")
        if file.kind == "position" and (by is None or set(by) != set(names)):
            raise place.bad_value("feature_weights", by, f"a table of numbers for {', '.join(names)}")
        temperature = _curve(entry.temperature, "temperature", file.game, place)
        coefficients = tuple(by[name] for name in names) if by else ()
        members.append(MemberConfig(entry.use, temperature, weight, coefficients))
    return PolicyConfig(
        file.game,
        "geometric" if file.kind == "position" else file.kind,
        1.0 if file.beta is None else file.beta,
        _curve(file.temperature, "temperature", file.game, source),
        tuple(members),
        scale,
    )


def _weights(file: PolicyFile, source: Source) -> list[Curve]:
    """The weights of the members; by `alpha` those of the blend paper, alpha and 1 - alpha."""
    if (alpha := _curve(file.alpha, "alpha", file.game, source)) is not None:
        for value in alpha.values:
            if not 0 <= value <= 1:
                raise source.bad_value("alpha", value, "a number from 0 to 1")
        return [alpha, Curve(tuple((rating, 1 - value) for rating, value in alpha.knots))]
    weights = []
    for number, entry in enumerate(file.policy, 1):
        curve = _curve(entry.weight, "weight", file.game, source.inside(f"policy[{number}]"))
        weights.append(Curve.constant(1) if curve is None else curve)
    return weights


def _curve(value: CurveValue | None, key: str, game: str, source: Source) -> Curve | None:
    """The curve of a key; None if the file does not have it."""
    if not isinstance(value, Mapping):
        return None if value is None else Curve.constant(value)
    if not value:
        raise source.bad_value(key, {}, "a number or a table of ratings and numbers")
    system, knots = describe(game).ratings, {}
    for text, number in value.items():
        if (rating := system.parse(text)) is None:
            raise source.bad_value(key, text, f"{system.word}s as keys, such as {system.example}")
        knots[rating] = number
    return Curve.through(knots)


# Loading.

MAX_NESTING = 8
"""Limit of policy files that use one another in a chain."""
MAX_PARTS = 64
"""Limit of all policies and networks in a policy. Files that use others twice double it at each step."""


@dataclass(frozen=True)
class _LoadOptions:
    """Options shared by all members of a policy."""

    game: str
    backend: str
    threads: int
    batch: int
    symmetries: bool
    parts: Iterator[int]
    """Counts the parts."""


def load_policy(
    source: str | Path,
    game: str | None = None,
    *,
    name: str | None = None,
    backend: str = "onnxruntime",
    threads: int = 1,
    batch: int = 64,
    symmetries: bool = False,
) -> Policy:
    """Loads a policy.

    `source` is the name of a model in the store, a network file, a policy's TOML file, or a shipped name such
    as "human" or "blend". `game` is the name of the game; shipped names need it, files say it themselves.
    `name` is the policy's name in reports, by default that of the source. `backend` runs the networks:
    "onnxruntime", "openvino", "torch", "torch-float32" or "torch-compiled". `threads` and
    `batch` are the threads and the batch size of each network's session. `symmetries` averages every network
    over the symmetries of each position.

    Raises BadConfig, BadFile or OSError.
    """
    text = str(source)
    if game is not None and game not in GAMES:
        raise unknown_word("game", game, GAMES)
    how = _LoadOptions(game or _game_of(text), backend, threads, batch, symmetries, count(1))
    return _open(text, name or policy_name(text), how, Path(), ())


def policy_name(text: str) -> str:
    """The display name of a policy: the model's name, or the file name without suffixes."""
    path = Path(text)
    return path.stem if path.suffix in (".toml", PERSON_SUFFIX) else model_name(path)


def fingerprint(text: str, game: str | None = None) -> str:
    """A hash over all files of a policy. Policies with the same fingerprint make the same predictions.

    Raises BadConfig, BadFile or OSError.
    """
    digest = hashlib.sha256()
    for path in _files(text, game, Path(), (), count(1)):
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _open(text: str, name: str, how: _LoadOptions, folder: Path, inside: tuple[Path, ...]) -> Policy:
    _check_parts(next(how.parts), inside)
    if text.endswith(PERSON_SUFFIX):
        return _open_person(_person_path(text, folder), name, how, inside)
    path = _policy_path(text, how.game, folder, inside)
    if path is None:
        return _open_network(_located(text, folder), name, how)
    file = read_policy_config(path)
    if file.game != how.game:
        raise BadConfig(f"{path} is a policy for {file.game}, not for {how.game}")
    inner, members = (*inside, path.resolve()), []
    try:
        for entry in file.members:
            policy = _open(entry.use, policy_name(entry.use), how, path.parent, inner)
            members.append(PoolMember(_with_temperature(policy, entry.temperature), entry.weight))
        pool: Policy
        if file.scale is None:
            pool = PolicyPool(name, tuple(members), file.kind, file.beta)
        else:
            coefficients = tuple(entry.by for entry in file.members)
            pool = FeatureWeightedPool(name, tuple(members), file.scale, coefficients)
        return _with_temperature(pool, file.temperature)
    except BadConfig:  # of a member, which names its own file
        raise
    except ValueError as error:
        raise BadConfig(f"{path}: {error}") from None


def _game_of(text: str) -> str:
    """The game that a file, or a model of the store, is for. Raises BadConfig for names of several games."""
    if text.endswith(PERSON_SUFFIX):
        return read_person(_person_path(text, Path())).card.game
    path = _policy_path(text, None, Path(), ())
    if path is not None:
        return read_policy_config(path).game
    shipped = {*data.names("networks"), *data.names("policies")}
    games = [played for played in GAMES if f"{text}-{played}" in shipped]
    if games:
        raise BadConfig(f"'{text}' exists for several games: give the game, one of {', '.join(games)}")
    return load_network(text).codec.game


def _with_temperature(policy: Policy, temperature: Curve | None) -> Policy:
    return policy if temperature is None else TemperedPolicy(policy, temperature)


def _open_network(text: str, name: str, how: _LoadOptions) -> Policy:
    try:
        network = load_network(text, game=how.game, backend=how.backend, threads=how.threads, batch=how.batch)
    except BadConfig:
        raise
    except (ImportError, ValueError) as error:
        raise BadConfig(f"{name}: {error}") from None
    if network.codec.game != how.game:
        raise BadConfig(f"{text} is a network for {network.codec.game}, not for {how.game}")
    return NetworkPolicy(network, name, how.symmetries)


def _open_person(path: Path, name: str, how: _LoadOptions, inside: tuple[Path, ...]) -> Policy:
    """The base of a person's file, with the person's style, sharpness and repertoire."""
    model = read_person(path)
    card = model.card
    if card.game != how.game:
        raise BadConfig(f"{path} is a person who plays {card.game}, not {how.game}")
    if len(model.vector):
        _check_parts(next(how.parts), inside)
        network = load_person_network(
            _located(card.base, path.parent), model, backend=how.backend, threads=how.threads, batch=how.batch
        )
        base: Policy = NetworkPolicy(network, card.base, how.symmetries)
    else:
        base = _open(card.base, policy_name(card.base), how, path.parent, (*inside, path.resolve()))
        if card.sharpness != 1:
            base = TemperedPolicy(base, Curve.constant(1 / card.sharpness))
    return PersonPolicy(name, base, model.repertoire, card.rating, card)


def _person_path(text: str, folder: Path) -> Path:
    path = folder / text
    if not is_file(path):
        raise BadConfig(f"there is no person's file {path}")
    return path


def _files(
    text: str, game: str | None, folder: Path, inside: tuple[Path, ...], parts: Iterator[int]
) -> list[Path]:
    """The files of a policy, its TOML first."""
    _check_parts(next(parts), inside)
    if text.endswith(PERSON_SUFFIX):
        file = _person_path(text, folder)
        base = read_person(file).card.base  # the hash of the style network is in the file
        return [file, *_files(base, game, file.parent, (*inside, file.resolve()), parts)]
    path = _policy_path(text, game, folder, inside)
    if path is None:
        path = find(_located(text, folder), game)
        weights = path.with_name(path.name + ".data")  # where ONNX may keep them
        return [path, weights] if is_file(weights) else [path]
    files = [path]
    for member in read_policy_config(path).members:
        files += _files(member.use, game, path.parent, (*inside, path.resolve()), parts)
    return files


def _check_parts(number: int, inside: tuple[Path, ...]) -> None:
    """Raises BadConfig if part `number` is one too many, or inside of too many files."""
    if number > MAX_PARTS:
        raise BadConfig(f"{inside[0]} has more than {MAX_PARTS} policies in all")
    if len(inside) > MAX_NESTING:
        raise BadConfig(f"{inside[0]} uses policy files through more than {MAX_NESTING} others")


def _located(text: str, folder: Path) -> str:
    """The path of a file beside the TOML that names it; else the text unchanged (a model's name or another
    path)."""
    return str(folder / text) if is_file(folder / text) else text


def _policy_path(text: str, game: str | None, folder: Path, inside: tuple[Path, ...]) -> Path | None:
    """The TOML file of a policy; None for a network's name or file."""
    if not text.endswith(".toml"):
        shipped = data.path("policies", f"{text}-{game}")
        hidden = game is not None and has_added(text, game)  # by a network that the user added
        return shipped if is_file(shipped) and not hidden else None
    path = folder / text
    if not is_file(path):
        raise BadConfig(f"there is no policy file {path}")
    if path.resolve() in inside:
        chain = " uses ".join(file.name for file in (*inside, path))
        raise BadConfig(f"{path} is a part of itself: {chain}")
    return path


# The ratings that a policy can be conditioned on.


def rating_range(policy: Policy) -> tuple[float, float] | None:
    """The range of ratings that all parts of a policy accept; None if it does not depend on ratings."""
    ranges = list(_ranges(policy))
    return (max(low for low, _ in ranges), min(high for _, high in ranges)) if ranges else None


def unrated(policy: Policy) -> str:
    """A message for users who gave a rating to a policy that is not conditioned on ratings; empty
    if it is."""
    if rating_range(policy) is not None:
        return ""
    return f"{policy.name} is not conditioned on {describe(policy.game).ratings.word}s"


def rating_out_of_range(policy: Policy, *ratings: int | None) -> str:
    """A message about the first rating outside the policy's range; empty if there is none."""
    accepted = rating_range(policy)
    for number in ratings:
        if accepted is not None and number is not None and not accepted[0] <= number <= accepted[1]:
            low, high, given = (
                describe(policy.game).ratings.format(int(bound)) for bound in (*accepted, number)
            )
            shown = given if len(given) <= 20 else f"{given[:20]}..."
            word = describe(policy.game).ratings.word
            return f"{policy.name} accepts {word}s from {low} to {high}, not {shown}"
    return ""


def _ranges(policy: Policy) -> Iterator[tuple[float, float]]:
    match policy:
        case NetworkPolicy():
            if policy.network.ratings is not None:
                yield policy.network.ratings
        case SharedPolicy() | PersonPolicy():
            yield from _ranges(policy.policy)
        case TemperedPolicy():
            yield from _ranges(policy.policy)
            yield from _curve_range(policy.temperature)
        case PolicyPool() | FeatureWeightedPool():
            for member in policy.members:
                yield from _ranges(member.policy)
                yield from _curve_range(member.weight)


def _curve_range(curve: Curve) -> Iterator[tuple[float, float]]:
    """A curve accepts any rating: it is constant beyond its knots. A curve of one knot ignores ratings."""
    if len(curve.knots) > 1:
        yield -math.inf, math.inf
