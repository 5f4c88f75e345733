"""The positions that the learner samples: a window over the newest games, which grows with the run.

A block's games are replayed once, when it enters the window, and its positions are kept encoded: the bits of
binary planes, the values of count planes, and the labels of the legal moves.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparring.games import NetworkLayout, describe
from sparring.networks.conditioned import CONTEXT
from sparring.training.batches import IGNORE_INDEX, TrainingBatch, to_device, unpack_bits
from sparring.training.selfplay.config import LearnConfig, SelfPlayConfig
from sparring.training.selfplay.games import GameBlock, read_block


def window_size(positions: int, learn: LearnConfig) -> int:
    """The size of the window after `positions` positions in all: KataGo's power law (Wu 2020, appendix C)."""
    if positions <= learn.window:
        return positions
    ratio: float = (positions / learn.window) ** learn.window_exponent
    grown = (ratio - 1) / learn.window_exponent
    return round(learn.window * (1 + learn.window_growth * grown))


@dataclass(frozen=True)
class BlockPositions:
    """n encoded positions of a block."""

    bits: NDArray[np.uint8]
    """[n, bytes]: the bits of the planes, first cell in the lowest bit."""
    counts: NDArray[np.uint8]
    """[n, count planes]."""
    labels: NDArray[np.uint16]
    """Labels of the legal moves of all positions."""
    offsets: NDArray[np.int64]
    """[n + 1]: position i has the labels offsets[i] to offsets[i + 1]."""
    policy: NDArray[np.float16]
    """Policy targets of all positions, as `labels`; zeros without a full search."""
    wdl: NDArray[np.float32]
    """[n, 3]: value targets: win, draw and loss of the player to move."""

    def __len__(self) -> int:
        return len(self.wdl)


def encode_block(block: GameBlock, config: SelfPlayConfig, layout: NetworkLayout) -> BlockPositions:
    """The positions of a block that are learned from: those with a search."""
    games = len(block)
    starts = np.concatenate([[0], np.cumsum(block.lengths[:-1])]) * block.about["width"]
    ends = starts + block.lengths * block.about["width"]
    moves = [block.moves[a:b].tobytes() for a, b in zip(starts, ends, strict=True)]
    limits = np.stack([block.skipped.astype(np.int64), np.zeros(games, np.int64)], axis=1)
    samples = describe(config.game).samples_class.unpack(
        [block.about["start"]] * games, moves, [None] * games, limits, block.about["width"]
    )
    whose = np.repeat(np.arange(games), block.lengths)
    ply = np.arange(len(whose)) - np.repeat(np.cumsum(block.lengths) - block.lengths, block.lengths)
    kept = ply >= block.skipped[whose]
    history = config.network.history
    (bits, counts), _, labels, offsets, *_ = samples.encode(
        np.arange(len(samples), dtype=np.int64), layout.encoding, history, None, True
    )
    movers = samples.movers
    results = block.results[whose[kept]] * np.where(movers == 0, 1, -1)
    values = block.values[kept].astype(np.float32)
    return BlockPositions(
        bits,
        counts,
        labels,
        offsets,
        _policy(block, kept),
        value_targets(results, values, config.learn.search_value),
    )


def _policy(block: GameBlock, kept: NDArray[np.bool_]) -> NDArray[np.float16]:
    """The targets of the kept positions, zeros without a full search."""
    sizes = block.sizes.astype(np.int64)
    whole = np.zeros(sizes.sum(), np.float16)
    whole[np.repeat(block.full, sizes)] = block.policy
    return whole[np.repeat(kept, sizes)]


def value_targets(
    results: NDArray[np.integer], values: NDArray[np.float32], search_share: float
) -> NDArray[np.float32]:
    """Win, draw and loss [n, 3] of the player to move, by results -1, 0 and 1 and the searches' values."""
    played = np.stack([results > 0, results == 0, results < 0], axis=1).astype(np.float32)
    win = (1 + np.clip(values, -1, 1)) / 2
    searched = np.stack([win, np.zeros_like(win), 1 - win], axis=1)
    return np.asarray((1 - search_share) * played + search_share * searched, np.float32)


class Window:
    """The newest positions of a run, by blocks."""

    def __init__(self, config: SelfPlayConfig, layout: NetworkLayout) -> None:
        self._config, self._layout = config, layout
        self._blocks: deque[BlockPositions] = deque()
        self.positions = 0
        """Positions of all games so far."""

    def __len__(self) -> int:
        return sum(map(len, self._blocks))

    @property
    def newest(self) -> BlockPositions:
        """The block that was added last."""
        return self._blocks[-1]

    def add(self, path: Path) -> GameBlock:
        """Adds a block's file and drops the blocks that are older than the window. Raises BadFile."""
        block = read_block(path)
        encoded = encode_block(block, self._config, self._layout)
        self._blocks.append(encoded)
        self.positions += len(encoded)
        size = window_size(self.positions, self._config.learn)
        while len(self._blocks) > 1 and len(self) - len(self._blocks[0]) >= size:
            self._blocks.popleft()
        return block

    def sample(self, count: int, rng: np.random.Generator, device: torch.device) -> TrainingBatch:
        """A batch of positions, drawn with equal probabilities and shown under random symmetries."""
        ends = np.cumsum([len(block) for block in self._blocks])
        chosen = np.sort(rng.integers(ends[-1], size=count))
        owners = np.searchsorted(ends, chosen, side="right")
        parts = [
            (self._blocks[i], chosen[owners == i] - (ends[i] - len(self._blocks[i])))
            for i in np.unique(owners)
        ]
        symmetry = int(rng.integers(self.symmetries))
        return training_batch(parts, self._layout, device, self._turned(symmetry))

    @property
    def symmetries(self) -> int:
        """The symmetries under which positions are shown, the identity included.

        They are those of the initial position: none in chess, because of castling.
        """
        if not self._config.learn.symmetries or self._layout.symmetry_labels is None:
            return 1
        return int(self._config.load_game().initial().symmetries)

    def _turned(self, symmetry: int) -> NDArray[np.int64] | None:
        """The images of the cells under a symmetry; None for the identity."""
        if not symmetry:
            return None
        cells = self._config.load_game().initial().transformed_cells(symmetry)
        return np.asarray(cells, np.int64)


def training_batch(
    parts: Sequence[tuple[BlockPositions, NDArray[np.int64]]],
    layout: NetworkLayout,
    device: torch.device,
    turned: NDArray[np.int64] | None = None,
) -> TrainingBatch:
    """The positions with these indices of each block as a batch; `turned` permutes the cells, and the
    labels with them."""
    arrays = {
        "bits": np.concatenate([block.bits[rows] for block, rows in parts]),
        "counts": np.concatenate([block.counts[rows] for block, rows in parts]),
        "wdl": np.concatenate([block.wdl[rows] for block, rows in parts]),
    }
    places = [_moves_of(block, rows) for block, rows in parts]
    arrays["sizes"] = np.concatenate([np.diff(block.offsets)[rows] for block, rows in parts])
    arrays["labels"] = np.concatenate(
        [block.labels[at] for (block, _), at in zip(parts, places, strict=True)]
    )
    arrays["policy"] = np.concatenate(
        [block.policy[at] for (block, _), at in zip(parts, places, strict=True)]
    )
    tensors = to_device(arrays, device)
    n = len(arrays["wdl"])
    planes = unpack_bits(tensors["bits"], (layout.planes, layout.rows, layout.columns))
    for begin, end, _ in layout.counts:
        planes[:, begin:end] = tensors["counts"][:, :, None, None]
    rows = torch.arange(n, device=device).repeat_interleave(tensors["sizes"])
    labels = tensors["labels"].long().clamp(max=layout.moves)
    # Moves without a label go to an extra last column, which is cut off.
    legal = torch.zeros((n, layout.moves + 1), dtype=torch.bool, device=device)
    legal[rows, labels] = True
    policy = torch.zeros((n, layout.moves + 1), device=device)
    policy[rows, labels] = tensors["policy"].float()
    legal, policy = legal[:, :-1], policy[:, :-1]
    if turned is not None:
        assert layout.symmetry_labels is not None
        planes, legal, policy = _turn(planes, legal, policy, turned, layout)
    none = torch.full((n,), IGNORE_INDEX, dtype=torch.long, device=device)
    ones, empty = torch.ones(n, device=device), torch.zeros((0, 0), device=device)
    return TrainingBatch(
        planes,
        torch.zeros((n, CONTEXT), device=device),
        legal,
        none,
        none,
        policy,
        ones,
        torch.zeros(n, dtype=torch.bool, device=device),
        tensors["wdl"],
        ones,
        empty,
        empty,
    )


def _moves_of(block: BlockPositions, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places of the positions' moves among all moves of the block."""
    sizes = block.offsets[rows + 1] - block.offsets[rows]
    first = np.repeat(block.offsets[rows] - np.cumsum(sizes) + sizes, sizes)
    return first + np.arange(sizes.sum())


def _turn(
    planes: Tensor, legal: Tensor, policy: Tensor, cells: NDArray[np.int64], layout: NetworkLayout
) -> tuple[Tensor, Tensor, Tensor]:
    """Permutes cells and labels: what was at cell c is at cells[c]."""
    assert layout.symmetry_labels is not None
    to_cells = torch.from_numpy(cells).to(planes.device)
    to_labels = torch.from_numpy(np.asarray(layout.symmetry_labels(cells), np.int64)).to(planes.device)
    turned = torch.empty_like(planes).flatten(2)
    turned[:, :, to_cells] = planes.flatten(2)
    shown_legal, shown_policy = torch.empty_like(legal), torch.empty_like(policy)
    shown_legal[:, to_labels], shown_policy[:, to_labels] = legal, policy
    return turned.view_as(planes), shown_legal, shown_policy


def board_layout(config: SelfPlayConfig) -> NetworkLayout:
    """The layout of the network's inputs and labels on the board of the configuration's rules."""
    layout = describe(config.game).layout
    assert layout is not None, "checked by the configuration"
    return layout(config.network.history).on_board(*config.load_game().spec.board)


def random_planes(config: SelfPlayConfig, layout: NetworkLayout, positions: int = 512) -> Tensor:
    """Inputs [n, planes, rows, columns] of positions of random games, by which batch normalisation is set."""
    rng, states = np.random.default_rng(config.training.seed), list[object]()
    state = config.load_game().initial()
    while len(states) < positions:
        states.append(state)
        state = state.play(int(rng.choice(state.legal_moves())))
        if state.outcome is not None:
            state = config.load_game().initial()
    planes = describe(config.game).samples_class.encode_states(
        states, layout.encoding, config.network.history
    )
    return torch.from_numpy(np.ascontiguousarray(planes))
