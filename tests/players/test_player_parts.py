"""Parts of players: resignation, draw offers, limits, distributions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from sparring.chess.game import Chess
from sparring.networks import Position, Prediction
from sparring.players import Clock, GameStart, PlayerConfig, SearchLimits, Turn
from sparring.players.behaviour_models import DrawOffers, Resignation
from sparring.players.policy_player import (
    MoveDistribution,
    SearchPlayer,
    lockstep_distributions,
    search_distribution,
)
from sparring.search import SearchResult, regularised_policy
from sparring.search.limits import allocate_time, resolve_limits


def test_resignation_counts_lost_moves_of_each_side_in_a_row() -> None:
    resignation = Resignation(below=0.1, after=2)
    assert [resignation.decide(0, -0.9), resignation.decide(1, -0.9)] == [False, False]
    assert resignation.decide(0, -0.9)
    assert not resignation.decide(1, 0.0)
    assert not resignation.decide(1, -0.9)  # the count began anew
    resignation.reset()
    assert not resignation.decide(0, -0.9)
    assert not Resignation(below=0.0, after=1).decide(0, -1.0)
    assert not resignation.decide(0, None)


def test_draws_are_fair_in_level_positions_after_some_plies() -> None:
    offers = DrawOffers(within=0.05, after=40)
    assert offers.offers(40, 0.09)
    assert not offers.offers(40, 0.11)
    assert not offers.offers(40, -0.11)
    assert not offers.offers(39, 0.0)
    assert not offers.offers(40, None)
    assert not DrawOffers(within=0.05, after=40, offering=False).offers(40, 0.0)
    assert offers.accepts(40, 0.09)
    assert offers.accepts(40, -0.9)
    assert not offers.accepts(40, 0.11)
    assert not offers.accepts(39, 0.0)
    assert not offers.accepts(40, None)
    for never in (DrawOffers(within=0.0, after=0),):
        assert not never.offers(100, 0.0)
        assert not never.accepts(100, -1.0)


def test_limits_are_those_of_the_request_then_the_players_own_then_the_clock() -> None:
    own, clock = SearchLimits(nodes=100), Clock(60.0)
    assert resolve_limits(SearchLimits(depth=3), own) == SearchLimits(depth=3)
    assert resolve_limits(SearchLimits(clock=clock), own) == own
    assert resolve_limits(SearchLimits(), own) == own
    assert resolve_limits(SearchLimits(clock=clock), SearchLimits()) == SearchLimits(
        seconds=allocate_time(clock)
    )


def searched(state: Any, value: float, nodes: int = 100) -> SearchResult:
    """A search that has visited no move."""
    moves = np.array(state.legal_moves())
    zeros, nothing = np.zeros(len(moves), np.int64), np.full(len(moves), np.nan)
    priors = np.full(len(moves), 1 / len(moves))
    return SearchResult(
        moves, priors, zeros, nothing, zeros, value, nodes, nodes, 1, 0.0, lambda move: [move], None
    )  # fmt: skip


def test_a_searched_move_is_described_by_its_probability_and_its_value_if_it_was_visited() -> None:
    state = Chess().initial()
    result = searched(state, 0.0)
    result.values[1] = 0.2
    found = search_distribution("chess", state, result, regularised_policy(1.0))
    assert found.describe(0, 0.05) == "probability 5%"
    assert found.describe(1, 0.4) == "probability 40%, expected score 60%"
    assert found.describe(1, 1.0) == "expected score 60%"
    assert found.describe(0, 1.0) == "probability 100%"


@pytest.mark.parametrize(("value", "nodes", "plays"), [(0.9, 100, False), (0.3, 100, True), (0.9, 6, True)])
def test_a_search_does_not_stalemate_in_a_won_position(value: float, nodes: int, plays: bool) -> None:
    state = Chess().parse("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1")
    stalemate = state.parse_move("g1g6")
    found = search_distribution("chess", state, searched(state, value, nodes), regularised_policy(1.0))
    assert (stalemate in found.likeliest().distribution) == plays


def test_a_search_keeps_its_weights_if_all_moves_draw() -> None:
    state = Chess().parse("7k/8/8/8/8/8/8/KQ6 w - - 149 100")  # the 75-move rule ends the game
    assert all(state.play(move).outcome is not None for move in state.legal_moves())
    selection, result = regularised_policy(1.0), searched(state, 0.9)
    found = search_distribution("chess", state, result, selection)
    assert found.weights.tolist() == selection(result).tolist()
    assert found.weights.all()


class WinningPolicy:
    """A uniform policy; White wins by its values."""

    name, game = "winning", "chess"

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        found = []
        for position in positions:
            moves = position.state.legal_moves()
            value = 0.9 if position.state.to_move == 0 else -0.9
            found.append(Prediction(tuple(moves), np.full(len(moves), 1 / len(moves), np.float32), value))
        return found


@pytest.mark.parametrize("forced", [True, False])
def test_a_player_draws_by_its_search_alone_without_play_forced_wins(forced: bool) -> None:
    state = Chess().parse("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1")
    config = PlayerConfig(
        "chess", nodes=40, batch=1, unvisited_share=0.5, play_forced_wins=forced, find_immediate_wins=False
    )
    (found,) = lockstep_distributions(WinningPolicy(), config, [state])
    player = SearchPlayer(config, WinningPolicy())
    player.new_game(GameStart(Chess(), 0, seed=1))
    drawn = player.choose(Turn(state, state.legal_moves())).distribution
    for distribution in (found.likeliest().distribution, drawn):
        assert (state.parse_move("g1g6") in distribution) != forced


def test_moves_are_drawn_by_their_weights_among_the_allowed() -> None:
    distribution = MoveDistribution(
        np.array([3, 5, 9]), np.array([1.0, 3.0, 0.0]), lambda index, probability: f"{index} {probability:g}"
    )
    rng = np.random.default_rng(1)
    drawn = [distribution.draw(rng).move for _ in range(400)]
    assert set(drawn) == {3, 5}
    assert drawn.count(5) / 400 == pytest.approx(0.75, abs=0.07)
    only = distribution.draw(rng, [3])
    assert (only.move, dict(only.distribution), only.reason) == (3, {3: 1.0}, "0 1")
    assert distribution.draw(rng, [9]).move == 9  # allowed, though it has no weight
