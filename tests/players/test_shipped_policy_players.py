"""Players without search: legal moves, seeds, ratings, and better than random moves."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from sparring.games import Game, load_game
from sparring.players import Player, PlayerConfig, PolicyPlayer, Turn, make_player
from tests.players.test_strength_players import against_random
from tests.policies.fixed_policy import FixedPolicy, random_states


def human(game: str, seed: int, rating: int | None) -> Player:
    return make_player(PlayerConfig(game, rating=rating, seed=seed))


@pytest.mark.parametrize(("game", "rating"), [("chess", 1500), ("go", 5), ("shogi", None)])
def test_human_beats_random_moves(game: str, rating: int | None) -> None:
    rules = load_game(
        game, **({"size": 9} if game == "go" else {})
    )  # on 19x19 random moves go on for 400 plies
    results = [against_random(rules, human(game, seed, rating), seed % 2, seed) for seed in range(6)]
    assert sum(results) >= 5, results


def played(game: Game[Any], player: Player, plies: int, seed: int) -> list[int]:
    """The moves of a game against random ones."""
    rng, state, moves = random.Random(seed), game.initial(), []
    for ply in range(plies):
        if not (legal := game.legal_moves(state)):
            break
        moves.append(player.choose(Turn.of(state)).move if ply % 2 == 0 else rng.choice(legal))
        state = game.play(state, moves[-1])
    return moves


@pytest.mark.parametrize(("game", "rating"), [("chess", 1500), ("go", 5), ("shogi", None)])
def test_the_same_seed_plays_the_same_game(game: str, rating: int | None) -> None:
    first = played(load_game(game), human(game, 1, rating), 40, 1)
    assert first == played(load_game(game), human(game, 1, rating), 40, 1)
    assert first != played(load_game(game), human(game, 2, rating), 40, 1)


@pytest.mark.parametrize(("game", "weak", "strong"), [("chess", 800, 2400), ("go", 1, 9)])
def test_players_of_different_ratings_play_differently(game: str, weak: int, strong: int) -> None:
    one, other = human(game, 1, weak), human(game, 1, strong)
    differences = []
    for state in random_states(game, 10):
        first, second = one.choose(Turn.of(state)).distribution, other.choose(Turn.of(state)).distribution
        moves = state.legal_moves()
        differences.append(sum(abs(first.get(move, 0) - second.get(move, 0)) for move in moves) / 2)
    assert np.mean(differences) > 0.02


@pytest.mark.parametrize(("game", "rating"), [("chess", 1500), ("go", 5), ("shogi", None)])
def test_a_choice_is_drawn_from_its_distribution_and_says_so(game: str, rating: int | None) -> None:
    player = human(game, 1, rating)
    for state in random_states(game, 10, seed=5):
        choice = player.choose(Turn.of(state))
        assert choice.move in choice.distribution
        assert set(choice.distribution) <= set(state.legal_moves())
        assert sum(choice.distribution.values()) == pytest.approx(1)
        assert "%" in choice.reason
        assert ("5d" if game == "go" else "1500") in choice.reason or rating is None


def test_moves_come_as_often_as_the_policy_says() -> None:
    policy = FixedPolicy([0.5, 0.3, 0.2])
    player = PolicyPlayer(PlayerConfig("chess", rating=1500, opponent_rating=1700, seed=1), policy)
    state = load_game("chess").initial()
    drawn = [player.choose(Turn.of(state)).move for _ in range(500)]
    shares = [drawn.count(move) / 500 for move in state.legal_moves()[:4]]
    assert shares == pytest.approx([0.5, 0.3, 0.2, 0], abs=0.07)
    assert {(asked.rating, asked.opponent_rating) for asked in policy.positions} == {(1500, 1700)}


def test_an_opponent_of_unknown_rating_is_as_strong() -> None:
    policy = FixedPolicy([1.0])
    PolicyPlayer(PlayerConfig("chess", rating=1500), policy).choose(Turn.of(load_game("chess").initial()))
    assert policy.positions[0].opponent_rating == 1500


def test_a_low_temperature_keeps_to_the_likeliest_move() -> None:
    player = PolicyPlayer(PlayerConfig("chess", temperature=0.01), FixedPolicy([0.5, 0.3, 0.2]))
    state = load_game("chess").initial()
    assert {player.choose(Turn.of(state)).move for _ in range(50)} == {state.legal_moves()[0]}
