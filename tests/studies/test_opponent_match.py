"""The test opponent plays by the rules, finds what its depth shows, and a match with it is reported."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path

import pytest

from sparring.expendibots.agent import tokens
from sparring.expendibots.game import Expendibots
from studies.expendibots.alphabeta_opponent import AlphaBetaOpponent
from studies.expendibots.draws import analyse_draws, play_game
from studies.expendibots.opponent_match import OpponentGame, play_opponent_match, summarise
from studies.expendibots.opponents import (
    SIMPLE_OPPONENTS,
    Chooser,
    SimpleOpponent,
    alpha_beta,
    greedy,
    monte_carlo,
)
from tests.reference.expendibots import ReferenceGame

SECONDS = 12.0
"""Processor time of a game, several times what a game takes: a loaded machine loses none on time."""


def test_the_opponent_plays_legal_actions_to_the_end_against_itself() -> None:
    def make(colour: str) -> AlphaBetaOpponent:
        return AlphaBetaOpponent(colour, seed=3, depth=2)

    game, players = ReferenceGame(), [make("white"), make("black")]
    while game.outcome() is None:
        action = players[game.taken % 2].action()
        assert action in game.actions()
        game.play(action)
        for player in players:
            player.update("", action)


def test_the_opponent_beats_random_actions_at_depth_two() -> None:
    rng, game = random.Random(1), ReferenceGame()
    opponent = AlphaBetaOpponent("white", depth=2)
    while game.outcome() is None:
        action = opponent.action() if game.taken % 2 == 0 else rng.choice(sorted(game.actions(), key=str))
        game.play(action)
        opponent.update("", action)
    assert game.outcome() == (0, "no tokens")


def test_the_same_seed_gives_the_same_action_and_seeds_differ() -> None:
    def opening(seed: int) -> list[object]:
        opponent = AlphaBetaOpponent("white", seed=seed, depth=3)
        actions: list[object] = []
        for side in ("white", "black") * 3:
            action = opponent.action()
            opponent.update(side, action)
            actions.append(action)
        return actions

    assert opening(1) == opening(1)
    assert len({str(opening(seed)) for seed in range(4)}) > 1


def test_the_opponent_sees_a_boom_beyond_its_depth() -> None:
    line = (
        "1d1-e1 1a7-a6 1a1-b1 1a8-a7 1b1-b3 1a6-b6 2e1-f1 1e7-f7 2f1-f2 1b6-b5 1b1-c1 1a7-a6 1c1-c2 1a6-b6 "
        "2f2-f4 1e8-e7 1g1-f1 1d8-e8 1f1-f2 1b5-b4"
    )
    rules, opponent = Expendibots(), AlphaBetaOpponent("white", seed=6, depth=1)
    state = rules.initial()
    for move in line.split():
        opponent.update("", rules.action(state, rules.parse_move(state, move)))
        state = rules.play(state, rules.parse_move(state, move))
    # Black's b4 explodes all that touches b3, which is the whole second row.
    state = rules.play(state, rules.move_of(state, opponent.action()))
    after = rules.play(state, rules.parse_move(state, "BOOM b4"))
    black, white = tokens(state)
    assert white - tokens(after)[0] <= black - tokens(after)[1]


def test_a_match_is_played_reported_and_resumed(tmp_path: Path) -> None:
    report = play_opponent_match(tmp_path, games=2, depth=1, seconds=SECONDS, workers=2, command="test")
    assert (tmp_path / "opponent-depth-1.json").exists()
    assert (report["games"], report["endgame_wins_not_won"]) == (2, 0)
    assert report["score"] == (report["wins"] + report["draws"] / 2) / 2 > 0
    again: list[OpponentGame] = []
    play_opponent_match(tmp_path, games=2, depth=1, seconds=SECONDS, command="test", callback=again.append)
    assert again == []


def test_a_won_ending_that_was_drawn_is_counted() -> None:
    def game(number: int, points: float, endgame_win: bool, lead: int) -> OpponentGame:
        return OpponentGame(number, points, "", 60, 1.0, 1.0, 90.0, endgame_win, lead)

    report = summarise([game(0, 1.0, True, 2), game(1, 0.5, True, 1)])
    assert (report["score"], report["endgame_wins_not_won"]) == (0.75, 1)
    assert report["largest_lead_in_drawn_endings"] == 1


def test_draws_are_counted_with_what_either_side_had(tmp_path: Path) -> None:
    report = analyse_draws(tmp_path, games=6, nodes=200, seed=1, command="test")
    assert sum(report["reasons"].values()) == 6
    assert sum(report["first_tabled_material_of_draws"].values()) == report["draws"]
    drawn = play_game(Expendibots().parse("7a/8/8/8/8/8/8/A7 w"), nodes=200)
    assert (drawn.drawn, drawn.endgame_win, drawn.lead, drawn.first_tabled) == (True, False, 0, "1v1")
    won = play_game(Expendibots().parse("7a/8/8/8/8/8/8/AAA5 w"), nodes=200)
    assert (won.drawn, won.endgame_win, won.lead) == (False, True, 2)


BRIEF: dict[str, Chooser] = {
    "greedy": greedy,
    "material": partial(alpha_beta, seconds=0.02),
    "monte-carlo": partial(monte_carlo, seconds=0.02),
}


@pytest.mark.parametrize("name", sorted(SIMPLE_OPPONENTS))
def test_a_simple_opponent_plays_by_the_rules_and_beats_random_actions(name: str) -> None:
    rng, game = random.Random(1), ReferenceGame()
    opponent = SimpleOpponent("white", choose=BRIEF[name], seed=2)
    while game.outcome() is None:
        white = game.taken % 2 == 0
        action = opponent.action() if white else rng.choice(sorted(game.actions(), key=str))
        assert action in game.actions()
        game.play(action)
        opponent.update("", action)
    assert game.outcome() == (0, "no tokens")


def test_a_match_with_a_simple_opponent_is_reported_under_its_name(tmp_path: Path) -> None:
    report = play_opponent_match(
        tmp_path, games=2, depth=6, opponent="greedy", seconds=SECONDS, command="test"
    )
    assert (tmp_path / "opponent-greedy.json").exists()
    assert report["opponent"] == "greedy"
    assert "depth" not in report
