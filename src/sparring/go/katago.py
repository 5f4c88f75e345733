"""The codec of KataGo's networks for Go."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from sparring._core import katago_encode, katago_policy, katago_values
from sparring.networks.codec import Position, PositionBatch, Prediction, PredictionBatch, Tensors
from sparring.networks.network import read_settings

MAX_BOARD_SIZE = 19
METADATA_INPUTS = 192

# KataGo's metadata inputs (SGFMetadata, version 1) for human-SL networks.
#
# All but the ranks is as in KataGo's profiles `rank_9d` to `rank_20k`: a game on KGS in March 2020, twenty
# minutes and five periods of thirty seconds.


_BEST, _WORST = 1, 29  # ranks, counted down from 9 dan to 20 kyu
_RANKS, _RANK_INPUTS = 6, 34
_DATES, _DATE_WAVES, _LONGEST_WAVE = 87, 32, 80_000
_SOURCES, _KGS = 151, 2
_DAY = (date(2020, 3, 1) - date(1970, 1, 1)).days
_MAIN_TIME, _PERIOD_TIME, _PERIODS = 1200.0, 30.0, 5


def inverse_rank(order: int | None) -> int:
    """KataGo's inverse rank: 1 for 9 dan to 29 for 20 kyu; an unknown rank is 9 dan.

    `order` is 1 for 1 dan, -1 for 1 kyu, and never 0.
    """
    if order is None:
        return _BEST
    return min(max((10 if order > 0 else 9) - order, _BEST), _WORST)


def sgf_metadata(position: Position) -> NDArray[np.float32]:
    """The metadata vector [192] of a position. An unknown opponent's rank is the player's."""
    own = inverse_rank(position.rating)
    other = own if position.opponent_rating is None else inverse_rank(position.opponent_rating)
    row = _GAME.copy()
    row[_RANKS : _RANKS + own] = 1.0
    row[_RANKS + _RANK_INPUTS : _RANKS + _RANK_INPUTS + other] = 1.0
    row[86] = 0.5 * math.log(position.state.size**2 / 361)
    return row


def _game() -> NDArray[np.float32]:
    """The part of the vector that does not depend on the position."""
    row = np.zeros(METADATA_INPUTS, np.float32)
    row[0:2] = 1.0  # both are people
    row[74] = 0.5  # rated or not: unknown
    row[79] = 1.0  # Japanese byo-yomi
    row[82] = 0.4 * (math.log(_MAIN_TIME + 60) - 6.5)
    row[83] = 0.3 * (math.log(_PERIOD_TIME + 1) - 3.0)
    row[84] = 0.5 * (math.log(_PERIODS + 2) - 1.5)
    row[85] = 0.25 * (math.log(2) - 1.5)  # no stones of Canadian byo-yomi
    for wave in range(_DATE_WAVES):
        period = 7 * _LONGEST_WAVE ** (wave / (_DATE_WAVES - 1))
        turns = 2 * math.pi * _DAY / period
        row[_DATES + 2 * wave : _DATES + 2 * wave + 2] = math.cos(turns), math.sin(turns)
    row[_SOURCES + _KGS] = 1.0
    return row


_GAME = _game()


# The codec of KataGo's networks.


_LEAD = 2  # the place of the lead among the score head's outputs


@dataclass(frozen=True)
class KataGoSettings:
    """The settings of a KataGo network's codec."""

    version: Annotated[int, Meta(ge=1, le=1000)]
    """Version of KataGo's file format."""
    lead_multiplier: Annotated[float, Meta(ge=-1e6, le=1e6)]
    """Points of lead per unit of the score head's third output."""
    side: Annotated[int, Meta(ge=0, le=MAX_BOARD_SIZE)]
    """Side of the input planes; 0 if they are as large as the board."""
    metadata: Annotated[int, Meta(ge=0, le=1)]
    """1 if the network is conditioned on the players' ranks."""


class KataGoCodec:
    """Codec of KataGo's networks. One batch may have boards of several sizes."""

    game = "go"
    optional_outputs = frozenset({"ownership"})

    def __init__(self, settings: Mapping[str, float | int | str]) -> None:
        """`settings` are those of the network's card: the fields of `KataGoSettings`. Raises BadFile."""
        self._settings = read_settings(KataGoSettings, settings)
        self._has_metadata = bool(self._settings.metadata)

    def output_shapes(self, inputs: Tensors) -> Mapping[str, tuple[int, ...]]:
        """Logits of points and pass; win, loss and no result; the outputs of the score head; the expected
        owner of each point."""
        _, _, rows, columns = inputs["spatial"].shape
        return {
            "policy": (rows * columns + 1,),
            "value": (3,),
            "score": (4 if self._settings.version == 8 else 6,),
            "ownership": (rows * columns,),
        }

    def encode(self, positions: Sequence[Position]) -> Tensors:
        """`spatial`, `global` and, for human-SL networks, `sgf_metadata`."""
        states = [position.state for position in positions]
        side = self._settings.side or max((state.size for state in states), default=MAX_BOARD_SIZE)
        spatial, numbers = katago_encode(states, side)
        tensors = {"spatial": spatial, "global": numbers}
        if self._has_metadata:
            tensors["metadata"] = np.stack([sgf_metadata(position) for position in positions])
        return tensors

    def decode(self, positions: Sequence[Position], outputs: Tensors) -> list[Prediction]:
        """One prediction per position. Draws are games without a result, which count as no lead."""
        states = [position.state for position in positions]
        logits = np.ascontiguousarray(outputs["policy"], dtype=np.float32)
        side = round((logits.shape[1] - 1) ** 0.5)
        moves = katago_policy(states, logits, side)
        results = katago_values(states, np.ascontiguousarray(outputs["value"], dtype=np.float32))
        leads = self._leads(outputs, results)
        owners = outputs.get("ownership", [None] * len(states))
        return [
            Prediction(
                codes,
                probabilities,
                win - loss,
                wdl=(win, none, loss),
                lead=lead,
                ownership=None if owner is None else _from_bottom(owner, side, state.size),
                state=state,
            )
            for state, (codes, probabilities), (win, none, loss), lead, owner in zip(
                states, moves, results.tolist(), leads.tolist(), owners, strict=True
            )
        ]

    def encode_batch(self, batch: PositionBatch) -> Tensors:
        """The same as `encode`, for positions on boards of one size."""
        planes = batch.states.encode("katago", 1)[:, :, ::-1]  # the core's first row is the bottom
        size = planes.shape[-1]
        side = self._settings.side or size
        if side == size:
            spatial = planes.astype(np.float32)
        else:
            spatial = np.zeros((*planes.shape[:2], side, side), np.float32)
            spatial[:, :, :size, :size] = planes
        tensors = {"spatial": spatial, "global": batch.states.encode("katago-global", 1)}
        if self._has_metadata:
            tensors["metadata"] = np.stack([sgf_metadata(position) for position in batch.positions()])
        return tensors

    def decode_batch(self, batch: PositionBatch, outputs: Tensors) -> PredictionBatch:
        """Probabilities over the legal moves, values and leads."""
        logits = outputs["policy"].astype(np.float32)
        side, size = round((logits.shape[1] - 1) ** 0.5), batch.states[0].size
        points = logits[:, :-1].reshape(-1, side, side)[:, :size, :size][:, ::-1].reshape(len(batch), -1)
        labels = np.ascontiguousarray(np.concatenate([points, logits[:, -1:]], axis=1))
        probabilities, offsets = batch.states.decode(labels, "katago")
        results = katago_values(batch.states, np.ascontiguousarray(outputs["value"], dtype=np.float32))
        return PredictionBatch(
            probabilities, offsets, results[:, 0] - results[:, 2], self._leads(outputs, results)
        )

    def _leads(self, outputs: Tensors, results: NDArray[np.float32]) -> NDArray[np.float32]:
        """The expected leads [n]; games without a result count as no lead."""
        leads: NDArray[np.float32] = (
            outputs["score"][:, _LEAD].astype(np.float32)
            * self._settings.lead_multiplier
            * (1 - results[:, 1])
        )
        return leads

    @property
    def ratings(self) -> tuple[float, float] | None:
        """Unbounded for human-SL networks: ranks beyond 20k and 9d are clipped. None for other networks."""
        return (-math.inf, math.inf) if self._has_metadata else None

    def symmetries(self, position: Position) -> int:
        """8, always."""
        return int(position.state.symmetries)

    def apply_symmetry(self, positions: Sequence[Position], inputs: Tensors, symmetry: int) -> Tensors:
        """Each board transformed in place, in the first corner of its planes."""
        if not symmetry:
            return inputs
        spatial = np.array(inputs["spatial"])
        for size, rows in _by_size(positions):
            spatial[rows, :, :size, :size] = _turned(spatial[rows, :, :size, :size], symmetry)
        return {**inputs, "spatial": spatial}

    def invert_symmetry(self, positions: Sequence[Position], outputs: Tensors, symmetry: int) -> Tensors:
        """The points of the policy mapped back; the pass stays."""
        if not symmetry:
            return outputs
        policy = np.array(outputs["policy"])
        side = round((policy.shape[1] - 1) ** 0.5)
        points = policy[:, :-1].reshape(-1, side, side)
        for size, rows in _by_size(positions):
            points[rows, :size, :size] = _turned(points[rows, :size, :size], symmetry, back=True)
        policy[:, :-1] = points.reshape(len(policy), -1)
        mapped = {name: output for name, output in outputs.items() if name != "ownership"}
        return {**mapped, "policy": policy}


def _from_bottom(points: NDArray[np.generic], side: int, size: int) -> NDArray[np.float32]:
    """Values of points in the order of moves: KataGo's first row is the top, the core's is the bottom."""
    board = points.reshape(side, side)[:size, :size]
    return np.ascontiguousarray(board[::-1].ravel(), dtype=np.float32)


def _by_size(positions: Sequence[Position]) -> list[tuple[int, NDArray[np.int64]]]:
    """The rows of the boards of each size."""
    sizes = np.array([position.state.size for position in positions])
    return [(int(size), np.flatnonzero(sizes == size)) for size in np.unique(sizes)]


def _turned(boards: NDArray[np.generic], symmetry: int, *, back: bool = False) -> NDArray[np.generic]:
    """The last two axes transformed, numbered as in the core: 4 swaps them, then 2 and 1 mirror rows and
    columns.

    KataGo's first row is the top, the core's is the bottom.
    """
    boards = boards[..., ::-1, :]
    if symmetry & 4 and not back:
        boards = boards.swapaxes(-1, -2)
    if symmetry & 2:
        boards = boards[..., ::-1, :]
    if symmetry & 1:
        boards = boards[..., ::-1]
    if symmetry & 4 and back:
        boards = boards.swapaxes(-1, -2)
    return boards[..., ::-1, :]
