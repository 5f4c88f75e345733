"""The codec of networks that Sparring trains: conditioned on ratings and clock.

Inputs: `planes`, bytes [batch, planes, rows, columns] of a native encoding; `context` [batch, 6 or more]:
rating of the player to move, rating of the opponent and clock of the player to move, each as a number in
[0, 1] and a flag whether it is known. Networks with facts have a further column, komi for the player to move;
networks that know several servers have a column for each, 1 for that of the ratings. Outputs: `policy`
[batch, labels], logits of the encoding; `wdl` [batch, 3], probabilities of a win, a draw and a loss of the
player to move; with facts `ownership` [batch, points], expected owner of each point from 1 (the player to
move) to -1, and `lead` [batch, 1], points by which the player to move is ahead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from sparring.base.errors import BadFile
from sparring.games import describe
from sparring.networks.codec import Position, PositionBatch, Prediction, PredictionBatch, Tensors
from sparring.networks.network import RatingBound, read_settings

CONTEXT = 6
"""Columns of every context: both ratings and the clock."""
_LONGEST_CLOCK = 7200.0
"""Upper end of the clock's logarithmic scale in seconds."""


@dataclass(frozen=True)
class InputSpec:
    """The inputs of a network: encoding, number of boards, and the range of ratings."""

    game: str
    encoding: str
    history: Annotated[int, Meta(ge=1, le=64)] = 1
    lowest: RatingBound = 600
    highest: RatingBound = 2600
    facts: Annotated[int, Meta(ge=0, le=1)] = 0
    """1 if the network has heads of ownership and lead, and komi among its inputs."""
    servers: Annotated[str, Meta(pattern=r"^([a-z0-9-]+(,[a-z0-9-]+)*)?$")] = ""
    """Names of the servers whose ratings the network tells apart, with commas. Ratings are those of the
    first one if no server is named."""

    def __post_init__(self) -> None:
        if self.lowest >= self.highest:
            raise ValueError(f"the ratings from {self.lowest:g} to {self.highest:g} are no range")

    @property
    def server_names(self) -> tuple[str, ...]:
        """The servers."""
        return tuple(self.servers.split(",")) if self.servers else ()

    @property
    def context_width(self) -> int:
        """Columns of the context."""
        return CONTEXT + self.facts + len(self.server_names)

    @property
    def ratings(self) -> tuple[float, float] | None:
        """The range of ratings; None for networks without ratings, whose range is stored as 0 to 1."""
        return None if (self.lowest, self.highest) == (0, 1) else (self.lowest, self.highest)

    def context(
        self,
        ratings: NDArray[Any],
        opponents: NDArray[Any],
        clocks: NDArray[Any],
        komi: NDArray[Any] | None = None,
        servers: NDArray[Any] | None = None,
    ) -> NDArray[np.float32]:
        """The context [n, context_width] from ratings, opponents' ratings and clocks [n]; NaN if unknown.

        `komi` [n] is that for the player to move in the unit of its encoding. `servers` [n] are numbers of
        `server_names`, -1 if unknown; without it all are the first.
        """
        scaled = [(values - self.lowest) / (self.highest - self.lowest) for values in (ratings, opponents)]
        with np.errstate(invalid="ignore"):
            scaled.append(np.log1p(np.maximum(clocks, 0)) / np.log1p(_LONGEST_CLOCK))
        columns = []
        for values in scaled:
            known = ~np.isnan(values)
            columns += [np.clip(np.where(known, values, 0), 0, 1), known]
        if self.facts:
            columns.append(np.zeros(len(ratings)) if komi is None else komi)
        of = np.zeros(len(ratings), np.int64) if servers is None else servers
        columns += [of == number for number in range(len(self.server_names))]
        return np.stack(columns, axis=1).astype(np.float32)


class ConditionedCodec:
    """The settings are the fields of `InputSpec`. Raises BadFile."""

    optional_outputs = frozenset[str]()

    def __init__(self, settings: Mapping[str, float | int | str]) -> None:
        self.input_spec = read_settings(InputSpec, settings)
        self.game = self.input_spec.game
        description = describe(self.game)
        self.samples_class = description.samples_class
        layout = None if description.layout is None else description.layout(self.input_spec.history)
        if layout is None or layout.encoding != self.input_spec.encoding:
            raise BadFile(
                f"{self.game} has no network of people's moves with the encoding '{self.input_spec.encoding}'"
            )
        if self.input_spec.facts and layout.points is None:
            raise BadFile(f"networks of {self.game} have no heads of ownership and lead")
        self._layout = layout

    @property
    def ratings(self) -> tuple[float, float] | None:
        """The range of ratings of the input spec."""
        return self.input_spec.ratings

    def output_shapes(self, inputs: Tensors) -> Mapping[str, tuple[int, ...]]:
        """The labels of the game's encoding; win, draw and loss."""
        rows, columns = inputs["planes"].shape[2:]
        labels = self._layout.on_board(rows, columns).moves
        facts = {"ownership": (rows * columns,), "lead": (1,)} if self.input_spec.facts else {}
        return {"policy": (labels,), "wdl": (3,), **facts}

    def encode(self, positions: Sequence[Position]) -> Tensors:
        """`planes` and `context`. An unknown rating of the opponent is that of the player to move."""
        states = [position.state for position in positions]
        others = [p.rating if p.opponent_rating is None else p.opponent_rating for p in positions]
        facts = np.array(
            [[p.rating, other, p.clock] for p, other in zip(positions, others, strict=True)], np.float64
        )
        spec, encode = self.input_spec, self.samples_class.encode_states
        names = spec.server_names
        servers = [names.index(p.server) if p.server in names else 0 for p in positions]
        mine, theirs, clocks = facts.reshape(-1, 3).T
        komi = self.komi(lambda encoding: encode(states, encoding, 1))
        context = spec.context(mine, theirs, clocks, komi, np.array(servers, np.int64))
        return {"planes": encode(states, spec.encoding, spec.history), "context": context}

    def komi(self, encode: Callable[[str], NDArray[Any]]) -> NDArray[Any] | None:
        """Komi for the player to move, [n], for `InputSpec.context`; None for networks without facts.

        `encode` gives n positions in an encoding.
        """
        if not self.input_spec.facts:
            return None
        assert self._layout.points is not None, "checked in __init__"
        return encode(self._layout.points.encoding)[:, self._layout.points.column]

    def decode(self, positions: Sequence[Position], outputs: Tensors) -> list[Prediction]:
        """Probabilities of the legal moves, and win, draw and loss of the player to move."""
        logits = np.ascontiguousarray(outputs["policy"], dtype=np.float32)
        states = [position.state for position in positions]
        moves, probabilities = self.samples_class.decode_states(states, logits, self.input_spec.encoding)
        ends = np.cumsum([len(legal) for legal in moves])
        leads: list[float | None] = [None] * len(states)
        owners: Sequence[NDArray[np.float32] | None] = [None] * len(states)
        if self.input_spec.facts:
            leads = outputs["lead"][:, 0].tolist()
            owners = list(outputs["ownership"].astype(np.float32)) if "ownership" in outputs else owners
        rows = zip(states, moves, ends, outputs["wdl"].tolist(), leads, owners, strict=True)
        return [
            Prediction(
                legal,
                probabilities[end - len(legal) : end],
                win - loss,
                (win, draw, loss),
                lead=lead,
                state=state,
                ownership=owner,
            )
            for state, legal, end, (win, draw, loss), lead, owner in rows
        ]

    def encode_batch(self, batch: PositionBatch) -> Tensors:
        """`planes` and `context` of a batch. An unknown rating of the opponent is the player's."""
        mine, theirs = batch.ratings.T
        planes = batch.states.encode(self.input_spec.encoding, self.input_spec.history)
        others = np.where(np.isnan(theirs), mine, theirs)
        komi = self.komi(lambda encoding: batch.states.encode(encoding, 1))
        return {"planes": planes, "context": self.input_spec.context(mine, others, batch.clocks, komi)}

    def decode_batch(self, batch: PositionBatch, outputs: Tensors) -> PredictionBatch:
        """Probabilities over the legal moves, the value win - loss, and with facts the lead."""
        logits = np.ascontiguousarray(outputs["policy"], dtype=np.float32)
        probabilities, offsets = batch.states.decode(logits, self.input_spec.encoding)
        wdl = outputs["wdl"].astype(np.float64)
        leads = outputs["lead"][:, 0].astype(np.float32) if self.input_spec.facts else None
        return PredictionBatch(probabilities, offsets, (wdl[:, 0] - wdl[:, 2]).astype(np.float32), leads)

    def symmetries(self, position: Position) -> int:
        """The number of symmetries of the position."""
        return int(position.state.symmetries) if self._layout.symmetry_labels is not None else 1

    def apply_symmetry(self, positions: Sequence[Position], inputs: Tensors, symmetry: int) -> Tensors:
        """The planes with permuted cells. All boards must have one size."""
        planes = inputs["planes"]
        turned = np.empty_like(planes).reshape(*planes.shape[:2], -1)
        turned[..., positions[0].state.transformed_cells(symmetry)] = planes.reshape(turned.shape)
        return {**inputs, "planes": turned.reshape(planes.shape)}

    def invert_symmetry(self, positions: Sequence[Position], outputs: Tensors, symmetry: int) -> Tensors:
        """The policy with the labels permuted back."""
        if not symmetry or self._layout.symmetry_labels is None:
            return outputs
        cells = positions[0].state.transformed_cells(symmetry)
        turned = {**outputs, "policy": outputs["policy"][:, self._layout.symmetry_labels(cells)]}
        return {**turned, "ownership": outputs["ownership"][:, cells]} if "ownership" in outputs else turned
