"""Configuration of a bot: a name, or a TOML file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from sparring.config import BadConfig, Fraction, PositiveInt, read_config, usable_threads
from sparring.data import names, path
from sparring.games.rbc import DESCRIPTION
from sparring.players.player import Player
from sparring.players.random_player import RandomPlayer
from sparring.players.rbc.attacker import AttackerBot
from sparring.players.rbc.evaluators import (
    BoardEvaluator,
    NativeEvaluator,
    find_stockfish,
)
from sparring.players.rbc.guesser import GuesserBot
from sparring.players.rbc.inference import InferenceBot, InferenceLimits
from sparring.players.rbc.planner import PlannerBot, PlannerOptions
from sparring.players.rbc.synopsis_evaluators import NetworkEvaluator, SynopsisEvaluator, UniformEvaluator
from sparring.players.rbc.utility import RiskParameters


class BadBotConfig(BadConfig):
    """A bot configuration that cannot be used."""


SHIPPED_NETWORK = "rbc-small"
"""Name of the planner's network among the shipped files."""
Boards = Annotated[int, Meta(ge=1, le=10**8)]
Weight = Annotated[float, Meta(ge=0, le=100)]


@dataclass(frozen=True)
class BotConfig:
    """A bot of reconnaissance blind chess: the keys of its TOML file."""

    game: ClassVar[str] = DESCRIPTION.name
    RENAMED: ClassVar[Mapping[str, str]] = {
        "judge": "evaluator",
        "clocked": "use_clock",
        "caution": "worst_case_weight",
        "fear": "king_loss_weight",
        "sneak": "unseen_attack_rate",
        "curiosity": "information_weight",
        "trust": "opponent_rationality",
        "dread": "threat_weight",
    }

    kind: Literal["random", "attacker", "guesser", "inference", "planner"] = "inference"
    """Algorithm of the bot."""
    evaluator: Literal["native", "stockfish"] = "native"
    """Evaluation of single boards."""
    depth: Annotated[int, Meta(ge=1, le=8)] = 2
    """Search depth of the native evaluator in plies, before captures."""
    nodes: PositiveInt = 2_000
    """Nodes of Stockfish for each board."""
    stockfish: str | None = None
    """Path of Stockfish; without it, the one on the PATH."""
    boards: Boards = 20_000
    """Boards that are tracked; a sample if more are possible."""
    sense_boards: Boards = 16
    """Boards that are evaluated before a sense."""
    move_boards: Boards = 32
    """Boards that are evaluated before a move."""
    use_clock: bool = False
    """Makes the numbers of boards and the depth upper limits, within the time on the clock."""
    threads: Annotated[int, Meta(ge=0, le=1024)] = 1
    """Threads, at most one a core; 0 for one a core."""
    worst_case_weight: Fraction = RiskParameters.worst_case_weight
    """Weight of the worst tenth of the boards against the mean of all."""
    king_loss_weight: Weight = RiskParameters.king_loss_weight
    """Penalty for the probability of losing the king at once, beyond its effect on the mean."""
    unseen_attack_rate: Fraction = RiskParameters.unseen_attack_rate
    """Assumed probability that the opponent does not see an attack on its king."""
    information_weight: Weight = RiskParameters.information_weight
    """Value of a bit of information, in probability of winning."""
    opponent_rationality: Weight = RiskParameters.opponent_rationality
    """Inverse temperature of the opponent's moves; 0 makes all of them equally likely."""
    threat_weight: Weight = RiskParameters.threat_weight
    """Odds factor of boards on which the opponent attacks the king; 1 leaves them as they are."""
    planner: PlannerOptions = field(default_factory=PlannerOptions)
    """Parameters of the planner."""

    def risk_parameters(self) -> RiskParameters:
        """The weights of the decision under uncertainty."""
        return RiskParameters(**{each.name: getattr(self, each.name) for each in fields(RiskParameters)})


_FAST = BotConfig(depth=1, boards=2_000, sense_boards=8, move_boards=16)
_DSMCP = BotConfig(
    "planner", depth=3, boards=1_000_000, sense_boards=256, move_boards=1024, use_clock=True, threads=0
)

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
    "dsmcp": _DSMCP,
    "planner": replace(
        _DSMCP,
        worst_case_weight=0.3,
        unseen_attack_rate=0.03,
        planner=PlannerOptions(
            exploration=1.0,
            move_depth=3,
            native_weight=1.0,
            rationality=5.0,
            inference_weight=0.9,
            rating_visits=100,
            rating_share=0.75,
            belief_weight=0.8,
            threat_weight=5.0,
        ),
    ),
    "inference-stockfish": BotConfig(
        evaluator="stockfish", boards=2_000_000, sense_boards=64, move_boards=256, use_clock=True, threads=0
    ),
}
"""Bots by name, the simplest first."""


def load_bot_config(text: str) -> BotConfig:
    """The bot of a name in BOTS, or of a TOML file. Raises BadBotConfig."""
    if text in BOTS:
        return BOTS[text]
    if not text.endswith(".toml"):
        raise BadBotConfig(f"there is no bot '{text}': choose {', '.join(BOTS)}, or a TOML file")
    return read_config(BotConfig, Path(text), BadBotConfig)


def make_bot(config: BotConfig) -> Player:
    """The bot of a configuration. Raises StockfishNotFound."""
    match config.kind:
        case "random":
            return RandomPlayer()
        case "attacker":
            return AttackerBot("attacker")
        case "guesser":
            return GuesserBot(_make_evaluator(config))
    limits = InferenceLimits(**{each.name: getattr(config, each.name) for each in fields(InferenceLimits)})
    inference = InferenceBot(limits, config.risk_parameters(), _make_evaluator(config))
    if config.kind == "inference":
        return inference
    threads = usable_threads(config.threads)
    return PlannerBot(config.planner, inference, _make_synopsis_evaluator(config.planner, threads), threads)


def _make_synopsis_evaluator(options: PlannerOptions, threads: int) -> SynopsisEvaluator:
    if options.network:
        return NetworkEvaluator(Path(options.network), backend=options.backend, threads=threads)
    if SHIPPED_NETWORK in names("synopsis_networks"):
        shipped = path("synopsis_networks", SHIPPED_NETWORK)
        return NetworkEvaluator(shipped, backend=options.backend, threads=threads)
    return UniformEvaluator()


def _make_evaluator(config: BotConfig) -> BoardEvaluator:
    native = NativeEvaluator(config.depth, usable_threads(config.threads))
    if config.evaluator == "native":
        return native
    from sparring.players.rbc.stockfish import StockfishEvaluator  # imports asyncio

    return StockfishEvaluator(find_stockfish(config.stockfish), config.nodes, native)
