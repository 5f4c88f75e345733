"""Evidence of games: log-likelihoods under several ratings, and features of a strong network."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

from sparring.base.errors import NotFound
from sparring.games import load_game
from sparring.measure.strength import FEATURES, collect_evidence, measure_levels, shipped_strength_model
from sparring.networks import Position, Prediction
from sparring.records.readers import RecordedGame
from tests.matching.tables import random_record


class RatedPolicy:
    """Likes the first legal move more, the higher the rating; its value is 0.2 for the side to move."""

    name, game = "rated", "chess"

    def __init__(self, share: float | None = None) -> None:
        self.share = share
        self.told: set[tuple[float | None, float | None]] = set()

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        found = []
        for position in positions:
            self.told.add((position.rating, position.opponent_rating))
            moves = tuple(position.state.legal_moves())
            first = self.share or (position.rating or 0) / 4000
            shares = np.full(len(moves), (1 - first) / max(len(moves) - 1, 1), np.float32)
            shares[0] = first if len(moves) > 1 else 1
            found.append(Prediction(moves, shares, 0.2, state=position.state))
        return found


class CountingPolicy(RatedPolicy):
    """Notes the plies that it is asked about."""

    def __init__(self) -> None:
        super().__init__(0.5)
        self.plies: list[int] = []

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        self.plies += sorted(position.state.ply for position in positions)
        return super().predict(positions)


def game_of(first_moves: bool) -> RecordedGame:
    """A game in which both players always play the first legal move, or at random."""
    record = random_record("chess", random.Random(2), 20, first="a", second="b", first_rating=1500)
    return RecordedGame("chess", record._replace(moves=bytes(20)) if first_moves else record)


def test_the_curve_is_the_likelihood_of_the_moves_under_each_rating() -> None:
    human = RatedPolicy()
    ((first, second),) = collect_evidence(human, RatedPolicy(0.5), [game_of(True)], (1000, 2000))
    assert first is not None
    assert second is not None
    assert (first.moves, second.moves) == (10, 10)
    assert np.allclose(first.curve, [10 * np.log(0.25), 10 * np.log(0.5)])
    assert human.told == {(1000, 1000), (2000, 2000)}  # the opponent's rating gives nothing away


def test_only_so_many_moves_of_a_player_count_and_they_are_spread_over_the_game() -> None:
    ((first, second),) = collect_evidence(RatedPolicy(), None, [game_of(True)], (1000,), most_moves=4)
    assert first is not None
    assert second is not None
    assert (first.moves, second.moves) == (4, 4)
    assert np.allclose(first.curve, [4 * np.log(0.25)])
    looked_at = CountingPolicy()
    list(collect_evidence(looked_at, None, [game_of(True)], (1000,), most_moves=2))
    assert looked_at.plies == [4, 5, 14, 15]  # the middles of the two halves of ten moves each
    ((whole, _),) = collect_evidence(RatedPolicy(), None, [game_of(True)], (1000,), most_moves=50)
    assert whole is not None
    assert whole.moves == 10


def test_features_are_those_of_the_strong_network() -> None:
    ((first, _),) = collect_evidence(RatedPolicy(), RatedPolicy(0.5), [game_of(True)], (1000,))
    assert first is not None
    means = dict(zip(FEATURES, first.features / first.moves, strict=True))
    assert means["loss"] == pytest.approx(0.2)  # 0.2 before the move and 0.2 for the opponent after it
    assert means == pytest.approx({"loss": 0.2, "blunders": 1, "surprise": 0, "agreement": 1})


def test_a_result_on_the_board_is_the_value_of_the_last_position() -> None:
    chess = load_game("chess")
    state, moves = chess.initial(), []
    for text in ("f2f3", "e7e5", "g2g4", "d8h4"):
        move = state.parse_move(text)
        moves.append(state.legal_moves().index(move))
        state = state.play(move)
    mate = RecordedGame("chess", random_record("chess", random.Random(1), 4)._replace(moves=bytes(moves)))
    ((_, second),) = collect_evidence(RatedPolicy(), RatedPolicy(0.5), [mate], (1000,))
    assert second is not None
    assert second.features[0] == pytest.approx(0.2)  # the mating move loses nothing


def test_players_are_measured_by_name() -> None:
    policies = {"human": RatedPolicy(), "strong": RatedPolicy(0.5)}
    games = [game_of(True), game_of(False)]
    found = measure_levels(games, **policies)  # type: ignore[arg-type]  # two policies
    assert [(each.name, each.estimate.games) for each in found] == [("a", 2), ("b", 2)]
    assert (found[0].known, found[1].known) == (1500, None)
    (alone,) = measure_levels(games, ["b"], **policies)  # type: ignore[arg-type]  # two policies
    assert alone.estimate.low < alone.estimate.rating < alone.estimate.high
    with pytest.raises(ValueError, match="no moves of nobody"):
        measure_levels(games, ["nobody"], **policies)  # type: ignore[arg-type]  # two policies
    with pytest.raises(ValueError, match="at least one"):
        measure_levels([])


def test_games_without_a_model_are_refused() -> None:
    assert shipped_strength_model("chess").game == "chess"
    with pytest.raises(NotFound, match="shogi"):
        shipped_strength_model("shogi")
