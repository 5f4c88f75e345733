"""A network with the style vector of a person in its graph."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from sparring import data
from sparring.networks import Network
from sparring.networks.store import find, user_data_folder
from sparring.policies.person import PersonModel
from sparring.policies.policy_files import BadPolicy

if TYPE_CHECKING:
    import onnx

    from sparring.networks.card import ModelCard
    from sparring.networks.style import StyleNetwork


def load_person_network(base: str, model: PersonModel, *, backend: str, threads: int, batch: int) -> Network:
    """The base network with the person's vector and sharpness. Raises BadPolicy, BadNetwork or OSError."""
    from sparring.networks.formats import make_codec
    from sparring.networks.style import with_person

    graph, card, style = read_styled(base, model.card.game)
    digests = (graph_digest(graph), "" if style is None else style_digest(style))
    if style is None or digests != (model.card.base_digest, model.card.style_digest):
        raise BadPolicy(
            f"{model.card.person} was trained on another version of {base}: train the person again"
        )
    if len(model.vector) != style.dimensions:
        raise BadPolicy(f"{model.card.person}: the style vector has {len(model.vector)} numbers")
    personal = with_person(graph, style, model.vector, model.card.sharpness)
    return Network(personal, card, make_codec(card), backend=backend, threads=threads, batch=batch)


def read_styled(base: str, game: str) -> tuple[onnx.ModelProto, ModelCard, StyleNetwork | None]:
    """The graph and the card of a network, and its style network; None if it has none.

    The style network is the shipped one of the game, if it was trained on this network. Raises BadNetwork or
    OSError.
    """
    from sparring.networks.formats import make_codec, read_network
    from sparring.networks.style import matches, read_style

    graph, card = read_network(find(base, game))
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


def graph_digest(model: onnx.ModelProto) -> str:
    """A hash of a network's graph and weights; its card does not matter."""
    return hashlib.sha256(model.graph.SerializeToString(deterministic=True)).hexdigest()[:32]


def style_digest(style: StyleNetwork) -> str:
    """A hash of a style network's weights."""
    digest = hashlib.sha256()
    for array in (style.hidden, style.bias, style.output, style.passing, style.squares, style.sharpness):
        digest.update(array.tobytes())
    return digest.hexdigest()[:32]
