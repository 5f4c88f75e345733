"""The library's own words for a game: load_player, play_game and its result."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import chess.pgn
import pytest

import sparring
from sparring.players.policy_player import PolicyPlayer
from sparring.rbc.planner import PlannerBot


def test_a_game_between_two_levels_has_a_result_and_a_record(tmp_path: Path) -> None:
    games: list[Path] = []
    for _ in range(2):
        strong, weak = sparring.load_player("chess", level=1400), sparring.load_player("chess", rating=800)
        with strong, weak:
            result = sparring.play_game("chess", strong, weak, clock="5+3", seed=7, max_plies=40)
        assert result.record is not None
        games.append(result.record.save(tmp_path / f"game-{len(games)}.pgn"))
        first, second = result.score(0), result.score(1)
        assert first is not None
        assert second is not None
        assert first + second == 1
        assert result.reason
    read = []
    for path in games:
        with path.open() as file:
            game = chess.pgn.read_game(file)
        assert game is not None
        read.append(game)
    moves = [list(game.mainline_moves()) for game in read]
    assert moves[0] == moves[1]  # the same seed
    assert 10 < len(moves[0]) <= 40
    assert read[0].headers["TimeControl"] == "300+3"


def test_every_way_to_say_who_plays() -> None:
    with sparring.load_player("chess", level=1200) as level, sparring.load_player("chess") as usual:
        assert isinstance(level, PolicyPlayer)
        assert level.config.level == 1200
        assert usual.name == "Sparring, level 1500"
    with sparring.load_player("shogi") as shogi:
        assert isinstance(shogi, PolicyPlayer)
        assert shogi.config.level == 30  # the table's own default, not chess's
    with sparring.load_player("go", rating="3d") as go:
        assert isinstance(go, PolicyPlayer)
        assert go.config.rating == "3d"
    with sparring.load_player("breakthrough", strength=2) as small, sparring.load_player("rbc") as bot:
        assert small.name
        assert type(bot).__name__ == "InferenceBot"


@pytest.mark.skipif(shutil.which("stockfish") is None, reason="Stockfish is not installed")
def test_another_program_is_a_player_too() -> None:
    options = {"UCI_LimitStrength": True, "UCI_Elo": 1600}
    limits = sparring.SearchLimits(nodes=200)
    with (
        sparring.load_player("chess", engine=["stockfish"], options=options, limits=limits) as engine,
        sparring.load_player("chess", strength=1) as small,
    ):
        result = sparring.play_game("chess", engine, small, seed=1, max_plies=30)
    assert result.record is not None
    assert result.record.scores  # centipawns of the engine


@pytest.mark.parametrize(
    ("game", "keys", "reason"),
    [
        ("chess", {"level": 99999}, "the levels of chess are 600 to 2600"),
        ("chess", {"level": 1500, "strength": 3}, "level and strength"),
        ("breakthrough", {"level": 1500}, "no levels"),
        ("chess", {"bot": "trout"}, "no bots"),
        ("rbc", {"bot": "nobody"}, "there is no player 'nobody'"),
        ("expendibots", {"rating": 1500}, "no network of people's moves"),
        ("chess", {"rating": 5000}, "ratings from 600 to 2600"),
        ("chess", {"strength": 12}, "from 1 to 9"),
        ("chess", {"strength": 0}, "from 1 to 9"),
        ("chess", {"level": "1500"}, "a whole number"),
        ("chess", {"levels": "x.toml"}, "give the level too"),
        ("chess", {"level": 1500, "levels": "x.toml"}, "x.toml"),
        ("chess", {"kind": "engine"}, "needs engine"),
        ("chess", {"kind": "anything"}, "expected one of"),
        ("chess", {"rating": 1500, "style": 7}, "from 0 to 1"),
        ("chess", {"rating": 1500, "temperature": -3}, "from 0 to 1000"),
        ("chess", {"rating": 1500, "nodes": -3}, "a whole number"),
        ("chess", {"think_time": "maybe"}, "none or human"),
        ("chess", {"seconds": 2}, "Only bots"),
        ("rbc", {"bot": "attacker", "seconds": 2}, "The bot attacker has no time budget"),
        ("rbc", {"bot": "planner", "seconds": 0}, "above 0"),
        ("rbc", {"bot": "planner", "seconds": "2"}, "above 0"),
        ("ches", {"level": 1500}, "unknown game 'ches'; did you mean 'chess'"),
        ("ches", {"rating": 1500}, "unknown game 'ches'; did you mean 'chess'"),
        ("ches", {}, "unknown game 'ches'; did you mean 'chess'"),
        ("chess", {"levl": 2}, "unknown key 'levl'; did you mean 'level'"),
        ("chess", {"wholly": 2}, "unknown key 'wholly'; there are game, kind, level"),
    ],
)
def test_what_cannot_be_played_is_named(game: str, keys: dict[str, Any], reason: str) -> None:
    with pytest.raises(sparring.SparringError, match=reason):
        sparring.load_player(game, **keys)


@pytest.mark.parametrize(
    ("name", "options", "reason"),
    [
        ("ches", {}, "unknown game 'ches'; did you mean 'chess'"),
        ("go", {"siz": 9}, "unknown option of go 'siz'; did you mean 'size'"),
        ("shogi", {"size": 9}, "unknown option of shogi 'size'; there are none"),
    ],
)
def test_an_unknown_game_or_option_is_named_with_the_nearest(
    name: str, options: dict[str, object], reason: str
) -> None:
    with pytest.raises(sparring.BadConfig, match=reason):
        sparring.load_game(name, **options)
    with pytest.raises(ValueError, match=reason):
        sparring.load_game(name, **options)


def test_a_clock_that_cannot_be_read_is_an_error_of_ours() -> None:
    with sparring.load_player("chess", strength=1) as player:
        for error in (sparring.SparringError, ValueError):
            with pytest.raises(error, match="clock 'five': expected minutes"):
                sparring.play_game("chess", player, player, clock="five")


@pytest.mark.parametrize(
    ("game", "keys", "name"),
    [
        ("chess", {"level": 1500}, "Sparring, level 1500"),
        ("chess", {"rating": 1200}, "Sparring 1200"),
        ("go", {"rating": "3d"}, "Sparring 3d"),
        ("chess", {"level": 1500, "adapt": True}, "Sparring"),
        ("breakthrough", {"strength": 2}, "Strength 2"),
        ("rbc", {"bot": "attacker"}, "attacker"),
        ("rbc", {"bot": "planner", "seconds": 2}, "planner, 2 s a turn"),
    ],
)
def test_a_player_is_called_by_its_kind_and_number(game: str, keys: dict[str, Any], name: str) -> None:
    with sparring.load_player(game, **keys) as player:
        assert player.name == name


def test_a_bot_gets_its_seconds_a_turn() -> None:
    with sparring.load_player("rbc", bot="planner", seconds=2) as player:
        assert isinstance(player, PlannerBot)
        assert player.options.seconds == 2


def test_a_record_names_both_players() -> None:
    with (
        sparring.load_player("chess", level=1400) as first,
        sparring.load_player("chess", rating=1200) as second,
    ):
        result = sparring.play_game("chess", first, second, seed=1, max_plies=4)
    assert result.record is not None
    assert result.record.players == ("Sparring, level 1400", "Sparring 1200")


def test_a_game_of_hidden_information_is_played_too() -> None:
    with (
        sparring.load_player("rbc", bot="random") as first,
        sparring.load_player("rbc", bot="attacker") as second,
    ):
        result = sparring.play_game("rbc", first, second, seed=3, max_plies=200)
    assert result.record is not None
    assert result.record.text("json").startswith("{")
