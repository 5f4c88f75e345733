"""Annotations of fields whose values have a range."""

from typing import Annotated

from msgspec import Meta

Fraction = Annotated[float, Meta(ge=0, le=1)]
NonNegative = Annotated[float, Meta(ge=0)]
Positive = Annotated[float, Meta(gt=0)]
PositiveInt = Annotated[int, Meta(ge=1, le=10**9)]
Count = Annotated[int, Meta(ge=0, le=10**9)]
Megabytes = Annotated[int, Meta(ge=1, le=1 << 20)]
Seed = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]
Threads = Annotated[int, Meta(ge=1, le=1024)]
