"""What the networks of each game see and say: the encoding, its shape, and how moves lie in the policy."""

from __future__ import annotations

from dataclasses import dataclass

from sparring.networks.conditioned import InputSpec
from sparring.training.config import TrainingConfig


@dataclass(frozen=True)
class Layout:
    """The shape of a game's inputs and policy."""

    encoding: str
    planes: int
    rows: int
    columns: int
    head: str
    """from-to: a logit a pair of squares, as Lc0 numbers moves; planes: a plane a kind of move; points: a
    logit a point, and one for a pass."""
    moves: int
    """Logits of the policy."""
    history: tuple[int, int]
    """Which planes show earlier boards."""
    counts: tuple[tuple[int, int, float], ...] = ()
    """Planes from-to that hold counts, and what they are divided by."""

    @property
    def cells(self) -> int:
        """Of the board."""
        return self.rows * self.columns


def layout_of(config: TrainingConfig) -> Layout:
    """The layout of a configuration's network."""
    if config.game == "chess":
        return Layout("lc0", 112, 8, 8, "from-to", 1858, (13, 104), ((109, 110, 100.0),))
    if config.game == "go":
        return Layout("katago", 22, 19, 19, "points", 362, (9, 14))
    boards = 28 * config.network.history
    hands = ((boards, boards + 14, 4.0),)
    return Layout("boards", boards + 15, 9, 9, "planes", 27 * 81, (28, boards), hands)


def input_spec_of(config: TrainingConfig) -> InputSpec:
    """What the codec must know of the network."""
    lowest, highest = config.network.rating_range or (0.0, 1.0)
    return InputSpec(config.game, layout_of(config).encoding, config.network.history, lowest, highest)
