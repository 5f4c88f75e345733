"""One clock, one result, one description of an opponent, one place where a game asks a player for a move."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import sparring

SOURCE = Path(sparring.__file__).parent


@cache
def modules() -> list[tuple[str, ast.Module]]:
    return [
        (str(path.relative_to(SOURCE)), ast.parse(path.read_text())) for path in sorted(SOURCE.rglob("*.py"))
    ]


@pytest.fixture(scope="module", autouse=True)
def no_trees_afterwards() -> Iterator[None]:
    yield
    modules.cache_clear()


def classes() -> Iterator[tuple[str, ast.ClassDef]]:
    for name, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                yield name, node


def fields(node: ast.ClassDef) -> set[str]:
    return {
        statement.target.id
        for statement in node.body
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
    }


def test_there_is_one_clock() -> None:
    """Messages of the page (ClockView, ClockChoice) only carry its numbers."""
    places = {(name, node.name) for name, node in classes() if re.search(r"Clocks?$|TimeControl$", node.name)}
    assert places == {("base/clock.py", name) for name in ("TimeControl", "Clock", "GameClock")}


def test_there_is_one_result_of_a_game() -> None:
    ends = {
        (name, node.name)
        for name, node in classes()
        if {"score", "winner"} <= {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
        or re.fullmatch(r"(Game(End|Result)|EndOfGame)", node.name)
    }
    assert ends == {("play/result.py", "GameResult")}
    score = re.compile(r"0\.5 if \S*winner is None")
    scores = [
        name
        for name, tree in modules()
        if "winner" in (SOURCE / name).read_text() and score.search(ast.unparse(tree))
    ]
    assert scores == ["play/result.py"]


def test_there_is_one_description_of_an_opponent() -> None:
    """`OpponentChoice` is its message on the page; a `PlayerConfig` is one kind of player."""
    kinds = {"level", "rating", "strength", "bot", "person"}
    places = {(name, node.name) for name, node in classes() if kinds <= fields(node)}
    assert places == {("play/opponent.py", "Opponent"), ("server/messages.py", "OpponentChoice")}


ASKS_A_PLAYER = {
    "play/game.py": "the game in progress",
    "engines/search_thread.py": "UCI and USI: the GUI has the game",
    "go/gtp.py": "GTP: the GUI has the game",
    "rbc/reconchess.py": "reconchess's server has the game",
    "expendibots/referee.py": "the course's referee has the game",
    "rbc/explanation.py": "a recorded game is replayed",
    "measure/calibration_games.py": "an engine among the participants of games in lockstep",
}
"""Modules that ask a player for a decision, and why."""


def asks_a_player(tree: ast.Module) -> bool:
    """Whether a `choose` gets a turn, outside of players that pass their own turn on."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "choose":
            if any(re.match(r"Turn\b|pending\.turn", ast.unparse(argument)) for argument in node.args):
                return True
            receiver = ast.unparse(node.func.value)
            if receiver == "player" and any(ast.unparse(argument) == "turn" for argument in node.args):
                return True
    return False


def test_players_are_asked_for_moves_in_one_place() -> None:
    asking = {name for name, tree in modules() if not name.startswith("players/") and asks_a_player(tree)}
    assert asking == set(ASKS_A_PLAYER)


def test_all_drivers_use_the_game_in_progress() -> None:
    drivers = {
        name
        for name, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "pending_turn"
    }
    assert drivers == {"cli/terminal.py", "play/match.py", "server/game_host.py", "server/live_tournament.py"}
