"""Sparring's native core: rules, encoders and searches."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Self, overload

import numpy
import numpy.typing
from numpy.typing import NDArray

import sparring.base.errors


class ParseError(sparring.base.errors.SparringError, ValueError):
    pass

class IllegalMove(sparring.base.errors.SparringError, ValueError):
    pass

class Outcome:
    """The result of a finished game."""

    @property
    def winner(self) -> int | None:
        """The winning player, 0 or 1; None for a draw."""

    @property
    def reason(self) -> str:
        """The rule that ended the game, such as 'checkmate'."""

    def score(self, side: int) -> float:
        """The score of player 0 or 1: 1 for a win, 0.5 for a draw, 0 for a loss."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

class Analysis:
    """
    The result of an alpha-beta search. Values are for the side to move; 100 is a win and -100 a loss.
    """

    @property
    def moves(self) -> list[tuple[int, float]]:
        """
        The searched moves with their values, best first. Values outside the margin are upper bounds.
        """

    @property
    def pv(self) -> list[int]:
        """The principal variation, quiescence included."""

    @property
    def value(self) -> float:
        """The value of the best move."""

    @property
    def plies_to_end(self) -> int | None:
        """
        Plies to the end of a decided game, or None. The sign of `value` tells the winner.
        """

    @property
    def depth(self) -> int:
        """The last finished depth in plies."""

    @property
    def nodes(self) -> int:
        """The number of positions searched by all threads."""

    @property
    def seconds(self) -> float:
        """The duration of the search."""

class NativeOption:
    """The declaration of an option in the native core."""

    @property
    def name(self) -> str: ...

    @property
    def default(self) -> bool | int | float: ...

    @property
    def low(self) -> float:
        """Least value."""

    @property
    def high(self) -> float:
        """Greatest value; if that is infinity, infinity is a value."""

    @property
    def open_low(self) -> bool:
        """Whether `low` itself is no value."""

    @property
    def doc(self) -> str: ...

class PuctConfig:
    """
    The parameters of a PUCT search.

    Q is a move's mean value, P its prior, N(a) its visits and N their sum. A move's score is Q + c(N) P sqrt(N) / (1 + N(a)). Raises ValueError for a value out of range.
    """

    def __init__(self, *, c_puct: float = 1.5, c_base: float = 0.0, c_factor: float = 0.0, policy_temperature: float = 1.0, fpu_reduction: float = 0.3, fpu_absolute: bool = False, solver: bool = True, find_immediate_wins: bool = True, repetition_draws: bool = True, draw_value: float = 0.0, noise: float = 0.0, noise_alpha: float = 0.3, batch: int = 16, batch_share: float = 0.1, virtual_loss: float = 0.0, memory: int = 512) -> None: ...

    @property
    def c_puct(self) -> float:
        """Exploration constant of PUCT; `inf` follows the prior alone."""

    @property
    def c_base(self) -> float:
        """
        If positive, c_puct grows with the visits N: c_puct + c_factor * log((N + c_base + 1) / c_base).
        """

    @property
    def c_factor(self) -> float:
        """Factor of that growth."""

    @property
    def policy_temperature(self) -> float:
        """
        Temperature t of the priors in the search: P^(1/t), normalised. Above 1 flattens them.
        """

    @property
    def fpu_reduction(self) -> float:
        """
        First-play urgency: the value of an unvisited move is that of its parent minus this times the square root of the sum of visited priors.
        """

    @property
    def fpu_absolute(self) -> bool:
        """Makes `fpu_reduction` the value of an unvisited move itself."""

    @property
    def solver(self) -> bool:
        """Proves forced wins and losses in the search (MCTS solver)."""

    @property
    def find_immediate_wins(self) -> bool:
        """
        Tests every move of the root for an immediate win, whatever its prior; no effect in Go.
        """

    @property
    def repetition_draws(self) -> bool:
        """
        Whether a position that occurred before in the tree, or twice before in the game, is a draw.
        """

    @property
    def draw_value(self) -> float:
        """Value of a draw for the side to move at the root."""

    @property
    def noise(self) -> float:
        """Share of Dirichlet noise in the root's priors, for self-play."""

    @property
    def noise_alpha(self) -> float:
        """Concentration of the Dirichlet noise."""

    @property
    def batch(self) -> int:
        """
        Most positions that are evaluated together; a batch is at most `batch_share`, a tenth, of the tree.
        """

    @property
    def batch_share(self) -> float:
        """
        Largest batch as a share of the tree's visits. A batch has at least one leaf, so 0 searches leaf by leaf.
        """

    @property
    def virtual_loss(self) -> float:
        """Losses by which a visit that waits for its evaluation counts in Q."""

    @property
    def memory(self) -> int:
        """Memory limit of the search tree, in megabytes."""

    @staticmethod
    def options() -> list[NativeOption]:
        """The options with their defaults, ranges and docs."""

    def __repr__(self) -> str: ...

    def __hash__(self) -> int: ...

    def __eq__(self, other: object, /) -> bool: ...

    def batch_size(self, visits: int) -> int:
        """
        The number of leaves to evaluate together in a tree with so many visits, from 1 to `batch`.
        """

class PgnGame:
    """
    A game of a PGN file. If `error` is set, the moves before the error are kept.
    """

    @property
    def line(self) -> int:
        """The number of the first line of the game in the file."""

    @property
    def end(self) -> int:
        """The offset in bytes of the end of the game. Reading can resume there."""

    @property
    def tags(self) -> dict[str, str]:
        """The tags of the game."""

    def tag_values(self, names: tuple[str, ...]) -> list[str | None]:
        """The value of each of these tags, or None. Faster than `tags`."""

    @property
    def moves(self) -> bytes:
        """Packed moves: the index among the legal moves, one byte each."""

    @property
    def clocks(self) -> bytes:
        """
        Clocks after each move in tenths of a second, int32, -1 if unknown; empty if the file has none.
        """

    @property
    def evals(self) -> bytes:
        """
        Evaluations after each move in centipawns for White, int16; mate in n is 32000 - n, unknown is -32768. Empty if the file has none.
        """

    @property
    def result(self) -> str:
        """The result as the game's last token: 1-0, 0-1, 1/2-1/2 or *."""

    @property
    def error(self) -> str:
        """The error message; empty if the game is valid."""

def chess_moves(start: str | None, packed: bytes) -> list[str]:
    """
    The UCI moves of a packed chess game. `start` is a FEN, or None for the initial position. Raises ParseError or IllegalMove.
    """

class PgnParser:
    """A streaming PGN parser with bounded memory."""

    def __init__(self) -> None: ...

    def feed(self, data: bytes) -> None:
        """Parses the next bytes of the file."""

    def finish(self) -> None:
        """Ends the file: completes the last game."""

    def take(self) -> list[PgnGame]:
        """The games completed since the last call."""

class SgfGame:
    """
    The main line of a game tree of an SGF file. If `error` is set, the moves before the error are kept.
    """

    @property
    def line(self) -> int:
        """The number of the first line of the game in the file."""

    @property
    def end(self) -> int:
        """The offset in bytes of the end of the game. Reading can resume there."""

    @property
    def properties(self) -> dict[str, bytes]:
        """
        The game information, undecoded. The property CA may name the character set.
        """

    @property
    def start(self) -> str:
        """The text of the position before the first move."""

    @property
    def moves(self) -> bytes:
        """Packed moves: the index among the legal moves, two bytes each."""

    @property
    def clocks(self) -> bytes:
        """
        Clocks after each move in tenths of a second, int32, -1 if unknown; empty if the file has none.
        """

    @property
    def error(self) -> str:
        """The error message; empty if the game is valid."""

    @property
    def defect(self) -> bool:
        """
        Whether the error is that a complete record is not a game of alternating moves.
        """

class SgfParser:
    """A streaming SGF parser with bounded memory."""

    def __init__(self) -> None: ...

    def feed(self, data: bytes) -> None:
        """Parses the next bytes of the file."""

    def finish(self) -> None:
        """Ends the file: completes the last game."""

    def take(self) -> list[SgfGame]:
        """The games completed since the last call."""

class ChessState:
    """
    A chess position and the line of play before it. A move is to-square + 64 * from-square + 4096 * promotion.
    """

    @overload
    @staticmethod
    def parse(text: str) -> ChessState:
        """
        The state of a position given as text, in the format of `text`. Raises ParseError.
        """

    @overload
    @staticmethod
    def parse(text: str, claim_draws: bool) -> ChessState:
        """
        The position of a FEN, with or without `claim_draws`. Raises ParseError.
        """

    def text(self) -> str:
        """The position as one line of text, which `parse` reads."""

    @property
    def to_move(self) -> int:
        """The player to move: 0 moves first by the rules, 1 is the opponent."""

    @property
    def ply(self) -> int:
        """The number of moves since the start of the line."""

    @property
    def key(self) -> int:
        """
        A 64-bit hash key. Positions that the repetition rule treats as equal have equal keys.
        """

    @property
    def outcome(self) -> Outcome | None:
        """The result of the game, or None if it is not over."""

    def legal_moves(self) -> list[int]:
        """The legal moves in ascending order; empty if the game is over."""

    def play(self, move: int) -> ChessState:
        """
        The state after a move. Raises IllegalMove if the move is not legal or the game is over.
        """

    def play_past_end(self, move: int) -> ChessState:
        """
        The state after a move, even if a draw by rule has ended the game: recorded games may continue. Raises IllegalMove.
        """

    def move_text(self, move: int) -> str:
        """The text of a move, which `parse_move` reads."""

    def parse_move(self, text: str) -> int:
        """The move of a text. It need not be legal. Raises ParseError."""

    @property
    def previous(self) -> Self | None:
        """The state before the last move, or None at the start of the line."""

    @property
    def last_move(self) -> int | None:
        """The move that led to this state, or None at the start of the line."""

    def perft(self, depth: int) -> int:
        """
        The number of move sequences of length `depth`. Draws by repetition or move count do not end a sequence.
        """

    def playout(self, seed: int, limit: int) -> tuple[Outcome | None, int]:
        """
        Plays uniformly random moves to the end of the game, or `limit` plies.

        Returns the outcome (None if the limit was reached) and the number of plies. The same seed gives the same moves.
        """

    @staticmethod
    def encode(states: Sequence[ChessState]) -> NDArray[numpy.float32]:
        """
        The planes of the states, each seen by its side to move: float32 [states, planes, rows, columns], values from 0 to 1.

        Raises ValueError if there are no states or their boards differ in size.
        """

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    def __str__(self) -> str: ...

    def pack_moves(self, width: int) -> bytes:
        """
        The moves since the start of the line, each as its index among the legal moves, little-endian in `width` bytes (1 or 2).

        Raises IllegalMove if an index does not fit.
        """

    def unpack_moves(self, packed: bytes, width: int) -> ChessState:
        """
        The state after moves that `pack_moves` packed with the same `width`. Raises ParseError or IllegalMove.
        """

    def __getstate__(self) -> tuple[str, list[int]]: ...

    def __setstate__(self, arg: tuple[str, Sequence[int]], /) -> None: ...

    @staticmethod
    def replay(start: str, moves: Sequence[int]) -> ChessState:
        """
        The state after `moves` from the position with the text `start`; moves after a draw by rule are allowed. Raises ParseError or IllegalMove.
        """

    @staticmethod
    def initial(claim_draws: bool = False) -> ChessState:
        """
        The initial position. With `claim_draws`, claimable draws (50 moves, third repetition) end the game.
        """

    @property
    def claim_draws(self) -> bool:
        """
        Whether claimable draws (50 moves, third repetition) end the game. `play` keeps this rule, states that differ in it are unequal, and `text` leaves it out: the text is always FEN.
        """

    @property
    def in_check(self) -> bool:
        """Whether the side to move is in check."""

    @property
    def halfmove_clock(self) -> int:
        """Plies since the last capture or pawn move."""

    @property
    def repetitions(self) -> int:
        """
        The number of times this position has occurred in the line, this time included.
        """

    @property
    def claimable_draw(self) -> Outcome | None:
        """
        The draw that the player to move may claim, by 50 moves or the third repetition; None if there is none.
        """

    def exchange_value(self, move: int) -> int:
        """
        Centipawns that the mover wins by the exchanges on the target square after a move, both sides taking with the least valuable piece as long as that pays. Pins are not seen.
        """

    def alphabeta(self, nodes: int, margin: int) -> list[tuple[int, int]]:
        """
        The legal moves with their scores, best first, by an alpha-beta search with a material evaluation.

        `nodes` is about the number of positions searched. Scores are centipawns for the side to move; they are exact within `margin` centipawns of the best, and upper bounds otherwise. Empty if the game is over.
        """

    @property
    def symmetries(self) -> int:
        """
        The number of board symmetries that apply to this position, the identity included.
        """

    def transformed_cells(self, symmetry: int) -> numpy.typing.NDArray[numpy.int64]:
        """
        The image of each cell of the planes, row by row: int64 [rows * columns].

        `symmetry` is a number below `symmetries`; 0 is the identity. Raises ValueError for another.
        """

    def transformed_moves(self, symmetry: int) -> numpy.typing.NDArray[numpy.int64]:
        """
        The image of each legal move, in the order of `legal_moves`: int64 [legal moves].

        `symmetry` is a number below `symmetries`; 0 is the identity. Raises ValueError for another.
        """

    def tree(self, config: PuctConfig) -> ChessTree:
        """A new PUCT tree with this state at the root."""

class ChessTree:
    """
    A PUCT tree. `select` gives out leaves in batches, `evaluate` takes their evaluations.
    """

    def __init__(self, root: ChessState, config: PuctConfig) -> None:
        """A tree with one node, `root`."""

    @property
    def root(self) -> ChessState:
        """The state at the root."""

    @property
    def visits(self) -> int:
        """The number of visits of the root."""

    @property
    def value(self) -> float:
        """
        The root's value for its side to move, from -1 to 1; exact if proven, NaN before the first visit.
        """

    @property
    def max_depth(self) -> int:
        """The length of the longest line searched, in plies."""

    @property
    def full(self) -> bool:
        """Whether the memory limit is reached: no node is added."""

    @property
    def bytes(self) -> int:
        """The approximate size of the tree in bytes."""

    def __len__(self) -> int:
        """The number of nodes."""

    def select(self, count: int, visits: int) -> list[ChessState]:
        """
        Up to `count` leaves to evaluate.

        `visits` limits the visits of the root in this call, terminal nodes included. Empty if nothing is left to learn: the memory limit is reached, or the end of every move is proven. Raises RuntimeError while earlier leaves wait for their evaluation.
        """

    def evaluate(self, priors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Evaluates the leaves of the last `select`.

        `priors` float32: the priors of each leaf's legal moves in ascending order, one leaf after the other; they need not sum to 1. `values` float32 [leaves]: for the side to move, from -1 to 1. Raises ValueError if the sizes do not match or a number is not finite or a prior negative; the leaves then still wait.
        """

    def cancel(self) -> None:
        """Drops the leaves of the last `select` without an evaluation."""

    @property
    def lead(self) -> int:
        """
        By how many visits the most visited move of the root leads the next: if fewer visits are left, the choice is certain.
        """

    def add_noise(self, noise: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], share: float) -> None:
        """
        Mixes noise into the root's priors: (1 - share) * prior + share * noise.

        `noise` float32 [legal moves of the root]. Raises ValueError if the size does not match.
        """

    def begin_halving(self, noise: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], visits: int, considered: int, c_visit: float, c_scale: float) -> None:
        """
        Searches the root by Gumbel and sequential halving: `visits` visits of its moves, of which the `considered` best by noise + logit are searched.

        `noise` float32 [legal moves of the root]: samples of the Gumbel distribution. sigma(q) = (c_visit + max N) c_scale q. The search ends early if a win is proven. Raises ValueError, and RuntimeError if moves of the root were visited.
        """

    def halving_choice(self) -> int:
        """
        The place among the root's moves of the move that sequential halving plays: a proven win, or the best of the most visited. Raises RuntimeError without `begin_halving`.
        """

    def restrict(self, moves: Sequence[int]) -> None:
        """
        Restricts the search to these moves of the root; an empty list lifts the restriction.
        """

    def root_moves(self) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64]]:
        """
        The statistics of the root's legal moves in ascending order, empty before the root was evaluated: moves, priors, visits, values and forced, an array [moves] each.

        Values are for the side to move, NaN without visits. `forced` is the number of plies to a proven win, negative for a loss, 0 if neither is proven.
        """

    def pv(self, first: int) -> list[int]:
        """
        The principal variation that begins with the move `first` of the root: the most visited moves, or a proven line to its end.
        """

    def advance(self, move: int) -> None:
        """
        Plays a move at the root and keeps the tree below it. Raises IllegalMove.
        """

class ChessStates:
    """
    A batch of states: a sequence that encodes and decodes without a Python object each.
    """

    def __init__(self, states: Sequence[ChessState]) -> None:
        """The batch of these states."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int) -> ChessState: ...

    def take(self, which: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> ChessStates:
        """The states with these indices, int64 [n]. Raises IndexError."""

    @property
    def to_move(self) -> NDArray[numpy.int8]:
        """The player to move, 0 or 1: int8 [states]."""

    @property
    def plies(self) -> NDArray[numpy.int32]:
        """Moves played before each state: int32 [states]."""

    def encode(self, encoding: str, history: int) -> numpy.typing.NDArray[numpy.generic]:
        """The encoding of the states, [states, ...]. Raises ValueError."""

    def decode(self, logits: numpy.typing.NDArray[numpy.float32], encoding: str) -> tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.int64]]:
        """
        A softmax over the labels of the legal moves.

        `logits` float32 [states, labels]. Returns the probabilities of all legal moves, state after state and ascending, and the offsets int64 [states + 1] of each state's. Raises ValueError.
        """

class ChessForest:
    """
    Many PUCT trees searched in lockstep: each step evaluates a batch of every tree.
    """

    def __init__(self, roots: Sequence[ChessState], config: PuctConfig) -> None:
        """A tree for each root."""

    def __len__(self) -> int:
        """The number of trees."""

    @overload
    def select(self, visits: int) -> tuple[Any, numpy.typing.NDArray[numpy.int64]]:
        """
        The next leaves of every tree with fewer than `visits` visits: the states as one batch, and the index of each one's tree, int64 [leaves]. A tree has as many as in a search of its own (`PuctConfig.batch_size`). No leaves: the search is over. Raises RuntimeError while earlier leaves wait for their evaluation.
        """

    @overload
    def select(self, visits: numpy.typing.NDArray[numpy.int64]) -> tuple[Any, numpy.typing.NDArray[numpy.int64]]:
        """The same with a limit of its own for each tree, int64 [trees]."""

    def add_noise(self, noise: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], share: float) -> None:
        """
        Mixes noise into the priors of all roots: see the tree's `add_noise`. `noise` float32 [root moves of all trees], as `root_moves` orders them. Raises ValueError.
        """

    def begin_halving(self, noise: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], visits: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], considered: int, c_visit: float, c_scale: float) -> None:
        """
        Searches all roots by sequential halving: see the tree's `begin_halving`. `noise` float32 [root moves of all trees]; `visits` int64 [trees]. Raises ValueError, and RuntimeError if moves of a root were visited.
        """

    def halving_choices(self) -> NDArray[numpy.int64]:
        """The place of each tree's choice among its root moves: int64 [trees]."""

    def advance(self, moves: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Plays a move in every tree, int64 [trees], and keeps the tree below it. Raises IllegalMove.
        """

    def restart(self, tree: int, root: ChessState) -> None:
        """Replaces a tree by a new one."""

    def evaluate(self, priors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Evaluates the leaves of the last `select`: see the tree's `evaluate`. Raises ValueError.
        """

    def cancel(self) -> None:
        """Drops the leaves of the last `select` without an evaluation."""

    @property
    def visits(self) -> NDArray[numpy.int64]:
        """The visits of each root: int64 [trees]."""

    @property
    def values(self) -> NDArray[numpy.float64]:
        """The value of each root for its side to move: float64 [trees]."""

    @property
    def max_depths(self) -> NDArray[numpy.int64]:
        """The length of the longest line of each tree, in plies: int64 [trees]."""

    def pv(self, tree: int, first: int) -> list[int]:
        """The principal variation of a tree: see the tree's `pv`."""

    def root_moves(self) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int64]]:
        """
        The statistics of the root moves of all trees, tree after tree: moves, priors, visits, values and forced as in a tree's `root_moves`, and the offsets int64 [trees + 1] of each tree's.
        """

class ChessSamples:
    """
    Positions of recorded games, each with the line of play before it and the move played.
    """

    @staticmethod
    def unpack(starts: Sequence[str], moves: Sequence[bytes], clocks: Sequence[bytes | None], limits: Annotated[NDArray[numpy.int64], dict(shape=(None, 2), order='C', device='cpu', writable=False)], width: int) -> ChessSamples:
        """
        Unpacks the positions of n games of a table, in order.

        `starts`: text of each first position. `moves`: packed moves, as `pack_moves` writes them with `width` bytes a move. `clocks`: little-endian int32, tenths of a second left after each move, or None. `limits` int64 [n, 2]: plies to skip, and the least clock in tenths of a second for a position to be included (where known). Raises ParseError or IllegalMove.
        """

    @staticmethod
    def of_states(states: Sequence[ChessState]) -> ChessSamples:
        """
        The positions of games in progress, one a game. Without a move played, `encode` gives 0 as move and index.
        """

    @staticmethod
    def join(parts: Sequence[ChessSamples]) -> ChessSamples:
        """The positions of all parts, in order."""

    def take(self, which: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> ChessSamples:
        """The positions with these indices, int64 [n]. Raises IndexError."""

    @staticmethod
    def encodings() -> list[str]:
        """The names of the game's encodings."""

    @staticmethod
    def packable(encoding: str) -> bool:
        """
        Whether `encode` can pack this encoding: it holds whole numbers only. Raises ValueError.
        """

    symmetries: Final[int] = ...
    """The number of board symmetries of the game, the identity included."""

    def __len__(self) -> int: ...

    @property
    def games(self) -> NDArray[numpy.int64]:
        """The index of each position's game, int64 [positions]."""

    @property
    def plies(self) -> NDArray[numpy.int32]:
        """Moves played before each position, int32 [positions]."""

    @property
    def movers(self) -> NDArray[numpy.int8]:
        """The player to move, 0 or 1: int8 [positions]."""

    @property
    def clocks_before(self) -> NDArray[numpy.int32]:
        """
        The mover's clock before the move, in tenths of a second; -1 if unknown: int32 [positions].
        """

    @property
    def clocks(self) -> NDArray[numpy.int32]:
        """
        The mover's clock after the move, in tenths of a second; -1 if unknown: int32 [positions].
        """

    def encode(self, which: numpy.typing.NDArray[numpy.int64], encoding: str, history: int, symmetries: numpy.typing.NDArray[numpy.uint8] | None, packed: bool = False) -> tuple[Any, numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.uint8]]:
        """
        Encodes the positions with the indices `which`, int64 [n].

        `encoding` is a name of `encodings`; `history` is the number of positions shown, 1 where the encoding has a fixed history; `symmetries` uint8 [n] are applied where they hold. Returns the encoding [n, ...], the legal moves of all positions one after the other, their policy labels (0xFFFF: none), the offsets [n + 1] of each position's legal moves, the moves played [n], their indices among the legal moves [n], and the symmetries applied [n]. If `packed`, the encoding is a pair: the bits of all binary planes [n, bytes], first cell in the lowest bit, and the values of the count planes [n, planes]. Raises ValueError or IndexError.
        """

    @staticmethod
    def encode_states(states: Sequence[Any], encoding: str, history: int) -> numpy.typing.NDArray[numpy.generic]:
        """
        The encoding of states, [states, ...], as `encode` gives it. Raises ValueError.
        """

    @staticmethod
    def decode_states(states: Sequence[Any], logits: numpy.typing.NDArray[numpy.float32], encoding: str) -> tuple[list[tuple[int, ...]], numpy.typing.NDArray[numpy.float32]]:
        """
        The legal moves of each state, ascending, and their probabilities in one array: a softmax over the labels of the legal moves.

        `logits` float32 [states, labels]. A move without a label gets all of the probability. Raises ValueError.
        """

def lc0_encode(states: Sequence[ChessState]) -> NDArray[numpy.uint8]:
    """
    The inputs of Lc0 networks: uint8 [states, 112, 8, 8]. Plane 109 is the halfmove clock, all others are 0 or 1.
    """

def lc0_decode(states: Sequence[ChessState], logits: NDArray[numpy.float32]) -> tuple[list[tuple[int, ...]], NDArray[numpy.float32]]:
    """
    Each state's legal moves, ascending, and the probabilities of all of them in one float32 array, one state after the other.

    `logits` float32 [states, 1858]. Raises ValueError if the shape is wrong or a logit is NaN.
    """

def lc0_policy_moves() -> list[tuple[int, int, int]]:
    """
    The 1858 policy entries: from-square, to-square and promotion (4 queen, 3 rook, 2 bishop, 0 none or knight), as the side to move sees the board.
    """

def maia3_encode(states: Sequence[ChessState]) -> NDArray[numpy.float32]:
    """
    The inputs of Maia-3: float32 [states, 64, 96], a token for each square with the pieces of the last eight boards.
    """

def maia3_decode(states: Sequence[ChessState], logits: numpy.typing.NDArray[numpy.float32]) -> tuple[list[tuple[int, ...]], numpy.typing.NDArray[numpy.float32]]:
    """
    Each state's legal moves, ascending, and the probabilities of all of them in one float32 array, one state after the other.

    `logits` float32 [states, 4352]. Raises ValueError if the shape is wrong or a logit is NaN.
    """

class ChessLineSearch:
    """
    Alpha-beta search of lines of chess with a value network.

    The transposition table is kept between searches. One search runs at a time; other threads wait.
    """

    def __init__(self, first: Annotated[NDArray[numpy.int16], dict(order='C', device='cpu', writable=False)], first_bias: Annotated[NDArray[numpy.int16], dict(order='C', device='cpu', writable=False)], last: Annotated[NDArray[numpy.int16], dict(order='C', device='cpu', writable=False)], last_bias: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu', writable=False)], megabytes: int = 32) -> None:
        """
        The layers of core/chess/value_network.hpp; `megabytes` is the size of the transposition table. Raises ParseError.
        """

    def search(self, state: ChessState, nodes: int, *, lines: int = 1, only: Sequence[int] = [], depth: int | None = None) -> tuple[list[tuple[int, list[int]]], int, int]:
        """
        Searches the best `lines` moves of a state, among `only` unless it is empty.

        Returns the lines, best first, as scores and moves, the depth in plies, and the number of positions searched. A score is in centipawns for the side to move; a mate is 1,000,000 less the plies to it, and proven. The result depends on the searches since `clear`. Raises ValueError if the game is over.
        """

    def evaluate(self, state: ChessState) -> int:
        """The network's centipawns for the side to move, without search."""

    def clear(self) -> None:
        """Forgets the earlier searches."""

    def stop(self) -> None:
        """Ends the search of another thread."""

class RbcState:
    """
    The true position of a reconnaissance blind chess game and the line of play before it.
    """

    @staticmethod
    def parse(text: str) -> RbcState:
        """
        The state of a position given as text, in the format of `text`. Raises ParseError.
        """

    def text(self) -> str:
        """The position as one line of text, which `parse` reads."""

    @property
    def to_move(self) -> int:
        """The player to move: 0 moves first by the rules, 1 is the opponent."""

    @property
    def ply(self) -> int:
        """The number of moves since the start of the line."""

    @property
    def key(self) -> int:
        """
        A 64-bit hash key. Positions that the repetition rule treats as equal have equal keys.
        """

    @property
    def outcome(self) -> Outcome | None:
        """The result of the game, or None if it is not over."""

    def legal_moves(self) -> list[int]:
        """The legal moves in ascending order; empty if the game is over."""

    def play(self, move: int) -> RbcState:
        """
        The state after a move. Raises IllegalMove if the move is not legal or the game is over.
        """

    def play_past_end(self, move: int) -> RbcState:
        """
        The state after a move, even if a draw by rule has ended the game: recorded games may continue. Raises IllegalMove.
        """

    def move_text(self, move: int) -> str:
        """The text of a move, which `parse_move` reads."""

    def parse_move(self, text: str) -> int:
        """The move of a text. It need not be legal. Raises ParseError."""

    @property
    def previous(self) -> Self | None:
        """The state before the last move, or None at the start of the line."""

    @property
    def last_move(self) -> int | None:
        """The move that led to this state, or None at the start of the line."""

    def perft(self, depth: int) -> int:
        """
        The number of move sequences of length `depth`. Draws by repetition or move count do not end a sequence.
        """

    def playout(self, seed: int, limit: int) -> tuple[Outcome | None, int]:
        """
        Plays uniformly random moves to the end of the game, or `limit` plies.

        Returns the outcome (None if the limit was reached) and the number of plies. The same seed gives the same moves.
        """

    @staticmethod
    def encode(states: Sequence[RbcState]) -> NDArray[numpy.float32]:
        """
        The planes of the states, each seen by its side to move: float32 [states, planes, rows, columns], values from 0 to 1.

        Raises ValueError if there are no states or their boards differ in size.
        """

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    def __str__(self) -> str: ...

    def pack_moves(self, width: int) -> bytes:
        """
        The moves since the start of the line, each as its index among the legal moves, little-endian in `width` bytes (1 or 2).

        Raises IllegalMove if an index does not fit.
        """

    def unpack_moves(self, packed: bytes, width: int) -> RbcState:
        """
        The state after moves that `pack_moves` packed with the same `width`. Raises ParseError or IllegalMove.
        """

    def __getstate__(self) -> tuple[str, list[int]]: ...

    def __setstate__(self, arg: tuple[str, Sequence[int]], /) -> None: ...

    @staticmethod
    def replay(start: str, moves: Sequence[int]) -> RbcState:
        """
        The state after `moves` from the position with the text `start`; moves after a draw by rule are allowed. Raises ParseError or IllegalMove.
        """

    @staticmethod
    def initial() -> RbcState:
        """The initial position, White to sense."""

    @property
    def sensing(self) -> bool:
        """Whether the player to move is to sense; else it is to move a piece."""

    def sense(self, square: int) -> list[tuple[int, str | None]]:
        """
        The result of a sense: (square, piece) pairs in the order of reconchess.

        `square` is the centre of the window, 0 (a1) to 63 (h8); a piece is a FEN letter or None. Raises ValueError.
        """

    def result_of(self, request: int) -> tuple[int, int | None]:
        """
        The move that a request becomes, a pass if it cannot be made, and the square of its capture or None.

        Raises IllegalMove if the request is not one that the player may make.
        """

    @property
    def symmetries(self) -> int:
        """
        The number of board symmetries that apply to this position, the identity included.
        """

    def transformed_cells(self, symmetry: int) -> numpy.typing.NDArray[numpy.int64]:
        """
        The image of each cell of the planes, row by row: int64 [rows * columns].

        `symmetry` is a number below `symmetries`; 0 is the identity. Raises ValueError for another.
        """

    def transformed_moves(self, symmetry: int) -> numpy.typing.NDArray[numpy.int64]:
        """
        The image of each legal move, in the order of `legal_moves`: int64 [legal moves].

        `symmetry` is a number below `symmetries`; 0 is the identity. Raises ValueError for another.
        """

class RbcSamples:
    """
    Positions of recorded games, each with the line of play before it and the move played.
    """

    @staticmethod
    def unpack(starts: Sequence[str], moves: Sequence[bytes], clocks: Sequence[bytes | None], limits: Annotated[NDArray[numpy.int64], dict(shape=(None, 2), order='C', device='cpu', writable=False)], width: int) -> RbcSamples:
        """
        Unpacks the positions of n games of a table, in order.

        `starts`: text of each first position. `moves`: packed moves, as `pack_moves` writes them with `width` bytes a move. `clocks`: little-endian int32, tenths of a second left after each move, or None. `limits` int64 [n, 2]: plies to skip, and the least clock in tenths of a second for a position to be included (where known). Raises ParseError or IllegalMove.
        """

    @staticmethod
    def of_states(states: Sequence[RbcState]) -> RbcSamples:
        """
        The positions of games in progress, one a game. Without a move played, `encode` gives 0 as move and index.
        """

    @staticmethod
    def join(parts: Sequence[RbcSamples]) -> RbcSamples:
        """The positions of all parts, in order."""

    def take(self, which: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> RbcSamples:
        """The positions with these indices, int64 [n]. Raises IndexError."""

    @staticmethod
    def encodings() -> list[str]:
        """The names of the game's encodings."""

    @staticmethod
    def packable(encoding: str) -> bool:
        """
        Whether `encode` can pack this encoding: it holds whole numbers only. Raises ValueError.
        """

    symmetries: Final[int] = ...
    """The number of board symmetries of the game, the identity included."""

    def __len__(self) -> int: ...

    @property
    def games(self) -> NDArray[numpy.int64]:
        """The index of each position's game, int64 [positions]."""

    @property
    def plies(self) -> NDArray[numpy.int32]:
        """Moves played before each position, int32 [positions]."""

    @property
    def movers(self) -> NDArray[numpy.int8]:
        """The player to move, 0 or 1: int8 [positions]."""

    @property
    def clocks_before(self) -> NDArray[numpy.int32]:
        """
        The mover's clock before the move, in tenths of a second; -1 if unknown: int32 [positions].
        """

    @property
    def clocks(self) -> NDArray[numpy.int32]:
        """
        The mover's clock after the move, in tenths of a second; -1 if unknown: int32 [positions].
        """

    def encode(self, which: numpy.typing.NDArray[numpy.int64], encoding: str, history: int, symmetries: numpy.typing.NDArray[numpy.uint8] | None, packed: bool = False) -> tuple[Any, numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.uint8]]:
        """
        Encodes the positions with the indices `which`, int64 [n].

        `encoding` is a name of `encodings`; `history` is the number of positions shown, 1 where the encoding has a fixed history; `symmetries` uint8 [n] are applied where they hold. Returns the encoding [n, ...], the legal moves of all positions one after the other, their policy labels (0xFFFF: none), the offsets [n + 1] of each position's legal moves, the moves played [n], their indices among the legal moves [n], and the symmetries applied [n]. If `packed`, the encoding is a pair: the bits of all binary planes [n, bytes], first cell in the lowest bit, and the values of the count planes [n, planes]. Raises ValueError or IndexError.
        """

    @staticmethod
    def encode_states(states: Sequence[Any], encoding: str, history: int) -> numpy.typing.NDArray[numpy.generic]:
        """
        The encoding of states, [states, ...], as `encode` gives it. Raises ValueError.
        """

    @staticmethod
    def decode_states(states: Sequence[Any], logits: numpy.typing.NDArray[numpy.float32], encoding: str) -> tuple[list[tuple[int, ...]], numpy.typing.NDArray[numpy.float32]]:
        """
        The legal moves of each state, ascending, and their probabilities in one array: a softmax over the labels of the legal moves.

        `logits` float32 [states, labels]. A move without a label gets all of the probability. Raises ValueError.
        """

class RbcBoardSet:
    """
    The set of possible boards of a player, 24 bytes each; immutable. All boards have the same pieces of the player and the same side to move.
    """

    @staticmethod
    def of(states: Sequence[RbcState], player: int) -> RbcBoardSet:
        """
        The distinct boards of the states, from the view of `player`. Raises ValueError if the player's pieces differ.
        """

    def __len__(self) -> int: ...

    def __contains__(self, arg: RbcState, /) -> bool: ...

    @property
    def player(self) -> int:
        """The player whose view this is: 0 (White) or 1 (Black)."""

    @property
    def to_move(self) -> int:
        """The side to move, 0 or 1."""

    @property
    def own_pieces(self) -> list[tuple[int, str]]:
        """The player's own pieces: (square, FEN letter) pairs."""

    @property
    def level(self) -> int:
        """
        0 if the set is complete; else one in 2 ** level boards was kept because of a limit.
        """

    def sample(self, count: int, seed: int) -> list[RbcState]:
        """
        Up to `count` distinct boards drawn with `seed`, as states in which the sense is done.
        """

    def fens(self, count: int = 18446744073709551615) -> list[str]:
        """The first `count` boards as FEN."""

    def subsample(self, count: int, seed: int) -> RbcBoardSet:
        """A uniform sample of at most `count` of the boards."""

    def after_opponent(self, capture_square: int | None, seen: Sequence[tuple[int, str | None]] = (), *, limit: int = ..., threads: int = 1, seed: int = 0) -> RbcBoardSet:
        """
        The boards after an opponent's move.

        `capture_square`: the square on which it captured, or None; `seen`: (square, piece) pairs of a sense after it. If there are more than `limit` boards, a uniform sample decided by `seed` is kept. Raises ValueError.
        """

    def after_sense(self, seen: Sequence[tuple[int, str | None]]) -> RbcBoardSet:
        """
        The boards that agree with the result of a sense: (square, piece) pairs. Raises ValueError.
        """

    def before_move(self, request: int, taken: int, capture_square: int | None) -> RbcBoardSet:
        """
        The boards on which the player's `request` becomes the move `taken` and captures on `capture_square` (None: no capture).
        """

    def after_move(self, request: int, taken: int, capture_square: int | None) -> RbcBoardSet:
        """
        The boards after the player's `request` became the move `taken` and captured on `capture_square` (None: no capture).
        """

    def leading_to(self, later: RbcBoardSet, taken: int, capture_square: int | None, lost_square: int | None, threads: int = 1) -> RbcBoardSet:
        """
        The boards from which the player's move `taken`, capturing on `capture_square`, and a move of the opponent, capturing on `lost_square`, lead to a board of `later`.
        """

    def intersection(self, other: RbcBoardSet) -> RbcBoardSet:
        """
        The boards that are in `other`, too. With the set of the other player this is at most one board, because each player knows its own pieces.
        """

    def union(self, other: RbcBoardSet) -> RbcBoardSet:
        """
        The boards of both sets. Raises ValueError if what the player knows differs.
        """

    def indices(self, other: RbcBoardSet) -> numpy.typing.NDArray[numpy.int64]:
        """
        The index in this set of each board of `other`, -1 if it is not in it: int64 [boards].
        """

    def known_pieces(self) -> list[str | None]:
        """
        For each of the 64 squares the piece that stands there on every board: a FEN letter, None if empty on every board, '?' if boards differ.
        """

    def piece_shares(self, count: int) -> NDArray[numpy.float64]:
        """
        The share of the boards with each piece (PNBRQKpnbrqk) on each square: float64 [12, 64]; of a sample of `count` boards if there are more.
        """

    def sense_values(self, threads: int = 1) -> NDArray[numpy.float64]:
        """
        The value of each sense, float64 [64, 4]: expected number of boards afterwards, information in bits, number of different results, boards with the most common result.
        """

    def undominated_senses(self) -> list[int]:
        """
        The senses that no other sense dominates, by the squares on which the boards differ.
        """

    def partition(self, square: int) -> NDArray[numpy.uint32]:
        """
        The result of a sense of `square` on each board, as an index: uint32 [boards]. Boards with equal indices give the same result.
        """

    def synopsis(self, *, moving: bool, last_from: int | None, last_to: int | None, last_own_capture: int | None, last_opposing_capture: int | None, previous: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, count: int, seed: int) -> NDArray[numpy.uint64]:
        """
        The synopsis of up to `count` of the boards, drawn with `seed`: uint64 [104], bit 0 is a1.

        `moving`: whether the player is to move; the squares of the last moves and captures, or None; `previous`: the synopsis with which the player chose the move of its previous turn, or None. Raises ValueError.
        """

    def king_captures(self) -> list[tuple[int, int]]:
        """
        Requests that capture the king on some board, with the number of those boards, most first.
        """

    def wins_after_sense(self, threads: int = 1) -> list[int]:
        """
        For each of the 64 senses, the number of boards on which the best request after its result captures the king.
        """

    def with_king_attacked(self) -> RbcBoardSet:
        """The boards on which the opponent attacks the player's king."""

    def threats(self) -> list[int]:
        """
        For each of the 64 squares, the number of boards on which the opponent can capture the player's piece there.
        """

    def is_forced_win(self, threads: int = 1) -> bool:
        """
        Whether the player can capture the king in its next turn after every move of the opponent, who is to move.
        """

    def evaluate_requests(self, depth: int, margin: int, threads: int = 1) -> tuple[numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.bool]]:
        """
        Evaluates every request on every board by an alpha-beta search of `depth` plies plus quiescence, as if both players knew the board.

        Returns the requests, uint16 [M]; their scores in centipawns, int32 [boards, M], 100,000 for a captured king; and whether the request attacks the opponent's king while the own king is safe, bool [boards, M]. Scores more than `margin` below the best of a board are upper bounds. Raises ValueError.
        """

    def repair_capture(self, capture_square: int | None) -> RbcBoardSet:
        """
        The boards after an opponent's move, edited so that its nearest piece captures on `capture_square` (None: no capture). Raises ValueError if no board can be edited.
        """

    def repair_sense(self, seen: Sequence[tuple[int, str | None]]) -> RbcBoardSet:
        """
        The boards, edited to show the result of a sense: (square, piece) pairs. Raises ValueError if no board can be edited.
        """

    def repair_move(self, taken: int, capture_square: int | None) -> RbcBoardSet:
        """
        The boards after the player's move, edited so that it and its capture are possible. Raises ValueError if no board can be edited, for example if the player has no such piece.
        """

def rbc_synopsis_planes() -> list[tuple[str, str, str]]:
    """
    Name, fold (constant, known, and, or, and by piece) and meaning of each of the 104 planes.
    """

class RbcGuess:
    """
    A board that is consistent with the latest observations of a player. Unobserved pieces stay.
    """

    def __init__(self, player: int, start: RbcState) -> None:
        """
        The guess of `player` (0 or 1) before the first observation. Raises ValueError.
        """

    @property
    def player(self) -> int:
        """The player, 0 or 1."""

    @property
    def state(self) -> RbcState:
        """The guess as a state in which the sense is done."""

    def opponent_moved(self, capture_square: int | None) -> None:
        """The opponent moved, and captured on this square, or not."""

    def sensed(self, seen: Sequence[tuple[int, str | None]]) -> None:
        """The player sensed: (square, piece) pairs."""

    def moved(self, taken: int, capture_square: int | None) -> None:
        """
        The player's request became the move `taken`, and captured on this square, or not.
        """

class RbcPlannerConfig:
    """
    The constants of deep synoptic Monte Carlo planning (docs/rbc-planner.md). Raises ValueError for a value out of range.
    """

    def __init__(self, *, batch: int = 32, exploration: float = 2.0, mixing: float = 1.0, sense_depth: int = 6, move_depth: int = 12, states: int = 128, particles: int = 512, persistence: int = 512, native_weight: float = 0.0, belief_noise: float = 0.05, attack_weight: float = 1.0, rationality: float = 0.0, table_size: int = 65536, threads: int = 1, caution: float = 0.0, paranoia: float = 0.0, avop: bool = False, untried_first: bool = False, static_analysis: bool = True, bandit_belief: bool = False) -> None: ...

    @property
    def batch(self) -> int:
        """Playouts that run at a time, and synopses per inference (b)."""

    @property
    def exploration(self) -> float:
        """Exploration constant (c)."""

    @property
    def mixing(self) -> float:
        """
        After n visits a node draws from the policy with probability exp(-m n); inf never does (m).
        """

    @property
    def sense_depth(self) -> int:
        """Actions of a playout that begins with a sense (d_sense)."""

    @property
    def move_depth(self) -> int:
        """Actions of a playout that begins with a move (d_move)."""

    @property
    def states(self) -> int:
        """Boards of an approximate infostate (l)."""

    @property
    def particles(self) -> int:
        """Infostates of the opponent in the belief (n_particles)."""

    @property
    def persistence(self) -> int:
        """
        Rejections of a particle before a single possible board replaces it (k).
        """

    @property
    def native_weight(self) -> float:
        """
        Share of a native quiescence search in the value of a leaf; the rest is the network's.
        """

    @property
    def belief_noise(self) -> float:
        """
        Share of actions of the opponent in the belief that are drawn uniformly, not from its policy.
        """

    @property
    def attack_weight(self) -> float:
        """
        Odds factor of the opponent's moves that attack the king, in the belief.
        """

    @property
    def rationality(self) -> float:
        """
        Inverse temperature of moves by a native quiescence search, which weighs the network's policies of both players; 0 leaves them as they are.
        """

    @property
    def table_size(self) -> int:
        """Nodes of the hash table, about a kilobyte each."""

    @property
    def threads(self) -> int:
        """Threads of the playouts."""

    @property
    def caution(self) -> float:
        """
        Share of playouts in which the opponent thinks only four boards possible (kappa).
        """

    @property
    def paranoia(self) -> float:
        """Weight of the smallest value of an action against its mean (phi)."""

    @property
    def avop(self) -> bool:
        """Selects actions by a variant of PUCT instead of UCB1 (table 4)."""

    @property
    def untried_first(self) -> bool:
        """
        Tries all actions of a node once, in random order, before any a second time, as textbook UCB1; else an action without visits has the mean value of the node.
        """

    @property
    def static_analysis(self) -> bool:
        """Ends playouts at certain wins (section 5.4)."""

    @property
    def bandit_belief(self) -> bool:
        """
        Takes the opponent's actions in the belief by the bandit (algorithm 2), not from its policy.
        """

    @staticmethod
    def options() -> list[NativeOption]:
        """The options with their defaults, ranges and docs."""

    def __repr__(self) -> str: ...

    def __hash__(self) -> int: ...

    def __eq__(self, other: object, /) -> bool: ...

class RbcPlanner:
    """
    Deep synoptic Monte Carlo planning for one player of a game (docs/rbc-planner.md). While `select` returns synopses, `evaluate` takes the network's results.
    """

    def __init__(self, config: RbcPlannerConfig, player: int, start: RbcState, seed: int) -> None:
        """
        A planner at the position `start`, which both players are assumed to know.
        """

    def copy(self) -> RbcPlanner:
        """A copy without the search."""

    def moved(self, request: int, taken: int, capture_square: int | None) -> None:
        """
        The player's request became the move `taken`. Ends the search and begins the opponent's turn.
        """

    def opponent_moved(self, capture_square: int | None) -> None:
        """The opponent has moved and captured on this square, or not."""

    def draw(self, possible: RbcBoardSet, exact: bool) -> None:
        """
        Draws particles that agree with the player's possible boards; `exact` if these are all of them. Ends the search.
        """

    def begin_search(self, possible: RbcBoardSet, moving: bool) -> None:
        """
        Begins a search for a move, or for a sense. Raises RuntimeError before `draw`.
        """

    def end_search(self) -> None:
        """Drops the search."""

    def select(self) -> tuple[numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.bool]]:
        """
        The synopses to evaluate next: uint64 [n, 104], and whether the opponent is to act, bool [n].

        They are those of the search, or without a search those of the opponent's turn. n is 0 if nothing is to be evaluated.
        """

    def evaluate(self, logits: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        The network's results for the last `select`: policy logits float32 [n, 4161], values for the player to act float32 [n], from -1 to 1. Raises ValueError if the sizes do not match.
        """

    def root_actions(self) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
        """
        The actions of the root: codes, priors, visits, mean and smallest values (NaN without visits).
        """

    @property
    def value(self) -> float:
        """The network's value at the root, from -1 to 1."""

    @property
    def playouts(self) -> int:
        """Finished playouts of the search."""

    @property
    def nodes(self) -> int:
        """Actions played in playouts of the search."""

    @property
    def decided(self) -> int:
        """
        Playouts of the search that ended with a captured king or a certain win.
        """

    @property
    def accepted(self) -> float:
        """The probability that a candidate of the last `draw` was accepted."""

    @property
    def singletons(self) -> int:
        """Particles of the last `draw` that are single possible boards."""

    @property
    def tree_size(self) -> int:
        """Nodes in the hash table."""

    def particle_fens(self) -> list[str]:
        """The true board of each particle."""

    def particle_boards(self, count: int) -> tuple[RbcBoardSet, numpy.typing.NDArray[numpy.float64]]:
        """
        Up to `count` of the most frequent true boards of the particles, and the share of the particles on each: float64 [boards]. Raises RuntimeError before `draw`.
        """

    def set_priors(self, priors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Replaces the priors of the root, float32 in the order of `root_actions`. Raises ValueError.
        """

    def particle_sizes(self) -> list[int]:
        """
        The number of boards that the opponent thinks possible in each particle.
        """

def rbc_policy_index(player: int, action: int) -> int:
    """
    The number of an action, 0 to 4160, in the policy of the planner's network: 64 senses, 64 * 64 moves by origin and destination, the pass; ranks are reversed for Black. Raises ValueError for no sense.
    """

class RbcInfostate:
    """
    An approximate infostate of a player: a sample of its possible boards, the true one among them (DSMCP paper, section 5). Playouts of the planner are made of these steps.
    """

    def __init__(self, boards: RbcBoardSet, moving: bool, truth: RbcState | None = None, count: int = 128, seed: int = 0) -> None:
        """
        Exactly `count` of the boards, or all, with `truth` among them. `moving`: whether the player is to move; else it is to sense. Raises ValueError.
        """

    def __len__(self) -> int: ...

    @property
    def key(self) -> int:
        """A key of the boards and the phase, whatever their order."""

    @property
    def wins(self) -> bool:
        """
        Whether the king can be captured for certain in this turn: a cheap test that misses some wins.
        """

    @property
    def boards(self) -> RbcBoardSet:
        """The boards as a set."""

    def actions(self) -> list[int]:
        """
        The undominated senses, or no sense; at the move the requests, promotions to queens only, and the pass.
        """

    def sense(self, action: int, truth: RbcState) -> None:
        """The player senses; `truth` is the true state."""

    def move(self, request: int, truth: RbcState) -> None:
        """The player moves; `truth` is the true state before the move."""

    def reply(self, capture_square: int | None, truth: RbcState, count: int = 128, seed: int = 0) -> None:
        """
        The opponent moves: exactly `count` of the boards that can follow, or all; `truth` is the true state after the move.
        """

def rbc_bandit(config: RbcPlannerConfig, priors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], visits: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], totals: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], worst: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], at_root: bool, seed: int) -> int:
    """
    Algorithm 1 of the DSMCP paper: the index of the action that a node chooses.

    float32 [actions] each: policy, visits, total and smallest values. Raises ValueError.
    """

class ExpendibotsState:
    """An Expendibots position and the line of play before it."""

    @staticmethod
    def parse(text: str) -> ExpendibotsState:
        """
        The state of a position given as text, in the format of `text`. Raises ParseError.
        """

    def text(self) -> str:
        """The position as one line of text, which `parse` reads."""

    @property
    def to_move(self) -> int:
        """The player to move: 0 moves first by the rules, 1 is the opponent."""

    @property
    def ply(self) -> int:
        """The number of moves since the start of the line."""

    @property
    def key(self) -> int:
        """
        A 64-bit hash key. Positions that the repetition rule treats as equal have equal keys.
        """

    @property
    def outcome(self) -> Outcome | None:
        """The result of the game, or None if it is not over."""

    def legal_moves(self) -> list[int]:
        """The legal moves in ascending order; empty if the game is over."""

    def play(self, move: int) -> ExpendibotsState:
        """
        The state after a move. Raises IllegalMove if the move is not legal or the game is over.
        """

    def play_past_end(self, move: int) -> ExpendibotsState:
        """
        The state after a move, even if a draw by rule has ended the game: recorded games may continue. Raises IllegalMove.
        """

    def move_text(self, move: int) -> str:
        """The text of a move, which `parse_move` reads."""

    def parse_move(self, text: str) -> int:
        """The move of a text. It need not be legal. Raises ParseError."""

    @property
    def previous(self) -> Self | None:
        """The state before the last move, or None at the start of the line."""

    @property
    def last_move(self) -> int | None:
        """The move that led to this state, or None at the start of the line."""

    def perft(self, depth: int) -> int:
        """
        The number of move sequences of length `depth`. Draws by repetition or move count do not end a sequence.
        """

    def playout(self, seed: int, limit: int) -> tuple[Outcome | None, int]:
        """
        Plays uniformly random moves to the end of the game, or `limit` plies.

        Returns the outcome (None if the limit was reached) and the number of plies. The same seed gives the same moves.
        """

    @staticmethod
    def encode(states: Sequence[ExpendibotsState]) -> NDArray[numpy.float32]:
        """
        The planes of the states, each seen by its side to move: float32 [states, planes, rows, columns], values from 0 to 1.

        Raises ValueError if there are no states or their boards differ in size.
        """

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    def __str__(self) -> str: ...

    def pack_moves(self, width: int) -> bytes:
        """
        The moves since the start of the line, each as its index among the legal moves, little-endian in `width` bytes (1 or 2).

        Raises IllegalMove if an index does not fit.
        """

    def unpack_moves(self, packed: bytes, width: int) -> ExpendibotsState:
        """
        The state after moves that `pack_moves` packed with the same `width`. Raises ParseError or IllegalMove.
        """

    def __getstate__(self) -> tuple[str, list[int]]: ...

    def __setstate__(self, arg: tuple[str, Sequence[int]], /) -> None: ...

    @staticmethod
    def replay(start: str, moves: Sequence[int]) -> ExpendibotsState:
        """
        The state after `moves` from the position with the text `start`; moves after a draw by rule are allowed. Raises ParseError or IllegalMove.
        """

    @staticmethod
    def initial() -> ExpendibotsState: ...

    @property
    def actions(self) -> int:
        """The number of actions of both sides since the start of the game."""

    @property
    def heights(self) -> list[list[int]]:
        """
        The heights of the stacks as `heights[y][x]`: positive for White, negative for Black, 0 if empty.
        """

    @property
    def repetitions(self) -> int:
        """
        The number of times this position has occurred in the line, this time included.
        """

    @property
    def canonical_key(self) -> int:
        """
        A key that is the same for all symmetric boards, also with the sides exchanged.
        """

    def to_canonical(self, move: int) -> int:
        """
        A move transformed to the canonical board of `canonical_key`. Raises IllegalMove.
        """

    def from_canonical(self, move: int) -> int:
        """The inverse of `to_canonical`. Raises IllegalMove."""

    @staticmethod
    def action(move: int) -> tuple[str, tuple[int, int]] | tuple[str, int, tuple[int, int], tuple[int, int]]:
        """
        A move as the referee's tuple: ("MOVE", n, (x, y), (x, y)) or ("BOOM", (x, y)). Raises IllegalMove.
        """

    @property
    def symmetries(self) -> int:
        """
        The number of board symmetries that apply to this position, the identity included.
        """

    def transformed_cells(self, symmetry: int) -> numpy.typing.NDArray[numpy.int64]:
        """
        The image of each cell of the planes, row by row: int64 [rows * columns].

        `symmetry` is a number below `symmetries`; 0 is the identity. Raises ValueError for another.
        """

    def transformed_moves(self, symmetry: int) -> numpy.typing.NDArray[numpy.int64]:
        """
        The image of each legal move, in the order of `legal_moves`: int64 [legal moves].

        `symmetry` is a number below `symmetries`; 0 is the identity. Raises ValueError for another.
        """

    def tree(self, config: PuctConfig) -> ExpendibotsTree:
        """A new PUCT tree with this state at the root."""

class ExpendibotsTree:
    """
    A PUCT tree. `select` gives out leaves in batches, `evaluate` takes their evaluations.
    """

    def __init__(self, root: ExpendibotsState, config: PuctConfig) -> None:
        """A tree with one node, `root`."""

    @property
    def root(self) -> ExpendibotsState:
        """The state at the root."""

    @property
    def visits(self) -> int:
        """The number of visits of the root."""

    @property
    def value(self) -> float:
        """
        The root's value for its side to move, from -1 to 1; exact if proven, NaN before the first visit.
        """

    @property
    def max_depth(self) -> int:
        """The length of the longest line searched, in plies."""

    @property
    def full(self) -> bool:
        """Whether the memory limit is reached: no node is added."""

    @property
    def bytes(self) -> int:
        """The approximate size of the tree in bytes."""

    def __len__(self) -> int:
        """The number of nodes."""

    def select(self, count: int, visits: int) -> list[ExpendibotsState]:
        """
        Up to `count` leaves to evaluate.

        `visits` limits the visits of the root in this call, terminal nodes included. Empty if nothing is left to learn: the memory limit is reached, or the end of every move is proven. Raises RuntimeError while earlier leaves wait for their evaluation.
        """

    def evaluate(self, priors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Evaluates the leaves of the last `select`.

        `priors` float32: the priors of each leaf's legal moves in ascending order, one leaf after the other; they need not sum to 1. `values` float32 [leaves]: for the side to move, from -1 to 1. Raises ValueError if the sizes do not match or a number is not finite or a prior negative; the leaves then still wait.
        """

    def cancel(self) -> None:
        """Drops the leaves of the last `select` without an evaluation."""

    @property
    def lead(self) -> int:
        """
        By how many visits the most visited move of the root leads the next: if fewer visits are left, the choice is certain.
        """

    def add_noise(self, noise: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], share: float) -> None:
        """
        Mixes noise into the root's priors: (1 - share) * prior + share * noise.

        `noise` float32 [legal moves of the root]. Raises ValueError if the size does not match.
        """

    def begin_halving(self, noise: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], visits: int, considered: int, c_visit: float, c_scale: float) -> None:
        """
        Searches the root by Gumbel and sequential halving: `visits` visits of its moves, of which the `considered` best by noise + logit are searched.

        `noise` float32 [legal moves of the root]: samples of the Gumbel distribution. sigma(q) = (c_visit + max N) c_scale q. The search ends early if a win is proven. Raises ValueError, and RuntimeError if moves of the root were visited.
        """

    def halving_choice(self) -> int:
        """
        The place among the root's moves of the move that sequential halving plays: a proven win, or the best of the most visited. Raises RuntimeError without `begin_halving`.
        """

    def restrict(self, moves: Sequence[int]) -> None:
        """
        Restricts the search to these moves of the root; an empty list lifts the restriction.
        """

    def root_moves(self) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64]]:
        """
        The statistics of the root's legal moves in ascending order, empty before the root was evaluated: moves, priors, visits, values and forced, an array [moves] each.

        Values are for the side to move, NaN without visits. `forced` is the number of plies to a proven win, negative for a loss, 0 if neither is proven.
        """

    def pv(self, first: int) -> list[int]:
        """
        The principal variation that begins with the move `first` of the root: the most visited moves, or a proven line to its end.
        """

    def advance(self, move: int) -> None:
        """
        Plays a move at the root and keeps the tree below it. Raises IllegalMove.
        """

class ExpendibotsStates:
    """
    A batch of states: a sequence that encodes and decodes without a Python object each.
    """

    def __init__(self, states: Sequence[ExpendibotsState]) -> None:
        """The batch of these states."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int) -> ExpendibotsState: ...

    def take(self, which: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> ExpendibotsStates:
        """The states with these indices, int64 [n]. Raises IndexError."""

    @property
    def to_move(self) -> NDArray[numpy.int8]:
        """The player to move, 0 or 1: int8 [states]."""

    @property
    def plies(self) -> NDArray[numpy.int32]:
        """Moves played before each state: int32 [states]."""

    def encode(self, encoding: str, history: int) -> numpy.typing.NDArray[numpy.generic]:
        """The encoding of the states, [states, ...]. Raises ValueError."""

    def decode(self, logits: numpy.typing.NDArray[numpy.float32], encoding: str) -> tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.int64]]:
        """
        A softmax over the labels of the legal moves.

        `logits` float32 [states, labels]. Returns the probabilities of all legal moves, state after state and ascending, and the offsets int64 [states + 1] of each state's. Raises ValueError.
        """

class ExpendibotsForest:
    """
    Many PUCT trees searched in lockstep: each step evaluates a batch of every tree.
    """

    def __init__(self, roots: Sequence[ExpendibotsState], config: PuctConfig) -> None:
        """A tree for each root."""

    def __len__(self) -> int:
        """The number of trees."""

    @overload
    def select(self, visits: int) -> tuple[Any, numpy.typing.NDArray[numpy.int64]]:
        """
        The next leaves of every tree with fewer than `visits` visits: the states as one batch, and the index of each one's tree, int64 [leaves]. A tree has as many as in a search of its own (`PuctConfig.batch_size`). No leaves: the search is over. Raises RuntimeError while earlier leaves wait for their evaluation.
        """

    @overload
    def select(self, visits: numpy.typing.NDArray[numpy.int64]) -> tuple[Any, numpy.typing.NDArray[numpy.int64]]:
        """The same with a limit of its own for each tree, int64 [trees]."""

    def add_noise(self, noise: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], share: float) -> None:
        """
        Mixes noise into the priors of all roots: see the tree's `add_noise`. `noise` float32 [root moves of all trees], as `root_moves` orders them. Raises ValueError.
        """

    def begin_halving(self, noise: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], visits: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], considered: int, c_visit: float, c_scale: float) -> None:
        """
        Searches all roots by sequential halving: see the tree's `begin_halving`. `noise` float32 [root moves of all trees]; `visits` int64 [trees]. Raises ValueError, and RuntimeError if moves of a root were visited.
        """

    def halving_choices(self) -> NDArray[numpy.int64]:
        """The place of each tree's choice among its root moves: int64 [trees]."""

    def advance(self, moves: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Plays a move in every tree, int64 [trees], and keeps the tree below it. Raises IllegalMove.
        """

    def restart(self, tree: int, root: ExpendibotsState) -> None:
        """Replaces a tree by a new one."""

    def evaluate(self, priors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Evaluates the leaves of the last `select`: see the tree's `evaluate`. Raises ValueError.
        """

    def cancel(self) -> None:
        """Drops the leaves of the last `select` without an evaluation."""

    @property
    def visits(self) -> NDArray[numpy.int64]:
        """The visits of each root: int64 [trees]."""

    @property
    def values(self) -> NDArray[numpy.float64]:
        """The value of each root for its side to move: float64 [trees]."""

    @property
    def max_depths(self) -> NDArray[numpy.int64]:
        """The length of the longest line of each tree, in plies: int64 [trees]."""

    def pv(self, tree: int, first: int) -> list[int]:
        """The principal variation of a tree: see the tree's `pv`."""

    def root_moves(self) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int64]]:
        """
        The statistics of the root moves of all trees, tree after tree: moves, priors, visits, values and forced as in a tree's `root_moves`, and the offsets int64 [trees + 1] of each tree's.
        """

class ExpendibotsSamples:
    """
    Positions of recorded games, each with the line of play before it and the move played.
    """

    @staticmethod
    def unpack(starts: Sequence[str], moves: Sequence[bytes], clocks: Sequence[bytes | None], limits: Annotated[NDArray[numpy.int64], dict(shape=(None, 2), order='C', device='cpu', writable=False)], width: int) -> ExpendibotsSamples:
        """
        Unpacks the positions of n games of a table, in order.

        `starts`: text of each first position. `moves`: packed moves, as `pack_moves` writes them with `width` bytes a move. `clocks`: little-endian int32, tenths of a second left after each move, or None. `limits` int64 [n, 2]: plies to skip, and the least clock in tenths of a second for a position to be included (where known). Raises ParseError or IllegalMove.
        """

    @staticmethod
    def of_states(states: Sequence[ExpendibotsState]) -> ExpendibotsSamples:
        """
        The positions of games in progress, one a game. Without a move played, `encode` gives 0 as move and index.
        """

    @staticmethod
    def join(parts: Sequence[ExpendibotsSamples]) -> ExpendibotsSamples:
        """The positions of all parts, in order."""

    def take(self, which: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> ExpendibotsSamples:
        """The positions with these indices, int64 [n]. Raises IndexError."""

    @staticmethod
    def encodings() -> list[str]:
        """The names of the game's encodings."""

    @staticmethod
    def packable(encoding: str) -> bool:
        """
        Whether `encode` can pack this encoding: it holds whole numbers only. Raises ValueError.
        """

    symmetries: Final[int] = ...
    """The number of board symmetries of the game, the identity included."""

    def __len__(self) -> int: ...

    @property
    def games(self) -> NDArray[numpy.int64]:
        """The index of each position's game, int64 [positions]."""

    @property
    def plies(self) -> NDArray[numpy.int32]:
        """Moves played before each position, int32 [positions]."""

    @property
    def movers(self) -> NDArray[numpy.int8]:
        """The player to move, 0 or 1: int8 [positions]."""

    @property
    def clocks_before(self) -> NDArray[numpy.int32]:
        """
        The mover's clock before the move, in tenths of a second; -1 if unknown: int32 [positions].
        """

    @property
    def clocks(self) -> NDArray[numpy.int32]:
        """
        The mover's clock after the move, in tenths of a second; -1 if unknown: int32 [positions].
        """

    def encode(self, which: numpy.typing.NDArray[numpy.int64], encoding: str, history: int, symmetries: numpy.typing.NDArray[numpy.uint8] | None, packed: bool = False) -> tuple[Any, numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.uint8]]:
        """
        Encodes the positions with the indices `which`, int64 [n].

        `encoding` is a name of `encodings`; `history` is the number of positions shown, 1 where the encoding has a fixed history; `symmetries` uint8 [n] are applied where they hold. Returns the encoding [n, ...], the legal moves of all positions one after the other, their policy labels (0xFFFF: none), the offsets [n + 1] of each position's legal moves, the moves played [n], their indices among the legal moves [n], and the symmetries applied [n]. If `packed`, the encoding is a pair: the bits of all binary planes [n, bytes], first cell in the lowest bit, and the values of the count planes [n, planes]. Raises ValueError or IndexError.
        """

    @staticmethod
    def encode_states(states: Sequence[Any], encoding: str, history: int) -> numpy.typing.NDArray[numpy.generic]:
        """
        The encoding of states, [states, ...], as `encode` gives it. Raises ValueError.
        """

    @staticmethod
    def decode_states(states: Sequence[Any], logits: numpy.typing.NDArray[numpy.float32], encoding: str) -> tuple[list[tuple[int, ...]], numpy.typing.NDArray[numpy.float32]]:
        """
        The legal moves of each state, ascending, and their probabilities in one array: a softmax over the labels of the legal moves.

        `logits` float32 [states, labels]. A move without a label gets all of the probability. Raises ValueError.
        """

class ExpendibotsEndgameTables:
    """
    Endgame tables. The value of a position is +d if the side to move wins in d actions, -d if it loses in d, 0 for a draw.
    """

    def __init__(self) -> None: ...

    def add(self, strong: int, weak: int, values: bytes) -> None:
        """
        Adds the table of `strong` against `weak` tokens: one signed byte for each position index. Raises ParseError.
        """

    def has(self, strong: int, weak: int) -> bool:
        """Whether the table of `strong` against `weak` tokens was added."""

    def probe(self, state: ExpendibotsState) -> int | None:
        """The value of a state, or None if no table contains it."""

    def solve(self, strong: int, weak: int) -> bytes:
        """
        Computes a table by retrograde analysis, one signed byte for each position index; -128 marks indices without a position.

        The tables of fewer tokens must have been added. Raises ParseError.
        """

    def count_errors(self, strong: int, weak: int) -> int:
        """
        The number of positions of a table whose value does not follow from the values of their successors.
        """

class ExpendibotsNetwork:
    """
    A value network with two hidden layers and tanh output. Inputs are the stacks, one-hot, and measured features.
    """

    def __init__(self, places: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], measured: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], first_bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], between: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], second_bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], last: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], last_bias: float) -> None:
        """
        Weights as float32 [inputs, units], biases as [units]. Raises ParseError if the sizes do not match.
        """

    places: Final[int] = ...
    """The number of one-hot inputs."""

    numbers: Final[int] = ...
    """The number of measured inputs."""

    def value(self, state: ExpendibotsState) -> float:
        """The value of a state for its side to move, from -1 to 1."""

    @staticmethod
    def inputs(states: Sequence[Any]) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float32]]:
        """
        The indices of the one-hot inputs, int64 [states, most], padded with `places`, and the measured inputs, float32 [states, numbers].
        """

    @staticmethod
    def batch_inputs(states: Any) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float32]]:
        """`inputs` of a batch of states, such as a <Game>States."""

class ExpendibotsMinimaxForest:
    """
    Best-first minimax with completed values in many trees (core/search/minimax_tree.hpp).

    `search` evaluates with a native network; `select` and `evaluate` give the positions out in batches, those of all trees together.
    """

    def __init__(self, roots: Sequence[ExpendibotsState], *, descend: bool = False, horizon: int = 200, megabytes: int = 512) -> None:
        """
        A tree for each root. `descend`: each iteration goes on to the end of a game (Descent). A win at ply p counts 1 - p / (2 * horizon), at least 1/2. `megabytes` is the limit of each tree.
        """

    def __len__(self) -> int:
        """The number of trees."""

    def select(self, evaluations: int) -> Any:
        """
        The positions to evaluate next, of every tree with fewer than `evaluations` since its last move. None: the search is over. Raises RuntimeError while earlier positions wait.
        """

    def evaluate(self, values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Takes the values float32 [positions] of the last `select`, each for its side to move. Raises ValueError.
        """

    def search(self, network: ExpendibotsNetwork, evaluations: int, seconds: float = float('inf')) -> None:
        """
        Searches every tree with a native network until it has `evaluations` since its last move, or `seconds` are over, or `stop` is called.
        """

    def stop(self) -> None:
        """Ends the search of another thread."""

    @property
    def evaluations(self) -> NDArray[numpy.int64]:
        """Positions evaluated in each tree since its last move: int64 [trees]."""

    def nodes(self, tree: int) -> int:
        """The number of nodes of a tree: the positions that a line went through."""

    def bytes(self, tree: int) -> int:
        """The approximate size of a tree in bytes."""

    def root(self, tree: int) -> ExpendibotsState:
        """The state at the root of a tree."""

    def value(self, tree: int) -> tuple[float, int, bool]:
        """
        The root's value for its side to move; 1 if it wins by force, -1 if it loses, else 0; and whether its result is proven.
        """

    def root_moves(self, tree: int) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.uint8]]:
        """
        The moves at a root, an array [moves] each: moves, values for the side to move, visits, completions (1 wins by force, -1 loses, else 0), and whether the result is proven. Empty before the first search.
        """

    def safest(self, tree: int) -> int:
        """
        The move to play: a proven win, else the move that was searched most. Raises RuntimeError before the first search.
        """

    def pv(self, tree: int) -> list[int]:
        """The best moves from a root on."""

    def advance(self, tree: int, move: int) -> None:
        """Plays a move at a root and keeps the whole tree. Raises IllegalMove."""

    def compact(self, tree: int) -> None:
        """Drops what is not below the root of a tree."""

    def targets(self, tree: int) -> tuple[Any, numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.uint8]]:
        """
        All expanded states of a tree as one batch, their minimax values for the side to move, float32 [states], and whether their results are proven.
        """

class ExpendibotsSearch:
    """
    Alpha-beta search with an evaluation that is linear in features of the position.

    Values are for the side to move; 100 is a win and -100 a loss. The transposition table is kept between searches. One search runs at a time; other threads wait.
    """

    def __init__(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], megabytes: int = 16) -> None:
        """
        `weights` float64 [stages, features]; `megabytes` is the size of the transposition table. Raises ValueError.
        """

    @staticmethod
    def feature_names() -> list[str]:
        """The names of the features, the columns of the weights."""

    @staticmethod
    def stage_names() -> list[str]:
        """The names of the stages of the game, the rows of the weights."""

    @staticmethod
    def extract_features(state: object) -> tuple[int, numpy.typing.NDArray[numpy.float64]]:
        """
        The stage of a state, an index of `stage_names`, and its features for the side to move, float64 [features].
        """

    def set_weights(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """
        Replaces the weights, float64 [stages, features], and clears the table. Raises ValueError.
        """

    def evaluate(self, state: ExpendibotsState) -> float:
        """
        The static evaluation of a state for its side to move, between -100 and 100.
        """

    def candidate_moves(self, state: ExpendibotsState) -> list[int]:
        """
        The moves that a search considers, in ascending order. Raises ValueError if the game is over.
        """

    def analyse(self, state: ExpendibotsState, *, depth: int | None = None, nodes: int | None = None, seconds: float | None = None, threads: int = 1, margin: float = 0.0, reduce: bool = True) -> Analysis:
        """
        Searches a state until the first limit is reached.

        `depth` in plies, `nodes` per thread, `seconds`: at least one is needed. Moves within `margin` of the best get exact values. `reduce` turns late move reductions on. Raises ValueError if the game is over or no limit is given.
        """

    def treestrap(self, state: object, *, depth: int, all_nodes: bool, minimax: bool, min_depth: int, decay: float, max_error: float, skip_draws: bool, staged: bool) -> tuple[Analysis, numpy.typing.NDArray[numpy.float64], int, float]:
        """
        Searches a state with an empty table and computes the gradient of RootStrap or TreeStrap.

        The options are those of TreeStrapConfig in core/search/treestrap.hpp. `staged` ends lines at the next stage of the game. Returns the analysis; the sum over the nodes of decay^d (V - H) phi, float64 [stages, features]; the number of nodes in the sum; and their weighted squared error. Raises ValueError if the game is over.
        """

    def stop(self) -> None:
        """Stops the search of another thread."""

    def clear(self) -> None:
        """Clears the transposition table."""

    def set_endgame_tables(self, endgames: ExpendibotsEndgameTables) -> None:
        """
        Uses a copy of these tables: positions that they contain count as decided. Clears the transposition table.
        """

    def set_network(self, network: ExpendibotsNetwork) -> None:
        """
        Evaluates with a network instead of the weights. Clears the transposition table.
        """

    def set_prune_booms(self, prune: bool) -> None:
        """
        If true, searches only BOOMs that improve the ratio of tokens; if false, the default, all BOOMs that remove tokens of both sides. Clears the transposition table.
        """

class BreakthroughState:
    """
    A Breakthrough position and the line of play before it. A move is 3 * source square + direction (0 left, 1 straight, 2 right).
    """

    @staticmethod
    def parse(text: str) -> BreakthroughState:
        """
        The state of a position given as text, in the format of `text`. Raises ParseError.
        """

    def text(self) -> str:
        """The position as one line of text, which `parse` reads."""

    @property
    def to_move(self) -> int:
        """The player to move: 0 moves first by the rules, 1 is the opponent."""

    @property
    def ply(self) -> int:
        """The number of moves since the start of the line."""

    @property
    def key(self) -> int:
        """
        A 64-bit hash key. Positions that the repetition rule treats as equal have equal keys.
        """

    @property
    def outcome(self) -> Outcome | None:
        """The result of the game, or None if it is not over."""

    def legal_moves(self) -> list[int]:
        """The legal moves in ascending order; empty if the game is over."""

    def play(self, move: int) -> BreakthroughState:
        """
        The state after a move. Raises IllegalMove if the move is not legal or the game is over.
        """

    def play_past_end(self, move: int) -> BreakthroughState:
        """
        The state after a move, even if a draw by rule has ended the game: recorded games may continue. Raises IllegalMove.
        """

    def move_text(self, move: int) -> str:
        """The text of a move, which `parse_move` reads."""

    def parse_move(self, text: str) -> int:
        """The move of a text. It need not be legal. Raises ParseError."""

    @property
    def previous(self) -> Self | None:
        """The state before the last move, or None at the start of the line."""

    @property
    def last_move(self) -> int | None:
        """The move that led to this state, or None at the start of the line."""

    def perft(self, depth: int) -> int:
        """
        The number of move sequences of length `depth`. Draws by repetition or move count do not end a sequence.
        """

    def playout(self, seed: int, limit: int) -> tuple[Outcome | None, int]:
        """
        Plays uniformly random moves to the end of the game, or `limit` plies.

        Returns the outcome (None if the limit was reached) and the number of plies. The same seed gives the same moves.
        """

    @staticmethod
    def encode(states: Sequence[BreakthroughState]) -> NDArray[numpy.float32]:
        """
        The planes of the states, each seen by its side to move: float32 [states, planes, rows, columns], values from 0 to 1.

        Raises ValueError if there are no states or their boards differ in size.
        """

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    def __str__(self) -> str: ...

    def pack_moves(self, width: int) -> bytes:
        """
        The moves since the start of the line, each as its index among the legal moves, little-endian in `width` bytes (1 or 2).

        Raises IllegalMove if an index does not fit.
        """

    def unpack_moves(self, packed: bytes, width: int) -> BreakthroughState:
        """
        The state after moves that `pack_moves` packed with the same `width`. Raises ParseError or IllegalMove.
        """

    def __getstate__(self) -> tuple[str, list[int]]: ...

    def __setstate__(self, arg: tuple[str, Sequence[int]], /) -> None: ...

    @staticmethod
    def replay(start: str, moves: Sequence[int]) -> BreakthroughState:
        """
        The state after `moves` from the position with the text `start`; moves after a draw by rule are allowed. Raises ParseError or IllegalMove.
        """

    @staticmethod
    def initial() -> BreakthroughState: ...

    @property
    def pieces(self) -> list[int]:
        """
        White's and Black's pieces as bitboards; the square (x, y) is bit 8 * y + x.
        """

    @property
    def symmetries(self) -> int:
        """
        The number of board symmetries that apply to this position, the identity included.
        """

    def transformed_cells(self, symmetry: int) -> numpy.typing.NDArray[numpy.int64]:
        """
        The image of each cell of the planes, row by row: int64 [rows * columns].

        `symmetry` is a number below `symmetries`; 0 is the identity. Raises ValueError for another.
        """

    def transformed_moves(self, symmetry: int) -> numpy.typing.NDArray[numpy.int64]:
        """
        The image of each legal move, in the order of `legal_moves`: int64 [legal moves].

        `symmetry` is a number below `symmetries`; 0 is the identity. Raises ValueError for another.
        """

    def tree(self, config: PuctConfig) -> BreakthroughTree:
        """A new PUCT tree with this state at the root."""

class BreakthroughTree:
    """
    A PUCT tree. `select` gives out leaves in batches, `evaluate` takes their evaluations.
    """

    def __init__(self, root: BreakthroughState, config: PuctConfig) -> None:
        """A tree with one node, `root`."""

    @property
    def root(self) -> BreakthroughState:
        """The state at the root."""

    @property
    def visits(self) -> int:
        """The number of visits of the root."""

    @property
    def value(self) -> float:
        """
        The root's value for its side to move, from -1 to 1; exact if proven, NaN before the first visit.
        """

    @property
    def max_depth(self) -> int:
        """The length of the longest line searched, in plies."""

    @property
    def full(self) -> bool:
        """Whether the memory limit is reached: no node is added."""

    @property
    def bytes(self) -> int:
        """The approximate size of the tree in bytes."""

    def __len__(self) -> int:
        """The number of nodes."""

    def select(self, count: int, visits: int) -> list[BreakthroughState]:
        """
        Up to `count` leaves to evaluate.

        `visits` limits the visits of the root in this call, terminal nodes included. Empty if nothing is left to learn: the memory limit is reached, or the end of every move is proven. Raises RuntimeError while earlier leaves wait for their evaluation.
        """

    def evaluate(self, priors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Evaluates the leaves of the last `select`.

        `priors` float32: the priors of each leaf's legal moves in ascending order, one leaf after the other; they need not sum to 1. `values` float32 [leaves]: for the side to move, from -1 to 1. Raises ValueError if the sizes do not match or a number is not finite or a prior negative; the leaves then still wait.
        """

    def cancel(self) -> None:
        """Drops the leaves of the last `select` without an evaluation."""

    @property
    def lead(self) -> int:
        """
        By how many visits the most visited move of the root leads the next: if fewer visits are left, the choice is certain.
        """

    def add_noise(self, noise: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], share: float) -> None:
        """
        Mixes noise into the root's priors: (1 - share) * prior + share * noise.

        `noise` float32 [legal moves of the root]. Raises ValueError if the size does not match.
        """

    def begin_halving(self, noise: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], visits: int, considered: int, c_visit: float, c_scale: float) -> None:
        """
        Searches the root by Gumbel and sequential halving: `visits` visits of its moves, of which the `considered` best by noise + logit are searched.

        `noise` float32 [legal moves of the root]: samples of the Gumbel distribution. sigma(q) = (c_visit + max N) c_scale q. The search ends early if a win is proven. Raises ValueError, and RuntimeError if moves of the root were visited.
        """

    def halving_choice(self) -> int:
        """
        The place among the root's moves of the move that sequential halving plays: a proven win, or the best of the most visited. Raises RuntimeError without `begin_halving`.
        """

    def restrict(self, moves: Sequence[int]) -> None:
        """
        Restricts the search to these moves of the root; an empty list lifts the restriction.
        """

    def root_moves(self) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64]]:
        """
        The statistics of the root's legal moves in ascending order, empty before the root was evaluated: moves, priors, visits, values and forced, an array [moves] each.

        Values are for the side to move, NaN without visits. `forced` is the number of plies to a proven win, negative for a loss, 0 if neither is proven.
        """

    def pv(self, first: int) -> list[int]:
        """
        The principal variation that begins with the move `first` of the root: the most visited moves, or a proven line to its end.
        """

    def advance(self, move: int) -> None:
        """
        Plays a move at the root and keeps the tree below it. Raises IllegalMove.
        """

class BreakthroughStates:
    """
    A batch of states: a sequence that encodes and decodes without a Python object each.
    """

    def __init__(self, states: Sequence[BreakthroughState]) -> None:
        """The batch of these states."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int) -> BreakthroughState: ...

    def take(self, which: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> BreakthroughStates:
        """The states with these indices, int64 [n]. Raises IndexError."""

    @property
    def to_move(self) -> NDArray[numpy.int8]:
        """The player to move, 0 or 1: int8 [states]."""

    @property
    def plies(self) -> NDArray[numpy.int32]:
        """Moves played before each state: int32 [states]."""

    def encode(self, encoding: str, history: int) -> numpy.typing.NDArray[numpy.generic]:
        """The encoding of the states, [states, ...]. Raises ValueError."""

    def decode(self, logits: numpy.typing.NDArray[numpy.float32], encoding: str) -> tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.int64]]:
        """
        A softmax over the labels of the legal moves.

        `logits` float32 [states, labels]. Returns the probabilities of all legal moves, state after state and ascending, and the offsets int64 [states + 1] of each state's. Raises ValueError.
        """

class BreakthroughForest:
    """
    Many PUCT trees searched in lockstep: each step evaluates a batch of every tree.
    """

    def __init__(self, roots: Sequence[BreakthroughState], config: PuctConfig) -> None:
        """A tree for each root."""

    def __len__(self) -> int:
        """The number of trees."""

    @overload
    def select(self, visits: int) -> tuple[Any, numpy.typing.NDArray[numpy.int64]]:
        """
        The next leaves of every tree with fewer than `visits` visits: the states as one batch, and the index of each one's tree, int64 [leaves]. A tree has as many as in a search of its own (`PuctConfig.batch_size`). No leaves: the search is over. Raises RuntimeError while earlier leaves wait for their evaluation.
        """

    @overload
    def select(self, visits: numpy.typing.NDArray[numpy.int64]) -> tuple[Any, numpy.typing.NDArray[numpy.int64]]:
        """The same with a limit of its own for each tree, int64 [trees]."""

    def add_noise(self, noise: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], share: float) -> None:
        """
        Mixes noise into the priors of all roots: see the tree's `add_noise`. `noise` float32 [root moves of all trees], as `root_moves` orders them. Raises ValueError.
        """

    def begin_halving(self, noise: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], visits: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], considered: int, c_visit: float, c_scale: float) -> None:
        """
        Searches all roots by sequential halving: see the tree's `begin_halving`. `noise` float32 [root moves of all trees]; `visits` int64 [trees]. Raises ValueError, and RuntimeError if moves of a root were visited.
        """

    def halving_choices(self) -> NDArray[numpy.int64]:
        """The place of each tree's choice among its root moves: int64 [trees]."""

    def advance(self, moves: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Plays a move in every tree, int64 [trees], and keeps the tree below it. Raises IllegalMove.
        """

    def restart(self, tree: int, root: BreakthroughState) -> None:
        """Replaces a tree by a new one."""

    def evaluate(self, priors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Evaluates the leaves of the last `select`: see the tree's `evaluate`. Raises ValueError.
        """

    def cancel(self) -> None:
        """Drops the leaves of the last `select` without an evaluation."""

    @property
    def visits(self) -> NDArray[numpy.int64]:
        """The visits of each root: int64 [trees]."""

    @property
    def values(self) -> NDArray[numpy.float64]:
        """The value of each root for its side to move: float64 [trees]."""

    @property
    def max_depths(self) -> NDArray[numpy.int64]:
        """The length of the longest line of each tree, in plies: int64 [trees]."""

    def pv(self, tree: int, first: int) -> list[int]:
        """The principal variation of a tree: see the tree's `pv`."""

    def root_moves(self) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int64]]:
        """
        The statistics of the root moves of all trees, tree after tree: moves, priors, visits, values and forced as in a tree's `root_moves`, and the offsets int64 [trees + 1] of each tree's.
        """

class BreakthroughSamples:
    """
    Positions of recorded games, each with the line of play before it and the move played.
    """

    @staticmethod
    def unpack(starts: Sequence[str], moves: Sequence[bytes], clocks: Sequence[bytes | None], limits: Annotated[NDArray[numpy.int64], dict(shape=(None, 2), order='C', device='cpu', writable=False)], width: int) -> BreakthroughSamples:
        """
        Unpacks the positions of n games of a table, in order.

        `starts`: text of each first position. `moves`: packed moves, as `pack_moves` writes them with `width` bytes a move. `clocks`: little-endian int32, tenths of a second left after each move, or None. `limits` int64 [n, 2]: plies to skip, and the least clock in tenths of a second for a position to be included (where known). Raises ParseError or IllegalMove.
        """

    @staticmethod
    def of_states(states: Sequence[BreakthroughState]) -> BreakthroughSamples:
        """
        The positions of games in progress, one a game. Without a move played, `encode` gives 0 as move and index.
        """

    @staticmethod
    def join(parts: Sequence[BreakthroughSamples]) -> BreakthroughSamples:
        """The positions of all parts, in order."""

    def take(self, which: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> BreakthroughSamples:
        """The positions with these indices, int64 [n]. Raises IndexError."""

    @staticmethod
    def encodings() -> list[str]:
        """The names of the game's encodings."""

    @staticmethod
    def packable(encoding: str) -> bool:
        """
        Whether `encode` can pack this encoding: it holds whole numbers only. Raises ValueError.
        """

    symmetries: Final[int] = ...
    """The number of board symmetries of the game, the identity included."""

    def __len__(self) -> int: ...

    @property
    def games(self) -> NDArray[numpy.int64]:
        """The index of each position's game, int64 [positions]."""

    @property
    def plies(self) -> NDArray[numpy.int32]:
        """Moves played before each position, int32 [positions]."""

    @property
    def movers(self) -> NDArray[numpy.int8]:
        """The player to move, 0 or 1: int8 [positions]."""

    @property
    def clocks_before(self) -> NDArray[numpy.int32]:
        """
        The mover's clock before the move, in tenths of a second; -1 if unknown: int32 [positions].
        """

    @property
    def clocks(self) -> NDArray[numpy.int32]:
        """
        The mover's clock after the move, in tenths of a second; -1 if unknown: int32 [positions].
        """

    def encode(self, which: numpy.typing.NDArray[numpy.int64], encoding: str, history: int, symmetries: numpy.typing.NDArray[numpy.uint8] | None, packed: bool = False) -> tuple[Any, numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.uint8]]:
        """
        Encodes the positions with the indices `which`, int64 [n].

        `encoding` is a name of `encodings`; `history` is the number of positions shown, 1 where the encoding has a fixed history; `symmetries` uint8 [n] are applied where they hold. Returns the encoding [n, ...], the legal moves of all positions one after the other, their policy labels (0xFFFF: none), the offsets [n + 1] of each position's legal moves, the moves played [n], their indices among the legal moves [n], and the symmetries applied [n]. If `packed`, the encoding is a pair: the bits of all binary planes [n, bytes], first cell in the lowest bit, and the values of the count planes [n, planes]. Raises ValueError or IndexError.
        """

    @staticmethod
    def encode_states(states: Sequence[Any], encoding: str, history: int) -> numpy.typing.NDArray[numpy.generic]:
        """
        The encoding of states, [states, ...], as `encode` gives it. Raises ValueError.
        """

    @staticmethod
    def decode_states(states: Sequence[Any], logits: numpy.typing.NDArray[numpy.float32], encoding: str) -> tuple[list[tuple[int, ...]], numpy.typing.NDArray[numpy.float32]]:
        """
        The legal moves of each state, ascending, and their probabilities in one array: a softmax over the labels of the legal moves.

        `logits` float32 [states, labels]. A move without a label gets all of the probability. Raises ValueError.
        """

class BreakthroughNetwork:
    """
    A value network with two hidden layers and tanh output. Inputs are the pieces, one-hot by owner, attackers, protectors and square.
    """

    def __init__(self, places: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], measured: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], first_bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], between: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], second_bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], last: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], last_bias: float) -> None:
        """
        Weights as float32 [inputs, units], biases as [units]. Raises ParseError if the sizes do not match.
        """

    places: Final[int] = ...
    """The number of one-hot inputs."""

    numbers: Final[int] = ...
    """The number of measured inputs."""

    def value(self, state: BreakthroughState) -> float:
        """The value of a state for its side to move, from -1 to 1."""

    @staticmethod
    def inputs(states: Sequence[Any]) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float32]]:
        """
        The indices of the one-hot inputs, int64 [states, most], padded with `places`, and the measured inputs, float32 [states, numbers].
        """

    @staticmethod
    def batch_inputs(states: Any) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float32]]:
        """`inputs` of a batch of states, such as a <Game>States."""

class BreakthroughMinimaxForest:
    """
    Best-first minimax with completed values in many trees (core/search/minimax_tree.hpp).

    `search` evaluates with a native network; `select` and `evaluate` give the positions out in batches, those of all trees together.
    """

    def __init__(self, roots: Sequence[BreakthroughState], *, descend: bool = False, horizon: int = 200, megabytes: int = 512) -> None:
        """
        A tree for each root. `descend`: each iteration goes on to the end of a game (Descent). A win at ply p counts 1 - p / (2 * horizon), at least 1/2. `megabytes` is the limit of each tree.
        """

    def __len__(self) -> int:
        """The number of trees."""

    def select(self, evaluations: int) -> Any:
        """
        The positions to evaluate next, of every tree with fewer than `evaluations` since its last move. None: the search is over. Raises RuntimeError while earlier positions wait.
        """

    def evaluate(self, values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Takes the values float32 [positions] of the last `select`, each for its side to move. Raises ValueError.
        """

    def search(self, network: BreakthroughNetwork, evaluations: int, seconds: float = float('inf')) -> None:
        """
        Searches every tree with a native network until it has `evaluations` since its last move, or `seconds` are over, or `stop` is called.
        """

    def stop(self) -> None:
        """Ends the search of another thread."""

    @property
    def evaluations(self) -> NDArray[numpy.int64]:
        """Positions evaluated in each tree since its last move: int64 [trees]."""

    def nodes(self, tree: int) -> int:
        """The number of nodes of a tree: the positions that a line went through."""

    def bytes(self, tree: int) -> int:
        """The approximate size of a tree in bytes."""

    def root(self, tree: int) -> BreakthroughState:
        """The state at the root of a tree."""

    def value(self, tree: int) -> tuple[float, int, bool]:
        """
        The root's value for its side to move; 1 if it wins by force, -1 if it loses, else 0; and whether its result is proven.
        """

    def root_moves(self, tree: int) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.uint8]]:
        """
        The moves at a root, an array [moves] each: moves, values for the side to move, visits, completions (1 wins by force, -1 loses, else 0), and whether the result is proven. Empty before the first search.
        """

    def safest(self, tree: int) -> int:
        """
        The move to play: a proven win, else the move that was searched most. Raises RuntimeError before the first search.
        """

    def pv(self, tree: int) -> list[int]:
        """The best moves from a root on."""

    def advance(self, tree: int, move: int) -> None:
        """Plays a move at a root and keeps the whole tree. Raises IllegalMove."""

    def compact(self, tree: int) -> None:
        """Drops what is not below the root of a tree."""

    def targets(self, tree: int) -> tuple[Any, numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.uint8]]:
        """
        All expanded states of a tree as one batch, their minimax values for the side to move, float32 [states], and whether their results are proven.
        """

class BreakthroughSearch:
    """
    Alpha-beta search with an evaluation that is linear in features of the position.

    Values are for the side to move; 100 is a win and -100 a loss. The transposition table is kept between searches. One search runs at a time; other threads wait.
    """

    def __init__(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], megabytes: int = 16) -> None:
        """
        `weights` float64 [stages, features]; `megabytes` is the size of the transposition table. Raises ValueError.
        """

    @staticmethod
    def feature_names() -> list[str]:
        """The names of the features, the columns of the weights."""

    @staticmethod
    def stage_names() -> list[str]:
        """The names of the stages of the game, the rows of the weights."""

    @staticmethod
    def extract_features(state: object) -> tuple[int, numpy.typing.NDArray[numpy.float64]]:
        """
        The stage of a state, an index of `stage_names`, and its features for the side to move, float64 [features].
        """

    def set_weights(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """
        Replaces the weights, float64 [stages, features], and clears the table. Raises ValueError.
        """

    def evaluate(self, state: BreakthroughState) -> float:
        """
        The static evaluation of a state for its side to move, between -100 and 100.
        """

    def candidate_moves(self, state: BreakthroughState) -> list[int]:
        """
        The moves that a search considers, in ascending order. Raises ValueError if the game is over.
        """

    def analyse(self, state: BreakthroughState, *, depth: int | None = None, nodes: int | None = None, seconds: float | None = None, threads: int = 1, margin: float = 0.0, reduce: bool = True) -> Analysis:
        """
        Searches a state until the first limit is reached.

        `depth` in plies, `nodes` per thread, `seconds`: at least one is needed. Moves within `margin` of the best get exact values. `reduce` turns late move reductions on. Raises ValueError if the game is over or no limit is given.
        """

    def treestrap(self, state: object, *, depth: int, all_nodes: bool, minimax: bool, min_depth: int, decay: float, max_error: float, skip_draws: bool, staged: bool) -> tuple[Analysis, numpy.typing.NDArray[numpy.float64], int, float]:
        """
        Searches a state with an empty table and computes the gradient of RootStrap or TreeStrap.

        The options are those of TreeStrapConfig in core/search/treestrap.hpp. `staged` ends lines at the next stage of the game. Returns the analysis; the sum over the nodes of decay^d (V - H) phi, float64 [stages, features]; the number of nodes in the sum; and their weighted squared error. Raises ValueError if the game is over.
        """

    def stop(self) -> None:
        """Stops the search of another thread."""

    def clear(self) -> None:
        """Clears the transposition table."""

    def set_network(self, network: BreakthroughNetwork) -> None:
        """
        Evaluates with a network instead of the weights. Clears the transposition table.
        """

class ShogiState:
    """A shogi position and the line of play before it."""

    @staticmethod
    def parse(text: str) -> ShogiState:
        """
        The state of a position given as text, in the format of `text`. Raises ParseError.
        """

    def text(self) -> str:
        """The position as one line of text, which `parse` reads."""

    @property
    def to_move(self) -> int:
        """The player to move: 0 moves first by the rules, 1 is the opponent."""

    @property
    def ply(self) -> int:
        """The number of moves since the start of the line."""

    @property
    def key(self) -> int:
        """
        A 64-bit hash key. Positions that the repetition rule treats as equal have equal keys.
        """

    @property
    def outcome(self) -> Outcome | None:
        """The result of the game, or None if it is not over."""

    def legal_moves(self) -> list[int]:
        """The legal moves in ascending order; empty if the game is over."""

    def play(self, move: int) -> ShogiState:
        """
        The state after a move. Raises IllegalMove if the move is not legal or the game is over.
        """

    def play_past_end(self, move: int) -> ShogiState:
        """
        The state after a move, even if a draw by rule has ended the game: recorded games may continue. Raises IllegalMove.
        """

    def move_text(self, move: int) -> str:
        """The text of a move, which `parse_move` reads."""

    def parse_move(self, text: str) -> int:
        """The move of a text. It need not be legal. Raises ParseError."""

    @property
    def previous(self) -> Self | None:
        """The state before the last move, or None at the start of the line."""

    @property
    def last_move(self) -> int | None:
        """The move that led to this state, or None at the start of the line."""

    def perft(self, depth: int) -> int:
        """
        The number of move sequences of length `depth`. Draws by repetition or move count do not end a sequence.
        """

    def playout(self, seed: int, limit: int) -> tuple[Outcome | None, int]:
        """
        Plays uniformly random moves to the end of the game, or `limit` plies.

        Returns the outcome (None if the limit was reached) and the number of plies. The same seed gives the same moves.
        """

    @staticmethod
    def encode(states: Sequence[ShogiState]) -> NDArray[numpy.float32]:
        """
        The planes of the states, each seen by its side to move: float32 [states, planes, rows, columns], values from 0 to 1.

        Raises ValueError if there are no states or their boards differ in size.
        """

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    def __str__(self) -> str: ...

    def pack_moves(self, width: int) -> bytes:
        """
        The moves since the start of the line, each as its index among the legal moves, little-endian in `width` bytes (1 or 2).

        Raises IllegalMove if an index does not fit.
        """

    def unpack_moves(self, packed: bytes, width: int) -> ShogiState:
        """
        The state after moves that `pack_moves` packed with the same `width`. Raises ParseError or IllegalMove.
        """

    def __getstate__(self) -> tuple[str, list[int]]: ...

    def __setstate__(self, arg: tuple[str, Sequence[int]], /) -> None: ...

    @staticmethod
    def replay(start: str, moves: Sequence[int]) -> ShogiState:
        """
        The state after `moves` from the position with the text `start`; moves after a draw by rule are allowed. Raises ParseError or IllegalMove.
        """

    @staticmethod
    def initial() -> ShogiState: ...

    @property
    def in_check(self) -> bool:
        """Whether the side to move is in check."""

    @property
    def repetitions(self) -> int:
        """
        The number of times this position has occurred in the line, this time included.
        """

    def alphabeta(self, nodes: int, margin: int) -> list[tuple[int, int]]:
        """
        The legal moves with their scores, best first, by an alpha-beta search with a material evaluation.

        `nodes` is about the number of positions searched. Scores are centipawns for the side to move; they are exact within `margin` centipawns of the best, and upper bounds otherwise. Empty if the game is over.
        """

    @property
    def symmetries(self) -> int:
        """
        The number of board symmetries that apply to this position, the identity included.
        """

    def transformed_cells(self, symmetry: int) -> numpy.typing.NDArray[numpy.int64]:
        """
        The image of each cell of the planes, row by row: int64 [rows * columns].

        `symmetry` is a number below `symmetries`; 0 is the identity. Raises ValueError for another.
        """

    def transformed_moves(self, symmetry: int) -> numpy.typing.NDArray[numpy.int64]:
        """
        The image of each legal move, in the order of `legal_moves`: int64 [legal moves].

        `symmetry` is a number below `symmetries`; 0 is the identity. Raises ValueError for another.
        """

    def tree(self, config: PuctConfig) -> ShogiTree:
        """A new PUCT tree with this state at the root."""

class ShogiTree:
    """
    A PUCT tree. `select` gives out leaves in batches, `evaluate` takes their evaluations.
    """

    def __init__(self, root: ShogiState, config: PuctConfig) -> None:
        """A tree with one node, `root`."""

    @property
    def root(self) -> ShogiState:
        """The state at the root."""

    @property
    def visits(self) -> int:
        """The number of visits of the root."""

    @property
    def value(self) -> float:
        """
        The root's value for its side to move, from -1 to 1; exact if proven, NaN before the first visit.
        """

    @property
    def max_depth(self) -> int:
        """The length of the longest line searched, in plies."""

    @property
    def full(self) -> bool:
        """Whether the memory limit is reached: no node is added."""

    @property
    def bytes(self) -> int:
        """The approximate size of the tree in bytes."""

    def __len__(self) -> int:
        """The number of nodes."""

    def select(self, count: int, visits: int) -> list[ShogiState]:
        """
        Up to `count` leaves to evaluate.

        `visits` limits the visits of the root in this call, terminal nodes included. Empty if nothing is left to learn: the memory limit is reached, or the end of every move is proven. Raises RuntimeError while earlier leaves wait for their evaluation.
        """

    def evaluate(self, priors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Evaluates the leaves of the last `select`.

        `priors` float32: the priors of each leaf's legal moves in ascending order, one leaf after the other; they need not sum to 1. `values` float32 [leaves]: for the side to move, from -1 to 1. Raises ValueError if the sizes do not match or a number is not finite or a prior negative; the leaves then still wait.
        """

    def cancel(self) -> None:
        """Drops the leaves of the last `select` without an evaluation."""

    @property
    def lead(self) -> int:
        """
        By how many visits the most visited move of the root leads the next: if fewer visits are left, the choice is certain.
        """

    def add_noise(self, noise: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], share: float) -> None:
        """
        Mixes noise into the root's priors: (1 - share) * prior + share * noise.

        `noise` float32 [legal moves of the root]. Raises ValueError if the size does not match.
        """

    def begin_halving(self, noise: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], visits: int, considered: int, c_visit: float, c_scale: float) -> None:
        """
        Searches the root by Gumbel and sequential halving: `visits` visits of its moves, of which the `considered` best by noise + logit are searched.

        `noise` float32 [legal moves of the root]: samples of the Gumbel distribution. sigma(q) = (c_visit + max N) c_scale q. The search ends early if a win is proven. Raises ValueError, and RuntimeError if moves of the root were visited.
        """

    def halving_choice(self) -> int:
        """
        The place among the root's moves of the move that sequential halving plays: a proven win, or the best of the most visited. Raises RuntimeError without `begin_halving`.
        """

    def restrict(self, moves: Sequence[int]) -> None:
        """
        Restricts the search to these moves of the root; an empty list lifts the restriction.
        """

    def root_moves(self) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64]]:
        """
        The statistics of the root's legal moves in ascending order, empty before the root was evaluated: moves, priors, visits, values and forced, an array [moves] each.

        Values are for the side to move, NaN without visits. `forced` is the number of plies to a proven win, negative for a loss, 0 if neither is proven.
        """

    def pv(self, first: int) -> list[int]:
        """
        The principal variation that begins with the move `first` of the root: the most visited moves, or a proven line to its end.
        """

    def advance(self, move: int) -> None:
        """
        Plays a move at the root and keeps the tree below it. Raises IllegalMove.
        """

class ShogiStates:
    """
    A batch of states: a sequence that encodes and decodes without a Python object each.
    """

    def __init__(self, states: Sequence[ShogiState]) -> None:
        """The batch of these states."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int) -> ShogiState: ...

    def take(self, which: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> ShogiStates:
        """The states with these indices, int64 [n]. Raises IndexError."""

    @property
    def to_move(self) -> NDArray[numpy.int8]:
        """The player to move, 0 or 1: int8 [states]."""

    @property
    def plies(self) -> NDArray[numpy.int32]:
        """Moves played before each state: int32 [states]."""

    def encode(self, encoding: str, history: int) -> numpy.typing.NDArray[numpy.generic]:
        """The encoding of the states, [states, ...]. Raises ValueError."""

    def decode(self, logits: numpy.typing.NDArray[numpy.float32], encoding: str) -> tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.int64]]:
        """
        A softmax over the labels of the legal moves.

        `logits` float32 [states, labels]. Returns the probabilities of all legal moves, state after state and ascending, and the offsets int64 [states + 1] of each state's. Raises ValueError.
        """

class ShogiForest:
    """
    Many PUCT trees searched in lockstep: each step evaluates a batch of every tree.
    """

    def __init__(self, roots: Sequence[ShogiState], config: PuctConfig) -> None:
        """A tree for each root."""

    def __len__(self) -> int:
        """The number of trees."""

    @overload
    def select(self, visits: int) -> tuple[Any, numpy.typing.NDArray[numpy.int64]]:
        """
        The next leaves of every tree with fewer than `visits` visits: the states as one batch, and the index of each one's tree, int64 [leaves]. A tree has as many as in a search of its own (`PuctConfig.batch_size`). No leaves: the search is over. Raises RuntimeError while earlier leaves wait for their evaluation.
        """

    @overload
    def select(self, visits: numpy.typing.NDArray[numpy.int64]) -> tuple[Any, numpy.typing.NDArray[numpy.int64]]:
        """The same with a limit of its own for each tree, int64 [trees]."""

    def add_noise(self, noise: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], share: float) -> None:
        """
        Mixes noise into the priors of all roots: see the tree's `add_noise`. `noise` float32 [root moves of all trees], as `root_moves` orders them. Raises ValueError.
        """

    def begin_halving(self, noise: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], visits: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], considered: int, c_visit: float, c_scale: float) -> None:
        """
        Searches all roots by sequential halving: see the tree's `begin_halving`. `noise` float32 [root moves of all trees]; `visits` int64 [trees]. Raises ValueError, and RuntimeError if moves of a root were visited.
        """

    def halving_choices(self) -> NDArray[numpy.int64]:
        """The place of each tree's choice among its root moves: int64 [trees]."""

    def advance(self, moves: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Plays a move in every tree, int64 [trees], and keeps the tree below it. Raises IllegalMove.
        """

    def restart(self, tree: int, root: ShogiState) -> None:
        """Replaces a tree by a new one."""

    def evaluate(self, priors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Evaluates the leaves of the last `select`: see the tree's `evaluate`. Raises ValueError.
        """

    def cancel(self) -> None:
        """Drops the leaves of the last `select` without an evaluation."""

    @property
    def visits(self) -> NDArray[numpy.int64]:
        """The visits of each root: int64 [trees]."""

    @property
    def values(self) -> NDArray[numpy.float64]:
        """The value of each root for its side to move: float64 [trees]."""

    @property
    def max_depths(self) -> NDArray[numpy.int64]:
        """The length of the longest line of each tree, in plies: int64 [trees]."""

    def pv(self, tree: int, first: int) -> list[int]:
        """The principal variation of a tree: see the tree's `pv`."""

    def root_moves(self) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int64]]:
        """
        The statistics of the root moves of all trees, tree after tree: moves, priors, visits, values and forced as in a tree's `root_moves`, and the offsets int64 [trees + 1] of each tree's.
        """

class ShogiSamples:
    """
    Positions of recorded games, each with the line of play before it and the move played.
    """

    @staticmethod
    def unpack(starts: Sequence[str], moves: Sequence[bytes], clocks: Sequence[bytes | None], limits: Annotated[NDArray[numpy.int64], dict(shape=(None, 2), order='C', device='cpu', writable=False)], width: int) -> ShogiSamples:
        """
        Unpacks the positions of n games of a table, in order.

        `starts`: text of each first position. `moves`: packed moves, as `pack_moves` writes them with `width` bytes a move. `clocks`: little-endian int32, tenths of a second left after each move, or None. `limits` int64 [n, 2]: plies to skip, and the least clock in tenths of a second for a position to be included (where known). Raises ParseError or IllegalMove.
        """

    @staticmethod
    def of_states(states: Sequence[ShogiState]) -> ShogiSamples:
        """
        The positions of games in progress, one a game. Without a move played, `encode` gives 0 as move and index.
        """

    @staticmethod
    def join(parts: Sequence[ShogiSamples]) -> ShogiSamples:
        """The positions of all parts, in order."""

    def take(self, which: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> ShogiSamples:
        """The positions with these indices, int64 [n]. Raises IndexError."""

    @staticmethod
    def encodings() -> list[str]:
        """The names of the game's encodings."""

    @staticmethod
    def packable(encoding: str) -> bool:
        """
        Whether `encode` can pack this encoding: it holds whole numbers only. Raises ValueError.
        """

    symmetries: Final[int] = ...
    """The number of board symmetries of the game, the identity included."""

    def __len__(self) -> int: ...

    @property
    def games(self) -> NDArray[numpy.int64]:
        """The index of each position's game, int64 [positions]."""

    @property
    def plies(self) -> NDArray[numpy.int32]:
        """Moves played before each position, int32 [positions]."""

    @property
    def movers(self) -> NDArray[numpy.int8]:
        """The player to move, 0 or 1: int8 [positions]."""

    @property
    def clocks_before(self) -> NDArray[numpy.int32]:
        """
        The mover's clock before the move, in tenths of a second; -1 if unknown: int32 [positions].
        """

    @property
    def clocks(self) -> NDArray[numpy.int32]:
        """
        The mover's clock after the move, in tenths of a second; -1 if unknown: int32 [positions].
        """

    def encode(self, which: numpy.typing.NDArray[numpy.int64], encoding: str, history: int, symmetries: numpy.typing.NDArray[numpy.uint8] | None, packed: bool = False) -> tuple[Any, numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.uint8]]:
        """
        Encodes the positions with the indices `which`, int64 [n].

        `encoding` is a name of `encodings`; `history` is the number of positions shown, 1 where the encoding has a fixed history; `symmetries` uint8 [n] are applied where they hold. Returns the encoding [n, ...], the legal moves of all positions one after the other, their policy labels (0xFFFF: none), the offsets [n + 1] of each position's legal moves, the moves played [n], their indices among the legal moves [n], and the symmetries applied [n]. If `packed`, the encoding is a pair: the bits of all binary planes [n, bytes], first cell in the lowest bit, and the values of the count planes [n, planes]. Raises ValueError or IndexError.
        """

    @staticmethod
    def encode_states(states: Sequence[Any], encoding: str, history: int) -> numpy.typing.NDArray[numpy.generic]:
        """
        The encoding of states, [states, ...], as `encode` gives it. Raises ValueError.
        """

    @staticmethod
    def decode_states(states: Sequence[Any], logits: numpy.typing.NDArray[numpy.float32], encoding: str) -> tuple[list[tuple[int, ...]], numpy.typing.NDArray[numpy.float32]]:
        """
        The legal moves of each state, ascending, and their probabilities in one array: a softmax over the labels of the legal moves.

        `logits` float32 [states, labels]. A move without a label gets all of the probability. Raises ValueError.
        """

def dlshogi_encode(states: Sequence[ShogiState]) -> tuple[NDArray[numpy.float32], NDArray[numpy.float32]]:
    """
    The two inputs of dlshogi networks: float32 [states, 62, 9, 9] (pieces and attacks) and [states, 57, 9, 9] (hands, check).
    """

def dlshogi_decode(states: Sequence[ShogiState], logits: numpy.typing.NDArray[numpy.float32]) -> tuple[list[tuple[int, ...]], numpy.typing.NDArray[numpy.float32]]:
    """
    Each state's legal moves, ascending, and the probabilities of all of them in one float32 array, one state after the other.

    `logits` float32 [states, 2187]. The declaration of a win, if legal, gets all of the probability. Raises ValueError if the shape is wrong or a logit is NaN.
    """

def dlshogi_label(state: ShogiState, move: int) -> int | None:
    """
    The policy label of a legal move, or None for the declaration of a win. Raises IllegalMove.
    """

def dlshogi_move(state: ShogiState, label: int) -> int | None:
    """The legal move of a policy label, or None."""

def hcp_to_sfen(hcp: bytes) -> str:
    """
    The SFEN of a Huffman coded position (HCP) of 32 bytes. Raises ParseError.
    """

def move16_to_usi(move: int) -> str:
    """
    The USI text of a 16-bit move of Apery, dlshogi or cshogi. Raises ParseError.
    """

class GoState:
    """
    A Go position with its rules, and the line of play before it. Points are y * size + x from A1; the pass is size * size.
    """

    @staticmethod
    def parse(text: str) -> GoState:
        """
        The state of a position given as text, in the format of `text`. Raises ParseError.
        """

    def text(self) -> str:
        """The position as one line of text, which `parse` reads."""

    @property
    def to_move(self) -> int:
        """The player to move: 0 moves first by the rules, 1 is the opponent."""

    @property
    def ply(self) -> int:
        """The number of moves since the start of the line."""

    @property
    def key(self) -> int:
        """
        A 64-bit hash key. Positions that the repetition rule treats as equal have equal keys.
        """

    @property
    def outcome(self) -> Outcome | None:
        """The result of the game, or None if it is not over."""

    def legal_moves(self) -> list[int]:
        """The legal moves in ascending order; empty if the game is over."""

    def play(self, move: int) -> GoState:
        """
        The state after a move. Raises IllegalMove if the move is not legal or the game is over.
        """

    def play_past_end(self, move: int) -> GoState:
        """
        The state after a move, even if a draw by rule has ended the game: recorded games may continue. Raises IllegalMove.
        """

    def move_text(self, move: int) -> str:
        """The text of a move, which `parse_move` reads."""

    def parse_move(self, text: str) -> int:
        """The move of a text. It need not be legal. Raises ParseError."""

    @property
    def previous(self) -> Self | None:
        """The state before the last move, or None at the start of the line."""

    @property
    def last_move(self) -> int | None:
        """The move that led to this state, or None at the start of the line."""

    def perft(self, depth: int) -> int:
        """
        The number of move sequences of length `depth`. Draws by repetition or move count do not end a sequence.
        """

    def playout(self, seed: int, limit: int) -> tuple[Outcome | None, int]:
        """
        Plays uniformly random moves to the end of the game, or `limit` plies.

        Returns the outcome (None if the limit was reached) and the number of plies. The same seed gives the same moves.
        """

    @staticmethod
    def encode(states: Sequence[GoState]) -> NDArray[numpy.float32]:
        """
        The planes of the states, each seen by its side to move: float32 [states, planes, rows, columns], values from 0 to 1.

        Raises ValueError if there are no states or their boards differ in size.
        """

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    def __str__(self) -> str: ...

    def pack_moves(self, width: int) -> bytes:
        """
        The moves since the start of the line, each as its index among the legal moves, little-endian in `width` bytes (1 or 2).

        Raises IllegalMove if an index does not fit.
        """

    def unpack_moves(self, packed: bytes, width: int) -> GoState:
        """
        The state after moves that `pack_moves` packed with the same `width`. Raises ParseError or IllegalMove.
        """

    def __getstate__(self) -> tuple[str, list[int]]: ...

    def __setstate__(self, arg: tuple[str, Sequence[int]], /) -> None: ...

    @staticmethod
    def replay(start: str, moves: Sequence[int]) -> GoState:
        """
        The state after `moves` from the position with the text `start`; moves after a draw by rule are allowed. Raises ParseError or IllegalMove.
        """

    @staticmethod
    def initial(size: int = 19, komi: float = 7.5, ko: str = 'positional', suicide: bool = False, scoring: str = 'area', tax: str = 'none', handicap: int = 0) -> GoState:
        """
        The empty board, or one with handicap stones, by these rules.

        `size` 2 to 19; `komi` in points, a multiple of 0.5; `ko` positional, situational or simple; `scoring` area or territory; `tax` none, seki or all; `handicap` stones as in GTP's fixed_handicap. Raises ParseError.
        """

    @property
    def size(self) -> int:
        """The number of rows and columns."""

    @property
    def komi(self) -> float:
        """White's compensation in points."""

    @property
    def ko(self) -> str:
        """The ko rule: positional, situational or simple."""

    @property
    def suicide(self) -> bool:
        """Whether suicide of two or more stones is legal."""

    @property
    def scoring(self) -> str:
        """The scoring rule: area or territory."""

    @property
    def tax(self) -> str:
        """The group tax: none, seki or all."""

    @property
    def stones(self) -> tuple[list[int], list[int]]:
        """The points of Black's and of White's stones."""

    @property
    def ko_point(self) -> int | None:
        """
        The point on which the simple ko rule forbids the player to move to capture, or None.
        """

    @property
    def prisoners(self) -> tuple[int, int]:
        """
        Stones captured by Black and by White, including those that the other lost by suicide.
        """

    @property
    def passes(self) -> int:
        """The number of consecutive passes; two end the game."""

    def score(self, dead: Sequence[int] = ()) -> tuple[float, float]:
        """
        The scores of Black and White, komi included, if the game ended here.

        Chains with a stone on a point of `dead` are removed as prisoners; all others count as alive. Raises ValueError if a point of `dead` is empty.
        """

    def playout_ownership(self, playouts: int, seed: int) -> list[float]:
        """
        The mean owner of every point after random playouts, [points]: 1 for Black, -1 for White.

        The playouts fill no own eyes. Raises ValueError.
        """

    @property
    def symmetries(self) -> int:
        """
        The number of board symmetries that apply to this position, the identity included.
        """

    def transformed_cells(self, symmetry: int) -> numpy.typing.NDArray[numpy.int64]:
        """
        The image of each cell of the planes, row by row: int64 [rows * columns].

        `symmetry` is a number below `symmetries`; 0 is the identity. Raises ValueError for another.
        """

    def transformed_moves(self, symmetry: int) -> numpy.typing.NDArray[numpy.int64]:
        """
        The image of each legal move, in the order of `legal_moves`: int64 [legal moves].

        `symmetry` is a number below `symmetries`; 0 is the identity. Raises ValueError for another.
        """

    def tree(self, config: PuctConfig) -> GoTree:
        """A new PUCT tree with this state at the root."""

class GoTree:
    """
    A PUCT tree. `select` gives out leaves in batches, `evaluate` takes their evaluations.
    """

    def __init__(self, root: GoState, config: PuctConfig) -> None:
        """A tree with one node, `root`."""

    @property
    def root(self) -> GoState:
        """The state at the root."""

    @property
    def visits(self) -> int:
        """The number of visits of the root."""

    @property
    def value(self) -> float:
        """
        The root's value for its side to move, from -1 to 1; exact if proven, NaN before the first visit.
        """

    @property
    def max_depth(self) -> int:
        """The length of the longest line searched, in plies."""

    @property
    def full(self) -> bool:
        """Whether the memory limit is reached: no node is added."""

    @property
    def bytes(self) -> int:
        """The approximate size of the tree in bytes."""

    def __len__(self) -> int:
        """The number of nodes."""

    def select(self, count: int, visits: int) -> list[GoState]:
        """
        Up to `count` leaves to evaluate.

        `visits` limits the visits of the root in this call, terminal nodes included. Empty if nothing is left to learn: the memory limit is reached, or the end of every move is proven. Raises RuntimeError while earlier leaves wait for their evaluation.
        """

    def evaluate(self, priors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Evaluates the leaves of the last `select`.

        `priors` float32: the priors of each leaf's legal moves in ascending order, one leaf after the other; they need not sum to 1. `values` float32 [leaves]: for the side to move, from -1 to 1. Raises ValueError if the sizes do not match or a number is not finite or a prior negative; the leaves then still wait.
        """

    def cancel(self) -> None:
        """Drops the leaves of the last `select` without an evaluation."""

    @property
    def lead(self) -> int:
        """
        By how many visits the most visited move of the root leads the next: if fewer visits are left, the choice is certain.
        """

    def add_noise(self, noise: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], share: float) -> None:
        """
        Mixes noise into the root's priors: (1 - share) * prior + share * noise.

        `noise` float32 [legal moves of the root]. Raises ValueError if the size does not match.
        """

    def begin_halving(self, noise: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], visits: int, considered: int, c_visit: float, c_scale: float) -> None:
        """
        Searches the root by Gumbel and sequential halving: `visits` visits of its moves, of which the `considered` best by noise + logit are searched.

        `noise` float32 [legal moves of the root]: samples of the Gumbel distribution. sigma(q) = (c_visit + max N) c_scale q. The search ends early if a win is proven. Raises ValueError, and RuntimeError if moves of the root were visited.
        """

    def halving_choice(self) -> int:
        """
        The place among the root's moves of the move that sequential halving plays: a proven win, or the best of the most visited. Raises RuntimeError without `begin_halving`.
        """

    def restrict(self, moves: Sequence[int]) -> None:
        """
        Restricts the search to these moves of the root; an empty list lifts the restriction.
        """

    def root_moves(self) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64]]:
        """
        The statistics of the root's legal moves in ascending order, empty before the root was evaluated: moves, priors, visits, values and forced, an array [moves] each.

        Values are for the side to move, NaN without visits. `forced` is the number of plies to a proven win, negative for a loss, 0 if neither is proven.
        """

    def pv(self, first: int) -> list[int]:
        """
        The principal variation that begins with the move `first` of the root: the most visited moves, or a proven line to its end.
        """

    def advance(self, move: int) -> None:
        """
        Plays a move at the root and keeps the tree below it. Raises IllegalMove.
        """

class GoStates:
    """
    A batch of states: a sequence that encodes and decodes without a Python object each.
    """

    def __init__(self, states: Sequence[GoState]) -> None:
        """The batch of these states."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int) -> GoState: ...

    def take(self, which: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> GoStates:
        """The states with these indices, int64 [n]. Raises IndexError."""

    @property
    def to_move(self) -> NDArray[numpy.int8]:
        """The player to move, 0 or 1: int8 [states]."""

    @property
    def plies(self) -> NDArray[numpy.int32]:
        """Moves played before each state: int32 [states]."""

    def encode(self, encoding: str, history: int) -> numpy.typing.NDArray[numpy.generic]:
        """The encoding of the states, [states, ...]. Raises ValueError."""

    def decode(self, logits: numpy.typing.NDArray[numpy.float32], encoding: str) -> tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.int64]]:
        """
        A softmax over the labels of the legal moves.

        `logits` float32 [states, labels]. Returns the probabilities of all legal moves, state after state and ascending, and the offsets int64 [states + 1] of each state's. Raises ValueError.
        """

class GoForest:
    """
    Many PUCT trees searched in lockstep: each step evaluates a batch of every tree.
    """

    def __init__(self, roots: Sequence[GoState], config: PuctConfig) -> None:
        """A tree for each root."""

    def __len__(self) -> int:
        """The number of trees."""

    @overload
    def select(self, visits: int) -> tuple[Any, numpy.typing.NDArray[numpy.int64]]:
        """
        The next leaves of every tree with fewer than `visits` visits: the states as one batch, and the index of each one's tree, int64 [leaves]. A tree has as many as in a search of its own (`PuctConfig.batch_size`). No leaves: the search is over. Raises RuntimeError while earlier leaves wait for their evaluation.
        """

    @overload
    def select(self, visits: numpy.typing.NDArray[numpy.int64]) -> tuple[Any, numpy.typing.NDArray[numpy.int64]]:
        """The same with a limit of its own for each tree, int64 [trees]."""

    def add_noise(self, noise: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], share: float) -> None:
        """
        Mixes noise into the priors of all roots: see the tree's `add_noise`. `noise` float32 [root moves of all trees], as `root_moves` orders them. Raises ValueError.
        """

    def begin_halving(self, noise: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], visits: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], considered: int, c_visit: float, c_scale: float) -> None:
        """
        Searches all roots by sequential halving: see the tree's `begin_halving`. `noise` float32 [root moves of all trees]; `visits` int64 [trees]. Raises ValueError, and RuntimeError if moves of a root were visited.
        """

    def halving_choices(self) -> NDArray[numpy.int64]:
        """The place of each tree's choice among its root moves: int64 [trees]."""

    def advance(self, moves: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Plays a move in every tree, int64 [trees], and keeps the tree below it. Raises IllegalMove.
        """

    def restart(self, tree: int, root: GoState) -> None:
        """Replaces a tree by a new one."""

    def evaluate(self, priors: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Evaluates the leaves of the last `select`: see the tree's `evaluate`. Raises ValueError.
        """

    def cancel(self) -> None:
        """Drops the leaves of the last `select` without an evaluation."""

    @property
    def visits(self) -> NDArray[numpy.int64]:
        """The visits of each root: int64 [trees]."""

    @property
    def values(self) -> NDArray[numpy.float64]:
        """The value of each root for its side to move: float64 [trees]."""

    @property
    def max_depths(self) -> NDArray[numpy.int64]:
        """The length of the longest line of each tree, in plies: int64 [trees]."""

    def pv(self, tree: int, first: int) -> list[int]:
        """The principal variation of a tree: see the tree's `pv`."""

    def root_moves(self) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int64]]:
        """
        The statistics of the root moves of all trees, tree after tree: moves, priors, visits, values and forced as in a tree's `root_moves`, and the offsets int64 [trees + 1] of each tree's.
        """

class GoSamples:
    """
    Positions of recorded games, each with the line of play before it and the move played.
    """

    @staticmethod
    def unpack(starts: Sequence[str], moves: Sequence[bytes], clocks: Sequence[bytes | None], limits: Annotated[NDArray[numpy.int64], dict(shape=(None, 2), order='C', device='cpu', writable=False)], width: int) -> GoSamples:
        """
        Unpacks the positions of n games of a table, in order.

        `starts`: text of each first position. `moves`: packed moves, as `pack_moves` writes them with `width` bytes a move. `clocks`: little-endian int32, tenths of a second left after each move, or None. `limits` int64 [n, 2]: plies to skip, and the least clock in tenths of a second for a position to be included (where known). Raises ParseError or IllegalMove.
        """

    @staticmethod
    def of_states(states: Sequence[GoState]) -> GoSamples:
        """
        The positions of games in progress, one a game. Without a move played, `encode` gives 0 as move and index.
        """

    @staticmethod
    def join(parts: Sequence[GoSamples]) -> GoSamples:
        """The positions of all parts, in order."""

    def take(self, which: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> GoSamples:
        """The positions with these indices, int64 [n]. Raises IndexError."""

    @staticmethod
    def encodings() -> list[str]:
        """The names of the game's encodings."""

    @staticmethod
    def packable(encoding: str) -> bool:
        """
        Whether `encode` can pack this encoding: it holds whole numbers only. Raises ValueError.
        """

    symmetries: Final[int] = ...
    """The number of board symmetries of the game, the identity included."""

    def __len__(self) -> int: ...

    @property
    def games(self) -> NDArray[numpy.int64]:
        """The index of each position's game, int64 [positions]."""

    @property
    def plies(self) -> NDArray[numpy.int32]:
        """Moves played before each position, int32 [positions]."""

    @property
    def movers(self) -> NDArray[numpy.int8]:
        """The player to move, 0 or 1: int8 [positions]."""

    @property
    def clocks_before(self) -> NDArray[numpy.int32]:
        """
        The mover's clock before the move, in tenths of a second; -1 if unknown: int32 [positions].
        """

    @property
    def clocks(self) -> NDArray[numpy.int32]:
        """
        The mover's clock after the move, in tenths of a second; -1 if unknown: int32 [positions].
        """

    def encode(self, which: numpy.typing.NDArray[numpy.int64], encoding: str, history: int, symmetries: numpy.typing.NDArray[numpy.uint8] | None, packed: bool = False) -> tuple[Any, numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.uint8]]:
        """
        Encodes the positions with the indices `which`, int64 [n].

        `encoding` is a name of `encodings`; `history` is the number of positions shown, 1 where the encoding has a fixed history; `symmetries` uint8 [n] are applied where they hold. Returns the encoding [n, ...], the legal moves of all positions one after the other, their policy labels (0xFFFF: none), the offsets [n + 1] of each position's legal moves, the moves played [n], their indices among the legal moves [n], and the symmetries applied [n]. If `packed`, the encoding is a pair: the bits of all binary planes [n, bytes], first cell in the lowest bit, and the values of the count planes [n, planes]. Raises ValueError or IndexError.
        """

    @staticmethod
    def encode_states(states: Sequence[Any], encoding: str, history: int) -> numpy.typing.NDArray[numpy.generic]:
        """
        The encoding of states, [states, ...], as `encode` gives it. Raises ValueError.
        """

    @staticmethod
    def decode_states(states: Sequence[Any], logits: numpy.typing.NDArray[numpy.float32], encoding: str) -> tuple[list[tuple[int, ...]], numpy.typing.NDArray[numpy.float32]]:
        """
        The legal moves of each state, ascending, and their probabilities in one array: a softmax over the labels of the legal moves.

        `logits` float32 [states, labels]. A move without a label gets all of the probability. Raises ValueError.
        """

def katago_encode(states: Sequence[GoState], board_size: int) -> tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]:
    """
    The inputs of KataGo networks: float32 [states, 22, board_size, board_size] and [states, 19].

    Smaller boards are in the first rows and columns, rows from the top. Raises ValueError if a board does not fit.
    """

def katago_policy(states: Sequence[GoState], logits: numpy.typing.NDArray[numpy.float32], board_size: int) -> list[tuple[tuple[int, ...], numpy.typing.NDArray[numpy.float32]]]:
    """
    The legal moves of each state, ascending, with their probabilities, float32 [moves].

    `logits` float32 [states, board_size * board_size + 1], the pass last. Raises ValueError.
    """

def katago_values(states: Sequence[GoState], logits: numpy.typing.NDArray[numpy.float32]) -> numpy.typing.NDArray[numpy.float32]:
    """
    Probabilities of win, no result and loss for the player to move: float32 [states, 3].

    `logits` float32 [states, 3]: win, loss, no result. Raises ValueError.
    """
