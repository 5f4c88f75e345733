"""Openings from the files that people have."""

from __future__ import annotations

import gzip
import zipfile
from pathlib import Path
from typing import Any

import pytest
import zstandard

from sparring.arena.run_tournament import read_openings
from sparring.arena.tournament import OpeningSuite
from sparring.base.errors import BadConfig
from sparring.chess.game import Chess
from sparring.games import Game
from sparring.go.game import Go
from sparring.shogi.game import Shogi

EPD = (
    "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - hmvc 0; fmvn 1;\n"
    "# a remark\n\n"
    "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\n"
    "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\n"
    "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3\n"
)
PGN = b'[Event "?"]\n\n1. e4 e5 2. Nf3 Nc6 *\n\n[Event "?"]\n\n1. d4 d5 *\n'


def test_several_openings_from_one_game(tmp_path: Path) -> None:
    path = tmp_path / "game.pgn"
    path.write_text("1. e4 e5 2. Nf3 Nc6 3. Bb5 *\n")
    found = read_openings(OpeningSuite(path, 4, every=2), Chess())
    assert [each.state(Chess()).ply for each in found] == [2, 4]
    assert [
        opening.state(Chess()).ply for opening in read_openings(OpeningSuite(path, 80, every=2), Chess())
    ] == [
        2,
        4,
    ]
    assert [opening.state(Chess()).ply for opening in read_openings(OpeningSuite(path, 80), Chess())] == [5]


def texts(path: Path, game: Game[Any], plies: int = 16) -> list[str]:
    return [game.text(opening.state(game)) for opening in read_openings(OpeningSuite(path, plies), game)]


def test_epd_and_fen_without_doubles_and_finished_games(tmp_path: Path) -> None:
    path = tmp_path / "book.epd"
    path.write_text(EPD)
    assert texts(path, Chess()) == [
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
    ]


@pytest.mark.parametrize("packing", ["plain", "gz", "zst", "zip"])
def test_pgn_up_to_a_ply_in_every_packing(packing: str, tmp_path: Path) -> None:
    path = tmp_path / ("book.pgn" if packing == "plain" else f"book.pgn.{packing}")
    match packing:
        case "gz":
            path.write_bytes(gzip.compress(PGN))
        case "zst":
            path.write_bytes(zstandard.ZstdCompressor().compress(PGN))
        case "zip":
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("folder/book.pgn", PGN)
        case _:
            path.write_bytes(PGN)
    states = [opening.state(Chess()) for opening in read_openings(OpeningSuite(path, 2), Chess())]
    assert [(state.ply, state.to_move) for state in states] == [(2, 0), (2, 0)]


def test_sfen_and_lines_of_moves(tmp_path: Path) -> None:
    path = tmp_path / "book.sfen"
    path.write_text("startpos moves 7g7f 3c3d\nsfen 4k4/9/9/9/9/9/9/9/4K4 b P 1\n")
    openings = read_openings(OpeningSuite(path), Shogi())
    assert [opening.state(Shogi()).ply for opening in openings] == [2, 0]


def test_sgf_for_go(tmp_path: Path) -> None:
    path = tmp_path / "book.sgf"
    path.write_text("(;GM[1]SZ[9]KM[7.5];B[ee];W[cc];B[gg])")
    (opening,) = read_openings(OpeningSuite(path, 2), Go(size=9))
    state = opening.state(Go(size=9))
    assert (state.size, state.ply, state.to_move) == (9, 2, 0)


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("book.epd", b"rnbqkbnr/pppppppp w - -\n", "line 1"),
        ("book.pgn", b"1. e4 e5 2. Ke8 *\n", "line 1"),
        ("book.epd", b"\n", "there is none"),
        ("book.sgf", b"(;)", "holds no chess"),
        ("book.zip", b"PK nonsense", "zip"),
        ("book.pgn.zst", b"\x28\xb5\x2f\xfd\x00", "cut off"),
    ],
)
def test_bad_books_are_named_with_the_place(
    name: str, content: bytes, complaint: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(BadConfig, match=complaint):
        read_openings(OpeningSuite(path), Chess())


def test_a_missing_book_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match=r"absent\.pgn"):
        read_openings(OpeningSuite(tmp_path / "absent.pgn"), Chess())
