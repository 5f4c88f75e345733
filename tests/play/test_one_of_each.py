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
STUDIES = Path(__file__).parents[2] / "studies"


@cache
def modules(folder: Path = SOURCE) -> list[tuple[str, ast.Module]]:
    return [
        (str(path.relative_to(folder)), ast.parse(path.read_text())) for path in sorted(folder.rglob("*.py"))
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


def test_no_other_class_keeps_time() -> None:
    """Whatever its name: what has an increment is a clock, a message of the page, or the input of a model."""
    places = {(name, node.name) for name, node in classes() if "increment" in fields(node)}
    assert places == {
        ("base/clock.py", "TimeControl"),
        ("base/clock.py", "Clock"),
        ("server/messages.py", "ClockChoice"),
        ("server/messages.py", "ClockView"),
        ("players/behaviour_models.py", "Situation"),
    }


def test_there_is_one_result_of_a_game() -> None:
    ends = {
        (name, node.name)
        for name, node in classes()
        if {"score", "winner"} <= {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
        or re.fullmatch(r"(Game(End|Result)|EndOfGame)", node.name)
    }
    by_rules = ("games/game.py", "Outcome")
    assert ends == {by_rules, ("play/result.py", "GameResult")}
    score = re.compile(r"0\.5 if \S*winner is None")
    scores = [
        name
        for folder in (SOURCE, STUDIES)
        for name, tree in modules(folder)
        if "winner" in (folder / name).read_text() and score.search(ast.unparse(tree))
    ]
    assert scores == ["games/states.py", "rbc/matches.py"]  # an outcome in Python; reconchess's own winner


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
    "measure/calibration.py": "an engine among the participants of games in lockstep",
}
"""Modules that ask a player for a decision, and why."""


NOT_A_PLAYER = ("super()", "self", "self.knowledge", "self._engine", "mover", "self.mover")
"""What else has a method `choose`: participants of games in lockstep (`Mover`), engines of protocols, the
ratings of blind chess."""
MOVES_BY_ITSELF = {
    "go/problem_features.py": "the line of a problem",
    "training/selfplay/matches.py": "random plies before a game of two searches, which are in lockstep",
    "training/selfplay/window.py": "a game that was played is replayed into positions",
    "measure/review.py": "the line of a review, until the game is over",
    "training/treestrap/run.py": "self-play by a search without a player",
    "training/descent/run.py": "random positions for the scale of a network's inputs",
    "expendibots/training.py": "self-play by a search without a player",
    "expendibots/book.py": "the lines of a book, by a search",
    "expendibots/commands.py": "a table of a position's moves",
    "expendibots/agent.py": "a position's moves, by the tables",
    "games/states.py": "playouts of random moves",
    "search/linear_evaluation.py": "random openings of self-play",
    "server/new_game.py": "random openings",
    "server/pasted.py": "moves that a person pasted",
}
"""Modules with a loop that plays moves and looks at the outcome, outside the game in progress, and why."""


def asks_a_player(tree: ast.Module) -> bool:
    """Whether a player is asked to `choose`."""
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "choose"
        and ast.unparse(node.func.value) not in NOT_A_PLAYER
        for node in ast.walk(tree)
    )


def plays_to_the_end(tree: ast.Module) -> bool:
    """Whether a loop advances a state by moves and looks at its outcome."""
    for node in ast.walk(tree):
        if isinstance(node, ast.While | ast.For):
            loop = ast.unparse(node)
            for state in re.findall(r"\b(\w+) = [\w.]+\.(?:play|make)\(", loop):
                if re.search(rf"\b{state}\.outcome\b|\.outcome\({state}\)", loop):
                    return True
    return False


def test_players_are_asked_for_moves_in_one_place() -> None:
    asking = {name for name, tree in modules() if not name.startswith("players/") and asks_a_player(tree)}
    assert asking == set(ASKS_A_PLAYER)


@pytest.mark.parametrize(
    "call", ["bot.choose(turn)", "player.choose(Turn.of(state))", "self.players[side].choose(pending.turn)"]
)
def test_a_player_that_is_asked_elsewhere_is_seen(call: str) -> None:
    assert asks_a_player(ast.parse(f"while True:\n    move = {call}.move"))


@pytest.mark.parametrize(
    "loop",
    [
        "while state.outcome is None:\n    state = rules.play(state, draw(state))",
        "for _ in range(9):\n    if rules.outcome(state):\n        break\n    state = rules.play(state, 0)",
        "while True:\n    game = game.make(draw(game))\n    if game.outcome:\n        break",
    ],
)
def test_a_loop_that_plays_a_game_is_seen(loop: str) -> None:
    assert plays_to_the_end(ast.parse(loop))


def test_games_in_lockstep_have_one_driver() -> None:
    """Only `play_together` asks participants of many games; one that is diluted asks the one inside it."""
    asking = {
        name for name, tree in modules() if re.search(r"(?<!self\.)\bmover\.choose\b", ast.unparse(tree))
    }
    assert asking == {"play/match.py"}


def test_no_other_loop_plays_a_game() -> None:
    assert {name for name, tree in modules() if plays_to_the_end(tree)} == set(MOVES_BY_ITSELF)


STUDIES_WITHOUT_A_GAME = {
    "descent/matches.py": "sample positions for the speed of a search; its match is a game in progress",
    "expendibots/opening.py": "the line of a search",
    "expendibots/opponents.py": "random playouts of a Monte Carlo search",
    "expendibots/report_claims.py": "sample positions, by a shallow search; its match is a game in progress",
    "go_ranks/counting.py": "GNU Go is the person of a game in progress",
    "manners/games.py": "models of people end games between the moves, also at the length limit; by "
    "`play_together` 10 of 60 games came in another order",
    "networks/lc0.py": "recorded moves",
    "rbc/belief.py": "a recorded game is replayed",
    "rbc/variants.py": "a bot inside the player that times it",
    "review/judge.py": "an engine judges recorded positions",
    "shogi/opening_style.py": "players play on where they resign, as one did in 18 openings",
}
"""Studies that ask a player or play moves, and why they do not drive a game in progress."""


def test_studies_drive_the_game_in_progress() -> None:
    places = {name for name, tree in modules(STUDIES) if asks_a_player(tree) or plays_to_the_end(tree)}
    assert places == set(STUDIES_WITHOUT_A_GAME)


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
