"""TOML files as frozen dataclasses: one reader and one style of error for every configuration."""

from sparring.config.description import describe_type, options_table
from sparring.config.ranges import (
    Count,
    Fraction,
    Megabytes,
    NonNegative,
    Positive,
    PositiveInt,
    Seed,
    Threads,
)
from sparring.config.reader import BadConfig, BadValue, Source, from_table, is_file, read_config, read_toml
from sparring.config.threads import usable_threads

__all__ = [
    "BadConfig",
    "BadValue",
    "Count",
    "Fraction",
    "Megabytes",
    "NonNegative",
    "Positive",
    "PositiveInt",
    "Seed",
    "Source",
    "Threads",
    "describe_type",
    "from_table",
    "is_file",
    "options_table",
    "read_config",
    "read_toml",
    "usable_threads",
]
