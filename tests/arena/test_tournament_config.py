"""Tournaments from TOML: accepted values, and one-line errors."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sparring.arena.tournament import (
    Adjudication,
    DrawRule,
    OpeningSuite,
    ResignRule,
    StrengthPlayerConfig,
    pairing_of,
    parse_tournament,
    read_tournament,
)
from sparring.base.errors import BadConfig
from sparring.measure.ratings import Sprt
from sparring.players import SearchLimits, TimeControl
from sparring.players.engines import EngineConfig

FULL = """
name = "The cup"
game = "chess"
format = "gauntlet"
games = 100
seed = 7

[openings]
file = "book.epd"
plies = 6

[clock]
base = 10
increment = 0.1

[adjudication]
plies = 300
resign = { score = 600, moves = 4 }
draw = { score = 10, moves = 8, after = 80 }

[sprt]
elo0 = 0
elo1 = 10

[[player]]
name = "ours"
strength = 3

[[player]]
name = "engine"
protocol = "uci"
command = ["engine", "--quiet"]
options = { Hash = 16, Ponder = false }
env = { THREADS = "1" }
folder = "nets"
nodes = 1000
start_seconds = 5
"""
PLAYERS = '[[player]]\nname = "a"\nstrength = 1\n[[player]]\nname = "b"\nstrength = 2\n'


def test_every_entry_is_read(tmp_path: Path) -> None:
    path = tmp_path / "cup.toml"
    path.write_text(FULL)
    cup = read_tournament(path)
    assert (cup.name, cup.game, cup.format, cup.games, cup.seed) == ("The cup", "chess", "gauntlet", 100, 7)
    assert cup.rules == {"claim_draws": True}
    assert cup.openings == OpeningSuite(tmp_path / "book.epd", 6)
    assert cup.clock == TimeControl(10.0, 0.1)
    assert cup.adjudication == Adjudication(ResignRule(600, 4), DrawRule(10, 8, 80), 300)
    assert cup.sprt == Sprt(0.0, 10.0)
    assert cup.entries == (
        StrengthPlayerConfig("ours", 3),
        EngineConfig(
            "engine",
            "uci",
            ("engine", "--quiet"),
            {"Hash": "16", "Ponder": "false"},
            env={"THREADS": "1"},
            folder=tmp_path / "nets",
            limits=SearchLimits(nodes=1000),
            start_seconds=5.0,
        ),
    )


def test_the_command_line_has_the_last_word_on_games(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text(f'game = "go"\n{PLAYERS}')
    assert read_tournament(path, 12).games == 12
    with pytest.raises(BadConfig, match="--games"):
        read_tournament(path)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("game = ", "not TOML"),
        ("games = 4\n" + PLAYERS, "missing key 'game'"),
        ('game = "rbc"\ngames = 4\n' + PLAYERS, "game = 'rbc': expected one of chess, shogi"),
        ('game = "chess"\ngames = 4\n', "missing key 'player': expected a list of tables"),
        ('game = "chess"\ngames = 4\n[[player]]\nname = "a"\nstrength = 1', "at least two"),
        ('game = "chess"\ngames = 4\nplayer = 3\n', "player = 3: expected a list of tables"),
        ('game = "chess"\ngames = 0\n' + PLAYERS, "games = 0: expected an integer from 1 to"),
        ('game = "chess"\ngames = 4\nspeed = 1\n' + PLAYERS, "unknown key 'speed'"),
        ('game = "chess"\ngames = 4\nseed = -1\n' + PLAYERS, "seed = -1: expected an integer from 0 to"),
        ('game = "chess"\ngames = 4\nseed = "x"\n' + PLAYERS, "seed = 'x': expected an integer"),
        ('game = "chess"\ngames = 4\nformat = "swiss"\n' + PLAYERS, "one of round-robin, gauntlet"),
        ('game = "chess"\ngames = 4\n' + PLAYERS.replace('"b"', '"a"'), "two players are named"),
        (
            'game = "chess"\ngames = 4\n' + PLAYERS.replace("2", "99"),
            r"player\[2\]\.strength = 99: expected an integer from 1 to 9",
        ),
        (
            'game = "chess"\ngames = 4\n' + PLAYERS.replace("strength = 2", "elo = 2"),
            r"unknown key 'player\[2\]\.elo'",
        ),
        (
            'game = "chess"\ngames = 4\n' + PLAYERS.replace("strength = 2", 'rating = "3d"'),
            r"player\[2\]\.rating = '3d': expected an integer",
        ),
        ('game = "chess"\ngames = 4\n' + PLAYERS.replace("strength = 2", 'file = "no.toml"'), "no.toml"),
        (
            'game = "chess"\ngames = 4\n' + PLAYERS.replace("strength = 2", 'strength = "x"'),
            r"player\[2\]\.strength = 'x': expected an integer",
        ),
        (
            'game = "chess"\ngames = 4\n[clock]\nbase = -1\n' + PLAYERS,
            r"clock\.base = -1: expected a number from 0 to 1000000",
        ),
        ('game = "chess"\ngames = 4\n[clock]\nbase = nan\n' + PLAYERS, r"clock\.base = nan"),
        ('game = "chess"\ngames = 4\n[clock]\nbase = 1\nbyoyomi = 1\n' + PLAYERS, "no byoyomi"),
        ('game = "chess"\ngames = 4\n[rules]\nkomi = 1\n' + PLAYERS, r"unknown key 'rules\.komi'"),
        ('game = "go"\ngames = 4\n[rules]\nsize = 99\n' + PLAYERS, "rules: .*size"),
        (
            'game = "go"\ngames = 4\n[rules]\nsize = "x"\n' + PLAYERS,
            r"rules\.size = 'x': expected an integer",
        ),
        (
            'game = "go"\ngames = 4\n[rules]\nko = "x"\n' + PLAYERS,
            r"rules\.ko = 'x': expected one of positional",
        ),
        ('game = "chess"\ngames = 4\n[rules]\nclaim_draws = 1\n' + PLAYERS, "true or false"),
        ('game = "chess"\ngames = 4\n[openings]\nplies = 3\n' + PLAYERS, r"missing key 'openings\.file'"),
        (
            'game = "chess"\ngames = 4\n[adjudication]\ndraw = { score = 1 }\n' + PLAYERS,
            r"missing key 'adjudication\.draw\.moves'",
        ),
        (
            'game = "chess"\ngames = 4\n[adjudication]\nplies = 0\n' + PLAYERS,
            r"adjudication\.plies = 0: expected an integer from 1",
        ),
        ('game = "chess"\ngames = 4\n[sprt]\nelo0 = 9\n' + PLAYERS, "sprt: elo0 .* less than"),
        (
            'game = "chess"\ngames = 4\n[sprt]\n' + PLAYERS + '[[player]]\nname = "c"\nstrength = 1\n',
            "for two players, not 3",
        ),
    ],
)
def test_errors_name_the_fault(text: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text(text)
    with pytest.raises(BadConfig, match=complaint) as error:
        read_tournament(path)
    assert str(path) in str(error.value)


@pytest.mark.parametrize(
    ("game", "engine", "complaint"),
    [
        ("chess", 'protocol = "xboard"\ncommand = ["x"]\nnodes = 1', "one of uci, usi, gtp"),
        (
            "go",
            'protocol = "uci"\ncommand = ["x"]\nnodes = 1',
            "protocol = 'uci': expected a protocol for go; this one is for chess",
        ),
        ("chess", 'protocol = "uci"\nnodes = 1', r"missing key 'player\[2\]\.command'"),
        ("chess", 'protocol = "uci"\ncommand = []\nnodes = 1', "a program and its arguments"),
        ("chess", 'protocol = "uci"\ncommand = "x"\nnodes = 1', "a list of strings"),
        ("chess", 'protocol = "uci"\ncommand = ["x"]', "needs nodes, depth or movetime"),
        ("chess", 'protocol = "uci"\ncommand = ["x"]\nnodes = 0', "nodes = 0: expected an integer from 1"),
        (
            "chess",
            'protocol = "uci"\ncommand = ["x"]\nnodes = 1\nstrength = 1',
            r"unknown key 'player\[2\]\.strength'",
        ),
        (
            "chess",
            'protocol = "uci"\ncommand = ["x"]\nnodes = 1\noptions = 1',
            "options = 1: expected a table",
        ),
        ("chess", 'protocol = "uci"\ncommand = ["x"]\nnodes = 1\ncommands = ["y"]', "are for GTP"),
        ("go", 'protocol = "gtp"\ncommand = ["x"]\nnodes = 1', "GTP has no options"),
    ],
)
def test_errors_of_an_engine_are_reported(game: str, engine: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text(
        f'game = "{game}"\ngames = 4\n[[player]]\nname = "a"\nstrength = 1\n'
        f'[[player]]\nname = "b"\n{engine}\n'
    )
    with pytest.raises(BadConfig, match=complaint):
        read_tournament(path)


def test_the_example_in_the_docs_is_a_tournament(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "arena.md").read_text()
    path = tmp_path / "cup.toml"
    path.write_text(page.split("```toml\n")[1].split("```")[0])
    cup = read_tournament(path)
    assert cup.adjudication.resign == ResignRule(600, 4)
    assert cup.names == ["club", "stockfish"]


ODD = [0, -1, 10**30, 1.5, math.nan, math.inf, True, "", "x", "a\nb", [], [1], ["x"], {}, {"a": 1}, {"x": {}}]


def places(table: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every entry of a table, at every depth."""
    for key, value in table.items() if isinstance(table, dict) else enumerate(table):
        yield (*at, key)
        if isinstance(value, dict | list):
            yield from places(value, (*at, key))


def test_hostile_values_of_every_key_are_handled(tmp_path: Path) -> None:
    for place in places(tomllib.loads(FULL)):
        for odd in ODD:
            table = tomllib.loads(FULL)
            inner: Any = table
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = odd
            try:
                cup = parse_tournament(table, tmp_path / "cup.toml", None)
                said = "it is a tournament"
                pairing_of(cup, 5, 3)
            except BadConfig as error:
                said = str(error)
            assert len(said.splitlines()) == 1
