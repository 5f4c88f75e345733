"""load_player_file: every kind of source, overrides, one exception; networks shared between players."""

from __future__ import annotations

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from sparring.base.errors import BadConfig
from sparring.games import load_game
from sparring.play.opponent import rating_advice
from sparring.players import (
    GameStart,
    PlayerConfig,
    PolicyPlayer,
    SearchPlayer,
    Turn,
    load_player_file,
    make_player,
)
from sparring.rbc.bots import BOTS, InferenceBot
from tests.networks.tiny_networks import tiny_network, write


@pytest.fixture
def model(tmp_path: Path) -> str:
    return str(write(tiny_network("chess"), tmp_path / "small.onnx"))


@pytest.fixture
def club(tmp_path: Path, model: str) -> Path:
    path = tmp_path / "club.toml"
    path.write_text('game = "chess"\nmodel = "small.onnx"\nnodes = 5\nseed = 3\n')
    return path


def test_a_file_gives_its_player_and_overrides_change_it(club: Path) -> None:
    player = load_player_file(club)
    assert isinstance(player, SearchPlayer)
    assert (player.name, player.config.nodes) == ("club", 5)
    plain = load_player_file(str(club), "chess", nodes=0, name="plain")
    assert isinstance(plain, PolicyPlayer)
    assert plain.name == "plain"
    assert repr(plain) == "<PolicyPlayer plain>"
    state = load_game("chess").initial()
    assert plain.choose(Turn.of(state)).move in state.legal_moves()


def test_bots_are_players_by_name_file_or_configuration(tmp_path: Path) -> None:
    path = tmp_path / "careful.toml"
    path.write_text("boards = 300\nworst_case_weight = 0.5\n")
    for source in ("inference-1", path, BOTS["inference-1"]):
        with load_player_file(source, load_game("rbc"), boards=200) as bot:
            assert isinstance(bot, InferenceBot)
            assert bot.knowledge.options.boards == 200


@pytest.mark.parametrize(
    ("source", "keys", "words"),
    [
        ("nobody", {}, "there is no player 'nobody': expected a TOML file, or one of random"),
        ("none.toml", {}, "none.toml"),
        ("club.toml", {"game": "go"}, "player of chess, not of go"),
        ("club.toml", {"nodes": -1}, "nodes = -1: expected"),
        ("club.toml", {"elo": 3}, "unknown key 'elo'"),
        ("club.toml", {"book": "none.pgn"}, "club.toml: there is no book"),
        ("club.toml", {"rating": 1500}, "leave out rating"),
        ("club.toml", {"model": "none"}, "none"),
        ("inference-1", {"depth": 99}, "depth = 99: expected"),
        ("inference-1", {"game": "chess"}, "player of rbc, not of chess"),
        ("broken.toml", {}, "broken.toml"),
    ],
)
def test_every_error_is_one_exception_with_its_reason(
    source: str, keys: dict[str, Any], words: str, club: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(club.parent)
    (club.parent / "broken.toml").write_text("game = ")
    with pytest.raises(BadConfig, match=words) as caught:
        load_player_file(source, **keys)
    assert isinstance(caught.value, BadConfig)
    assert "\n" not in str(caught.value)


def network_of(player: Any) -> Any:
    return player.policy.network


def test_players_share_a_network_and_the_last_one_frees_it(model: str) -> None:
    config = PlayerConfig("chess", model=model)
    with ThreadPoolExecutor(4) as threads:
        players = list(threads.map(lambda _: make_player(config), range(8)))
    networks = {id(network_of(player)) for player in players}
    assert len(networks) == 1
    network = weakref.ref(network_of(players[0]))
    for player in players[1:]:
        player.close()
    del player, players[1:]
    gc.collect()
    assert network() is not None
    players.pop().close()
    gc.collect()
    assert network() is None


def test_other_threads_or_another_file_mean_another_network(model: str, tmp_path: Path) -> None:
    one = make_player(PlayerConfig("chess", model=model))
    two = make_player(PlayerConfig("chess", model=model, threads=2))
    assert network_of(one) is not network_of(two)
    write(tiny_network("chess", seed=5), Path(model))
    assert network_of(make_player(PlayerConfig("chess", model=model))) is not network_of(one)


def test_shared_networks_give_independent_games(model: str) -> None:
    game = load_game("chess")
    alone, first, second = (make_player(PlayerConfig("chess", model=model)) for _ in range(3))

    def moves(*players: Any) -> list[list[int]]:
        states = [game.initial() for _ in players]
        found: list[list[int]] = [[] for _ in players]
        for number, player in enumerate(players):
            player.new_game(GameStart(game, None, states[number], number))
        for _ in range(8):
            for number, player in enumerate(players):
                found[number].append(player.choose(Turn.of(states[number])).move)
                states[number] = states[number].play(found[number][-1])
        return found

    assert moves(alone)[0] == moves(first, second)[0]


def test_what_a_rank_means_is_said_where_the_network_did_not_learn_it() -> None:
    assert "of 5k and stronger: a lower rank hardly plays weaker" in rating_advice("go", -6)
    assert rating_advice("go", 7) == "Ranks are those of Fox."
    assert rating_advice("go", None) == rating_advice("chess", 800) == rating_advice("expendibots", 1) == ""
