"""Batches of positions of games in Python, in place of the native `<Game>States` and `<Game>Samples`.

They have the members of those that training by self-play, predictions in batches and search in lockstep use.
The only encoding is "planes", the game's own planes as zeros and ones, with one board and no symmetries; the
label of a move is the state's `policy_label`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self, cast

import numpy as np
from numpy.typing import NDArray

from sparring.games.states import PythonState, State, states_to

ENCODING = "planes"
"""The encoding of games in Python."""


class PythonStates:
    """A batch of states."""

    def __init__(self, states: Sequence[State]) -> None:
        self._states = cast("list[PythonState]", list(states))

    def __len__(self) -> int:
        return len(self._states)

    def __getitem__(self, index: int) -> State:
        return self._states[index]

    def take(self, which: NDArray[np.int64]) -> Self:
        """The states with these indices."""
        return type(self)([self._states[i] for i in which])

    @property
    def to_move(self) -> NDArray[np.int8]:
        """[states]: the player to move, 0 or 1."""
        return np.array([state.to_move for state in self._states], np.int8)

    @property
    def plies(self) -> NDArray[np.int32]:
        """[states]: moves played before each state."""
        return np.array([state.ply for state in self._states], np.int32)

    def encode(self, encoding: str, history: int) -> NDArray[np.uint8]:
        """The planes of the states, [states, planes, rows, columns]. Raises ValueError."""
        return encode_states(self._states, encoding, history)

    def decode(
        self, logits: NDArray[np.float32], encoding: str
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """The probabilities of all states' legal moves, and the offsets [states + 1] of each state's."""
        moves, probabilities = decode_states(self._states, logits, encoding)
        return probabilities, _offsets([len(legal) for legal in moves])


class PythonSamples:
    """Positions of recorded games, each with the move played."""

    state_class: ClassVar[type[PythonState]]
    """The game's states; set by `samples_of`."""
    symmetries: ClassVar[int] = 1

    def __init__(self, states: Sequence[PythonState], moves: Sequence[int]) -> None:
        self._states, self._moves = list(states), list(moves)

    @classmethod
    def unpack(
        cls,
        starts: Sequence[str],
        moves: Sequence[bytes],
        clocks: Sequence[bytes | None],
        limits: NDArray[np.int64],
        width: int,
    ) -> Self:
        """The positions of packed games after `limits[:, 0]` plies, as the native class has them; clocks are
        not kept. Raises ParseError or IllegalMove."""
        states, played = list[PythonState](), list[int]()
        for start, packed, (skip, _) in zip(starts, moves, limits, strict=True):
            line = states_to(cls.state_class.parse(start).unpack_moves(packed, width))
            states += line[skip:-1]
            played += [after.last_move for after in line[skip + 1 :] if after.last_move is not None]
        return cls(states, played)

    def __len__(self) -> int:
        return len(self._states)

    @staticmethod
    def encodings() -> list[str]:
        """The names of the encodings."""
        return [ENCODING]

    @property
    def movers(self) -> NDArray[np.int8]:
        """[positions]: the player to move, 0 or 1."""
        return PythonStates(self._states).to_move

    def encode(
        self,
        which: NDArray[np.int64],
        encoding: str,
        history: int,
        symmetries: NDArray[np.uint8] | None,
        packed: bool = False,
    ) -> tuple[object, ...]:
        """Planes, legal moves, labels, offsets, moves played, their indices and the symmetries applied: as
        the native class gives them."""
        states, played = [self._states[i] for i in which], [self._moves[i] for i in which]
        moves = [state.legal_moves() for state in states]
        encoded = encode_states(states, encoding, history)
        planes: object = encoded
        if packed:
            bits = np.packbits(encoded.reshape(len(states), -1), axis=1, bitorder="little")
            planes = bits, np.zeros((len(states), 0), np.uint8)
        labels = [
            state.policy_label(move) for state, legal in zip(states, moves, strict=True) for move in legal
        ]
        return (
            planes,
            np.array([move for legal in moves for move in legal], np.uint16),
            np.array(labels, np.uint16),
            _offsets([len(legal) for legal in moves]),
            np.array(played, np.uint16),
            np.array([legal.index(move) for legal, move in zip(moves, played, strict=True)], np.int32),
            np.zeros(len(states), np.uint8),
        )

    @staticmethod
    def encode_states(states: Sequence[PythonState], encoding: str, history: int) -> NDArray[np.uint8]:
        """The planes of states. Raises ValueError."""
        return encode_states(states, encoding, history)

    @staticmethod
    def decode_states(
        states: Sequence[PythonState], logits: NDArray[np.float32], encoding: str
    ) -> tuple[list[tuple[int, ...]], NDArray[np.float32]]:
        """The legal moves of each state, and their probabilities in one array."""
        return decode_states(states, logits, encoding)


def samples_of(state_class: type[PythonState]) -> type[PythonSamples]:
    """The class of recorded positions of a game."""
    return type("PythonSamples", (PythonSamples,), {"state_class": state_class})


def encode_states(states: Sequence[PythonState], encoding: str, history: int) -> NDArray[np.uint8]:
    """The game's planes as bytes, [states, planes, rows, columns]. Raises ValueError for another encoding,
    for several boards, and for planes that are not zeros and ones."""
    if encoding != ENCODING or history != 1:
        raise ValueError(f"a game in Python has the encoding '{ENCODING}' with one board")
    planes = type(states[0]).encode(states)
    made = planes.astype(np.uint8)
    if not (made == planes).all() or made.max(initial=0) > 1:
        raise ValueError("a network of a game in Python needs planes of zeros and ones")
    return np.asarray(made)


def decode_states(
    states: Sequence[PythonState], logits: NDArray[np.float32], encoding: str
) -> tuple[list[tuple[int, ...]], NDArray[np.float32]]:
    """The legal moves of each state, and a softmax over their labels' logits [states, labels]."""
    if encoding != ENCODING:
        raise ValueError(f"a game in Python has the encoding '{ENCODING}'")
    moves, shares = [], []
    for state, row in zip(states, logits, strict=True):
        legal = tuple(state.legal_moves())
        chosen = row[[state.policy_label(move) for move in legal]].astype(np.float64)
        weights = np.exp(chosen - chosen.max())
        moves.append(legal)
        shares.append((weights / weights.sum()).astype(np.float32))
    return moves, np.concatenate(shares)


def _offsets(sizes: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
