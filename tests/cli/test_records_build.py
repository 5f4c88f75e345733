"""`sparring records`: the default preset, builds that keep nothing, and the printing of strange names."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparring.cli import main
from sparring.records.table import read_manifest

GAME = '[White "{white}"]\n[WhiteElo "2900"]\n[BlackElo "1200"]\n[TimeControl "600+0"]\n\n1. e4 e5 1-0\n\n'


def failure(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int | str | None, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    return ended.value.code, capsys.readouterr().err


def test_a_build_that_keeps_nothing_says_why_and_leaves_no_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.pgn").write_text(GAME.format(white="a") * 3)
    out = tmp_path / "t"
    code, err = failure(
        capsys, "records", "build", str(tmp_path / "a.pgn"), "--preset", "maia", "--out", str(out)
    )
    assert code == 1
    assert err.startswith("sparring: the preset maia keeps none of 3 games (too short 3); no table is made")
    assert err.endswith("--preset everything keeps 3 of them\n")
    assert not out.exists()


def test_a_file_without_a_game_makes_no_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.pgn").write_text("\n")
    code, err = failure(capsys, "records", "build", str(tmp_path / "a.pgn"), "--out", str(tmp_path / "t"))
    assert code == 1
    assert "no game was found in 1 file; no table is made" in err
    assert not (tmp_path / "t").exists()


@pytest.mark.parametrize(
    ("name", "text", "preset"),
    [
        ("a.pgn", GAME.format(white="a"), "everything"),
        ("a.sgf", "(;GM[1]SZ[9];B[aa];W[bb])", "go-everything"),
        ("a.csa", "V2.2\nPI\n+\n+7776FU\n%TORYO\n", "shogi-everything"),
    ],
)
def test_all_games_of_the_files_are_kept_by_default(
    name: str, text: str, preset: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    main(["records", "build", str(tmp_path / name), "--out", str(tmp_path / "t")])
    assert read_manifest(tmp_path / "t")["preset"]["name"] == preset


def test_files_of_several_games_need_a_preset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.pgn").write_text(GAME.format(white="a"))
    (tmp_path / "a.sgf").write_text("(;GM[1])")
    code, err = failure(capsys, "records", "build", str(tmp_path), "--out", str(tmp_path / "t"))
    assert code == 2
    assert "several games" in err
    assert "--preset" in err


def test_names_in_games_are_printed_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "[/bold]t"
    (tmp_path / "a.pgn").write_text(GAME.format(white="[/bold]x\x1b[31m") + GAME.format(white="[red]"))
    main(["records", "build", str(tmp_path / "a.pgn"), "--out", str(out)])
    main(["records", "list", str(out)])
    printed = capsys.readouterr().out
    assert "[/bold]x" in printed
    assert "[red]" in printed
    assert "\x1b[31m" not in printed
    assert "[/bold]t" in printed


def test_verify_compares_checksums(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.pgn").write_text(GAME.format(white="a") * 3)
    out = tmp_path / "t"
    main(["records", "build", str(tmp_path / "a.pgn"), "--out", str(out)])
    main(["records", "verify", str(out), "--replay"])
    assert "3 games of chess in 1 files: whole, every move legal" in capsys.readouterr().out
    shard = out / "00000.parquet"
    content = bytearray(shard.read_bytes())
    content[len(content) // 2] ^= 1
    shard.write_bytes(content)
    for command in ("verify", "list", "stats"):
        code, err = failure(capsys, "records", command, str(out))
        assert code == (1 if command == "verify" else 2)
        assert "00000.parquet is damaged: its checksum is not that of the manifest" in err


@pytest.mark.parametrize(
    ("games", "line"),
    [
        (1, "1 game of chess, 2 positions; 1 game with clocks, 0 with evaluations"),
        (2, "2 games of chess, 4 positions; 2 games with clocks, 0 with evaluations"),
    ],
)
def test_one_game_is_not_plural(
    games: int, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    timed = "1. e4 { [%clk 0:03:00] } e5 { [%clk 0:03:00] }"
    text = "".join(GAME.format(white=f"a{i}").replace("1. e4 e5", timed) for i in range(games))
    (tmp_path / "games.pgn").write_text(text)
    out = str(tmp_path / "table")
    main(["records", "build", str(tmp_path / "games.pgn"), "--preset", "everything", "--out", out])
    capsys.readouterr()
    main(["records", "stats", out])
    assert capsys.readouterr().out.splitlines()[0] == line
