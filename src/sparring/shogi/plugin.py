"""Shogi for the rest of the package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sparring.base.sentences import Sentence
from sparring.games.description import (
    EngineSupport,
    GameDescription,
    NetworkLayout,
    OpeningFormats,
    PeopleNetwork,
    Phases,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sparring._core import ShogiState
    from sparring.cli.commands import Command, Group
    from sparring.networks.formats import NetworkFormats
    from sparring.players.game_players import GamePlayers
    from sparring.records.record import RecordFormats


def _rules() -> type[Any]:
    from sparring.shogi.game import Shogi

    return Shogi


def _records() -> RecordFormats:
    from sparring.records.record import RecordFormats
    from sparring.shogi.csa import read_csa, to_csa
    from sparring.shogi.kif import read_ki2, read_kif, to_kif
    from sparring.shogi.records import ShogiFilter, read_hcpe

    return RecordFormats(
        readers={"kif": read_kif, "kifu": read_kif, "ki2": read_ki2, "csa": read_csa, "hcpe": read_hcpe},
        writer=to_csa,
        suffix="csa",
        writers={"kif": to_kif},
        filter=ShogiFilter,
        everything="shogi-everything",
    )


def _networks() -> NetworkFormats:
    from sparring.networks.formats import NetworkFormats, OnnxFormat
    from sparring.shogi import dlshogi

    return NetworkFormats(
        codecs={"dlshogi": dlshogi.DlshogiCodec},
        onnx=OnnxFormat("dlshogi", frozenset({"input1", "input2"}), dlshogi.read),
    )


def _symmetry_labels(cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """The label [27 * 81] that the mirror takes each label of the encoding "boards" to."""
    from sparring.shogi.dlshogi import mirrored_directions

    return (mirrored_directions()[:, None] * len(cells) + cells).ravel()


def _layout(history: int) -> NetworkLayout:
    """`core/shogi/boards.hpp`: 28 planes a board, 14 counts of pieces in hand, and one more."""
    boards = 28 * history
    return NetworkLayout(
        "boards", boards + 15, 9, 9, "planes", 27 * 81,
        history=(28, boards), counts=((boards, boards + 14, 4.0),), fixed_history=False,
        symmetry_labels=_symmetry_labels,
    )  # fmt: skip


def _western(state: ShogiState, move: int) -> str:
    from sparring.shogi.notation import western

    return western(state, move)


def _move_count(state: ShogiState) -> int:
    """By the move number of the SFEN."""
    return int(state.text().rpartition(" ")[2]) - 1


def _players() -> GamePlayers:
    from functools import partial

    from sparring import data
    from sparring.players.game_players import GamePlayers, OpeningStyle
    from sparring.shogi.opening_style import STYLES, style_factors

    if "shogi" not in data.names("opening_styles"):  # a build may leave it out
        return GamePlayers()
    titles = (Sentence("Static rook"), Sentence("Ranging rook"))
    styles = zip(STYLES, titles, strict=True)
    return GamePlayers(
        opening_styles={name: OpeningStyle(title, partial(style_factors, name)) for name, title in styles}
    )


def _commands() -> Mapping[str, Command | Group]:
    from sparring.cli.commands import Command, Group

    return {"engine": Group("", {"usi": Command("sparring.cli.engine:usi", "Play shogi over USI.")})}


DESCRIPTION = GameDescription(
    name="shogi",
    order=3,
    load_rules=_rules,
    native="Shogi",
    packed_move_bytes=2,
    numbers_plies=True,
    draws_by_agreement=False,
    board="shogiboard",
    rating_scale=Sentence(
        "A level errs about as people do on one of their days, from a terrible to an average one, by what "
        "moves lose in three-minute games of one shogi site. It is no dan and no rating."
    ),
    encodings={"planes": 1, "boards": 1, "dlshogi": 1},
    phases=Phases(40, 100),
    openings=OpeningFormats(("sfen",)),
    engine=EngineSupport("usi", byoyomi=True, score_scale=1200),  # Fairy-Stockfish, fitted to games of people
    layout=_layout,
    people=PeopleNetwork(),
    display_move=_western,
    move_count=_move_count,
    how_to_move=Sentence(
        "Moves: P-7f, Bx2b+ (promotes), Bx2b= (does not), P*5e (drops a pawn from the hand), G6i-5h where"
        " two could go; the two squares, 7g7f; or Japanese: 76歩. Capital letters are Black's: P pawn, L "
        "lance, N knight, S silver, G gold, B bishop, R rook, K king; + is promoted."
    ),
    records=_records,
    networks=_networks,
    commands=_commands,
    players=_players,
)
