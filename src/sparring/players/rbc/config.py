"""Bots by name, or from a small TOML file."""

from __future__ import annotations

import os
import tomllib
import typing
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from sparring.entries import TypeMismatch, coerce, field_names
from sparring.players.rbc.bot import Bot
from sparring.players.rbc.evaluators import (
    BoardEvaluator,
    NativeEvaluator,
    StockfishEvaluator,
    find_stockfish,
)
from sparring.players.rbc.guesser import GuesserBot
from sparring.players.rbc.inference import InferenceBot, InferenceLimits
from sparring.players.rbc.simple import AttackerBot, RandomBot
from sparring.players.rbc.utility import RiskParameters


class BadBotConfig(ValueError):
    """A bot that cannot be made of what was said."""


@dataclass(frozen=True)
class BotConfig:
    """A bot: every entry of its TOML file."""

    kind: Literal["random", "attacker", "guesser", "inference"] = "inference"
    evaluator: Literal["native", "stockfish"] = "native"
    """Who judges boards."""
    depth: int = 2
    """Plies that the native judge looks ahead, and on through captures."""
    nodes: int = 2_000
    """Positions that Stockfish looks at, a board."""
    stockfish: str | None = None
    """The program, where it is not on the PATH."""
    boards: int = 20_000
    """Boards that are followed; of more a sample."""
    sense_boards: int = 16
    """Boards that are judged before a sense."""
    move_boards: int = 32
    """Boards that are judged before a move."""
    use_clock: bool = False
    """Whether these numbers are the most, and the clock decides."""
    threads: int = 1
    """0: as many as the machine has cores."""
    worst_case_weight: float = RiskParameters.worst_case_weight
    """Weight of the worst tenth of the boards."""
    king_loss_weight: float = RiskParameters.king_loss_weight
    """What a likelihood of losing the king at once costs beyond its chances."""
    unseen_attack_rate: float = RiskParameters.unseen_attack_rate
    """How often an attack on the king is thought to go unseen."""
    information_weight: float = RiskParameters.information_weight
    """What a bit of information is worth, in chances of winning."""
    opponent_rationality: float = RiskParameters.opponent_rationality
    """How much likelier boards are on which the opponent played well."""
    threat_weight: float = RiskParameters.threat_weight
    """How many times likelier boards are on which the opponent attacks the king."""

    def __post_init__(self) -> None:
        ranges = {"depth": (1, 8), "nodes": (1, 10**9), "threads": (0, 256)}
        ranges |= dict.fromkeys(("boards", "sense_boards", "move_boards"), (1, 10**8))
        for name, (low, high) in ranges.items():
            if not low <= getattr(self, name) <= high:
                raise BadBotConfig(
                    f"{name} is {getattr(self, name)}, where a number from {low} to {high:,} is expected"
                )
        try:
            self.risk_parameters()
        except ValueError as error:
            raise BadBotConfig(str(error)) from None

    def risk_parameters(self) -> RiskParameters:
        """What it makes of its uncertainty."""
        return RiskParameters(**{name: getattr(self, name) for name in field_names(RiskParameters)})


_FAST = BotConfig(depth=1, boards=2_000, sense_boards=8, move_boards=16)

BOTS: Mapping[str, BotConfig] = {
    "random": BotConfig("random"),
    "attacker": BotConfig("attacker"),
    "guesser": BotConfig("guesser", depth=2),
    "trout": BotConfig("guesser", evaluator="stockfish", nodes=100_000),
    "inference-1": replace(_FAST, boards=500, sense_boards=4, move_boards=8),
    "inference-2": _FAST,
    "inference-3": BotConfig(),
    "inference-4": BotConfig(boards=200_000, sense_boards=32, move_boards=64),
    "cautious": replace(_FAST, worst_case_weight=0.6, unseen_attack_rate=0.0),
    "sneaky": replace(_FAST, worst_case_weight=0.05, unseen_attack_rate=0.4),
    "inference": BotConfig(
        depth=3, boards=2_000_000, sense_boards=256, move_boards=1024, use_clock=True, threads=0
    ),
    "inference-stockfish": BotConfig(
        evaluator="stockfish", boards=2_000_000, sense_boards=64, move_boards=256, use_clock=True, threads=0
    ),
}
"""The bots that are known by name, the simplest first."""


def load_bot_config(text: str) -> BotConfig:
    """The bot of this name, or of a TOML file. Raises BadBotConfig."""
    if text in BOTS:
        return BOTS[text]
    path = Path(text)
    if path.suffix != ".toml":
        raise BadBotConfig(f"there is no bot '{text}': choose {', '.join(BOTS)}, or a TOML file")
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadBotConfig(f"{path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadBotConfig(f"{path}: {error}") from None
    return _of_entries(path, entries)


def _of_entries(path: Path, entries: Mapping[str, object]) -> BotConfig:
    hints = typing.get_type_hints(BotConfig)
    unknown = [name for name in entries if name not in hints]
    if unknown:
        raise BadBotConfig(f"{path}: there is no entry '{unknown[0]}'; there are {', '.join(hints)}")
    given = {}
    for name, value in entries.items():
        try:
            given[name] = coerce(hints[name], value)
        except TypeMismatch as error:
            raise BadBotConfig(f"{path}: {name} {error}") from None
    try:
        return replace(BotConfig(), **given)
    except BadBotConfig as error:
        raise BadBotConfig(f"{path}: {error}") from None


def make_bot(setting: BotConfig, player: int, rng: np.random.Generator) -> Bot:
    """A bot for one game as `player` (0: White, 1: Black). Raises StockfishNotFound."""
    match setting.kind:
        case "random":
            return RandomBot(rng)
        case "attacker":
            return AttackerBot(player, rng)
        case "guesser":
            return GuesserBot(player, _make_evaluator(setting), rng)
    limits = InferenceLimits(
        **{name: value for name, value in asdict(setting).items() if name in field_names(InferenceLimits)}
    )
    return InferenceBot(player, limits, setting.risk_parameters(), _make_evaluator(setting), rng)


def _make_evaluator(setting: BotConfig) -> BoardEvaluator:
    native = NativeEvaluator(setting.depth, setting.threads or os.cpu_count() or 1)
    if setting.evaluator == "native":
        return native
    return StockfishEvaluator(find_stockfish(setting.stockfish), setting.nodes, native)
