"""`sparring train person` and `sparring measure person`, from PGN to a player."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import chess
import chess.pgn
import numpy as np
import pytest

from sparring.base.errors import NotFound
from sparring.cli import main
from sparring.engines import EngineSettings, options_of
from sparring.games import load_game
from sparring.networks import Position
from sparring.players import load_player_file
from sparring.players.persons import find_person, person_file, stored_persons
from sparring.policies import load_policy
from sparring.policies.person import read_person, write_person
from tests.cli.test_commands import run
from tests.networks.test_style import fitting_style


def write_games(path: Path, games: int, *, seed: int = 0, plies: int = 8) -> None:
    """Games in which Alice opens with 1. b3, against people with other names."""
    random = np.random.default_rng(seed)
    texts = []
    for number in range(games):
        board, game = chess.Board(), chess.pgn.Game()
        alice = number % 2
        names = ("Alice", f"Opponent {number}") if not alice else (f"Opponent {number}", "Alice")
        game.headers["White"], game.headers["Black"] = names
        game.headers["WhiteElo"] = game.headers["BlackElo"] = "1500"
        game.headers["Date"] = f"2024.01.{1 + number % 28:02d}"
        game.headers["Site"] = f"game {seed}-{number}"
        node: chess.pgn.GameNode = game
        for ply in range(plies):
            moves = sorted(board.legal_moves, key=str)
            move = moves[int(random.integers(len(moves)))]
            if ply == 0 and not alice:
                move = chess.Move.from_uci("b2b3")
            node = node.add_variation(move)
            board.push(move)
            if board.is_game_over():
                break
        texts.append(str(game))
    path.write_text("\n\n".join(texts) + "\n")


@pytest.fixture(scope="module")
def alice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("alice")
    write_games(folder / "games.pgn", 12)
    arguments = ("--records", str(folder / "games.pgn"), "--name", "alice", "--out", str(folder / "me.toml"))
    main(["train", "person", "chess", *arguments, "--hold-out", "2"])
    return folder


def test_with_a_style_network_a_vector_is_learned(
    alice: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "styles").mkdir()
    (tmp_path / "styles" / "chess.npz").write_bytes(fitting_style("chess").to_bytes())
    monkeypatch.setenv("SPARRING_HOME", str(tmp_path))
    out = tmp_path / "styled.toml"
    main(["train", "person", "chess", "-r", str(alice / "games.pgn"), "--name", "Alice", "--out", str(out)])
    card = read_person(out.with_suffix(".person")).card
    assert set(card.parts) == {"rating", "style", "repertoire"}
    (found,) = load_policy(out.with_suffix(".person"), "chess").predict(
        [Position(load_game("chess").initial())]
    )
    assert found.top(1)[0].name == "b3"


def test_a_pgn_becomes_a_player(alice: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (alice / "me.toml").read_text()
    assert 'name = "Alice"' in text
    assert 'model = "me.person"' in text
    assert "rating = " in text
    card = read_person(alice / "me.person").card
    assert (card.person, card.games, card.first_date) == ("Alice", 10, "2024-01-01")
    assert set(card.parts) == {"rating", "style", "repertoire"}
    assert "The latest 3 games" in card.measured
    state = load_game("chess").initial()
    (found,) = load_policy(alice / "me.person", "chess").predict([Position(state, 1500)])
    assert found.top(1)[0].name == "b3"
    main(["predict", "chess", "--model", str(alice / "me.person"), "--json"])
    assert json.loads(capsys.readouterr().out)


def test_a_stored_person_is_found_by_name(
    alice: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SPARRING_HOME", str(tmp_path))
    assert run("play", "chess", "--person", "Alice") == 2
    assert "`sparring train person chess` makes one" in capsys.readouterr().err
    main(["train", "person", "chess", "-r", str(alice / "games.pgn"), "--name", "Alice"])
    assert "sparring play chess --person Alice" in capsys.readouterr().out
    (entry,) = stored_persons("chess")
    assert (entry.name, entry.games, entry.path.stem) == ("Alice", 12, "chess-Alice")
    assert load_player_file(entry.path, "chess").name == "Alice"
    assert find_person("alice", "chess") == find_person("chess-alice", "chess") == entry
    assert stored_persons("go") == []
    monkeypatch.setattr("sys.stdin", io.StringIO("quit\n"))
    main(["play", "chess", "--person", "ALICE", "--side", "black", "--seed", "1"])
    assert "Your opponent is Alice, who plays as in 12 games of Alice." in capsys.readouterr().out
    assert run("play", "chess", "--person", "Alise") == 2
    assert "there is no person 'Alise' of chess; there are Alice" in capsys.readouterr().err
    assert run("play", "chess", "--person", "Alice", "--level", "1500") == 2
    assert "--person replaces --level" in capsys.readouterr().err
    measure = ("measure", "person", "chess", "-r", str(alice / "games.pgn"), "--player")
    assert run(*measure, "alice") == 2
    assert "all 12 games of Alice were used" in capsys.readouterr().err
    assert run(*measure, "Bob") == 2
    assert "there are Alice" in capsys.readouterr().err
    (person,) = (each for each in options_of("uci") if each.flag == "person")
    assert person.apply(EngineSettings.of("chess"), "ALICE").player_config.name == "Alice"
    with pytest.raises(NotFound, match="there are Alice"):
        person.apply(EngineSettings.of("chess"), "Bob")


def test_people_with_alike_names_have_files_of_their_own(
    alice: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARRING_HOME", str(tmp_path))
    assert person_file("Zoë / ../x", "go").name == "go-Zoe-x.toml"
    assert person_file("棋士", "go").name == "go-person.toml"
    model = read_person(alice / "me.person")
    for name in ("Zoë", "Zoe"):
        path = person_file(name, "chess")
        path.parent.mkdir(exist_ok=True)
        write_person(path.with_suffix(".person"), replace(model, card=replace(model.card, person=name)))
        path.write_text("")
    assert [stored_person.path.stem for stored_person in stored_persons()] == ["chess-Zoe-2", "chess-Zoe"]
    assert person_file("Zoë", "chess").stem == "chess-Zoe"
    (tmp_path / "persons" / "chess-Zoe.person").write_bytes(b"damaged")
    assert [stored_person.name for stored_person in stored_persons()] == ["Zoe"]


def test_sgf_files_become_a_player_of_go(tmp_path: Path) -> None:
    corners = ["pd", "dp", "pp", "dd"]
    for number in range(4):
        moves = corners[number:] + corners[:number] + ["qf", "nc", "cn", "fq"]
        line = "".join(f";{'BW'[ply % 2]}[{move}]" for ply, move in enumerate(moves))
        text = f"(;GM[1]SZ[19]KM[6.5]PB[Alice]PW[Bob]BR[6d]WR[7d]DT[2020-01-0{number + 1}]RE[B+R]{line})"
        (tmp_path / f"{number}.sgf").write_text(text)
    out = tmp_path / "alice.toml"
    main(["train", "person", "go", "-r", str(tmp_path), "--name", "Alice", "--out", str(out)])
    assert 'rating = "6d"' in out.read_text()
    assert read_person(out.with_suffix(".person")).card.games == 4
    state = load_game("go").initial()
    (found,) = load_policy(out.with_suffix(".person"), "go").predict([Position(state)])
    assert found.probabilities.sum() == pytest.approx(1, abs=1e-4)


def test_a_person_is_measured_on_games_that_were_not_used(
    alice: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = ("--player", str(alice / "me.toml"), "--records", str(alice / "games.pgn"))
    main(["measure", "person", "chess", *files, "--json"])
    found = json.loads(capsys.readouterr().out)["people"]["Alice"]
    assert found["games"] == 2
    assert found["nats"]["low"] <= found["nats"]["value"] <= found["nats"]["high"]
    main(["measure", "person", "chess", *files])
    assert "nats gained" in capsys.readouterr().out


def test_two_people_are_told_apart(alice: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bob = tmp_path / "bob.pgn"
    write_games(bob, 6, seed=1)
    bob.write_text(bob.read_text().replace("Alice", "Bob"))
    main(["train", "person", "chess", "-r", str(bob), "--name", "Bob", "--out", str(tmp_path / "bob.toml"),
          "--hold-out", "2"])  # fmt: skip
    capsys.readouterr()
    main(["measure", "person", "chess", "-p", str(alice / "me.toml"), "-p", str(tmp_path / "bob.toml"),
          "-r", str(alice / "games.pgn"), "-r", str(bob), "--json"])  # fmt: skip
    found = json.loads(capsys.readouterr().out)
    assert set(found["people"]) == {"Alice", "Bob"}
    assert [entry["games"] for entry in found["identification"]] == [1, 2]


def test_a_wrong_name_lists_the_nearest(alice: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("-r", str(alice / "games.pgn"), "--out", str(alice / "no.toml"))
    assert run("train", "person", "chess", *arguments, "--name", "Alicia") == 2
    error = capsys.readouterr().err
    assert "there is no game of 'Alicia'; the nearest names are Alice (12)" in error
    assert not (alice / "no.toml").exists()


def test_wrong_arguments_end_in_one_line(alice: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games = ("-r", str(alice / "games.pgn"))
    train = ("train", "person", "chess", *games, "--name")
    for words, expected in (
        ((*train, "Alice", "--out", "me.txt"), "a player is a .toml file"),
        ((*train, "Opponent 1", "--out", "x.toml"), "at least 2 are needed"),
        ((*train, "Alice", "--out", "x.toml", "--hold-out", "99"), "leaves none"),
        ((*train, "Alice", "--out", "x.toml", "--base", "blend"), "blend"),
        (("train", "person", "shogi", *games, "--name", "Alice", "--out", "x.toml"), "pgn"),
        (("measure", "person", "chess", *games, "-p", str(alice / "nobody.toml")), "nobody.person"),
    ):
        assert run(*words) == 2
        error = capsys.readouterr().err
        assert expected in error
        assert error.count("\n") == 1


def test_games_that_were_all_used_cannot_be_measured(
    alice: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games = tmp_path / "some.pgn"
    write_games(games, 10)
    assert run("measure", "person", "chess", "-p", str(alice / "me.toml"), "-r", str(games)) == 2
    assert "train with --hold-out" in capsys.readouterr().err


KILLED = """
import os, signal, sys
from pathlib import Path
from sparring.cli import main

written = []
replace = os.replace
def replaced(source, target, **options):
    if Path(target).suffix in (".person", ".toml"):
        if len(written) == int(sys.argv[1]):
            os.kill(os.getpid(), signal.SIGKILL)
        written.append(target)
    replace(source, target, **options)
os.replace = replaced
main(sys.argv[2:])
"""


def test_a_kill_leaves_a_player_that_can_be_loaded_or_none(alice: Path, tmp_path: Path) -> None:
    out = tmp_path / "killed.toml"
    words = ("train", "person", "chess", "-r", str(alice / "games.pgn"), "--name", "Alice", "--out", str(out))
    for files in (0, 1):  # before the model is in its place; between the model and the player
        command = [sys.executable, "-c", KILLED, str(files), *words]
        done = subprocess.run(command, capture_output=True, check=False)
        assert done.returncode == -signal.SIGKILL, done.stderr
        assert not out.exists(), "a player without its model would be broken"
        assert out.with_suffix(".person").exists() == (files == 1)
    main(list(words))
    load_player_file(out).close()
