"""Go: random playouts on 19x19 against OpenSpiel, in C++ and driven from Python.

OpenSpiel's fastest playouts are the rollouts of its tree search: one simulation with many rollouts spends
almost all of its time in C++. It does not report their plies, so the mean length of random games driven from
Python is used.
"""

from __future__ import annotations

import random
from time import perf_counter

import pyspiel

from bench.result import BenchmarkResult
from sparring.go.game import Go

MAX_PLIES = 2 * 19 * 19
"""OpenSpiel's limit of a game's length."""
OUR_PLAYOUTS = 3000
THEIR_PLAYOUTS = 100
DRIVEN_GAMES = 60


def our_playouts() -> float:
    """Plies per second of our native playouts."""
    state = Go().initial()
    start = perf_counter()
    plies = sum(state.playout(seed, MAX_PLIES)[1] for seed in range(OUR_PLAYOUTS))
    return plies / (perf_counter() - start)


def our_driven_games() -> float:
    """Plies per second of our rules with moves chosen in Python."""
    rng, plies, start = random.Random(1), 0, perf_counter()
    for _ in range(DRIVEN_GAMES):
        state = Go().initial()
        while state.outcome is None and state.ply < MAX_PLIES:
            state = state.play(rng.choice(state.legal_moves()))
        plies += state.ply
    return plies / (perf_counter() - start)


def their_driven_games() -> tuple[float, float]:
    """OpenSpiel's plies per second with moves chosen in Python, and plies per game."""
    rng, plies, start = random.Random(1), 0, perf_counter()
    game = pyspiel.load_game("go(board_size=19,komi=7.5)")
    for _ in range(DRIVEN_GAMES):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
        plies += state.move_number()
    return plies / (perf_counter() - start), plies / DRIVEN_GAMES


def their_playouts(plies_a_game: float) -> float:
    """OpenSpiel's plies per second in the rollouts of its tree search."""
    game = pyspiel.load_game("go(board_size=19,komi=7.5)")
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=THEIR_PLAYOUTS, seed=1)
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, 1, 100, False, 1, False)
    state = game.new_initial_state()
    start = perf_counter()
    bot.mcts_search(state)
    return THEIR_PLAYOUTS * plies_a_game / (perf_counter() - start)


def measure() -> list[BenchmarkResult]:
    """Rows of native playouts and of games driven from Python."""
    driven, plies_a_game = their_driven_games()
    return [
        BenchmarkResult(
            "Go 19x19 random playouts in C++",
            "OpenSpiel",
            our_playouts(),
            their_playouts(plies_a_game),
            "plies/s",
            min_ratio=3,
        ),
        BenchmarkResult(
            "Go 19x19 random games driven from Python",
            "OpenSpiel",
            our_driven_games(),
            driven,
            "plies/s",
            min_ratio=1,
        ),
    ]
