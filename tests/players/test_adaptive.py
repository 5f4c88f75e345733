"""Players whose level follows the opponent's results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sparring.base.errors import BadConfig
from sparring.chess.game import Chess
from sparring.players import GameStart, PlayerConfig, RandomPlayer, open_player
from sparring.players.adaptive import AdaptivePlayer, OpponentHistory, OpponentResult, estimate_strength


def adaptive(folder: Path, prior: float = 1500) -> AdaptivePlayer:
    history = OpponentHistory("chess", folder)
    return AdaptivePlayer("Sparring", lambda level: RandomPlayer(), (600, 2600), history, prior)


def test_the_estimate_finds_the_strength_of_an_opponent() -> None:
    rng, results, level = np.random.default_rng(1), [], 1500.0
    for _ in range(60):
        score = float(rng.random() < 1 / (1 + 10 ** ((level - 2000) / 400)))
        results.append(OpponentResult(round(level), score))
        estimate = estimate_strength(results, 1500)
        level = estimate.mean
    assert estimate.low < 2000 < estimate.high
    assert abs(estimate.mean - 2000) < 150
    assert estimate.high - estimate.low < 500 < 4 * 350


def test_without_games_the_estimate_is_the_prior() -> None:
    estimate = estimate_strength([], 1200)
    assert estimate.mean == pytest.approx(1200, abs=5)
    assert estimate.games == 0
    drawn = estimate_strength([OpponentResult(1200, 0.5)], 1200)
    assert drawn.mean == pytest.approx(1200, abs=5)
    assert drawn.high - drawn.low < estimate.high - estimate.low


def test_a_win_raises_the_level_and_a_later_session_goes_on_from_there(tmp_path: Path) -> None:
    player = adaptive(tmp_path)
    start = GameStart(Chess(), 0, Chess().initial())
    levels = []
    for score in (0.0, 0.0, None):  # the opponent wins twice, then leaves
        player.new_game(start)
        levels.append(player.level)
        player.end_game(score)
    assert levels[0] == 1500 < levels[1] < levels[2]
    again = adaptive(tmp_path)
    assert (again.level, again.estimate.games) == (levels[2], 2)
    again.new_game(GameStart(Chess(), 0, Chess().initial(), opponent="Anna"))
    assert again.level == 1500  # nothing is known of Anna


def test_levels_stay_in_the_range_of_the_game(tmp_path: Path) -> None:
    player = adaptive(tmp_path, prior=2600)
    for _ in range(5):
        player.new_game(GameStart(Chess(), 0, Chess().initial()))
        player.end_game(0.0)
    player.new_game(GameStart(Chess(), 0, Chess().initial()))
    assert player.level == 2600


def test_a_player_file_may_adapt(tmp_path: Path) -> None:
    history = OpponentHistory("chess", tmp_path)
    player = open_player(PlayerConfig("chess", adapt=True, opponent_rating=1200), history)
    assert isinstance(player, AdaptivePlayer)
    assert player.level == 1200
    with pytest.raises(BadConfig, match="has no levels"):
        open_player(PlayerConfig("breakthrough", adapt=True))
