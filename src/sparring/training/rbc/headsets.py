"""Headsets that the players of the training games allow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sparring.networks.synopsis import ALL, TOP
from sparring.training.config import BadTrainingConfig
from sparring.training.rbc.config import (
    HeadsetConfig,
    RbcTrainingConfig,
    load_rbc_config,
    shipped_rbc_configs,
)

_NAMED = 10
"""Players that an error message names, at most."""


def with_headsets_of(config: RbcTrainingConfig, players: Sequence[str]) -> RbcTrainingConfig:
    """Returns the configuration without headsets to which none of the players belongs. Raises
    BadTrainingConfig if All or Top is among them."""
    kept = tuple(headset for headset in config.headsets if any(map(headset.includes, players)))
    for headset in config.headsets:
        if headset.name in (ALL, TOP) and headset not in kept:
            raise BadTrainingConfig(_missing(headset, players))
    return replace(config, headsets=kept)


def _missing(headset: HeadsetConfig, players: Sequence[str]) -> str:
    wanted, known = ", ".join(headset.players or (headset.name,)), ", ".join(players[:_NAMED])
    fitting = [name for name in shipped_rbc_configs() if _has_top(load_rbc_config(name), players)]
    advice = (
        f"use --config {' or '.join(fitting)}, or add games"
        if fitting
        else "add games, or change the headset's `players` in a configuration of your own"
    )
    return (
        f"the training games have no player of the headset {headset.name} ({wanted}), "
        f"only {known or 'players without names'}: {advice}"
    )


def _has_top(config: RbcTrainingConfig, players: Sequence[str]) -> bool:
    return any(each.name == TOP and any(map(each.includes, players)) for each in config.headsets)
