"""A broken game is counted and skipped, whatever is broken; the games beside it are kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sparring.records import build_table, load_preset, open_records, read_shards, readers, records_of
from sparring.records.record import GameRecord, ParsedGame
from sparring.records.sources import detect_charset

EVERYTHING, GO = load_preset("everything"), load_preset("go-everything")
GOOD = '[Site "good"]\n\n1. e4 e5 2. Nf3 1-0\n\n'
GOOD_SGF = "(;GM[1]SZ[9]PB[good];B[aa];W[bb])\n"


@pytest.mark.parametrize("elo", ["0001500000", "9" * 400, "32768", "-1", "²", "٣", "1500" + "0" * 30])
def test_a_rating_that_is_none_is_unknown(elo: str, tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_text(f'{GOOD}[WhiteElo "{elo}"]\n{GOOD}')
    assert build_table([tmp_path / "a.pgn"], EVERYTHING, tmp_path / "t").kept == 2
    (shard,) = read_shards(tmp_path / "t")
    assert [record.first_rating for record in records_of(shard)] == [None, None]


@pytest.mark.parametrize(
    "charset",
    ["zlib", "hex", "rot13", "undefined", "\x00", "bz2", "base64", "idna", "mbcs", "", "é"],
)
def test_a_charset_that_is_none_is_guessed(charset: str, tmp_path: Path) -> None:
    assert detect_charset(["é".encode()], charset) == "utf-8"
    game = f"(;GM[1]SZ[9]CA[{charset}]PB[Jos\xe9];B[aa];W[bb])\n"
    (tmp_path / "a.sgf").write_bytes((GOOD_SGF + game + GOOD_SGF).encode())
    assert build_table([tmp_path / "a.sgf"], GO, tmp_path / "t").kept == 3


def test_a_game_that_no_column_can_hold_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(chunks: object, skip: int) -> Iterator[ParsedGame]:
        for rating, site in ((1500, "\ud800"), (70_000, "b"), (1600, "c")):
            yield ParsedGame(GameRecord(b"\0", 1.0, first_rating=rating, site=site), "", "x", 0)

    monkeypatch.setattr("sparring.records.build.reader_for", lambda *_: read)
    (tmp_path / "a.pgn").write_text("x")
    report = build_table([tmp_path / "a.pgn"], EVERYTHING, tmp_path / "t")
    assert (report.kept, report.broken) == (1, 2)
    (shard,) = read_shards(tmp_path / "t")
    assert [record.first_rating for record in records_of(shard)] == [1600]


def test_a_record_that_cannot_be_made_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = iter(range(10))

    def make(*_: object) -> GameRecord:
        if next(made) == 1:
            raise MemoryError
        return GameRecord(b"\0", 1.0)

    monkeypatch.setattr("sparring.chess.pgn.record_from_tags", make)
    (tmp_path / "a.pgn").write_text(GOOD * 3)
    report = build_table([tmp_path / "a.pgn"], EVERYTHING, tmp_path / "t")
    assert (report.kept, report.broken) == (2, 1)
    assert "MemoryError" in report.examples[0]


def test_a_reader_that_fails_costs_its_own_file_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(chunks: object, skip: int) -> Iterator[ParsedGame]:
        raise RuntimeError("a fault")
        yield

    usual = readers.reader_for
    monkeypatch.setattr(
        "sparring.records.build.reader_for",
        lambda path, game: read if path.name == "a.pgn" else usual(path, game),
    )
    for name in ("a.pgn", "b.pgn"):
        (tmp_path / name).write_text(GOOD + name)
    report = build_table([tmp_path / "a.pgn", tmp_path / "b.pgn"], EVERYTHING, tmp_path / "t")
    assert report.kept == 1
    assert "a fault" in report.unread[0]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.pgn", GOOD * 2),
        ("a.sgf", GOOD_SGF * 2),
        ("a.csa", "V2.2\nN+a\nN-b\nPI\n+\n+7776FU\n-3334FU\n%TORYO\n" * 2),
        ("a.kif", "手合割：平手\n先手：a\n後手：b\n   1 ７六歩(77)\n   2 投了\n" * 2),
    ],
)
@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("newline", [b"\n", b"\r", b"\r\n"])
def test_byte_order_marks_and_line_breaks_of_every_system(
    name: str, text: str, bom: bytes, newline: bytes, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(bom + text.encode().replace(b"\n", newline))
    errors: list[str] = []
    assert len(list(open_records(tmp_path / name, on_error=errors.append))) == 2
    assert not errors
