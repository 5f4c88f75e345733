"""From PGN to the table and back: no game is lost or duplicated, also after a kill."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import chess.pgn
import pyarrow as pa
import pytest
import zstandard

from sparring._core import chess_moves
from sparring.base.errors import BadConfig, BadFile
from sparring.chess.pgn import to_pgn
from sparring.cli import main
from sparring.records import GameRecord, build_table, find_sources, load_preset, read_shards, records_of
from sparring.records.pgn_tags import speed_of
from sparring.records.record import Split, split_of
from sparring.records.table import read_manifest
from tests.records.test_pgn_parser import random_game

EVERYTHING = load_preset("everything")


def pgn(seed: int, count: int, plies: int = 40) -> str:
    rng = random.Random(seed)
    games = []
    for i in range(count):
        game = random_game(rng, plies)
        game.headers["Site"] = f"game-{seed}-{i}"
        game.headers["UTCDate"] = "2020.05.28"
        game.headers["TimeControl"] = rng.choice(["600+0", "60+0", "180+2", "-"])
        game.headers["BlackElo"] = str(rng.randint(1000, 2000))
        game.headers["Termination"] = rng.choice(["Normal", "Time forfeit"])
        if game.headers["Result"] == "*":
            game.headers["Result"] = "1-0"
        games.append(str(game))
    return "\n\n".join(games) + "\n"


def table(folder: Path) -> list[GameRecord]:
    return [record for shard in read_shards(folder) for record in records_of(shard)]


def test_a_game_comes_back_with_its_moves_clocks_and_evaluations(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_text(pgn(1, 40))
    assert build_table([tmp_path / "a.pgn"], EVERYTHING, tmp_path / "t").kept == 40
    by_site = {record.site: record for record in table(tmp_path / "t")}
    stream = io.StringIO((tmp_path / "a.pgn").read_text())
    while (game := chess.pgn.read_game(stream)) is not None:
        record = by_site.pop(game.headers["Site"])
        again = chess.pgn.read_game(io.StringIO(to_pgn(record)))
        assert again is not None
        assert list(again.mainline_moves()) == list(game.mainline_moves())
        assert [node.clock() for node in again.mainline()] == [node.clock() for node in game.mainline()]
        assert [node.eval() for node in again.mainline()] == [node.eval() for node in game.mainline()]
        for tag in ("White", "WhiteElo", "BlackElo", "Result", "TimeControl", "Termination"):
            assert again.headers[tag] == game.headers[tag]
    assert not by_site


def test_games_that_went_on_after_a_fivefold_repetition_are_kept_whole(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_text("Nf3 Nf6 Ng1 Ng8 " * 7 + "e4 1/2-1/2\n")
    assert build_table([tmp_path / "a.pgn"], EVERYTHING, tmp_path / "t").kept == 1
    record = table(tmp_path / "t")[0]
    assert chess_moves(record.start, record.moves)[-2:] == ["f6g8", "e2e4"]
    assert "15. e4" in to_pgn(record)


@pytest.mark.parametrize("kind", ["pgn", "gz", "bz2", "zst", "two frames"])
def test_compressed_files_read_like_plain_ones(kind: str, tmp_path: Path) -> None:
    data = pgn(2, 30).encode()
    half = len(data) // 2
    packed = {
        "pgn": data,
        "gz": gzip.compress(data),
        "bz2": bz2.compress(data),
        "zst": zstandard.compress(data),
        "two frames": zstandard.compress(data[:half]) + zstandard.compress(data[half:]),
    }
    (tmp_path / "a.pgn").write_bytes(packed[kind])
    assert build_table([tmp_path / "a.pgn"], EVERYTHING, tmp_path / "t").kept == 30


@pytest.mark.parametrize("packer", [gzip.compress, bz2.compress, zstandard.compress])
def test_a_file_cut_in_the_middle_keeps_its_good_games(packer: object, tmp_path: Path) -> None:
    packed = packer(pgn(3, 3000, plies=6).encode())  # type: ignore[operator]  # a parameter
    (tmp_path / "a.pgn").write_bytes(packed[: len(packed) * 2 // 3])
    report = build_table([tmp_path / "a.pgn"], EVERYTHING, tmp_path / "t")
    assert any("cut off" in example for example in report.examples)
    assert len(table(tmp_path / "t")) == report.kept


KILLED = """
import os, signal, sys
from pathlib import Path
from sparring.records import build_table, load_preset
files, out, after = [Path(p) for p in sys.argv[1:-2]], Path(sys.argv[-2]), int(sys.argv[-1])
def watch(report, read):
    pass
import sparring.records.table as table
write, done = table.TableWriter.commit, 0
def commit(self, progress):
    global done
    done += 1
    if done == after:
        self.add = None
        os.kill(os.getpid(), signal.SIGKILL)
    write(self, progress)
    if done == after - 1 and after % 2:
        os.kill(os.getpid(), signal.SIGKILL)
table.TableWriter.commit = commit
build_table(files, load_preset("everything"), out, watch, shard=7)
"""


def test_killed_again_and_again_no_game_is_lost_or_doubled(tmp_path: Path) -> None:
    files = []
    for i in range(3):
        path = tmp_path / f"{i}.pgn.zst"
        path.write_bytes(zstandard.compress(pgn(10 + i, 25, plies=12).encode()))
        files.append(path)
    kills = 0
    for after in [2, 3, 1, 4, 2, 5, 3, 99]:
        command = [sys.executable, "-c", KILLED, *map(str, files), str(tmp_path / "t"), str(after)]
        code = subprocess.run(command, check=False).returncode
        kills += code == -signal.SIGKILL
    assert kills >= 5
    report = build_table(files, EVERYTHING, tmp_path / "t", shard=7)
    sites = Counter(record.site for record in table(tmp_path / "t"))
    assert sites == Counter(f"game-{10 + i}-{j}" for i in range(3) for j in range(25))
    assert report.kept == 75


def test_folders_are_searched_and_strange_files_named(tmp_path: Path) -> None:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "a.pgn").write_text(pgn(7, 3))
    (tmp_path / "in" / "deep" / "a.pgn.gz").write_bytes(gzip.compress(pgn(8, 4).encode()))
    (tmp_path / "in" / "notes.txt").write_text("not games")
    assert (
        build_table(find_sources([tmp_path / "in"], "chess", pytest.fail), EVERYTHING, tmp_path / "t").kept
        == 7
    )
    with pytest.raises(BadFile, match=r"notes\.txt: files of chess end in pgn"):
        build_table([tmp_path / "in" / "notes.txt"], EVERYTHING, tmp_path / "u")


def test_an_unfinished_shard_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_text(pgn(4, 5))
    build_table([tmp_path / "a.pgn"], EVERYTHING, tmp_path / "t")
    (tmp_path / "t" / "00001.parquet.part").write_bytes(b"half a shard")
    assert len(table(tmp_path / "t")) == 5


def test_the_preset_says_what_is_left_out_and_why(tmp_path: Path) -> None:
    def game(white: int, black: int, control: str, moves: str = "1. e4 e5 " * 1) -> str:
        line = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 1-0"
        return f'[WhiteElo "{white}"]\n[BlackElo "{black}"]\n[TimeControl "{control}"]\n\n{line}\n\n'

    games = [
        game(1510, 1590, "600+0"),
        game(1510, 1610, "600+0"),
        game(1510, 1590, "60+0"),
        game(900, 950, "600+0"),
        game(1950, 1999, "300+3"),
        game(2000, 2050, "300+3"),
        '[WhiteElo "1500"]\n[BlackElo "1500"]\n[TimeControl "600+0"]\n\n1. e4 1-0\n\n',
        game(1510, 1590, "600+0").replace("1-0", "*"),
        game(1510, 1590, "600+0").replace('[WhiteElo "1510"]\n', ""),
    ]
    (tmp_path / "a.pgn").write_text("".join(games))
    report = build_table([tmp_path / "a.pgn"], load_preset("maia"), tmp_path / "t")
    assert report.kept == 2
    assert report.dropped == {
        "ratings apart": 1,
        "speed": 1,
        "ratings out of range": 2,
        "too short": 1,
        "no result": 1,
        "no ratings": 1,
    }


@pytest.mark.parametrize(
    ("control", "event", "speed"),
    [
        ("600+0", "", "rapid"),
        ("60+0", "", "bullet"),
        ("15+0", "", "ultrabullet"),
        ("180+2", "", "blitz"),
        ("1800+20", "", "classical"),
        ("-", "", "correspondence"),
        (None, "Rated Bullet tournament", "bullet"),
        (None, "Rated game", None),
        ("?", "", None),
    ],
)
def test_speeds_are_lichess_classes(control: str | None, event: str, speed: str | None) -> None:
    assert speed_of(control, event) == speed


def test_splits_are_stable_and_of_the_right_size() -> None:
    counts = Counter(split_of(identity) for identity in range(20_000))
    assert counts[Split.TRAIN] == pytest.approx(18_000, abs=200)
    assert counts[Split.TEST] == pytest.approx(1_000, abs=130)
    assert [split_of(i) for i in (1, 2, 3)] == [split_of(i) for i in (1, 2, 3)]
    assert any(split_of(i) != split_of(i, seed=1) for i in range(100))


def test_identities_differ_and_do_not_depend_on_the_table(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_text(pgn(5, 50, plies=4))
    build_table([tmp_path / "a.pgn"], EVERYTHING, tmp_path / "t")
    build_table([tmp_path / "a.pgn"], EVERYTHING, tmp_path / "u", shard=7)
    first, second = ({r.identity("chess") for r in table(tmp_path / name)} for name in ("t", "u"))
    assert len(first) == 50
    assert first == second


def test_tables_that_are_none_of_ours_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="no manifest"):
        read_manifest(tmp_path)
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(BadFile, match="broken"):
        read_manifest(tmp_path)
    (tmp_path / "manifest.json").write_text(json.dumps({"version": 99}))
    with pytest.raises(BadFile, match="version 99"):
        read_manifest(tmp_path)
    (tmp_path / "manifest.json").write_text(
        json.dumps(
            {
                "version": 1,
                "game": "chess",
                "preset": {},
                "shards": [{"file": "x", "games": 1, "plies": 1, "blake2b": ""}],
                "progress": {},
            }
        )
    )
    with pytest.raises(BadFile, match="x"):
        list(read_shards(tmp_path))
    with pytest.raises(BadFile, match="another"):
        build_table([], EVERYTHING, tmp_path)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "missing key 'game'"),
        ('game = "checkers"', "checkers"),
        ('game = "chess"\n[games]\nspeed = []', "unknown key 'games.speed'; did you mean 'speeds'"),
        ('game = "chess"\n[games]\ngroup_width = "wide"', "games.group_width = 'wide': expected an integer"),
        ('game = "chess"\n[positions]\nmin_clock = nan', "positions.min_clock = nan: expected a number >= 0"),
        ('game = "chess"\n[filters]\n', "filters"),
        ("game = ", "not TOML"),
    ],
)
def test_wrong_presets_say_what_is_wrong(text: str, complaint: str, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(BadConfig, match=complaint):
        load_preset(str(tmp_path / "mine.toml"))
    with pytest.raises(BadConfig, match="no preset"):
        load_preset("nothing")


def test_the_commands_build_count_list_and_export(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.pgn").write_text(pgn(6, 12) + '\n[Event "bad"]\n\n1. e4 e9 *\n')
    out = str(tmp_path / "t")
    with pytest.raises(SystemExit) as ended:
        main(["records", "build", str(tmp_path / "a.pgn"), "--out", out, "--preset", "everything"])
    assert ended.value.code == 1, "a broken game tells"
    printed = capsys.readouterr().out
    assert "12 of 13 games" in printed
    assert "'e9' is no legal move" in printed
    main(["records", "stats", out, "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (found["games"], found["game"]) == (12, "chess")
    main(["records", "stats", out])
    assert "12 games of chess" in capsys.readouterr().out
    main(["records", "stats", out, "--plot", str(tmp_path / "picture.png")])
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    main(["records", "stats", out, "--plot", str(tmp_path / "picture.svg")])
    drawn = (tmp_path / "picture.svg").read_text()
    assert ">games</text>" in drawn, "axes are named"
    assert ">rating of both players</text>" in drawn
    main(["records", "list", out])
    assert "2020-05-28" in capsys.readouterr().out
    record = table(tmp_path / "t")[3]
    main(["records", "export", out, "--game", f"{record.identity('chess'):016x}"])
    game = chess.pgn.read_game(io.StringIO(capsys.readouterr().out))
    assert game is not None
    assert [move.uci() for move in game.mainline_moves()] == chess_moves(record.start, record.moves)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["build", "missing.pgn", "--out", "t"], "no file"),
        (["build", ".", "--out", "t", "--preset", "nothing"], "no preset"),
        (["stats", "."], "manifest"),
        (["export", ".", "--game", "all"], "manifest"),
        (["list", "."], "manifest"),
    ],
)
def test_errors_are_one_line(
    arguments: list[str],
    complaint: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["records", *arguments])
    assert ended.value.code == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert len(error.splitlines()) == 1


def test_shards_are_read_into_memory_of_arrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrow's threads outlive the reading. One that freed memory of Python at the end of the program aborted
    about every second `sparring records export` into a pipe."""
    (tmp_path / "a.pgn").write_text("1. e4 e5 1-0\n")
    build_table([tmp_path / "a.pgn"], EVERYTHING, tmp_path / "t")
    read, reader = [], pa.BufferReader

    def read_buffer(content: object) -> object:
        read.append(type(content))
        return reader(content)

    monkeypatch.setattr(pa, "BufferReader", read_buffer)
    assert len(list(read_shards(tmp_path / "t"))) == 1
    assert read == [pa.Buffer]
