"""Players from configurations in the arena: reading, repeatable games, clocks, forfeits."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparring.arena.tournament import read_tournament
from sparring.play.match import NOT_STARTED
from sparring.players import PlayerConfig, TimeControl
from sparring.players.player_config import parse_player_config
from tests.arena.tournaments import play, small, tournament
from tests.networks.tiny_networks import tiny_network, write


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write(tiny_network("chess"), tmp_path_factory.mktemp("models") / "small.onnx"))


def test_entries_here_and_files_describe_players(model: str, tmp_path: Path) -> None:
    (tmp_path / "club.toml").write_text(f'game = "chess"\nmodel = "{model}"\nrating = 1400\nnodes = 9\n')
    text = """
game = "chess"
games = 2
[[player]]
name = "here"
rating = 1500
[[player]]
name = "file"
file = "club.toml"
nodes = 5
"""
    (tmp_path / "t.toml").write_text(text)
    here, file = read_tournament(tmp_path / "t.toml").entries
    assert here == parse_player_config({"game": "chess", "name": "here", "rating": 1500})
    assert (here.rating, here.level) == (1500, 1500)  # a rating alone is the level of its number
    assert file == PlayerConfig("chess", name="file", model=model, rating=1400, nodes=5)


def test_games_of_configured_players_are_repeatable(model: str) -> None:
    entries = [PlayerConfig("chess", name=f"m{nodes}", model=model, nodes=nodes) for nodes in (0, 6)]
    games = [play(tournament(*entries, seed=seed)) for seed in (3, 3, 4)]
    moves = [[record.moves for _, record in game if record is not None] for game in games]
    assert moves[0] == moves[1] != moves[2]
    assert all(len(move) == 2 for move in moves)


def test_a_configured_player_plays_by_the_clock_and_resigns(model: str) -> None:
    quitter = PlayerConfig("chess", name="quitter", model=model, resign_below=1.0, resign_after=2)
    played = play(tournament(quitter, *small(1), clock=TimeControl(base=60, increment=1)))
    assert all("resign" in result.reason for result, _ in played)
    assert [result.result for result, _ in played] == [0, 1]


def test_a_player_that_cannot_be_loaded_forfeits(tmp_path: Path) -> None:
    failed_to_start = PlayerConfig("chess", name="absent", model=str(tmp_path / "no.onnx"))
    played = play(tournament(failed_to_start, *small(1)))
    assert [(game.first, game.result, game.reason) for game, _ in played] == [
        ("absent", 0, NOT_STARTED),
        ("small-1", 1, NOT_STARTED),
    ]
    assert all("no.onnx" in game.detail and game.plies == 0 for game, _ in played)
