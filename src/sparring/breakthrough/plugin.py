"""Breakthrough for the rest of the package."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sparring.games.description import GameDescription, NetworkLayout, Phases

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sparring.players.game_players import GamePlayers
    from sparring.records.record import RecordFormats


def _rules() -> type[Any]:
    from sparring.breakthrough.game import Breakthrough

    return Breakthrough


def _records() -> RecordFormats:
    from sparring.records.record import RecordFormats

    return RecordFormats(everything="breakthrough")


def _players() -> GamePlayers:
    from sparring.players.game_players import GamePlayers
    from sparring.players.small_players import learned_player

    return GamePlayers(strength_player=learned_player)


def _symmetry_labels(cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """The label [3 * 64] that the mirror takes each label of the encoding "boards" to."""
    import numpy as np

    return (np.array([2, 1, 0])[:, None] * len(cells) + cells).ravel()


def _layout(history: int) -> NetworkLayout:
    """`core/breakthrough/encoding.hpp`: own and the other's pieces a board, a policy plane a direction."""
    return NetworkLayout(
        "boards", 2 * history, 8, 8, "planes", 3 * 64,
        history=(2, 2 * history), fixed_history=False, symmetry_labels=_symmetry_labels,
    )  # fmt: skip


DESCRIPTION = GameDescription(
    name="breakthrough",
    order=6,
    load_rules=_rules,
    native="Breakthrough",
    packed_move_bytes=1,
    encodings={"planes": 1, "boards": 1},
    phases=Phases(10, 30),
    layout=_layout,
    how_to_move="Moves: the two squares, b2b3, b2-b3 or b2xc3; b3 alone where only one piece can go there.",
    rules_summary=(
        "Each side has two rows of pieces. A piece moves one square forward, straight or diagonally, to "
        "an empty square. It captures diagonally forward only, and need not. Who reaches the far row, or "
        "captures all pieces, wins. There are no draws."
    ),
    records=_records,
    players=_players,
)
