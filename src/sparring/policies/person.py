"""A policy that plays like one person, and its file.

The file (`.person`) has a card, the person's style vector and sharpness (`sparring.networks.style`), and
their repertoire. The network itself is not in it: the file names its base."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from sparring import data
from sparring.base.config import user_data_folder
from sparring.base.errors import BadConfig
from sparring.base.storage import atomic_write, read_npz
from sparring.games import GAMES, describe
from sparring.networks import Network, Position, Prediction
from sparring.networks.codec import PositionBatch, PredictionBatch
from sparring.networks.onnx_reader import GRAPH, parse
from sparring.networks.store import find
from sparring.policies.policy import Policy, predict_batch
from sparring.policies.repertoire import MAX_PLY, Repertoire

if TYPE_CHECKING:
    from sparring.networks.card import ModelCard
    from sparring.networks.style import StyleNetwork


SUFFIX = ".person"
_VERSION = 1
_LARGEST = 64 << 20
"""Size limit of a file. A thousand games need less than a megabyte."""


@dataclass(frozen=True)
class PersonCard:
    """Who the person is, from what the file was made, and what was measured."""

    person: str
    """The person's name in the records."""
    game: str
    base: str
    """The policy that was adapted: a model name, or a file."""
    games: Annotated[int, Meta(ge=1)]
    positions: Annotated[int, Meta(ge=1)]
    first_date: str = ""
    last_date: str = ""
    rating: int | None = None
    """Default rating (or rank as a number) to condition on when the caller gives none."""
    rating_offset: int = 0
    """What was added to the recorded ratings."""
    sharpness: Annotated[float, Meta(ge=0.05, le=20)] = 1.0
    """Exponent w of the base's probabilities."""
    base_digest: str = ""
    """Hash of the base network's graph; empty if there is no style vector."""
    style_digest: str = ""
    """Hash of the style network."""
    concentration: Annotated[float, Meta(gt=0)] | None = None
    """The weight a of the policy in the repertoire's posterior; None for no repertoire."""
    share: Annotated[float, Meta(gt=0, le=1)] = 1.0
    """The share of the repertoire; the rest stays with the policy."""
    measured: str = ""
    """What was measured on games that were not trained on, in a sentence."""
    parts: dict[str, float] = field(default_factory=dict)
    """Nats per move that each part gains, by cross-validation over games."""
    move_numbering: int = 1

    def describe(self) -> list[tuple[str, str]]:
        """The card as (label, text) rows."""
        rows = [(name.replace("_", " "), value) for name, value in asdict(self).items()]
        return [(name, str(value)) for name, value in rows if value not in ("", None, {})]


@dataclass(frozen=True)
class PersonModel:
    """The content of a person's file."""

    card: PersonCard
    vector: NDArray[np.float32]
    """[d]: the style vector; empty if the base has no style network."""
    repertoire: Repertoire
    identities: NDArray[np.uint64]
    """[games]: the games that it was fitted to, sorted."""


def write_person(path: Path, model: PersonModel) -> None:
    """Writes a person's file. Raises OSError."""
    stream = io.BytesIO()
    card = json.dumps({"version": _VERSION, **asdict(model.card)}).encode()
    book = model.repertoire
    np.savez_compressed(
        stream,
        card=np.frombuffer(card, np.uint8),
        vector=model.vector.astype(np.float32),
        keys=book.keys.astype(np.uint64),
        moves=book.moves.astype(np.uint32),
        counts=book.counts.astype(np.uint32),
        identities=model.identities.astype(np.uint64),
    )
    atomic_write(path, stream.getvalue())


def read_person(path: Path) -> PersonModel:
    """Reads a person's file. Raises BadConfig or OSError."""
    try:
        arrays = read_npz(path, _LARGEST)
        card = _read_card(arrays["card"].astype(np.uint8).tobytes())
        return _checked(card, arrays)
    except OSError:
        raise
    except Exception as error:  # the arrays may have any type and shape
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise BadConfig(f"{path}: not a person's file, or damaged ({reason})") from None


def _read_card(data: bytes) -> PersonCard:
    entries = msgspec.json.decode(data, type=dict[str, Any])
    if (version := entries.pop("version", None)) != _VERSION:
        raise ValueError(f"its version is {version}, and this Sparring reads {_VERSION}")
    card = msgspec.convert(entries, PersonCard)
    if card.game not in GAMES:
        raise ValueError(f"unknown game {card.game[:100]!r}")
    if card.move_numbering != describe(card.game).move_numbering:
        raise ValueError("it was made with another move numbering: train it again")
    return card


def _checked(card: PersonCard, arrays: dict[str, NDArray[Any]]) -> PersonModel:
    vector = arrays["vector"].astype(np.float32)
    keys, moves, counts = (arrays[name] for name in ("keys", "moves", "counts"))
    if vector.ndim != 1 or not np.isfinite(vector).all() or np.abs(vector).max(initial=0) > 1e3:
        raise ValueError("its style vector is damaged")
    if bool(len(vector)) != bool(card.base_digest and card.style_digest):
        raise ValueError("its style vector and its card do not agree")
    if not (keys.ndim == 1 and keys.shape == moves.shape == counts.shape) or arrays["identities"].ndim != 1:
        raise ValueError("its repertoire is damaged")
    keys = keys.astype(np.uint64)
    if len(keys) and ((np.diff(keys.astype(object)) < 0).any() or counts.min() < 1):
        raise ValueError("its repertoire is damaged")
    weight = np.inf if card.concentration is None else card.concentration
    repertoire = Repertoire(keys, moves.astype(np.int64), counts.astype(np.int64), weight, card.share)
    return PersonModel(card, vector, repertoire, arrays["identities"].astype(np.uint64))


@dataclass(frozen=True)
class PersonPolicy:
    """The moves of one person: a policy with their style, and their repertoire."""

    name: str
    policy: Policy
    """The base with the person's style and sharpness."""
    repertoire: Repertoire
    rating: int | None
    """Rating of the person, for positions that have none."""
    card: PersonCard

    @property
    def game(self) -> str:
        """The game of the base."""
        return self.policy.game

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        """One prediction per position."""
        rated = [p if p.rating is not None else replace(p, rating=self.rating) for p in positions]
        return [
            replace(base, probabilities=self.repertoire.posterior(position.state, base.probabilities))
            for position, base in zip(positions, self.policy.predict(rated), strict=True)
        ]

    def predict_batch(self, batch: PositionBatch) -> PredictionBatch:
        """The predictions for a batch of positions."""
        if self.rating is not None:
            own = np.where(np.isnan(batch.ratings[:, :1]), self.rating, batch.ratings[:, :1])
            batch = replace(batch, ratings=np.hstack([own, batch.ratings[:, 1:]]))
        base = predict_batch(self.policy, batch)
        shares = base.probabilities.copy()
        for row in np.flatnonzero(batch.states.plies < MAX_PLY).tolist():
            begin, end = base.offsets[row : row + 2]
            shares[begin:end] = self.repertoire.posterior(batch.states[row], shares[begin:end])
        return replace(base, probabilities=shares)


# A network with the style vector of a person in its graph.


def load_person_network(base: str, model: PersonModel, *, backend: str, threads: int, batch: int) -> Network:
    """The base network with the person's vector and sharpness. Raises BadConfig, BadFile or OSError."""
    from sparring.networks.formats import make_codec
    from sparring.networks.style import with_person

    person, wanted = model.card.person, (model.card.base_digest, model.card.style_digest)
    for name in _possible_bases(base, model.card.game):
        graph, card, style = read_styled(name, model.card.game)
        if style is not None and (graph_digest(graph), style_digest(style)) == wanted:
            break
    else:
        raise BadConfig(f"{person} was trained on another version of {base}: train the person again")
    if len(model.vector) != style.dimensions:
        raise BadConfig(f"{person}: the style vector has {len(model.vector)} numbers")
    personal = with_person(graph, style, model.vector, model.card.sharpness)
    return Network(personal, card, make_codec(card), backend=backend, threads=threads, batch=batch)


def _possible_bases(base: str, game: str) -> Iterator[str]:
    """The base that a person's file names, and the network that may have had this name before."""
    yield base
    yield base_network(game)


def base_network(game: str) -> str:
    """The name of the network that persons of a game are made of: the shipped network of people's moves that
    the game's style network was trained on; `human` if there is none."""
    names = [
        name for name in data.names("networks") if name.startswith("human-") and name.endswith(f"-{game}")
    ]
    styled = (name for name in sorted(names) if read_styled(name, game)[2] is not None)
    return next(styled, "human").removesuffix(f"-{game}")


def read_styled(base: str, game: str) -> tuple[bytes, ModelCard, StyleNetwork | None]:
    """The ONNX graph and the card of a network, and its style network; None if it has none.

    The style network is the shipped one of the game, if it was trained on this network. Raises BadFile or
    OSError.
    """
    from sparring.networks.formats import make_codec, open_network
    from sparring.networks.network import serialized
    from sparring.networks.style import matches, read_style

    model, card = open_network(find(base, game))
    graph = serialized(model)
    if (path := style_file(card.game)) is None:
        return graph, card, None
    style = read_style(path)
    return graph, card, style if matches(graph, make_codec(card), style) else None


def style_file(game: str) -> Path | None:
    """The style network of a game: the user's (`styles/GAME.npz` in Sparring's folder), else the shipped one;
    None if there is none."""
    own = user_data_folder() / "styles" / f"{game}.npz"
    if own.is_file():
        return own
    return data.path("styles", game) if game in data.names("styles") else None


def graph_digest(content: bytes) -> str:
    """A hash of a network's graph and weights; its card does not matter. Raises BadFile."""
    graph = parse(memoryview(content)).bytes(GRAPH, "graph")
    return hashlib.sha256(graph).hexdigest()[:32]


def style_digest(style: StyleNetwork) -> str:
    """A hash of a style network's weights."""
    digest = hashlib.sha256()
    for array in (style.hidden, style.bias, style.output, style.passing, style.squares, style.sharpness):
        digest.update(array.tobytes())
    return digest.hexdigest()[:32]
