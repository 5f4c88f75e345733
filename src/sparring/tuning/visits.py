"""Visit counts of many searches in lockstep, at several sizes of one search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sparring.networks import Position
from sparring.policies import Policy
from sparring.policies.segments import Array, Offsets, segment_log_softmax, segment_offsets, segment_repeat
from sparring.search.lockstep import LockstepSearch
from sparring.tuning.theta import Theta


@dataclass(frozen=True)
class PlayedPositions:
    """Positions in which people moved."""

    positions: Sequence[Position]
    played: NDArray[np.int64]
    """[positions]: index of the move played among the legal moves in ascending order."""
    game: NDArray[np.int64]
    """[positions]: index of the game, the unit of resampling."""
    phase: NDArray[np.int64]
    """[positions]: index in `matching.phases.PHASES`."""

    def __len__(self) -> int:
        return len(self.positions)

    def take(self, rows: NDArray[np.int64]) -> Self:
        """The positions with these indices."""
        chosen = [self.positions[row] for row in rows.tolist()]
        return type(self)(chosen, self.played[rows], self.game[rows], self.phase[rows])


@dataclass(frozen=True)
class VisitData:
    """The root moves of many searches, and the moves that people played."""

    log_policy: Array
    """[moves]: log-probabilities of the policy, at temperature 1."""
    visits: dict[int, Array]
    """By size of the search in nodes: the visits [moves]."""
    values: Array
    """[moves]: values for the side to move after the largest search; the root's value for moves without
    visits."""
    offsets: Offsets
    """[positions + 1]: position i has the moves offsets[i] to offsets[i + 1]."""
    played: NDArray[np.int64]
    """[positions]: the index of the move played, among all moves."""

    def __len__(self) -> int:
        return len(self.played)

    @property
    def nodes(self) -> int:
        """The size of the largest search."""
        return max(self.visits)

    def priors(self, policy_temperature: float) -> Array:
        """The priors of a search at temperature t [moves]: p^(1 / t) / Z."""
        return np.exp(segment_log_softmax(self.log_policy / policy_temperature, self.offsets))

    def rows(self, wanted: NDArray[np.bool_]) -> Self:
        """The positions of a mask [positions]."""
        kept = segment_repeat(wanted, self.offsets)
        sizes = np.diff(self.offsets)
        offsets = segment_offsets(sizes[wanted])
        return type(self)(
            self.log_policy[kept],
            {nodes: each[kept] for nodes, each in self.visits.items()},
            self.values[kept],
            offsets,
            (self.played - self.offsets[:-1])[wanted] + offsets[:-1],
        )

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """The searches of all parts, in order."""
        shifts = np.cumsum([0, *(part.offsets[-1] for part in parts)])
        return cls(
            np.concatenate([part.log_policy for part in parts]),
            {nodes: np.concatenate([part.visits[nodes] for part in parts]) for nodes in parts[0].visits},
            np.concatenate([part.values for part in parts]),
            segment_offsets(np.concatenate([np.diff(part.offsets) for part in parts])),
            np.concatenate([part.played + shift for part, shift in zip(parts, shifts, strict=False)]),
        )


def snapshot_sizes(nodes: int) -> list[int]:
    """The sizes at which a search of `nodes` nodes is looked at: powers of two, and `nodes` itself."""
    sizes = [2**k for k in range(nodes.bit_length()) if 2**k < nodes]
    return [*sizes, nodes]


def search_visits(
    policy: Policy, data: PlayedPositions, theta: Theta, sizes: Sequence[int], *, trees: int = 1024
) -> VisitData:
    """Searches all positions, `trees` at a time in lockstep, and returns the visits at all sizes.

    One search gives every size exactly: the visits of a search of 8 nodes are those of a search of 64 nodes
    after its eighth. Raises ValueError if the policy gives no values.
    """
    parts = []
    for start in range(0, len(data), trees):
        rows = np.arange(start, min(start + trees, len(data)))
        parts.append(_search_part(policy, data.take(rows), theta, sorted(sizes)))
    return VisitData.join(parts)


def _search_part(policy: Policy, data: PlayedPositions, theta: Theta, sizes: Sequence[int]) -> VisitData:
    search = LockstepSearch(policy, data.positions, theta.puct_config())
    visits = {}
    for nodes in sizes:
        search.run(nodes)
        _, _, found, values, _, offsets = search.forest.root_moves()
        visits[nodes] = found.astype(np.float64)
    assert search.root is not None
    logs = np.log(np.maximum(search.root.probabilities.astype(np.float64), 1e-12))
    roots = segment_repeat(search.forest.values, offsets)
    return VisitData(
        segment_log_softmax(logs, offsets),
        visits,
        np.where(np.isnan(values), roots, values),
        offsets,
        data.played + offsets[:-1],
    )
