"""The small opponents play whole legal games, and play them better than chance."""

from __future__ import annotations

import random
from typing import Any

import pytest

from sparring.games import GAMES, Game, HiddenGame, load_game
from sparring.players import GameStart, Player, Turn, make_strength_player
from sparring.rbc.game import Observation, Rbc

OPEN = [name for name in GAMES if not load_game(name).spec.hidden]
OPTIONS: dict[str, dict[str, object]] = {"go": {"size": 7}}


def against_random(game: Game[Any], player: Player, side: int, seed: int) -> float:
    """The player's result against random moves: 1 for a win, 1/2 for a draw or 400 plies."""
    rng = random.Random(seed)
    state = game.initial()
    player.new_game(GameStart(game, side, state, seed))
    for _ in range(400):
        if (outcome := game.outcome(state)) is not None:
            return 0.5 if outcome.winner is None else float(outcome.winner == side)
        mine = game.to_move(state) == side
        moves = game.legal_moves(state)
        state = game.play(state, player.choose(Turn(state, moves)).move if mine else rng.choice(moves))
    return 0.5


@pytest.mark.parametrize("name", OPEN)
def test_small_players_beat_random_moves(name: str) -> None:
    game = load_game(name, **OPTIONS.get(name, {}))
    results = [against_random(game, make_strength_player(name, 3), seed % 2, seed) for seed in range(6)]
    assert sum(results) >= 5, results


def hidden_game(game: HiddenGame[Any, Observation], player: Player, side: int, seed: int) -> float:
    rng = random.Random(seed)
    state = game.initial()
    player.new_game(GameStart(game, side, seed=seed))
    while (outcome := game.outcome(state)) is None:
        moves = game.legal_moves(state)
        move = player.choose(Turn(None, moves)).move if game.to_move(state) == side else rng.choice(moves)
        player.observe(game.observe(state, side, move))
        state = game.play(state, move)
    return 0.5 if outcome.winner is None else float(outcome.winner == side)


def test_the_inference_bot_beats_random_moves() -> None:
    results = [
        hidden_game(
            Rbc(),
            make_strength_player("rbc", 2),
            seed % 2,
            seed,
        )
        for seed in range(6)
    ]
    assert sum(results) >= 5, results


@pytest.mark.parametrize("name", OPEN)
def test_choices_say_where_they_come_from(name: str) -> None:
    game = load_game(name, **OPTIONS.get(name, {}))
    choice = make_strength_player(name, 1).choose(Turn.of(game.initial()))
    assert choice.move in choice.distribution
    assert sum(choice.distribution.values()) == pytest.approx(1)
    assert choice.reason
