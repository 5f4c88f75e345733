"""The comparison of gradients, and the strength of Go players: on cases with known answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sparring.games import load_game
from sparring.measure.tuning import PlayedPositions, Theta
from sparring.networks import Position, Prediction
from sparring.policies import Policy
from sparring.records import GameRecord, RecordedGame
from studies.ace import go_strength
from studies.ace.evidence import spread_over_ratings
from studies.ace.gradients import compare_gradients
from tests.tuning.test_descent import HashedPolicy


def positions(count: int) -> PlayedPositions:
    rng, game = np.random.default_rng(5), load_game("breakthrough")
    states = []
    for _ in range(count):
        state = game.initial()
        for _ in range(int(rng.integers(2, 12))):
            state = state.play(int(rng.choice(state.legal_moves())))
        states.append(Position(state))
    played = np.array([int(rng.integers(len(each.state.legal_moves()))) for each in states])
    return PlayedPositions(states, played, np.arange(count), np.zeros(count, np.int64))


def test_common_positions_make_the_error_smaller_and_snapshots_are_exact() -> None:
    policy: Policy = HashedPolicy()
    found = compare_gradients(policy, positions(24), Theta(), 8, steps=(0.1, 0.4))
    rows = {(row["method"], row.get("step")): row for row in found["rows"]}
    common, apart = rows["differences", 0.1], rows["differences, independent positions", 0.1]
    assert common["mean"] == apart["mean"]
    assert max(common["error"]) < min(apart["error"])
    assert common["changed"][0] <= rows["differences", 0.4]["changed"][0]
    assert rows["regularised", None]["evaluations"] == 0
    assert found["sizes"]["largest_difference_of_visits"] == 0
    assert found["sizes"]["evaluations"] < found["sizes"]["evaluations_apart"]


class RankedPolicy:
    """The first legal move, the more likely the higher the rank."""

    name, game = "ranked", "go"

    def predict(self, found: Sequence[Position]) -> list[Prediction]:
        predictions = []
        for each in found:
            moves = tuple(each.state.legal_moves())
            first = 1 / (1 + np.exp(-1.5 * (float(each.rating or 7.5) - 7.5)))
            shares = np.full(len(moves), (1 - first) / (len(moves) - 1), np.float32)
            shares[0] = first
            predictions.append(Prediction(moves, shares, 0.0, state=each.state))
        return predictions


def ranked_game(rng: np.random.Generator, names: tuple[str, str], ranks: tuple[int, int]) -> RecordedGame:
    """Players who play the first move as often as the policy says."""
    state = load_game("go", size=7).initial()
    for ply in range(30):
        legal = state.legal_moves()
        often = 1 / (1 + np.exp(-1.5 * (ranks[ply % 2] - 7.5)))
        state = state.play(legal[0] if rng.random() < often else int(rng.choice(legal[1:-1])))
    record = GameRecord(
        moves=state.pack_moves(2), result=1.0, start=load_game("go", size=7).initial().text(),
        first=names[0], second=names[1], first_rank=f"{ranks[0]}d", second_rank=f"{ranks[1]}d",
    )  # fmt: skip
    return RecordedGame("go", record)


def test_go_players_whose_moves_show_their_rank_are_estimated() -> None:
    rng = np.random.default_rng(2)
    policy: Policy = RankedPolicy()
    games = []
    for number in range(120):
        ranks = (int(rng.choice(go_strength.RANKS)), int(rng.choice(go_strength.RANKS)))
        games.append(ranked_game(rng, (f"a{number}", f"b{number}"), ranks))
    found = go_strength.measure_go(policy, games)
    row = found["rows"][0]
    assert row["mean_absolute_error"] < 0.8 * row["without_games"]


def test_games_are_spread_over_ratings() -> None:
    games = [
        RecordedGame("chess", GameRecord(moves=b"", result=None, first_rating=rating, second_rating=rating))
        for rating in (1500, 1510, 1520, 900)
    ]
    assert [game.ratings[0] for game in spread_over_ratings(games, 2)] == [1500, 1510, 900]
