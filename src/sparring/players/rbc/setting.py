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

from sparring.entries import WrongKind, field_names, fitting
from sparring.players.rbc.bot import Bot
from sparring.players.rbc.guesser import GuesserBot
from sparring.players.rbc.inference import Effort, InferenceBot
from sparring.players.rbc.judges import Judge, NativeJudge, StockfishJudge, find_stockfish
from sparring.players.rbc.simple import AttackerBot, RandomBot
from sparring.players.rbc.worth import Temper


class BadBot(ValueError):
    """A bot that cannot be made of what was said."""


@dataclass(frozen=True)
class BotSetting:
    """A bot: every entry of its TOML file."""

    kind: Literal["random", "attacker", "guesser", "inference"] = "inference"
    judge: Literal["native", "stockfish"] = "native"
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
    clocked: bool = False
    """Whether these numbers are the most, and the clock decides."""
    threads: int = 1
    """0: as many as the machine has cores."""
    caution: float = Temper.caution
    """Weight of the worst tenth of the boards."""
    fear: float = Temper.fear
    """What a likelihood of losing the king at once costs beyond its chances."""
    sneak: float = Temper.sneak
    """How often an attack on the king is thought to go unseen."""
    curiosity: float = Temper.curiosity
    """What a bit of information is worth, in chances of winning."""
    trust: float = Temper.trust
    """How much likelier boards are on which the opponent played well."""
    dread: float = Temper.dread
    """How many times likelier boards are on which the opponent attacks the king."""

    def __post_init__(self) -> None:
        ranges = {"depth": (1, 8), "nodes": (1, 10**9), "threads": (0, 256)}
        ranges |= dict.fromkeys(("boards", "sense_boards", "move_boards"), (1, 10**8))
        for name, (low, high) in ranges.items():
            if not low <= getattr(self, name) <= high:
                raise BadBot(
                    f"{name} is {getattr(self, name)}, where a number from {low} to {high:,} is expected"
                )
        try:
            self.temper()
        except ValueError as error:
            raise BadBot(str(error)) from None

    def temper(self) -> Temper:
        """What it makes of its uncertainty."""
        return Temper(**{name: getattr(self, name) for name in field_names(Temper)})


_FAST = BotSetting(depth=1, boards=2_000, sense_boards=8, move_boards=16)

BOTS: Mapping[str, BotSetting] = {
    "random": BotSetting("random"),
    "attacker": BotSetting("attacker"),
    "guesser": BotSetting("guesser", depth=2),
    "trout": BotSetting("guesser", judge="stockfish", nodes=100_000),
    "inference-1": replace(_FAST, boards=500, sense_boards=4, move_boards=8),
    "inference-2": _FAST,
    "inference-3": BotSetting(),
    "inference-4": BotSetting(boards=200_000, sense_boards=32, move_boards=64),
    "cautious": replace(_FAST, caution=0.6, sneak=0.0),
    "sneaky": replace(_FAST, caution=0.05, sneak=0.4),
    "inference": BotSetting(
        depth=3, boards=2_000_000, sense_boards=256, move_boards=1024, clocked=True, threads=0
    ),
    "inference-stockfish": BotSetting(
        judge="stockfish", boards=2_000_000, sense_boards=64, move_boards=256, clocked=True, threads=0
    ),
}
"""The bots that are known by name, the simplest first."""


def choose_bot(text: str) -> BotSetting:
    """The bot of this name, or of a TOML file. Raises BadBot."""
    if text in BOTS:
        return BOTS[text]
    path = Path(text)
    if path.suffix != ".toml":
        raise BadBot(f"there is no bot '{text}': choose {', '.join(BOTS)}, or a TOML file")
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadBot(f"{path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadBot(f"{path}: {error}") from None
    return _of_entries(path, entries)


def _of_entries(path: Path, entries: Mapping[str, object]) -> BotSetting:
    hints = typing.get_type_hints(BotSetting)
    unknown = [name for name in entries if name not in hints]
    if unknown:
        raise BadBot(f"{path}: there is no entry '{unknown[0]}'; there are {', '.join(hints)}")
    given = {}
    for name, value in entries.items():
        try:
            given[name] = fitting(hints[name], value)
        except WrongKind as error:
            raise BadBot(f"{path}: {name} {error}") from None
    try:
        return replace(BotSetting(), **given)
    except BadBot as error:
        raise BadBot(f"{path}: {error}") from None


def make_bot(setting: BotSetting, player: int, rng: np.random.Generator) -> Bot:
    """A bot for one game as `player` (0: White, 1: Black). Raises NoStockfish."""
    match setting.kind:
        case "random":
            return RandomBot(rng)
        case "attacker":
            return AttackerBot(player, rng)
        case "guesser":
            return GuesserBot(player, _judge(setting), rng)
    effort = Effort(**{name: value for name, value in asdict(setting).items() if name in field_names(Effort)})
    return InferenceBot(player, effort, setting.temper(), _judge(setting), rng)


def _judge(setting: BotSetting) -> Judge:
    native = NativeJudge(setting.depth, setting.threads or os.cpu_count() or 1)
    if setting.judge == "native":
        return native
    return StockfishJudge(find_stockfish(setting.stockfish), setting.nodes, native)
