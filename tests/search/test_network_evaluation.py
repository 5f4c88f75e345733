from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sparring import games
from sparring._core import (
    BreakthroughNetwork,
    BreakthroughSearch,
    ExpendibotsNetwork,
    ExpendibotsSearch,
    ExpendibotsState,
    ParseError,
)
from sparring.base.errors import BadFile
from sparring.expendibots.agent import open_network
from sparring.search.linear_evaluation import open_evaluation
from sparring.search.value_network import LAYERS, network_file, origin_of

EXPENDIBOTS = games.load_game("expendibots")


def some_layers(rng: np.random.Generator, first: int = 8, second: int = 4) -> dict[str, np.ndarray]:
    shapes = ((1536, first), (40, first), (first,), (first, second), (second,), (second,), ())
    sizes = (0.1, 0.01, 0.1, 0.3, 0.1, 0.3, 0.1)
    return {
        name: np.asarray(size * rng.standard_normal(shape), np.float16).astype(np.float32)
        for name, shape, size in zip(LAYERS, shapes, sizes, strict=True)
    }


def native(layers: dict[str, np.ndarray]) -> ExpendibotsNetwork:
    others = {name: each for name, each in layers.items() if name != "last_bias"}
    return ExpendibotsNetwork(**others, last_bias=float(layers["last_bias"]))


def states(count: int) -> list[ExpendibotsState]:
    rng = np.random.default_rng(1)
    found: list[ExpendibotsState] = []
    while len(found) < count:
        state = EXPENDIBOTS.initial()
        while state.outcome is None and state.ply < 40:
            found.append(state)
            moves = state.legal_moves()
            state = state.play(moves[int(rng.integers(len(moves)))])
    return found[:count]


def test_the_native_network_computes_what_numpy_does() -> None:
    layers = some_layers(np.random.default_rng(0))
    network = native(layers)
    sample = states(200)
    places, measured = ExpendibotsNetwork.inputs(sample)
    place_rows = np.vstack([layers["places"], np.zeros((1, 8), np.float32)])
    first = np.maximum(place_rows[places].sum(1) + measured @ layers["measured"] + layers["first_bias"], 0)
    second = np.maximum(first @ layers["between"] + layers["second_bias"], 0)
    expected = np.tanh(second @ layers["last"] + layers["last_bias"])
    assert [network.value(state) for state in sample] == pytest.approx(expected.tolist(), abs=1e-5)


def test_it_sees_the_board_from_the_movers_side() -> None:
    network = native(some_layers(np.random.default_rng(2)))
    white = EXPENDIBOTS.parse("8/2a5/8/3B4/8/8/1A6/8 w")
    black = EXPENDIBOTS.parse("8/1a6/8/8/3b4/8/2A5/8 b")
    assert network.value(white) == network.value(black)


def test_the_search_evaluates_with_it() -> None:
    search = ExpendibotsSearch(open_evaluation("expendibots", "start").weights, 1)
    network = native(some_layers(np.random.default_rng(3)))
    state = EXPENDIBOTS.initial()
    before = search.evaluate(state)
    search.set_network(network)
    assert search.evaluate(state) == pytest.approx(100 * network.value(state), abs=0.01)
    assert search.evaluate(state) != before


def test_a_network_is_written_and_read(tmp_path: Path) -> None:
    layers = some_layers(np.random.default_rng(4))
    path = tmp_path / "network.npz"
    path.write_bytes(network_file(layers, {"command": "test"}))
    state = EXPENDIBOTS.initial()
    assert open_network(path).value(state) == native(layers).value(state)
    assert origin_of(path) == {"command": "test"}


def test_the_shipped_network_prefers_more_tokens() -> None:
    network = open_network()
    more = EXPENDIBOTS.parse("aa1aa3/8/8/8/8/8/8/AA1AA1AA w")
    fewer = EXPENDIBOTS.parse("aa1aa1aa/8/8/8/8/8/8/AA1AA3 w")
    assert network.value(more) > 0 > network.value(fewer)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("places", np.zeros((5, 8), np.float32), "weights of places are 12288 numbers, not 40"),
        ("between", np.full((8, 4), np.nan, np.float32), "too large"),
        ("first_bias", np.zeros(2000, np.float32), "1 to 1024 units, not 2000"),
    ],
)
def test_layers_that_do_not_fit_are_refused(name: str, value: np.ndarray, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        native({**some_layers(np.random.default_rng(0)), name: value})


def test_a_file_without_a_network_says_so(tmp_path: Path) -> None:
    path = tmp_path / "network.npz"
    path.write_bytes(b"nothing")
    with pytest.raises(BadFile, match="has no network"):
        open_network(path)


def test_breakthrough_counts_the_attackers_and_protectors_of_each_piece() -> None:
    """Places are 64 * (9 * owner + 3 * attackers + protectors) + square, for the mover from below."""
    state = games.load_game("breakthrough").parse("8/8/8/2p1p3/3P4/2P5/8/8 w")
    places, measured = BreakthroughNetwork.inputs([state])
    own, protector, left, right = 27, 18, 34, 36
    expected = {64 * (3 * 2 + 1) + own, protector, 64 * (9 + 3) + left, 64 * (9 + 3) + right}
    assert set(places[0].tolist()) == expected | {BreakthroughNetwork.places}
    assert measured.shape == (1, 0)
    turned = games.load_game("breakthrough").parse("8/8/2p5/3p4/2P1P3/8/8/8 b")
    assert set(BreakthroughNetwork.inputs([turned])[0][0].tolist()) == expected | {BreakthroughNetwork.places}


def test_breakthrough_searches_with_a_network() -> None:
    rng = np.random.default_rng(3)
    shapes = ((BreakthroughNetwork.places, 32), (0, 32), (32,), (32, 16), (16,), (16,))
    layers = [rng.normal(0, 0.2, shape).astype(np.float32) for shape in shapes]
    network: BreakthroughNetwork = games.describe("breakthrough").network_class(*layers, 0.1)
    searcher = BreakthroughSearch(open_evaluation("breakthrough").weights, 1)
    state = games.load_game("breakthrough").initial()
    searcher.set_network(network)
    assert searcher.evaluate(state) == pytest.approx(100 * network.value(state), abs=0.01)
    assert searcher.analyse(state, depth=3).moves
