"""The command line: its output, and one-line errors."""

from __future__ import annotations

import errno
import io
import json
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from sparring.cli import main
from sparring.players import Player, PlayerConfig, shipped_levels
from tests.cli.interrupting import press_ctrl_c


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    code = ended.value.code
    return code if isinstance(code, int) else 0


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_the_version_is_one_line(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    main([flag])
    assert capsys.readouterr().out == f"sparring {version('sparring')}\n"


def test_a_players_file_with_a_rating_for_an_unconditioned_network_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "player.toml"
    file.write_text('game = "chess"\nmodel = "strong"\nrating = 1500\n')
    assert run("play", "chess", "--player", str(file)) == 2
    assert capsys.readouterr().err == (
        f"sparring: {file}: strong is not conditioned on ratings: leave out rating and opponent_rating\n"
    )


def test_a_players_file_has_its_own_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "club.toml"
    file.write_text('game = "chess"\nmodel = "human"\nrating = 800\n')
    out = play(monkeypatch, capsys, "", "chess", "--player", str(file))
    assert "Your opponent is club (model human), who plays in the style of an 800." in out


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('model = "human"\nrating = 1500', "the style of a 1500, with a search of 32 nodes."),
        ('model = "strong"', "(model strong), with a search of 32 nodes."),
    ],
)
def test_the_search_of_the_opponent_is_named(
    lines: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "club.toml"
    file.write_text(f'game = "chess"\n{lines}\nnodes = 32\n')
    assert said in play(monkeypatch, capsys, "", "chess", "--player", str(file))


def test_blind_chess_names_the_commands_that_it_does_not_have(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = play(
        monkeypatch, capsys, "hint\nwhy\nundo 2\nlist\ntext\ne7\nhint\npss\n", "rbc", "--strength", "1"
    )
    for command in ("hint", "why", "undo", "list", "text"):
        assert f"'{command}' is not in this game." in out
    assert out.count("'hint' is not in this game.") == 2
    assert "not a square to sense" not in out
    assert re.findall("did you mean '(.+)'", out) == ["pass"]


@pytest.mark.parametrize(
    ("game", "letters"), [("chess", True), ("shogi", True), ("breakthrough", True), ("go", False)]
)
def test_help_offers_letters_where_there_are_pictures(
    game: str, letters: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = play(monkeypatch, capsys, "help\n", game, "--strength", "1")
    assert ("pieces as Latin letters" in out) is letters


def test_a_mistyped_pass_is_answered_with_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = play(monkeypatch, capsys, "pss\n", "go", "--strength", "1", "-o", "size=9")
    assert "did you mean 'pass'?" in out


def test_perft_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    main(["perft", "chess", "4", "--json"])
    result = json.loads(capsys.readouterr().out)
    assert set(result) == {"game", "depth", "nodes", "seconds"}
    assert (result["game"], result["depth"], result["nodes"]) == ("chess", 4, 197281)


def test_perft_takes_a_position(capsys: pytest.CaptureFixture[str]) -> None:
    main(["perft", "chess", "3", "--position", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"])
    assert "2,812 nodes" in capsys.readouterr().out


def test_games_lists_every_game(capsys: pytest.CaptureFixture[str]) -> None:
    main(["games", "--json"])
    names = [row["game"] for row in json.loads(capsys.readouterr().out)]
    assert names == ["chess", "rbc", "shogi", "go", "expendibots", "breakthrough"]
    main(["games"])
    assert "Reconnaissance" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["perft", "checkers", "3"], "unknown game 'checkers'"),
        (["perft", "chess"], "depth"),
        (["perft", "chess", "many"], "depth"),
        (["perft", "chess", "--", "-1"], "depth"),
        (["perft", "chess", "3", "--position", "nonsense"], "FEN"),
        (["perft", "chess", "3", "-o", "size=9"], "no option"),
        (["perft", "chess", "3", "-o", "claim_draws=perhaps"], "true or false"),
        (["perft", "go", "1", "-o", "size=nine"], "number"),
        (["perft", "go", "1", "-o", "size=99"], "size"),
        (["models", "add", "no-such-file.onnx"], "sparring: No such file or directory: 'no-such-file.onnx'"),
        (["play", "chess", "--side", "green"], "white and black"),
        (["play", "chess", "--strength", "99"], "strength"),
        (
            ["play", "chess", "--strength", "3", "--rating", "1500"],
            "--strength is for the small search player",
        ),
        (["play", "chess", "--level", "7"], "--strength 1 to 9"),
        (["play", "chess", "--level", "5000"], "the levels of chess are"),
        (["play", "chess", "--level", "strong"], "a number such as 1500, or adapt"),
        (["play", "chess", "--repertoire", "nowhere.pgn"], "there is no book nowhere.pgn"),
        (["play", "shogi", "--level", "1500"], "the levels of shogi are"),
        (["play", "go", "--level", "5000"], "the levels of go are"),
        (["play", "breakthrough", "--level", "1500"], "no network of people's moves for breakthrough"),
        (["play", "chess", "--rating", "100"], "blend accepts ratings from 600 to 2600, not 100"),
        (
            ["play", "chess", "--my-rating", "5000"],
            "my rating: level-people accepts ratings from 600 to 2600",
        ),
        (["play", "chess", "--level", "1500", "--scale", "elo"], "--scale elo: expected people or engine"),
        (["play", "chess", "--rank", "3d"], "chess uses ratings"),
        (["play", "go", "--rating", "1500"], "go uses ranks"),
        (["play", "go", "--rank", "9p"], "not 9p"),
        (["play", "shogi", "--rating", "1500"], "not conditioned on ratings"),
        (["play", "rbc", "--rating", "1500"], "hidden"),
        (["play", "expendibots", "--rating", "1500"], "no network of people's moves"),
        (["play", "chess", "--temperature", "0"], "temperature"),
        (["play", "chess", "--model", "nothing"], "no network 'nothing'"),
        (["play", "rbc", "--position", "8/8/8/8/8/8/8/K6k w - - 0 1"], "reveal hidden information"),
        (["fly"], "fly"),
    ],
)
def test_errors_are_one_line(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments) != 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert complaint in captured.err


def play(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: str, *arguments: str
) -> str:
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))
    main(["play", *arguments])
    lines = capsys.readouterr().out.splitlines()
    return "\n".join(line for line in lines if not line.startswith("Saved: "))  # the name has the time


@pytest.mark.parametrize(
    ("name", "typed"),
    [
        ("chess", "e4\nNf3\n"),
        ("rbc", "e7\ne2e4\nd5\npass\n"),
        ("shogi", "7g7f\n"),
        ("go", "D4\npass\n"),
        ("expendibots", "moves\n"),
    ],
)
def test_every_game_can_be_played_from_the_terminal(
    name: str, typed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    first = play(monkeypatch, capsys, typed, name, "--seed", "1", "--strength", "1")
    assert "You leave the game" in first
    assert first == play(monkeypatch, capsys, typed, name, "--seed", "1", "--strength", "1"), (
        "same seed, same game"
    )


@pytest.mark.parametrize(
    ("name", "typed", "told", "about"),
    [
        (
            "chess",
            "e4\nwhy\nhint\n",
            ("--rating", "1200", "--my-rating", "1400"),
            "Sparring 1200 (model level-people), who errs as people of 1200 do (Lichess rapid).",
        ),
        (
            "chess",
            "e4\n",
            (),
            "Sparring, level 1500 (model level-people), who errs as people of 1500 do (Lichess rapid).",
        ),
        (
            "chess",
            "e4\n",
            ("--level", "1500", "--temperature", "0.5"),
            "Sparring, level 1500 (model level-people), who plays in the style of a 1500.",
        ),
        (
            "chess",
            "e4\n",
            ("--level", "1500", "--scale", "engine"),
            "Sparring, level 1500 (model blend), who plays in the style of a 1500, with a search of 2 nodes.",
        ),
        (
            "go",
            "D4\nwhy\n",
            ("--rank", "3k"),
            "Sparring 3k (model human), who errs as people of 3k do (Fox).\n",
        ),
        (
            "go",
            "D4\n",
            ("--rank", "8k"),
            "Sparring 8k (model human), whose level continues the trend of the measured ones (Fox).\n",
        ),
        (
            "go",
            "D4\n",
            ("--rank", "3k", "--temperature", "1"),
            "Sparring 3k (model blend), who plays in the style of a 3k. Ranks are those of Fox.\n",
        ),
        (
            "go",
            "D4\n",
            ("-o", "size=9", "--rank", "7d"),
            "Sparring 7d (model human), who errs as people of 7d do (Fox), with a search of 12 nodes. "
            "The network learned from games on 19x19",
        ),
        (
            "go",
            "D4\n",
            ("--level", "1550", "--scale", "engine"),
            "Sparring, level 1550 (model blend-dan), who plays in the style of a 6d.\n",
        ),
        ("shogi", "7g7f\n", ("--temperature", "0.5"), "Sparring (model blend)."),
        (
            "shogi",
            "",
            ("--position", "4k4/9/9/9/9/9/9/9/4K4 w 2r 1"),
            "Sparring, level 30 (model blend), who errs as people do on a bad day "
            "(three-minute games of one shogi site)",
        ),
    ],
)
def test_people_are_played_by_default_and_the_same_seed_gives_the_same_game(
    name: str,
    typed: str,
    told: tuple[str, ...],
    about: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    first = play(monkeypatch, capsys, typed, name, "--seed", "1", *told)
    assert f"Your opponent is {about}" in first
    assert " plays " in first
    assert ("Candidates" in first) == ("why" in typed)
    assert first == play(monkeypatch, capsys, typed, name, "--seed", "1", *told)


def test_there_is_no_why_before_a_move(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "has not moved yet" in play(monkeypatch, capsys, "why\n", "chess")


def test_the_table_takes_commands_and_refuses_illegal_moves(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = "help\nmoves\nNf6\nxyzzy\nhint\nundo\nNf3\nundo\ntext\nresign\n"
    out = play(monkeypatch, capsys, typed, "chess", "--seed", "1", "--strength", "1")
    assert "take your last move back" in out
    assert "Nf3" in out
    assert "Nf6 is not legal here: no knight can go to f6" in out
    assert "'xyzzy' is not a move" in out
    assert "nothing to take back" in out
    assert "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1" in out
    assert "You resign: Black wins" in out


def test_a_won_game_is_announced(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    out = play(monkeypatch, capsys, "Ra8\n", "chess", "--position", "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1")
    assert "You win: checkmate" in out
    assert "The game: 1. Ra8#" in out


def test_the_other_side_can_be_played(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = play(monkeypatch, capsys, "", "chess", "--side", "Black", "--strength", "1")
    assert "White plays" in out


def test_rbc_does_not_show_what_is_hidden(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = play(monkeypatch, capsys, "a1\ne2e4\nnone\nhelp\nquit\n", "rbc", "--seed", "1", "--strength", "1")
    assert "21 possible boards" in out
    assert "?" in out
    assert "true board" not in out


@pytest.mark.parametrize("arguments", [[], ["play"], ["records"], ["records", "build"], ["engine", "uci"]])
def test_h_is_help(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    main([*arguments, "-h"])
    short = capsys.readouterr().out
    main([*arguments, "--help"])
    assert capsys.readouterr().out == short
    assert "Usage" in short


def test_shogi_is_shown_in_latin_letters_if_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = play(monkeypatch, capsys, "P-7f\nletters\n", "shogi", "--strength", "1", "--letters")
    assert "a l n s g k g s n l a" in out
    assert "i  香  桂  銀  金  玉  金  銀  桂  香 i" in out, "the command switches"


def test_a_game_is_saved_where_the_option_says(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "mine.sgf"
    out = play(monkeypatch, capsys, "d4\n", "go", "--strength", "1", "-o", "size=9", "--save", str(file))
    assert "You leave the game." in out
    assert ";B[df]" in file.read_text()
    for arguments, complaint in (
        (["go", "--save", str(file)], "exists already"),
        (["go", "--save", str(tmp_path / "game.pgn")], "games of go end in .sgf"),
        (["rbc", "--clock", "5"], "has no clock in the terminal"),
        (["chess", "--clock", "soon"], "such as 10 or 5+3"),
    ):
        assert run("play", *arguments) == 2
        assert complaint in capsys.readouterr().err


def test_a_place_where_no_game_can_be_saved_is_refused_before_the_game(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    places = [tmp_path / "file" / "x.pgn", tmp_path / "file" / "games", tmp_path / f"{'x' * 300}.pgn"]
    for place in (*places, *([Path("/proc/zz/x.pgn")] if Path("/proc").is_dir() else [])):
        assert run("play", "chess", "--strength", "1", "--save", str(place)) == 2
        complaint = capsys.readouterr().err
        assert "cannot be written: " in complaint
        assert "Errno" not in complaint

    def forbidden(**_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("sparring.cli.terminal.TemporaryFile", forbidden)
    assert run("play", "chess", "--strength", "1", "--save", str(tmp_path / "new" / "x.pgn")) == 2
    assert f"x.pgn cannot be written: permission denied ({tmp_path})" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_a_folder_for_saved_games_may_have_a_dot_in_its_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "my.games"
    folder.mkdir()
    play(monkeypatch, capsys, "e4\n", "chess", "--strength", "1", "--save", str(folder))
    (file,) = folder.iterdir()
    assert "1. e4" in file.read_text()


def test_the_installed_command_runs() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from sparring.cli import main; main()", "perft", "chess", "2"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("400 nodes")


@pytest.mark.parametrize("game", ["chess", "go"])
def test_ctrl_c_ends_a_deep_perft_at_once(game: str, tmp_path: Path) -> None:
    code, lines = press_ctrl_c(["perft", game, "20"], tmp_path / "begun", by_first_thread=True)
    assert (code, lines) == (130, ["sparring: interrupted"])


@pytest.mark.parametrize(
    ("told", "temperature", "level"),
    [
        (("--rating", "800"), None, 800),
        (("--level", "800"), None, 800),
        (("--rating", "800", "--temperature", "0.7"), 0.7, None),
        (("--rating", "800", "--model", "human"), 1.0, None),
    ],
)
def test_a_rating_alone_is_as_strong_as_the_level_of_its_number(
    told: tuple[str, ...], temperature: float | None, level: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[PlayerConfig] = []

    def make(config: PlayerConfig, _: object) -> Player:
        made.append(config)
        raise KeyboardInterrupt

    monkeypatch.setattr("sparring.play.opponent.make_player", make)
    with pytest.raises((KeyboardInterrupt, SystemExit)):
        main(["play", "chess", *told])
    table = shipped_levels("chess")
    assert table is not None
    (config,) = made
    assert (config.rating, config.level) == (800, level)
    assert config.temperature == (table.at(800).temperature if temperature is None else temperature)
