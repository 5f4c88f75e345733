"""Sparring's native core: rules, encoders and trees."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Self, overload

import numpy
import numpy.typing
from numpy.typing import NDArray


class ParseError(ValueError):
    pass

class IllegalMove(ValueError):
    pass

class Outcome:
    """The result of a finished game."""

    @property
    def winner(self) -> int | None:
        """The winning player, 0 or 1; None for a draw."""

    @property
    def reason(self) -> str:
        """The rule that ended the game, such as 'checkmate'."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

class Analysis:
    """What a search found, for the side to move; values are 100 for a win."""

    @property
    def moves(self) -> list[tuple[int, float]]:
        """
        The moves that were searched, best first; beyond the margin the values are upper bounds.
        """

    @property
    def pv(self) -> list[int]:
        """The principal variation, quiescence included."""

    @property
    def value(self) -> float: ...

    @property
    def plies_to_end(self) -> int | None:
        """Where the game is decided, how soon it ends; the value says for whom."""

    @property
    def depth(self) -> int:
        """The last depth that was finished."""

    @property
    def nodes(self) -> int:
        """Positions visited, by all threads."""

    @property
    def seconds(self) -> float: ...

class PuctConfig:
    """
    The parameters of a PUCT search.

    Q is a move's mean value, P its prior, N(a) its visits and N their sum. A move's score is Q + c(N) P sqrt(N) / (1 + N(a)). Raises ValueError for a value out of range.
    """

    def __init__(self, *, c_puct: float = 1.5, c_base: float = 0.0, c_factor: float = 0.0, prior_temperature: float = 1.0, fpu_reduction: float = 0.3, fpu_absolute: bool = False, find_immediate_wins: bool = True, repetition_draws: bool = True, draw_value: float = 0.0, noise: float = 0.0, noise_alpha: float = 0.3, batch: int = 16, memory: int = 512) -> None: ...

    @property
    def c_puct(self) -> float:
        """
        Exploration constant c, at least 0. Infinity selects by the prior alone.
        """

    @property
    def c_base(self) -> float:
        """
        If positive, c grows with the visits: c_puct + c_factor * log((N + c_base + 1) / c_base).
        """

    @property
    def c_factor(self) -> float:
        """See c_base; no effect if c_base is 0."""

    @property
    def prior_temperature(self) -> float:
        """
        Softmax temperature t of the priors, above 0: P^(1/t), normalised. Above 1 flattens them.
        """

    @property
    def fpu_reduction(self) -> float:
        """
        First-play urgency: the Q of an unvisited move is the parent's value minus this times the square root of the sum of visited priors.
        """

    @property
    def fpu_absolute(self) -> bool:
        """If true, the Q of an unvisited move is fpu_reduction itself."""

    @property
    def find_immediate_wins(self) -> bool:
        """
        Whether every move of the root is tested for an immediate win, whatever its prior.
        """

    @property
    def repetition_draws(self) -> bool:
        """
        Whether a position that occurred before in the tree, or twice before in the game, is a draw.
        """

    @property
    def draw_value(self) -> float:
        """The value of a draw for the side to move at the root, from -1 to 1."""

    @property
    def noise(self) -> float:
        """
        The share of Dirichlet noise in the root's priors, from 0 to 1, for self-play.
        """

    @property
    def noise_alpha(self) -> float:
        """The concentration of the Dirichlet noise, above 0."""

    @property
    def batch(self) -> int:
        """The number of leaves evaluated together, at least 1."""

    @property
    def memory(self) -> int:
        """The memory limit of the tree in megabytes, at least 1."""

    def __repr__(self) -> str: ...

    def __hash__(self) -> int: ...

    def __eq__(self, other: object, /) -> bool: ...

class PgnGame:
    """One game of a PGN file; one with an error keeps the moves before it."""

    @property
    def line(self) -> int:
        """The line of the file where the game begins."""

    @property
    def end(self) -> int:
        """Bytes of the file up to the game's end: reading can go on from there."""

    @property
    def tags(self) -> dict[str, str]: ...

    def tag_values(self, names: tuple[str, ...]) -> list[str | None]:
        """
        The first value of each of these tags, None where there is none: quicker than `tags`.
        """

    @property
    def moves(self) -> bytes:
        """A byte a move: its index among the legal moves."""

    @property
    def clocks(self) -> bytes:
        """
        Tenths of a second left after each move as int32, -1 where unknown; empty if none is given.
        """

    @property
    def evals(self) -> bytes:
        """
        Centipawns for White after each move as int16 (mate in n is 32000 - n), -32768 where unknown; empty if none is given.
        """

    @property
    def result(self) -> str: ...

    @property
    def error(self) -> str:
        """What is wrong with the game; empty when nothing is."""

def chess_moves(start: str | None, packed: bytes) -> list[str]:
    """
    The moves of a packed chess game in UCI, from a FEN or the usual beginning.
    """

class PgnParser:
    """Reads PGN in pieces of any size, in bounded memory."""

    def __init__(self) -> None: ...

    def feed(self, data: bytes) -> None:
        """Takes the next bytes of a file."""

    def finish(self) -> None:
        """The file has ended."""

    def take(self) -> list[PgnGame]:
        """The games completed since the last call."""

class SgfGame:
    """The main line of a game of Go; one with an error has no more."""

    @property
    def line(self) -> int:
        """The line of the file where the game begins."""

    @property
    def end(self) -> int:
        """Bytes of the file up to the game's end: reading can go on from there."""

    @property
    def properties(self) -> dict[str, bytes]:
        """
        The facts of the game, undecoded: CA may say in which charset they are.
        """

    @property
    def start(self) -> str:
        """The text of the position before the first move."""

    @property
    def moves(self) -> bytes:
        """Two bytes a move: its index among the legal moves."""

    @property
    def clocks(self) -> bytes:
        """
        Tenths of a second left after each move as int32, -1 where unknown; empty if none is given.
        """

    @property
    def error(self) -> str:
        """What is wrong with the game; empty when nothing is."""

    @property
    def defect(self) -> bool:
        """
        Whether the error is that a whole record is no game of alternating moves.
        """

class SgfParser:
    """Reads SGF in pieces of any size, in bounded memory."""

    def __init__(self) -> None: ...

    def feed(self, data: bytes) -> None:
        """Takes the next bytes of a file."""

    def finish(self) -> None:
        """The file has ended."""

    def take(self) -> list[SgfGame]:
        """The games completed since the last call."""

class ChessState:
    """A chess position and the line that led to it."""

    @overload
    @staticmethod
    def parse(text: str) -> ChessState:
        """The state that a text describes; raises ParseError."""

    @overload
    @staticmethod
    def parse(text: str, claim_draws: bool) -> ChessState:
        """
        The position of a FEN, with or without `claim_draws`. Raises ParseError.
        """

    def text(self) -> str:
        """The state as text; parse reads it back."""

    @property
    def to_move(self) -> int:
        """0 for the first player, 1 for the second."""

    @property
    def ply(self) -> int:
        """Moves played since the start of the line."""

    @property
    def key(self) -> int:
        """A 64-bit key of what the repetition rule compares."""

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""

    def legal_moves(self) -> list[int]:
        """The legal moves in ascending order; none when the game is over."""

    def play(self, move: int) -> ChessState:
        """The state after a move; raises IllegalMove."""

    def play_past_end(self, move: int) -> ChessState:
        """
        The state after a move that the pieces can make, even where a draw by rule has ended the game: games on record may go on; raises IllegalMove.
        """

    def move_text(self, move: int) -> str:
        """A move as text."""

    def parse_move(self, text: str) -> int:
        """The move that a text describes, legal or not; raises ParseError."""

    @property
    def previous(self) -> Self | None:
        """The state before the last move."""

    @property
    def last_move(self) -> int | None:
        """The move that led here."""

    def perft(self, depth: int) -> int:
        """The number of move sequences of this length, the past ignored."""

    def playout(self, seed: int, limit: int) -> tuple[Outcome | None, int]:
        """
        Random moves to the end or for `limit` plies: the outcome and the plies played.
        """

    @staticmethod
    def encode(states: Sequence[ChessState]) -> NDArray[numpy.float32]:
        """
        Planes for a network, seen by the side to move: [states, planes, rows, columns], values in [0, 1].
        """

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    def __str__(self) -> str: ...

    def pack_moves(self, width: int) -> bytes:
        """
        The moves since the start of the line, each its index among the legal moves in `width` bytes.
        """

    def unpack_moves(self, packed: bytes, width: int) -> ChessState:
        """The state after moves that `pack_moves` packed."""

    def __getstate__(self) -> tuple[str, list[int]]: ...

    def __setstate__(self, arg: tuple[str, Sequence[int]], /) -> None: ...

    @staticmethod
    def replay(start: str, moves: Sequence[int]) -> ChessState:
        """The state after the moves from a start."""

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

        `priors` float32: the priors of each leaf's legal moves in ascending order, one leaf after the other; they need not sum to 1. `values` float32 [leaves]: for the side to move, from -1 to 1. Raises ValueError if the sizes do not match or a prior is negative or NaN.
        """

    def cancel(self) -> None:
        """Drops the leaves of the last `select` without an evaluation."""

    def add_noise(self, noise: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], share: float) -> None:
        """
        Mixes noise into the root's priors: (1 - share) * prior + share * noise.

        `noise` float32 [legal moves of the root]. Raises ValueError if the size does not match.
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
    """The 112 planes that Lc0's networks see, [states, 112, 8, 8]."""

def lc0_decode(states: Sequence[ChessState], logits: NDArray[numpy.float32]) -> tuple[list[tuple[int, ...]], NDArray[numpy.float32]]:
    """
    Each state's legal moves, ascending, and the probabilities of them all in one array, from a policy [states, 1858].
    """

def lc0_policy_moves() -> list[tuple[int, int, int]]:
    """
    The 1858 entries of the policy: from-square, to-square and promotion (4 queen, 3 rook, 2 bishop, 0 none or knight), as the mover sees the board.
    """

def maia3_encode(states: Sequence[ChessState]) -> NDArray[numpy.float32]:
    """
    Maia-3's tokens [states, 64, 96]: the last eight boards along the line.
    """

def maia3_decode(states: Sequence[ChessState], logits: numpy.typing.NDArray[numpy.float32]) -> tuple[list[tuple[int, ...]], numpy.typing.NDArray[numpy.float32]]:
    """
    The legal moves of every state, and the probabilities of all of them one after the other.
    """

class RbcState:
    """
    The true position of a reconnaissance blind chess game and the line of play before it.
    """

    @staticmethod
    def parse(text: str) -> RbcState:
        """The state that a text describes; raises ParseError."""

    def text(self) -> str:
        """The state as text; parse reads it back."""

    @property
    def to_move(self) -> int:
        """0 for the first player, 1 for the second."""

    @property
    def ply(self) -> int:
        """Moves played since the start of the line."""

    @property
    def key(self) -> int:
        """A 64-bit key of what the repetition rule compares."""

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""

    def legal_moves(self) -> list[int]:
        """The legal moves in ascending order; none when the game is over."""

    def play(self, move: int) -> RbcState:
        """The state after a move; raises IllegalMove."""

    def play_past_end(self, move: int) -> RbcState:
        """
        The state after a move that the pieces can make, even where a draw by rule has ended the game: games on record may go on; raises IllegalMove.
        """

    def move_text(self, move: int) -> str:
        """A move as text."""

    def parse_move(self, text: str) -> int:
        """The move that a text describes, legal or not; raises ParseError."""

    @property
    def previous(self) -> Self | None:
        """The state before the last move."""

    @property
    def last_move(self) -> int | None:
        """The move that led here."""

    def perft(self, depth: int) -> int:
        """The number of move sequences of this length, the past ignored."""

    def playout(self, seed: int, limit: int) -> tuple[Outcome | None, int]:
        """
        Random moves to the end or for `limit` plies: the outcome and the plies played.
        """

    @staticmethod
    def encode(states: Sequence[RbcState]) -> NDArray[numpy.float32]:
        """
        Planes for a network, seen by the side to move: [states, planes, rows, columns], values in [0, 1].
        """

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    def __str__(self) -> str: ...

    def pack_moves(self, width: int) -> bytes:
        """
        The moves since the start of the line, each its index among the legal moves in `width` bytes.
        """

    def unpack_moves(self, packed: bytes, width: int) -> RbcState:
        """The state after moves that `pack_moves` packed."""

    def __getstate__(self) -> tuple[str, list[int]]: ...

    def __setstate__(self, arg: tuple[str, Sequence[int]], /) -> None: ...

    @staticmethod
    def replay(start: str, moves: Sequence[int]) -> RbcState:
        """The state after the moves from a start."""

    @staticmethod
    def initial() -> RbcState: ...

    @property
    def sensing(self) -> bool:
        """Whether the player to move has to sense first."""

    def sense(self, square: int) -> list[tuple[int, str | None]]:
        """
        What a sense of the square shows: squares and pieces, in reconchess's order.
        """

    def result_of(self, request: int) -> tuple[int, int | None]:
        """The move that a request becomes, and the square where it captures."""

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
    The boards that are possible for a player, 24 bytes each; immutable. All have the same pieces of that player.
    """

    @staticmethod
    def of(states: Sequence[RbcState], player: int) -> RbcBoardSet:
        """
        The distinct boards of these states, which are for `player` to tell apart.
        """

    def __len__(self) -> int: ...

    def __contains__(self, arg: RbcState, /) -> bool: ...

    @property
    def player(self) -> int:
        """Whose knowledge this is: 0 (White) or 1 (Black)."""

    @property
    def to_move(self) -> int:
        """Whose turn it is."""

    @property
    def own_pieces(self) -> list[tuple[int, str]]:
        """The player's own pieces: squares and FEN letters."""

    @property
    def level(self) -> int:
        """
        0 where no board was left out for a limit, else only one in 2 ** level was kept.
        """

    def sample(self, count: int, seed: int) -> list[RbcState]:
        """Up to `count` of the boards, as states whose move is due."""

    def fens(self, count: int = 18446744073709551615) -> list[str]:
        """Up to `count` of the boards as FEN."""

    def subsample(self, count: int, seed: int) -> RbcBoardSet:
        """
        At most `count` of the boards, drawn at random: for when there are too many to follow.
        """

    def after_opponent(self, capture_square: int | None, seen: Sequence[tuple[int, str | None]] = (), *, limit: int = ..., threads: int = 1, seed: int = 0) -> RbcBoardSet:
        """
        The boards after an opponent's move that captured on that square, or nowhere, and that show what was then seen. Of more than `limit` boards a uniform sample, which the seed decides, is kept.
        """

    def after_sense(self, seen: Sequence[tuple[int, str | None]]) -> RbcBoardSet:
        """The boards that show these pieces on these squares."""

    def before_move(self, request: int, taken: int, capture_square: int | None) -> RbcBoardSet:
        """The boards on which one's own request has this result."""

    def after_move(self, request: int, taken: int, capture_square: int | None) -> RbcBoardSet:
        """The boards after one's own request had this result."""

    def leading_to(self, later: RbcBoardSet, taken: int, capture_square: int | None, lost_square: int | None, threads: int = 1) -> RbcBoardSet:
        """
        The boards from which the own move `taken`, which captured on `capture_square`, and an opponent's move that captured on `lost_square` lead to one of the later boards.
        """

    def known_pieces(self) -> list[str | None]:
        """
        For each square the piece that every board has there, None where all are empty, '?' where they differ.
        """

    def sense_values(self, threads: int = 1) -> NDArray[numpy.float64]:
        """
        For each of the 64 senses: boards that remain on average, bits told, different answers, boards of the commonest answer.
        """

    def undominated_senses(self) -> list[int]:
        """
        The senses worth choosing among: none of the others shows more of where the boards differ.
        """

    def partition(self, square: int) -> NDArray[numpy.uint32]:
        """
        For each board the number of the part into which a sense of the square puts it.
        """

    def synopsis(self, *, moving: bool, last_from: int | None, last_to: int | None, last_own_capture: int | None, last_opposing_capture: int | None, previous: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, count: int, seed: int) -> NDArray[numpy.uint64]:
        """
        The 104 planes of up to `count` of the boards, a number each: bit 0 is a1.
        """

    def king_captures(self) -> list[tuple[int, int]]:
        """
        Requests that capture the king, each with the number of boards on which it does; most first.
        """

    def wins_after_sense(self, threads: int = 1) -> list[int]:
        """
        For each sense, on how many boards the best request after what it shows captures the king.
        """

    def with_king_attacked(self) -> RbcBoardSet:
        """The boards on which the opponent attacks the player's king."""

    def threats(self) -> list[int]:
        """
        For each square, on how many boards the opponent could capture the player's piece there.
        """

    def is_forced_win(self, threads: int = 1) -> bool:
        """
        Whether the player captures the king in its next turn whatever the opponent, who is to move, does.
        """

    def evaluate_requests(self, depth: int, margin: int, threads: int = 1) -> tuple[numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.bool]]:
        """
        Every request [M], what it brings on every board as if that were known to both [boards, M], and whether it attacks the other king while one's own is safe [boards, M]. Scores are hundredths of a pawn, 100,000 for a captured king, by a search `depth` plies deep and on through captures; of moves that fall more than `margin` behind the best of a board it only says that they do.
        """

def rbc_synopsis_planes() -> list[tuple[str, str, str]]:
    """
    Name, fold (constant, known, and, or, and by piece) and meaning of the synopsis's planes.
    """

class ExpendibotsState:
    """An Expendibots position and the line that led to it."""

    @staticmethod
    def parse(text: str) -> ExpendibotsState:
        """The state that a text describes; raises ParseError."""

    def text(self) -> str:
        """The state as text; parse reads it back."""

    @property
    def to_move(self) -> int:
        """0 for the first player, 1 for the second."""

    @property
    def ply(self) -> int:
        """Moves played since the start of the line."""

    @property
    def key(self) -> int:
        """A 64-bit key of what the repetition rule compares."""

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""

    def legal_moves(self) -> list[int]:
        """The legal moves in ascending order; none when the game is over."""

    def play(self, move: int) -> ExpendibotsState:
        """The state after a move; raises IllegalMove."""

    def play_past_end(self, move: int) -> ExpendibotsState:
        """
        The state after a move that the pieces can make, even where a draw by rule has ended the game: games on record may go on; raises IllegalMove.
        """

    def move_text(self, move: int) -> str:
        """A move as text."""

    def parse_move(self, text: str) -> int:
        """The move that a text describes, legal or not; raises ParseError."""

    @property
    def previous(self) -> Self | None:
        """The state before the last move."""

    @property
    def last_move(self) -> int | None:
        """The move that led here."""

    def perft(self, depth: int) -> int:
        """The number of move sequences of this length, the past ignored."""

    def playout(self, seed: int, limit: int) -> tuple[Outcome | None, int]:
        """
        Random moves to the end or for `limit` plies: the outcome and the plies played.
        """

    @staticmethod
    def encode(states: Sequence[ExpendibotsState]) -> NDArray[numpy.float32]:
        """
        Planes for a network, seen by the side to move: [states, planes, rows, columns], values in [0, 1].
        """

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    def __str__(self) -> str: ...

    def pack_moves(self, width: int) -> bytes:
        """
        The moves since the start of the line, each its index among the legal moves in `width` bytes.
        """

    def unpack_moves(self, packed: bytes, width: int) -> ExpendibotsState:
        """The state after moves that `pack_moves` packed."""

    def __getstate__(self) -> tuple[str, list[int]]: ...

    def __setstate__(self, arg: tuple[str, Sequence[int]], /) -> None: ...

    @staticmethod
    def replay(start: str, moves: Sequence[int]) -> ExpendibotsState:
        """The state after the moves from a start."""

    @staticmethod
    def initial() -> ExpendibotsState: ...

    @property
    def actions(self) -> int:
        """Actions taken by both sides since the game began."""

    @property
    def heights(self) -> list[list[int]]:
        """The stacks as `heights[y][x]`: White's above zero, Black's below."""

    @property
    def repetitions(self) -> int:
        """How often this position has come up in its line, now included."""

    @property
    def canonical_key(self) -> int:
        """
        The same for all turned and mirrored boards, also with the sides exchanged.
        """

    def to_canonical(self, move: int) -> int:
        """
        A move as it is on the board that stands for all those with the canonical key.
        """

    def from_canonical(self, move: int) -> int:
        """What `to_canonical` was given."""

    @staticmethod
    def action(move: int) -> tuple[str, tuple[int, int]] | tuple[str, int, tuple[int, int], tuple[int, int]]:
        """The referee's tuple of a move; raises IllegalMove when there is none."""

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

        `priors` float32: the priors of each leaf's legal moves in ascending order, one leaf after the other; they need not sum to 1. `values` float32 [leaves]: for the side to move, from -1 to 1. Raises ValueError if the sizes do not match or a prior is negative or NaN.
        """

    def cancel(self) -> None:
        """Drops the leaves of the last `select` without an evaluation."""

    def add_noise(self, noise: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], share: float) -> None:
        """
        Mixes noise into the root's priors: (1 - share) * prior + share * noise.

        `noise` float32 [legal moves of the root]. Raises ValueError if the size does not match.
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
    Endgame tables. A value is what the side to move gets: +d wins in d actions, -d loses in d, 0 draws.
    """

    def __init__(self) -> None: ...

    def add(self, strong: int, weak: int, values: bytes) -> None:
        """
        Takes the table of so many tokens against so many, a signed byte a place. Raises ParseError.
        """

    def has(self, strong: int, weak: int) -> bool:
        """Whether it has the table."""

    def probe(self, state: ExpendibotsState) -> int | None:
        """The value of a state, where a table has it."""

    def solve(self, strong: int, weak: int) -> bytes:
        """
        The values of a table by retrograde analysis, from the tables of fewer tokens that were added. Places without a position are -128. Raises ParseError.
        """

    def count_errors(self, strong: int, weak: int) -> int:
        """
        How many positions of a table have another value than their successors give them.
        """

class ExpendibotsNetwork:
    """
    Evaluates boards: stacks and measured numbers, two hidden layers, tanh.
    """

    def __init__(self, stacks: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], measured: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], first_bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], between: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], second_bias: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], last: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], last_bias: float) -> None:
        """Layers as [inputs, units]. Raises ParseError when they do not fit."""

    places: Final[int] = ...
    """The inputs that are stacks."""

    numbers: Final[int] = ...
    """The inputs that are measured."""

    def value(self, state: ExpendibotsState) -> float:
        """The value for the side to move, from -1 to 1."""

    @staticmethod
    def inputs(states: Sequence[ExpendibotsState]) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float32]]:
        """
        The places of the stacks [states, 24], filled up with `places`, and the measured numbers.
        """

class ExpendibotsSearch:
    """Alpha-beta with an evaluation that is linear in the game's features."""

    def __init__(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], megabytes: int = 16) -> None: ...

    @staticmethod
    def feature_names() -> list[str]:
        """What the columns of the weights mean."""

    @staticmethod
    def stage_names() -> list[str]:
        """What the rows of the weights mean."""

    @staticmethod
    def extract_features(state: object) -> tuple[int, numpy.typing.NDArray[numpy.float64]]:
        """The stage and the features of a state, seen by its side to move."""

    def set_weights(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """Other weights; what was remembered is gone."""

    def evaluate(self, state: ExpendibotsState) -> float:
        """
        The value of a state for its side to move without looking ahead, between -100 and 100.
        """

    def candidate_moves(self, state: ExpendibotsState) -> list[int]:
        """The moves that a search would try, in ascending order."""

    def analyse(self, state: ExpendibotsState, *, depth: int | None = None, nodes: int | None = None, seconds: float | None = None, threads: int = 1, margin: float = 0.0, reduce: bool = True) -> Analysis:
        """
        Searches until the first limit is reached; nodes are each thread's. Moves within `margin` of the best get exact values. Without `reduce` every move is searched to the whole depth.
        """

    def treestrap(self, state: object, *, depth: int, all_nodes: bool, minimax: bool, min_depth: int, decay: float, max_error: float, skip_draws: bool, staged: bool) -> tuple[Analysis, numpy.typing.NDArray[numpy.float64], int, float]:
        """
        A search with nothing remembered, and what it teaches: the sum over its positions of lambda^d (V - H) phi [stages, features], how many positions that were, and their squared error.
        """

    def stop(self) -> None:
        """Ends the search that another thread is in."""

    def clear(self) -> None:
        """Forgets what earlier searches found."""

    def set_endgame_tables(self, endgames: ExpendibotsEndgameTables) -> None:
        """Takes positions that these tables have now for decided."""

    def set_network(self, network: ExpendibotsNetwork) -> None:
        """Evaluates with a network instead of the weights."""

class BreakthroughState:
    """A Breakthrough position and the line that led to it."""

    @staticmethod
    def parse(text: str) -> BreakthroughState:
        """The state that a text describes; raises ParseError."""

    def text(self) -> str:
        """The state as text; parse reads it back."""

    @property
    def to_move(self) -> int:
        """0 for the first player, 1 for the second."""

    @property
    def ply(self) -> int:
        """Moves played since the start of the line."""

    @property
    def key(self) -> int:
        """A 64-bit key of what the repetition rule compares."""

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""

    def legal_moves(self) -> list[int]:
        """The legal moves in ascending order; none when the game is over."""

    def play(self, move: int) -> BreakthroughState:
        """The state after a move; raises IllegalMove."""

    def play_past_end(self, move: int) -> BreakthroughState:
        """
        The state after a move that the pieces can make, even where a draw by rule has ended the game: games on record may go on; raises IllegalMove.
        """

    def move_text(self, move: int) -> str:
        """A move as text."""

    def parse_move(self, text: str) -> int:
        """The move that a text describes, legal or not; raises ParseError."""

    @property
    def previous(self) -> Self | None:
        """The state before the last move."""

    @property
    def last_move(self) -> int | None:
        """The move that led here."""

    def perft(self, depth: int) -> int:
        """The number of move sequences of this length, the past ignored."""

    def playout(self, seed: int, limit: int) -> tuple[Outcome | None, int]:
        """
        Random moves to the end or for `limit` plies: the outcome and the plies played.
        """

    @staticmethod
    def encode(states: Sequence[BreakthroughState]) -> NDArray[numpy.float32]:
        """
        Planes for a network, seen by the side to move: [states, planes, rows, columns], values in [0, 1].
        """

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    def __str__(self) -> str: ...

    def pack_moves(self, width: int) -> bytes:
        """
        The moves since the start of the line, each its index among the legal moves in `width` bytes.
        """

    def unpack_moves(self, packed: bytes, width: int) -> BreakthroughState:
        """The state after moves that `pack_moves` packed."""

    def __getstate__(self) -> tuple[str, list[int]]: ...

    def __setstate__(self, arg: tuple[str, Sequence[int]], /) -> None: ...

    @staticmethod
    def replay(start: str, moves: Sequence[int]) -> BreakthroughState:
        """The state after the moves from a start."""

    @staticmethod
    def initial() -> BreakthroughState: ...

    @property
    def pieces(self) -> list[int]:
        """White's pieces and Black's, as bits 8 * y + x."""

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

        `priors` float32: the priors of each leaf's legal moves in ascending order, one leaf after the other; they need not sum to 1. `values` float32 [leaves]: for the side to move, from -1 to 1. Raises ValueError if the sizes do not match or a prior is negative or NaN.
        """

    def cancel(self) -> None:
        """Drops the leaves of the last `select` without an evaluation."""

    def add_noise(self, noise: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], share: float) -> None:
        """
        Mixes noise into the root's priors: (1 - share) * prior + share * noise.

        `noise` float32 [legal moves of the root]. Raises ValueError if the size does not match.
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

class BreakthroughSearch:
    """Alpha-beta with an evaluation that is linear in the game's features."""

    def __init__(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], megabytes: int = 16) -> None: ...

    @staticmethod
    def feature_names() -> list[str]:
        """What the columns of the weights mean."""

    @staticmethod
    def stage_names() -> list[str]:
        """What the rows of the weights mean."""

    @staticmethod
    def extract_features(state: object) -> tuple[int, numpy.typing.NDArray[numpy.float64]]:
        """The stage and the features of a state, seen by its side to move."""

    def set_weights(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """Other weights; what was remembered is gone."""

    def evaluate(self, state: BreakthroughState) -> float:
        """
        The value of a state for its side to move without looking ahead, between -100 and 100.
        """

    def candidate_moves(self, state: BreakthroughState) -> list[int]:
        """The moves that a search would try, in ascending order."""

    def analyse(self, state: BreakthroughState, *, depth: int | None = None, nodes: int | None = None, seconds: float | None = None, threads: int = 1, margin: float = 0.0, reduce: bool = True) -> Analysis:
        """
        Searches until the first limit is reached; nodes are each thread's. Moves within `margin` of the best get exact values. Without `reduce` every move is searched to the whole depth.
        """

    def treestrap(self, state: object, *, depth: int, all_nodes: bool, minimax: bool, min_depth: int, decay: float, max_error: float, skip_draws: bool, staged: bool) -> tuple[Analysis, numpy.typing.NDArray[numpy.float64], int, float]:
        """
        A search with nothing remembered, and what it teaches: the sum over its positions of lambda^d (V - H) phi [stages, features], how many positions that were, and their squared error.
        """

    def stop(self) -> None:
        """Ends the search that another thread is in."""

    def clear(self) -> None:
        """Forgets what earlier searches found."""

class ShogiState:
    """A shogi position and the line that led to it."""

    @staticmethod
    def parse(text: str) -> ShogiState:
        """The state that a text describes; raises ParseError."""

    def text(self) -> str:
        """The state as text; parse reads it back."""

    @property
    def to_move(self) -> int:
        """0 for the first player, 1 for the second."""

    @property
    def ply(self) -> int:
        """Moves played since the start of the line."""

    @property
    def key(self) -> int:
        """A 64-bit key of what the repetition rule compares."""

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""

    def legal_moves(self) -> list[int]:
        """The legal moves in ascending order; none when the game is over."""

    def play(self, move: int) -> ShogiState:
        """The state after a move; raises IllegalMove."""

    def play_past_end(self, move: int) -> ShogiState:
        """
        The state after a move that the pieces can make, even where a draw by rule has ended the game: games on record may go on; raises IllegalMove.
        """

    def move_text(self, move: int) -> str:
        """A move as text."""

    def parse_move(self, text: str) -> int:
        """The move that a text describes, legal or not; raises ParseError."""

    @property
    def previous(self) -> Self | None:
        """The state before the last move."""

    @property
    def last_move(self) -> int | None:
        """The move that led here."""

    def perft(self, depth: int) -> int:
        """The number of move sequences of this length, the past ignored."""

    def playout(self, seed: int, limit: int) -> tuple[Outcome | None, int]:
        """
        Random moves to the end or for `limit` plies: the outcome and the plies played.
        """

    @staticmethod
    def encode(states: Sequence[ShogiState]) -> NDArray[numpy.float32]:
        """
        Planes for a network, seen by the side to move: [states, planes, rows, columns], values in [0, 1].
        """

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    def __str__(self) -> str: ...

    def pack_moves(self, width: int) -> bytes:
        """
        The moves since the start of the line, each its index among the legal moves in `width` bytes.
        """

    def unpack_moves(self, packed: bytes, width: int) -> ShogiState:
        """The state after moves that `pack_moves` packed."""

    def __getstate__(self) -> tuple[str, list[int]]: ...

    def __setstate__(self, arg: tuple[str, Sequence[int]], /) -> None: ...

    @staticmethod
    def replay(start: str, moves: Sequence[int]) -> ShogiState:
        """The state after the moves from a start."""

    @staticmethod
    def initial() -> ShogiState: ...

    @property
    def in_check(self) -> bool: ...

    @property
    def repetitions(self) -> int:
        """How often this position has come up in its line, now included."""

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

        `priors` float32: the priors of each leaf's legal moves in ascending order, one leaf after the other; they need not sum to 1. `values` float32 [leaves]: for the side to move, from -1 to 1. Raises ValueError if the sizes do not match or a prior is negative or NaN.
        """

    def cancel(self) -> None:
        """Drops the leaves of the last `select` without an evaluation."""

    def add_noise(self, noise: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], share: float) -> None:
        """
        Mixes noise into the root's priors: (1 - share) * prior + share * noise.

        `noise` float32 [legal moves of the root]. Raises ValueError if the size does not match.
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
    """dlshogi's two inputs: [states, 62, 9, 9] and [states, 57, 9, 9]."""

def dlshogi_decode(states: Sequence[ShogiState], logits: numpy.typing.NDArray[numpy.float32]) -> tuple[list[tuple[int, ...]], numpy.typing.NDArray[numpy.float32]]:
    """
    The legal moves of every state, and the probabilities of all of them one after the other. The declaration of a win is certain wherever it is legal.
    """

def dlshogi_label(state: ShogiState, move: int) -> int | None:
    """
    The policy label of a legal move; None for the declaration of a win. Raises IllegalMove.
    """

def dlshogi_move(state: ShogiState, label: int) -> int | None:
    """The legal move that a policy label means, or None."""

def hcp_to_sfen(hcp: bytes) -> str:
    """The SFEN of a Huffman coded position of 32 bytes; raises ParseError."""

def move16_to_usi(move: int) -> str:
    """
    The USI of a move in the 16 bits of cshogi and its kin; raises ParseError.
    """

class GoState:
    """A Go position with its rules and the line that led to it."""

    @staticmethod
    def parse(text: str) -> GoState:
        """The state that a text describes; raises ParseError."""

    def text(self) -> str:
        """The state as text; parse reads it back."""

    @property
    def to_move(self) -> int:
        """0 for the first player, 1 for the second."""

    @property
    def ply(self) -> int:
        """Moves played since the start of the line."""

    @property
    def key(self) -> int:
        """A 64-bit key of what the repetition rule compares."""

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""

    def legal_moves(self) -> list[int]:
        """The legal moves in ascending order; none when the game is over."""

    def play(self, move: int) -> GoState:
        """The state after a move; raises IllegalMove."""

    def play_past_end(self, move: int) -> GoState:
        """
        The state after a move that the pieces can make, even where a draw by rule has ended the game: games on record may go on; raises IllegalMove.
        """

    def move_text(self, move: int) -> str:
        """A move as text."""

    def parse_move(self, text: str) -> int:
        """The move that a text describes, legal or not; raises ParseError."""

    @property
    def previous(self) -> Self | None:
        """The state before the last move."""

    @property
    def last_move(self) -> int | None:
        """The move that led here."""

    def perft(self, depth: int) -> int:
        """The number of move sequences of this length, the past ignored."""

    def playout(self, seed: int, limit: int) -> tuple[Outcome | None, int]:
        """
        Random moves to the end or for `limit` plies: the outcome and the plies played.
        """

    @staticmethod
    def encode(states: Sequence[GoState]) -> NDArray[numpy.float32]:
        """
        Planes for a network, seen by the side to move: [states, planes, rows, columns], values in [0, 1].
        """

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    def __str__(self) -> str: ...

    def pack_moves(self, width: int) -> bytes:
        """
        The moves since the start of the line, each its index among the legal moves in `width` bytes.
        """

    def unpack_moves(self, packed: bytes, width: int) -> GoState:
        """The state after moves that `pack_moves` packed."""

    def __getstate__(self) -> tuple[str, list[int]]: ...

    def __setstate__(self, arg: tuple[str, Sequence[int]], /) -> None: ...

    @staticmethod
    def replay(start: str, moves: Sequence[int]) -> GoState:
        """The state after the moves from a start."""

    @staticmethod
    def initial(size: int = 19, komi: float = 7.5, ko: str = 'positional', suicide: bool = False, scoring: str = 'area', tax: str = 'none', handicap: int = 0) -> GoState:
        """The start of a game by these rules; raises ParseError."""

    @property
    def size(self) -> int: ...

    @property
    def komi(self) -> float: ...

    @property
    def ko(self) -> str: ...

    @property
    def suicide(self) -> bool: ...

    @property
    def scoring(self) -> str: ...

    @property
    def tax(self) -> str: ...

    @property
    def stones(self) -> tuple[list[int], list[int]]:
        """The points of Black's and of White's stones."""

    @property
    def ko_point(self) -> int | None:
        """Where the player to move may not take a stone back at once."""

    @property
    def prisoners(self) -> tuple[int, int]:
        """
        The stones that Black and that White took, or that the other lost by suicide.
        """

    @property
    def passes(self) -> int:
        """Passes in a row; two end the game."""

    def score(self, dead: Sequence[int] = ()) -> tuple[float, float]:
        """
        Black's and White's points, komi included, if play stopped here. Chains with a stone on a dead point are taken off as prisoners; all others count as alive.
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

        `priors` float32: the priors of each leaf's legal moves in ascending order, one leaf after the other; they need not sum to 1. `values` float32 [leaves]: for the side to move, from -1 to 1. Raises ValueError if the sizes do not match or a prior is negative or NaN.
        """

    def cancel(self) -> None:
        """Drops the leaves of the last `select` without an evaluation."""

    def add_noise(self, noise: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], share: float) -> None:
        """
        Mixes noise into the root's priors: (1 - share) * prior + share * noise.

        `noise` float32 [legal moves of the root]. Raises ValueError if the size does not match.
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

def katago_encode(states: Sequence[GoState], side: int) -> tuple[numpy.typing.NDArray[numpy.float32], numpy.typing.NDArray[numpy.float32]]:
    """
    KataGo's inputs: planes [states, 22, side, side], smaller boards in the first corner, and [states, 19] numbers about the rules and the past.
    """

def katago_policy(states: Sequence[GoState], logits: numpy.typing.NDArray[numpy.float32], side: int) -> list[tuple[tuple[int, ...], numpy.typing.NDArray[numpy.float32]]]:
    """The legal moves of each state, ascending, and their probabilities."""

def katago_values(states: Sequence[GoState], logits: numpy.typing.NDArray[numpy.float32]) -> numpy.typing.NDArray[numpy.float32]:
    """
    [states, 3]: a win, no result and a loss for the player to move, from logits of win, loss and no result.
    """
