"""The bots: prepared attacks, one guessed board, all possible boards, and the planner (planner.py).

A bot is named or described by a TOML file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import Annotated, ClassVar, Literal

import chess
import numpy as np
from msgspec import Meta

from sparring._core import RbcBoardSet
from sparring.base.config import PositiveInt, read_config, usable_threads
from sparring.base.errors import BadConfig
from sparring.base.sentences import Sentence
from sparring.data import path
from sparring.games import Move
from sparring.players.player import Decision, GameStart, Player, Turn
from sparring.players.small_players import RandomPlayer, random_decision
from sparring.rbc.evaluators import (
    BoardEvaluator,
    NativeEvaluator,
    NetworkEvaluator,
    StockfishEvaluator,
    find_stockfish,
)
from sparring.rbc.game import NO_SENSE, SENSE, MoveResult, Observation, OpponentMoveResult
from sparring.rbc.knowledge import BoardKnowledge, KnowledgeOptions
from sparring.rbc.planner import PlannerBot, PlannerOptions
from sparring.rbc.plugin import DESCRIPTION
from sparring.rbc.tracker import Guess

# A bot that plays prepared attacks and tracks no board.


ATTACKS = (
    "b1c3 c3b5 b5d6 d6e8",
    "b1c3 c3d5 d5c7 c7e8",
    "b1c3 c3e4 e4f6 f6e8",
    "b1c3 c3e4 e4d6 d6e8",
    "g1h3 h3f4 f4h5 h5f6 f6e8",
    "g1h3 h3g5 g5f7 f7d6 d6e8",
    "g1f3 f3g5 g5f7 f7d6 d6e8",
    "e2e4 f1c4 d1h5 h5f7 f7e8",
    "e2e3 f1c4 d1f3 f3f7 f7e8",
    "e2e3 d1h5 h5f7 f7e8",
    "e2e4 d1g4 g4d7 d7e8",
    "c2c3 d1a4 a4d7 d7e8",
    "d2d4 c1f4 b1a3 a3b5 b5c7 c7e8",
)
"""Move sequences to the black king on e8 that work against opponents who do not sense. Black
mirrors them."""


class AttackerBot(Player):
    """Plays one of the attacks and senses where it goes next; afterwards it plays at random."""

    def new_game(self, start: GameStart) -> None:
        """Draws an attack."""
        super().new_game(start)
        attack = ATTACKS[int(self._rng.integers(len(ATTACKS)))]
        player = start.player or 0
        self._plan = [_as_seen_by(player, chess.Move.from_uci(word)) for word in attack.split()]

    def observe(self, observation: Observation) -> None:
        """Ends the attack if a step failed."""
        if isinstance(observation, MoveResult) and self._plan and observation.request == self._plan[0]:
            arrived = observation.taken == observation.request
            self._plan = self._plan[1:] if arrived else []

    def choose(self, turn: Turn) -> Decision:
        """Returns the next step, or a sense of its destination."""
        sensing = turn.legal_moves[-1] == NO_SENSE
        if self._plan and not sensing and self._plan[0] not in turn.legal_moves:
            self._plan = []
        if not self._plan:
            return random_decision(turn.legal_moves, self._rng, "at random")
        move = SENSE + (self._plan[0] & 63) if sensing else self._plan[0]
        return Decision(move, {move: 1.0}, f"{len(self._plan)} steps of its attack to go")


def _as_seen_by(player: int, move: chess.Move) -> Move:
    turn = chess.square_mirror if player else int
    return turn(move.to_square) | turn(move.from_square) << 6


# A bot that follows a single board, as reconchess's TroutBot: strong chess on its best guess.


class GuesserBot(Player):
    """Plays the best move on its guess. It senses where that move captures, or where it lost a piece."""

    def __init__(self, evaluator: BoardEvaluator) -> None:
        """The evaluator is closed with the bot."""
        super().__init__()
        self._evaluator = evaluator

    def new_game(self, start: GameStart) -> None:
        """Begins with the initial board for its guess."""
        super().new_game(start)
        self._evaluator.new_game()
        self._guess = Guess(start.player or 0)
        self._lost: int | None = None

    def observe(self, observation: Observation) -> None:
        """Updates its guess."""
        if isinstance(observation, OpponentMoveResult):
            self._lost = observation.capture_square
        self._guess.observe(observation)

    def choose(self, turn: Turn) -> Decision:
        """Returns a sense or a move request, whichever is due."""
        move = self._sense() if turn.legal_moves[-1] == NO_SENSE else self._best(turn.legal_moves)
        return Decision(move, {move: 1.0}, "believes in one board")

    def close(self) -> None:
        """Closes the evaluator."""
        self._evaluator.close()

    def _sense(self) -> Move:
        board, own = self._guess.board, self._guess.player == 0
        if self._lost is not None:
            return SENSE + self._lost
        target = self._best(None) & 63
        if board.color_at(target) is (not own):
            return SENSE + target
        elsewhere = [s for s in chess.SQUARES if board.color_at(s) is not own]
        return SENSE + elsewhere[int(self._rng.integers(len(elsewhere)))]

    def _best(self, legal_moves: Sequence[Move] | None) -> Move:
        evaluations = self._evaluator.evaluate(RbcBoardSet.of([self._guess.state], self._guess.player))
        order = np.argsort(-evaluations.scores[0], kind="stable")
        ranked = [int(evaluations.requests[i]) for i in order]
        possible = [move for move in ranked if legal_moves is None or move in legal_moves]
        return possible[0] if possible else (legal_moves or [0])[-1]


# A bot that tracks all possible boards. It senses for its next move, and moves by mean and worst case.


class InferenceBot(Player):
    """Decides by the ratings of its knowledge, which is closed with it."""

    def __init__(self, knowledge: BoardKnowledge) -> None:
        super().__init__()
        self.knowledge = knowledge

    def new_game(self, start: GameStart) -> None:
        """Begins with the initial board."""
        super().new_game(start)
        self.knowledge.new_game(start.player or 0, self._rng)

    def observe(self, observation: Observation) -> None:
        """Updates the possible boards."""
        self.knowledge.observe(observation)

    def choose(self, turn: Turn) -> Decision:
        """Returns a sense or a move request, whichever is due."""
        for lost in self.knowledge.lost_observations(turn):
            self.observe(lost)
        return self.knowledge.choose(turn.legal_moves, self.knowledge.follow_clock(turn.limits.clock))

    def hint(self, turn: Turn) -> Decision:
        """The move of `choose`, without its effects."""
        with self.knowledge.preserved(np.random.default_rng(0)):
            return self.choose(turn)

    def ponder(self, stop: Event | None = None) -> None:
        """Computes the successors of the most frequent opponent's move."""
        self.knowledge.ponder(stop)

    @property
    def memory_bytes(self) -> int:
        """About what the possible boards hold."""
        return self.knowledge.memory_bytes

    @property
    def search_bytes(self) -> int:
        """About what an expansion of the possible boards takes."""
        return self.knowledge.search_bytes

    def close(self) -> None:
        """Closes the evaluator of boards."""
        self.knowledge.close()


SHIPPED_NETWORK = "rbc-small"
"""Name of the planner's network among the shipped files."""


@dataclass(frozen=True)
class BotConfig(KnowledgeOptions):
    """A bot of reconnaissance blind chess: the keys of its TOML file."""

    game: ClassVar[str] = DESCRIPTION.name

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
    planner: PlannerOptions = field(default_factory=PlannerOptions)
    """Parameters of the planner."""


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
            attack_weight=5.0,
        ),
    ),
    "inference-stockfish": BotConfig(
        evaluator="stockfish", boards=2_000_000, sense_boards=64, move_boards=256, use_clock=True, threads=0
    ),
}
"""Bots by name, the simplest first."""


FOR_PEOPLE: Mapping[str, str] = {
    "random": Sentence("Plays any legal move. To learn the rules."),
    "attacker": Sentence("Rushes at your king with one of thirteen attacks and sees nothing else."),
    "guesser": Sentence("Believes in one board, and plays the best move on it."),
    "inference-1": Sentence("Follows 500 possible boards and looks one move ahead on a few."),
    "inference-2": Sentence("Follows 2,000 possible boards and looks one move ahead."),
    "inference-3": Sentence("Follows 20,000 possible boards and looks two moves ahead."),
    "inference-4": Sentence("Follows 200,000 possible boards and looks two moves ahead."),
    "cautious": Sentence("Like inference-2, but fears the worst: it keeps its king safe."),
    "sneaky": Sentence("Like inference-2, but hopes that you do not see its attacks on your king."),
    "planner": Sentence(
        "Plans over possible boards, and over what you may believe, for as long as you allow."
    ),
}
"""The bots that the page offers, with a line about each."""
_BOARDS_PER_SECOND, _LEAST_BOARDS = 100_000, 50_000
"""Boards that are followed with a time budget, so that tracking takes a small part of it."""


def with_seconds(config: BotConfig, seconds: float) -> BotConfig:
    """A planner's configuration with a time budget for each turn. A clock still bounds it."""
    boards = min(max(int(_BOARDS_PER_SECOND * seconds), _LEAST_BOARDS), config.boards)
    return replace(config, boards=boards, planner=replace(config.planner, seconds=seconds))


def load_bot_config(text: str) -> BotConfig:
    """The bot of a name in BOTS, or of a TOML file. Raises BadConfig."""
    if text in BOTS:
        return BOTS[text]
    if not text.endswith(".toml"):
        raise BadConfig(f"there is no bot '{text}': choose {', '.join(BOTS)}, or a TOML file")
    return read_config(BotConfig, Path(text))


def make_bot(config: BotConfig) -> Player:
    """The bot of a configuration. Raises NotFound."""
    match config.kind:
        case "random":
            return RandomPlayer()
        case "attacker":
            return AttackerBot("attacker")
        case "guesser":
            return GuesserBot(_make_evaluator(config))
    knowledge = BoardKnowledge(config, _make_evaluator(config))
    if config.kind == "inference":
        return InferenceBot(knowledge)
    threads = usable_threads(config.threads)
    options = config.planner
    file = Path(options.network) if options.network else path("synopsis_networks", SHIPPED_NETWORK)
    network = NetworkEvaluator(file, backend=options.backend, threads=threads)
    return PlannerBot(options, knowledge, network, threads)


def _make_evaluator(config: BotConfig) -> BoardEvaluator:
    native = NativeEvaluator(config.depth, usable_threads(config.threads))
    if config.evaluator == "native":
        return native
    return StockfishEvaluator(find_stockfish(config.stockfish), config.nodes, native)


def strength_bot(game: str, strength: int) -> Player:
    """The inference bot of a strength from 1 to 9."""
    return make_bot(
        BotConfig(
            depth=1 + (strength > 3) + (strength > 7),
            boards=min(1_000 * 2 ** (strength - 1), 100_000),
            sense_boards=4 + strength,
            move_boards=4 + 5 * strength,
        )
    )
