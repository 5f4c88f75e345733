"""Matches of a value network by Descent at equal processor time a move.

Both sides get as many positions a move as they search in the given time: their speed is measured first, in
processor time, so that other programs on the machine do not decide who thinks longer.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from sparring.games import describe, load_game
from sparring.players import LearnedPlayer, Player, SearchLimits, Turn
from sparring.players.minimax_player import MinimaxPlayer, MinimaxPlayerConfig
from sparring.players.small_players import make_strength_player
from sparring.search.linear_evaluation import open_evaluation
from studies.expendibots.acceptance import NamedPlayer, play_match, summarise_match

_POSITIONS = 12
"""Positions in which the speed is measured."""
_MEGABYTES = 64
"""Transposition table of the alpha-beta players."""


def measured_positions(game: str) -> list[Any]:
    """Positions after some random moves, the same every time."""
    rng = np.random.default_rng(0)
    states: list[Any] = []
    while len(states) < _POSITIONS:
        state = load_game(game).initial()
        for _ in range(int(rng.integers(4, 30))):
            moves = state.legal_moves()
            state = state.play(moves[int(rng.integers(len(moves)))])
            if state.outcome is not None:
                break
        else:
            states.append(state)
    return states


def nodes_in(make: Callable[[int], Player], game: str, seconds: float) -> int:
    """How many nodes of a player take so many processor seconds a move on average."""
    nodes = 20_000
    for _ in range(2):  # the second time with about the right number
        player, spent = make(nodes), 0.0
        for state in measured_positions(game):
            began = time.process_time()
            player.choose(Turn.of(state))
            spent += time.process_time() - began
        player.close()
        nodes = max(100, round(nodes * seconds * _POSITIONS / spent))
    return nodes


def network_player(game: str, network: Path) -> Callable[[int], Player]:
    """nodes -> the player with best-first minimax."""
    return lambda nodes: MinimaxPlayer(MinimaxPlayerConfig(game, str(network), nodes=nodes))


def alphabeta_network_player(game: str, network: Path) -> Callable[[int], Player]:
    """nodes -> alpha-beta with the network, where the game's search takes one. Raises AttributeError."""
    from sparring.search.value_network import open_value_network

    native = open_value_network(game, network)
    return lambda nodes: LearnedPlayer(
        open_evaluation(game),
        SearchLimits(nodes=nodes),
        megabytes=_MEGABYTES,
        prepare=lambda searcher: searcher.set_network(native),
    )


def evaluation_player(game: str, evaluation: str) -> Callable[[int], Player]:
    """nodes -> alpha-beta with a linear evaluation: a file, or `learned` or `start`."""
    read = open_evaluation(game, evaluation)
    return lambda nodes: LearnedPlayer(read, SearchLimits(nodes=nodes), megabytes=_MEGABYTES)


def strength_player(game: str, strength: int) -> Callable[[int], Player]:
    """nodes -> the game's small player of a strength, with its parts and other nodes."""

    def make(nodes: int) -> Player:
        player = make_strength_player(game, strength)
        assert isinstance(player, LearnedPlayer)
        player.limits = SearchLimits(nodes=nodes)
        return player

    return make


def match(
    game: str,
    new: tuple[str, Callable[[int], Player]],
    old: tuple[str, Callable[[int], Player]],
    *,
    seconds: float,
    games: int,
    seed: int,
    journal: Path,
    old_nodes: int | None = None,
    played: Callable[[int], None] = lambda number: None,
) -> dict[str, Any]:
    """Plays a match, or the rest of one, and returns its summary.

    Both have `seconds` of processor time a move; with `old_nodes` the old player has these nodes.
    """
    describe(game)
    nodes = nodes_in(new[1], game, seconds), old_nodes or nodes_in(old[1], game, seconds)
    players = new[1](nodes[0]), old[1](nodes[1])
    results = []
    for result in play_match(
        game,
        NamedPlayer(new[0], players[0]),
        NamedPlayer(old[0], players[1]),
        games=games,
        seed=seed,
        journal=journal,
    ):
        results.append(result)
        played(len(results))
    summary = asdict(summarise_match(new[0], old[0], results))
    for name in ("accepted", "log_likelihood_ratio"):
        summary.pop(name)
    return {"games": len(results), "seconds_a_move": seconds, "nodes_a_move": list(nodes), **summary}
