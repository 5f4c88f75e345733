"""The study of safer moves: which positions count, and whether its estimates find an effect that is known."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparring.measure.expectation import ExpectationTree, grow
from sparring.records import RecordedGame
from sparring.records.readers import open_records
from studies.safer.analysis import balance, covariates, estimates, placebo, resampled
from studies.safer.choices import ENGINE_SHARE, LEAST_SHARE, TREE, _choices, window
from studies.safer.leaf_fit import fit
from tests.search.test_lockstep import HashedPolicy

MOVES = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Na5 Bc2 c5 d4 Qc7 Nbd2 cxd4 cxd4 Nc6"


@pytest.fixture
def games(tmp_path: Path) -> list[RecordedGame]:
    lines = []
    for number in range(12):
        tags = f'[White "a{number}"]\n[Black "b"]\n[WhiteElo "1500"]\n[BlackElo "1700"]\n[Result "1-0"]\n'
        lines.append(f"{tags}\n{MOVES} 1-0\n")
    (tmp_path / "games.pgn").write_text("\n".join(lines))
    return list(open_records(tmp_path / "games.pgn"))


class Reader(HashedPolicy):
    """Likes the move of the game and one other, the first of them with the given probability; values are
    random."""

    def __init__(self, games: list[RecordedGame], probabilities: tuple[float, float]) -> None:
        super().__init__("chess")
        self.probabilities = probabilities
        self.played = {before.text(): after.last_move for before, after in pairwise(games[0].states)}

    def predict(self, positions: Any) -> Any:
        predictions = super().predict(positions)
        for position, prediction in zip(positions, predictions, strict=True):
            played = prediction.moves.index(self.played.get(position.state.text(), prediction.moves[-1]))
            other = 0 if played else 1
            shares = np.full(len(prediction.moves), 0.15 / len(prediction.moves))
            in_order = self.probabilities if (prediction.value or 0.0) > 0 else self.probabilities[::-1]
            shares[[played, other]] += in_order
            prediction.probabilities[:] = shares / shares.sum()
        return predictions


def test_counted_positions_are_choices_between_both_moves(games: list[RecordedGame]) -> None:
    human, strong = Reader(games, (0.45, 0.4)), Reader(games, (0.8, 0.05))
    columns = _choices([(0, game) for game in games], human, strong)
    looked = sum(len(window(game)) for game in games)
    assert columns["count_looked"] == looked
    assert 0 < columns["count_safer at the leaf"] == len(columns["game"])
    assert columns["count_safer by the tree"] == (columns["safer_tree"] > columns["engine_tree"]).sum()
    states = {game.identity: game.states for game in games}
    for row in range(len(columns["game"])):
        ply = int(columns["ply"][row])
        line = states[int(columns["game"][row])]
        state, mover = line[ply], line[ply].to_move
        move = columns["safer_move" if columns["played_safer"][row] else "engine_move"][row]
        assert state.move_text(line[ply + 1].last_move) == move
        assert columns["score"][row] == (1.0 if mover == 0 else 0.0)
        assert ENGINE_SHARE[0] <= columns["engine_share"][row] <= ENGINE_SHARE[1]
        assert columns["safer_share"][row] >= LEAST_SHARE
        assert columns["safer_leaf"][row] > columns["engine_leaf"][row]
        for name in ("engine", "safer"):  # the shared prediction gives what a tree of its own would
            after = state.play(state.parse_move(str(columns[f"{name}_move"][row])))
            tree = ExpectationTree(after, (1500, 1700))
            grow([tree], 1, human)
            assert tree.expectation(mover) == pytest.approx(columns[f"{name}_leaf"][row])
            grow([tree], TREE, human)
            assert tree.expectation(mover) == pytest.approx(columns[f"{name}_tree"][row])


def rows(effect: float, count: int = 6_000, seed: int = 0) -> dict[str, Any]:
    """People who play the safer move more often where it is likely, and where they stand well; both raise the
    score by themselves. The safer move adds `effect` times what the tree expects."""
    rng = np.random.default_rng(seed)
    value = rng.uniform(0.2, 0.8, count)
    engine_share, safer_share = rng.uniform(0.1, 0.6, (2, count))
    chance = 1 / (1 + np.exp(-np.log(safer_share / engine_share) - 3 * (value - 0.5)))
    treated = rng.random(count) < chance
    gain = rng.uniform(-0.1, 0.2, count)
    score = rng.random(count) < np.clip(value + 0.1 * (safer_share - 0.3) + effect * gain * treated, 0, 1)
    return {
        "game": np.arange(count) // 2,
        "source": np.zeros(count, int),
        "ply": rng.integers(8, 80, count),
        "mover": rng.integers(0, 2, count),
        "rating": rng.integers(1000, 2000, count),
        "opponent": rng.integers(1000, 2000, count),
        "clock": np.full(count, np.nan),
        "score": score.astype(float),
        "played_safer": treated,
        "engine_share": engine_share,
        "safer_share": safer_share,
        "value": value,
        "strong_value": value,
        "entropy": rng.uniform(1, 2, count),
        "engine_leaf": np.full(count, 0.5),
        "safer_leaf": 0.5 + gain,
        "engine_tree": np.full(count, 0.5),
        "safer_tree": 0.5 + gain,
    }


def test_a_known_effect_is_found_and_what_only_looks_like_one_is_not() -> None:
    many = rows(effect=1.0, count=60_000)
    found = estimates(many, covariates(many))
    assert found["raw"] > 0.12, "people who stand well play it more often"
    for name in ("overlap", "regression", "inverse"):
        assert found[name] == pytest.approx(found["expected by the tree"], abs=0.012)
    assert found["slope of the tree"] == pytest.approx(1, abs=0.15)
    none = rows(effect=0.0, count=60_000)
    found = estimates(none, covariates(none))
    assert found["raw"] > 0.07
    assert found["overlap"] == pytest.approx(0, abs=0.012)
    assert found["slope of the tree"] == pytest.approx(0, abs=0.15)


def test_the_interval_is_over_games_and_the_placebo_finds_nothing() -> None:
    some = rows(effect=2.0)
    found = resampled(some, resamples=60)
    assert (found["positions"], found["games"]) == (6_000, 3_000)
    assert found["overlap"][1] < found["overlap"][0] < found["overlap"][2]
    assert found["overlap"][1] > 0.04
    mean, low, high = placebo(some, draws=60)
    assert low < 0 < high
    assert abs(mean) < 0.01


def test_weights_balance_what_was_known_before() -> None:
    without, weighted = balance(rows(effect=0.0))["expectation before, human"]
    assert without > 0.3
    assert abs(weighted) < 0.02


def test_the_weight_of_leaves_is_found() -> None:
    rng = np.random.default_rng(3)
    logits = rng.normal(0, 1.5, 40_000)
    score = (rng.random(40_000) < 1 / (1 + np.exp(-1.2 * logits))).astype(float)
    assert fit(logits[:, None], score)[0] == pytest.approx(1.2, abs=0.05)
