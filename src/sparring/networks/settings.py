"""Reads the settings of a codec from a model card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta

from sparring.networks.errors import BadNetwork

T = TypeVar("T")
RatingBound = Annotated[float, Meta(ge=-1e6, le=1e6)]


def read_settings(cls: type[T], settings: Mapping[str, float | int | str]) -> T:
    """The settings as a dataclass, whose annotations are types and ranges. Raises BadNetwork."""
    try:
        return msgspec.convert(dict(settings), cls)
    except msgspec.ValidationError as error:
        raise BadNetwork(f"the settings of its model card are wrong ({error})") from None
