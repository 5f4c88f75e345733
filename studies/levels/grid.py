"""A grid of dials (rating, temperature, nodes, rule) measured against anchors."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from sparring.players import PlayerConfig


def parse_dials(texts: list[str], game: str) -> dict[str, PlayerConfig]:
    """Players by name. A text is `ratings:temperatures:nodes`, each a list with commas, such as
    `1600,2000:1,0.5:0,32`; a fourth part names the rule of move selection, a fifth the policy."""
    return {name: config for text in texts for name, config in _players(text, game)}


def _players(text: str, game: str) -> Iterator[tuple[str, PlayerConfig]]:
    ratings, temperatures, nodes, *rest = text.split(":")
    rule = rest[0] if rest and rest[0] else "visits"
    model = rest[1] if len(rest) > 1 else PlayerConfig.model
    for rating, temperature, size in product(ratings.split(","), temperatures.split(","), nodes.split(",")):
        name = f"{rating}:{temperature}:{size}:{rule}:{model}"
        yield (
            name,
            PlayerConfig(
                game,
                model=model,
                rating=int(rating) if rating else None,
                temperature=float(temperature),
                nodes=int(size),
                rule=rule,  # type: ignore[arg-type]  # read_config would check it
            ),
        )
