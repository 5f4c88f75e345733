"""KataGo's codec: outputs as predictions, and the metadata of human-SL networks."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sparring._core import GoState, GoStates, katago_policy, katago_values
from sparring.chess.game import Chess
from sparring.games.ratings import rank_order
from sparring.go.game import Go
from sparring.go.katago import KataGoCodec, inverse_rank, sgf_metadata
from sparring.networks import Position
from sparring.networks.codec import PositionBatch, PredictionBatch

SETTINGS: dict[str, float | int | str] = {"version": 8, "lead_multiplier": 20.0, "side": 0, "metadata": 0}


def outputs(*states: GoState, side: int) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    """Random ones, huge beyond smaller boards, where nothing may look."""
    rng = np.random.default_rng(1)
    policy = rng.standard_normal((len(states), side * side + 1)).astype(np.float32)
    for i, state in enumerate(states):
        planes = policy[i, :-1].reshape(side, side)
        planes[state.size :, :] = planes[:, state.size :] = 1e6
    value = rng.standard_normal((len(states), 3)).astype(np.float32)
    return {
        "policy": policy,
        "value": value,
        "score": rng.standard_normal((len(states), 4)).astype(np.float32),
    }


def test_probabilities_are_the_softmax_over_the_legal_moves() -> None:
    state = GoState.parse("5/1XO2/XO1O1/1XO2/5 b - 0 0 0 7.5")
    made = outputs(state, side=7)
    (prediction,) = KataGoCodec(SETTINGS).decode([Position(state)], made)
    assert prediction.moves == tuple(state.legal_moves())
    logits = {25: made["policy"][0, -1]}
    for point in range(25):
        row, column = 4 - point // 5, point % 5
        logits[point] = made["policy"][0, row * 7 + column]
    weights = np.exp([float(logits[move]) for move in prediction.moves])
    np.testing.assert_allclose(prediction.probabilities, weights / weights.sum(), rtol=1e-5)
    assert prediction.probabilities.dtype == np.float32


def test_logits_of_any_size_are_safe() -> None:
    state = Go(size=5).initial()
    logits = np.full((1, 26), -1e30, np.float32)
    logits[0, 7] = 1e30
    ((moves, probabilities),) = katago_policy([state], logits, 5)
    assert probabilities.sum() == 1
    assert state.move_text(moves[int(probabilities.argmax())]) == "C4"


@pytest.mark.parametrize(
    ("rules", "possible"),
    [("chinese", True), ("japanese", True), ("tromp-taylor", False), ("aga", False)],
)
def test_no_result_is_possible_only_where_the_rules_allow_repetition(rules: str, possible: bool) -> None:
    state = Go.by_rules(rules, size=9).initial()
    made = outputs(state, side=9)
    (prediction,) = KataGoCodec(SETTINGS).decode([Position(state)], made)
    win, loss, none = np.exp(made["value"][0].astype(float))
    none *= possible
    total = win + loss + none
    assert prediction.wdl == pytest.approx((win / total, none / total, loss / total), abs=1e-6)
    assert prediction.value == pytest.approx((win - loss) / total, abs=1e-6)
    lead = made["score"][0, 2] * 20 * (1 - none / total)
    assert prediction.lead == pytest.approx(lead, abs=1e-4)


def test_boards_of_several_sizes_share_a_batch() -> None:
    positions = [Position(Go(size=size).initial()) for size in (5, 9, 7)]
    codec = KataGoCodec(SETTINGS)
    assert {name: tensor.shape for name, tensor in codec.encode(positions).items()} == {
        "spatial": (3, 22, 9, 9),
        "global": (3, 19),
    }
    predictions = codec.decode(positions, outputs(*(p.state for p in positions), side=9))
    assert [len(p.moves) for p in predictions] == [26, 82, 50]
    for prediction in predictions:
        assert prediction.probabilities.sum() == pytest.approx(1, abs=1e-5)


def test_ownership_is_in_the_order_of_the_points() -> None:
    """KataGo's first row is the top of the board, and a small board lies in the first corner."""
    state = Go(size=5).initial()
    made = outputs(state, side=7)
    made["ownership"] = np.linspace(-1, 1, 49, dtype=np.float32)[None]
    (prediction,) = KataGoCodec(SETTINGS).decode([Position(state)], made)
    assert prediction.ownership is not None
    top_left, bottom_right = state.parse_move("A5"), state.parse_move("E1")
    assert prediction.ownership[top_left] == made["ownership"][0, 0]
    assert prediction.ownership[bottom_right] == made["ownership"][0, 4 * 7 + 4]
    (without,) = KataGoCodec(SETTINGS).decode([Position(state)], outputs(state, side=7))
    assert without.ownership is None


def test_a_game_that_is_over_has_no_moves() -> None:
    state = Go(size=5).initial().play(25).play(25)
    (prediction,) = KataGoCodec(SETTINGS).decode([Position(state)], outputs(state, side=5))
    assert prediction.moves == ()
    assert prediction.probabilities.shape == (0,)


def test_outputs_of_another_shape_are_refused() -> None:
    state = Go(size=5).initial()
    with pytest.raises(ValueError, match=r"\[1, 26\] expected, got \[1, 20\]"):
        katago_policy([state], np.zeros((1, 20), np.float32), 5)
    with pytest.raises(ValueError, match=r"\[1, 3\] expected, got \[2, 3\]"):
        katago_values([state], np.zeros((2, 3), np.float32))


def test_states_of_other_games_are_refused() -> None:
    with pytest.raises(TypeError, match="states of Go"):
        KataGoCodec({**SETTINGS, "side": 19}).encode([Position(Chess().initial())])


@pytest.mark.parametrize(
    ("written", "number"),
    [("9d", 1), ("1d", 9), ("1k", 10), ("20k", 29), ("10d", 1), ("5p", 1), ("30k", 29)],
)
def test_ranks_are_counted_down_from_nine_dan(written: str, number: int) -> None:
    assert inverse_rank(rank_order(written)) == number


def test_a_player_without_a_rank_is_nine_dan() -> None:
    assert inverse_rank(None) == 1


def test_metadata_have_the_players_ranks() -> None:
    row = sgf_metadata(
        Position(Go(size=9).initial(), rating=rank_order("1k"), opponent_rating=rank_order("9d"))
    )
    assert row.shape == (192,)
    assert row[6:40].tolist() == [1.0] * 10 + [0.0] * 24
    assert row[40:74].tolist() == [1.0] + [0.0] * 33
    assert row[:6].tolist() == [1, 1, 0, 0, 0, 0]
    assert row[74:82].tolist() == [0.5, 0, 0, 0, 0, 1, 0, 0]
    assert row[86] == pytest.approx(0.5 * math.log(81 / 361))
    assert row[87] == pytest.approx(math.cos(2 * math.pi * 18322 / 7), abs=1e-5)
    assert row[149:151].tolist() == pytest.approx(
        [math.cos(2 * math.pi * 18322 / 560_000), math.sin(2 * math.pi * 18322 / 560_000)], abs=1e-5
    )
    assert np.flatnonzero(row[151:]).tolist() == [2]


def test_an_unknown_opponent_is_as_strong() -> None:
    row = sgf_metadata(Position(Go(size=19).initial(), rating=1500))
    assert row[6:40].tolist() == row[40:74].tolist()
    assert row[86] == 0


@pytest.mark.parametrize("side", [0, 9])
def test_a_batch_is_encoded_and_decoded_like_single_positions(side: int) -> None:
    codec = KataGoCodec({**SETTINGS, "side": side})
    states = [Go.by_rules("chinese", size=7).initial()]
    for text in ("C3", "pass", "E5", "C4", "A1"):
        states.append(states[-1].play(states[-1].parse_move(text)))
    positions = [Position(state) for state in states]
    unknown = np.full(len(states), np.nan)
    batch = PositionBatch(GoStates(states), np.stack([unknown, unknown], axis=1), unknown)
    expected, found = codec.encode(positions), codec.encode_batch(batch)
    assert expected.keys() == found.keys()
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array)
    made = outputs(*states, side=side or 7)
    single = PredictionBatch.of(codec.decode(positions, made))
    together = codec.decode_batch(batch, made)
    np.testing.assert_allclose(together.probabilities, single.probabilities, rtol=1e-6)
    np.testing.assert_allclose(together.values, single.values, rtol=1e-6)
    assert together.leads is not None
    assert single.leads is not None
    np.testing.assert_allclose(together.leads, single.leads, rtol=1e-6)
