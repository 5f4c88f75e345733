"""Chess for the rest of the package."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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

    from sparring._core import ChessState
    from sparring.chess.puzzle_rating import PuzzleRating
    from sparring.cli.commands import Command, Group
    from sparring.measure.analysis import GameAnalysis
    from sparring.measure.problems import ProblemFiles
    from sparring.networks.formats import NetworkFormats
    from sparring.players.game_players import GamePlayers
    from sparring.records.record import RecordFormats


def _rules() -> type[Any]:
    from sparring.chess.game import Chess

    return Chess


def _records() -> RecordFormats:
    from sparring.chess.pgn import ChessFilter, read_pgn, to_pgn
    from sparring.records.record import RecordFormats

    return RecordFormats({"pgn": read_pgn}, to_pgn, filter=ChessFilter, everything="everything")


def _networks() -> NetworkFormats:
    from sparring.chess import lc0, maia3
    from sparring.chess.lc0_weights import looks_like_lc0
    from sparring.networks.formats import NetworkFormats, OnnxFormat, WeightsFormat, lazy_reader

    return NetworkFormats(
        codecs={"lc0": lc0.Lc0Codec, "maia3": maia3.Maia3Codec},
        weights=WeightsFormat("Lc0", looks_like_lc0, lazy_reader("sparring.chess.lc0_graph")),
        onnx=OnnxFormat("Maia-3", frozenset({"tokens"}), maia3.read),
    )


def _players() -> GamePlayers:
    from sparring.chess.books import PolyglotBook, pgn_repertoire
    from sparring.players.game_players import GamePlayers

    return GamePlayers(books={"bin": PolyglotBook, "pgn": pgn_repertoire})


def _symmetry_labels(cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """The only symmetry swaps left and right."""
    from sparring.chess.lc0 import mirrored_moves

    return mirrored_moves()


def _layout(history: int) -> NetworkLayout:
    """Lc0's inputs: eight boards of 13 planes and eight more; plane 109 counts plies for the 50-move rule."""
    return NetworkLayout(
        "lc0", 112, 8, 8, "from-to", 1858,
        history=(13, 104), counts=((109, 110, 100.0),), symmetry_labels=_symmetry_labels,
    )  # fmt: skip


def fen_of_epd(text: str) -> str:
    """FEN from FEN or EPD. EPD has no counters and may have operations behind its four fields."""
    fields = text.split()
    counters = fields[4:6] if len(fields) >= 6 and all(f.isdigit() for f in fields[4:6]) else ["0", "1"]
    return " ".join(fields[:4] + counters)


def _san(state: ChessState, move: int) -> str:
    from sparring.chess.game import Chess

    return Chess().san(state, move)


def _claim(state: ChessState) -> str | None:
    draw = state.claimable_draw
    return None if draw is None else draw.reason


def _can_win(state: ChessState, player: int) -> bool:
    from sparring.chess.game import board_of

    return not board_of(state).has_insufficient_material(player == 0)


def _move_count(state: ChessState) -> int:
    """By the fullmove number of the FEN."""
    return 2 * (int(state.text().rpartition(" ")[2]) - 1) + state.to_move


def _is_endgame(state: ChessState) -> bool:
    """At most six pieces besides kings and pawns."""
    board = state.text().partition(" ")[0]
    return sum(board.count(piece) for piece in "nbrqNBRQ") <= 6


def _commands() -> Mapping[str, Command | Group]:
    from sparring.cli.commands import Command, Group

    problems = {
        "from": Command(
            "sparring.chess.commands:from_games",
            "Find problems in games: one clear answer that people miss.",
        ),
    }
    return {
        "engine": Group("", {"uci": Command("sparring.cli.engine:uci", "Play chess over UCI.")}),
        "problems": Group("", problems),
    }


def _problem_rater() -> Callable[[ChessState, Sequence[str]], PuzzleRating]:
    from sparring.chess.puzzle_rating import rate_puzzle

    return rate_puzzle


def _problem_files() -> ProblemFiles:
    from sparring.chess.puzzle_rating import rated_problems
    from sparring.measure.problems import ProblemFiles

    return ProblemFiles(lambda line: line.startswith("["), rated_problems, "puzzle rating", round)


def _analysis() -> GameAnalysis:
    from sparring.chess.lines import ChessLines
    from sparring.chess.mistake_kinds import KINDS, kind_of_mistake
    from sparring.measure.analysis import GameAnalysis

    return GameAnalysis(
        line_search=ChessLines,
        search_weight=0.55,
        network_weight=0.225,
        programs=("stockfish",),
        kinds=kind_of_mistake,
        kind_titles=KINDS,
    )


def _opening_tags(state: ChessState) -> Mapping[str, str]:
    from sparring.chess.opening_names import opening_name

    opening = opening_name(state)
    return {} if opening is None else {"ECO": opening.eco, "Opening": opening.name}


def _is_opening_position(state: ChessState) -> bool:
    from sparring.chess.opening_names import is_opening_position

    return is_opening_position(state)


DESCRIPTION = GameDescription(
    name="chess",
    opening_tags=_opening_tags,
    is_opening_position=_is_opening_position,
    order=1,
    load_rules=_rules,
    native="Chess",
    packed_move_bytes=1,
    encodings={"planes": 1, "lc0": 1, "maia3": 1},
    phases=Phases(20, 10**6, _is_endgame),
    openings=OpeningFormats(("epd", "fen"), fen_of_epd),
    engine=EngineSupport("uci"),
    layout=_layout,
    people=PeopleNetwork(rating=1500),
    board="chessboard",
    rating_scale=Sentence(
        "A level errs about as often and as badly as people of that rating do in rapid games on Lichess, "
        "which was measured from 800 to 2400: it is not converted to ratings of chess.com or FIDE."
    ),
    display_move=_san,
    claimable_draw=_claim,
    can_win=_can_win,
    move_count=_move_count,
    how_to_move=Sentence("Moves: e4, Nf3, exd5, O-O, e8=Q, or the two squares: e2e4."),
    records=_records,
    networks=_networks,
    commands=_commands,
    problem_rater=_problem_rater,
    problem_files=_problem_files,
    analysis=_analysis,
    players=_players,
)
