"""PGN with any game's own move texts."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from sparring.base.errors import BadFile
from sparring.games import GAMES, describe, load_game
from sparring.records import GameRecord, Termination, open_records
from sparring.records.pgn_tags import variant_reader, variant_writer
from sparring.records.readers import formats, reader_for

TEXT = """[White "Anna"]
[Black "Ben"]
[Variant "Breakthrough"]

1. b2b3 {why not} g7g6 $1 (1... a7a6 2. a2a3) 2. b3b4 ; to the end of the line
g6g5 {a comment
[that goes on]} *

"""


def random_record(game: str, seed: int, *, clocks: bool = False) -> GameRecord:
    """Forty random plies."""
    rules, rng = load_game(game), np.random.default_rng(seed)
    state = rules.initial()
    while state.ply < 40 and (legal := rules.legal_moves(state)):
        state = rules.play(state, int(rng.choice(legal)))
    times = np.where(rng.random(state.ply) < 0.8, rng.integers(0, 100_000, state.ply), -1).astype(np.int32)
    return GameRecord(
        moves=state.pack_moves(describe(game).packed_move_bytes),
        result=[1.0, 0.5, 0.0, None][seed % 4],
        ending=Termination.TIME if seed % 2 else Termination.NORMAL,
        first='A "quoted" \\ name',
        second="Ben",
        first_rating=1500,
        speed="rapid",
        time_control="600+5",
        clocks=times.tobytes() if clocks else None,
        date=datetime.date(2026, 11, 16),
    )


def read(game: str, text: str, skip: int = 0, size: int = 7) -> Iterator[GameRecord | str]:
    content = text.encode()
    chunks = (content[at : at + size] for at in range(0, len(content), size))
    for found in variant_reader(game)(chunks, skip):
        yield found.error if found.record is None else found.record


@pytest.mark.parametrize("game", GAMES)
def test_records_are_read_as_they_were_written(game: str) -> None:
    records = [random_record(game, seed, clocks=seed % 3 == 0) for seed in range(6)]
    text = "\n".join(map(variant_writer(game), records))
    assert list(read(game, text)) == records


@pytest.mark.parametrize("game", GAMES)
def test_a_start_of_its_own_is_kept(game: str) -> None:
    rules = load_game(game)
    start = rules.play(rules.initial(), rules.legal_moves(rules.initial())[0])
    record = GameRecord(
        rules.play(rules.parse(rules.text(start)), rules.legal_moves(start)[0]).pack_moves(
            describe(game).packed_move_bytes
        ),
        None,
        start=rules.text(start),
    )
    assert list(read(game, variant_writer(game)(record))) == [record]


def test_open_records_reads_a_file_of_a_named_game(tmp_path: Path) -> None:
    (tmp_path / "games.pgn").write_text(TEXT)
    (game,) = open_records(tmp_path / "games.pgn", "breakthrough")
    assert len(list(game.positions())) == 4


def test_comments_variations_and_glyphs_are_skipped() -> None:
    (record,) = read("breakthrough", TEXT)
    assert isinstance(record, GameRecord)
    assert (record.plies("breakthrough"), record.first, record.result) == (4, "Anna", None)


def test_reading_goes_on_after_any_game() -> None:
    text = "\n".join(variant_writer("breakthrough")(random_record("breakthrough", seed)) for seed in range(4))
    games = list(variant_reader("breakthrough")([text.encode()], 0))
    assert len(games) == 4
    for number, game in enumerate(games):
        rest = list(variant_reader("breakthrough")([text.encode()], game.end))
        assert [each.record for each in rest] == [each.record for each in games[number + 1 :]]
        assert [each.where for each in rest] == [each.where for each in games[number + 1 :]]


def test_errors_in_a_game_are_reported_and_the_other_games_are_read() -> None:
    illegal = TEXT.replace("b3b4", "h8h7")
    chess = TEXT.replace("Breakthrough", "Chess")
    found = list(read("breakthrough", illegal + chess + TEXT))
    assert str(found[0]).startswith("ply 3: ")
    assert found[1] == "the tag Variant is 'Chess', not 'Breakthrough'"
    assert isinstance(found[2], GameRecord)


@pytest.mark.parametrize("seed", range(30))
def test_damaged_text_never_raises(seed: int) -> None:
    rng = np.random.default_rng(seed)
    text = bytearray((TEXT * 3).encode())
    for at in rng.integers(0, len(text), 20):
        text[at] = rng.integers(0, 256)
    for found in variant_reader("breakthrough")([bytes(text)], 0):
        assert (found.record is None) == bool(found.error)


def test_a_game_without_end_is_refused_in_bounded_memory() -> None:
    head = TEXT.encode().removesuffix(b"*\n\n")
    endless = (b"{" + b"x" * 1000 + b"}\n" for _ in range(3000))
    (found,) = variant_reader("breakthrough")(iter([head, *endless]), 0)
    assert found.error == "the game is too long"


def test_games_with_formats_of_their_own_do_not_take_pgn() -> None:
    assert formats("breakthrough") == ["pgn"] == formats("chess")
    with pytest.raises(BadFile, match=r"a.pgn holds chess, but the preset is for go"):
        reader_for(Path("a.pgn"), "go")
    with pytest.raises(BadFile, match=r"files of breakthrough end in pgn"):
        reader_for(Path("a.xyz"), "breakthrough")
