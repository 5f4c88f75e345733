"""Loading policies by the name of a model, the file of a network, a policy's TOML file, or a shipped name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from sparring import data
from sparring.base.config import is_file
from sparring.base.errors import BadConfig
from sparring.games import GAMES
from sparring.networks import load_network
from sparring.networks.files import model_name
from sparring.networks.store import find, has_added
from sparring.policies.person import SUFFIX as PERSON_SUFFIX
from sparring.policies.person import PersonPolicy, load_person_network, read_person
from sparring.policies.policy import Curve, NetworkPolicy, Policy, TemperedPolicy
from sparring.policies.policy_files import read_policy_config
from sparring.policies.pool import FeatureWeightedPool, PolicyPool, PoolMember

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
        raise BadConfig(f"unknown game '{game}'; there are {', '.join(GAMES)}")
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
