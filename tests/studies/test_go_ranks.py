"""Ranks of Go: people's sample, games of our players, and the temperatures that lose as much."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from sparring.go.game import Go
from sparring.go.sgf import read_sgf
from sparring.networks import Position, load_network
from sparring.players.player_config import read_level_table
from studies.__main__ import main
from studies.go_ranks.fit import (
    COLDEST,
    WARMEST,
    Loss,
    Setting,
    fit_losses,
    fit_ranks,
    rank_at,
    rank_step,
    smooth_losses,
)
from studies.go_ranks.games import Match, match_scores, tasks
from studies.go_ranks.people import corrected, draw_sample, kgs_sample, read_games, unseen

HEAD = "(;GM[1]FF[4]SZ[19]KM[0]RU[Japanese]"
MOVES = ";B[pd];W[dp];B[pp];W[dd])"


def sgf(path: Path, *games: str) -> Path:
    path.write_text("\n".join(games))
    return path


def game(black: str, white: str, ranks: tuple[str, str] = ("3k", "3k"), extra: str = "") -> str:
    return f"{HEAD}PB[{black}]PW[{white}]BR[{ranks[0]}]WR[{ranks[1]}]RE[B+R]{extra}{MOVES}"


def loss(value: float, games: int = 100) -> Loss:
    return Loss(value, value * 0.9, value * 1.1, games, 5000)


def test_people_are_sampled_by_rank_with_corrected_rules(tmp_path: Path) -> None:
    path = sgf(tmp_path / "a.sgf", *(game(f"a{i}", "b") for i in range(4)), game("a", "c", ("3k", "4k")))
    games = read_games(path)
    assert len(games) == 5
    assert [drawn.rank for drawn in draw_sample(games, 3)] == ["3k"] * 3
    (parsed,) = read_sgf([corrected(games[0]).encode()])
    assert parsed.record is not None
    assert (parsed.record.start or "").endswith(" 7.5 simple")
    assert parsed.record.moves == games[0].record.moves


def test_games_of_unseen_people_have_neither_player_in_training(tmp_path: Path) -> None:
    test = sgf(tmp_path / "a.sgf", game("a", "b"), game("c", "d"), game("e", "a"))
    training = sgf(tmp_path / "b.sgf", game("x", "a"))
    assert [fresh.record.first for fresh in unseen(read_games(test), training)] == ["c"]


def test_handicap_games_keep_their_stones_and_komi(tmp_path: Path) -> None:
    text = f"{HEAD.replace('KM[0]', 'KM[0.5]')}PB[a]PW[b]BR[8k]WR[6d]HA[2]AB[dd][pp]RE[W+R];W[pd];B[dp])"
    (record,) = kgs_sample(sgf(tmp_path / "k.sgf", text, game("a", "b")), ["8k"], 5)
    assert (record.start or "").endswith(" w - 0 0 0 0.5 simple")
    assert len(record.states("go")[0].stones[0]) == 2


def test_ranks_are_consecutive_steps() -> None:
    ranks = ["15k", "2k", "1k", "1d", "2d", "9d"]
    assert [rank_step(rank) for rank in ranks] == [-15, -2, -1, 0, 1, 8]
    assert [rank_at(rank_step(rank)) for rank in ranks] == ranks


def test_people_are_smoothed_and_extrapolated_along_the_trend() -> None:
    people = {rank_at(step): loss(1.5 * 0.9**step) for step in range(-5, 9)}
    targets = smooth_losses(people, ["15k", "5k", "9d"])
    assert targets["5k"] == pytest.approx(1.5 * 0.9**-5)
    assert targets["9d"] == pytest.approx(1.5 * 0.9**8)
    assert targets["15k"] == pytest.approx(1.5 * 0.9**-15)


def test_nobody_loses_less_than_a_stronger_rank() -> None:
    people = {rank_at(step): loss(1.5 - 0.02 * (step + 2) ** 2) for step in range(-6, 5)}
    targets = list(smooth_losses(people, ["10k", "6k", "4k", "2k", "2d", "5d"]).values())
    assert targets == sorted(targets, reverse=True)


def ours(by_temperature: float = 1.0, by_doubling: float = -0.4) -> dict[Setting, Loss]:
    """Losses of a player whose law is known, at a few settings."""
    settings = [Setting(rank, t, n) for rank in ("3k", "4d") for t, n in ((0.6, 0), (1.0, 0), (0.6, 8))]
    return {
        setting: loss(float(np.exp(np.array([0.1, by_temperature, by_doubling, -0.01]) @ setting.row)))
        for setting in settings
    }


def test_the_law_of_our_losses_is_found() -> None:
    assert fit_losses(ours()) == pytest.approx([0.1, 1.0, -0.4, -0.01])
    with pytest.raises(ValueError, match="several temperatures, nodes and ranks"):
        fit_losses({Setting(rank, 0.7, 0): loss(1.0) for rank in ("3k", "4d")})


def test_a_rank_has_the_smallest_search_that_is_warm_enough() -> None:
    people = {"6k": loss(5.0), "1k": loss(2.5), "5d": loss(1.25), "9d": loss(0.6)}
    fits = {fit.rank: fit for fit in fit_ranks(people, ours(), ["6k", "1k", "5d", "9d"])}
    for fit in fits.values():
        assert fit.temperature >= COLDEST
        law = np.array([0.1, 1.0, -0.4, -0.01])
        assert fit.loss == pytest.approx(
            float(np.exp(law @ Setting(fit.rank, fit.temperature, fit.nodes).row))
        )
    assert fits["6k"].temperature == WARMEST  # warmer ones are not taken
    assert fits["1k"].nodes == 0
    assert fits["1k"].loss == pytest.approx(fits["1k"].target, rel=0.01)
    assert fits["5d"].nodes < fits["9d"].nodes
    assert fits["9d"].loss == pytest.approx(fits["9d"].target, rel=0.01)


def test_the_parts_of_all_matches_come_in_turn() -> None:
    from sparring.players import PlayerConfig

    first, second = PlayerConfig("go", name="a"), PlayerConfig("go", name="b")
    parts = list(tasks([Match((first, first), range(5)), Match((first, second), range(2))], 2))
    assert [(part.label, [*part.games]) for part in parts] == [
        ("a", [0, 1]), ("a-b", [0, 1]), ("a", [2, 3]), ("a", [4]),
    ]  # fmt: skip


def test_games_matches_and_fit_make_a_rank_table(tmp_path: Path) -> None:
    own = ["go-games", "-m", "human", "--ranks", "3k,2d", "--games", "1", "--size", "5", "--together", "1"]
    main([*own, "--temperatures", "0.7,1", "--out", str(tmp_path / "games")])
    records = [*read_sgf([(tmp_path / "games" / "human-T1.sgf").read_bytes()])]
    assert {entry.record.first_rank for entry in records if entry.record} == {"3k", "2d"}
    assert {entry.record.result for entry in records if entry.record} <= {0.0, 1.0}

    def write(folder: str, **losses: float) -> None:
        groups = {}
        for rank, value in losses.items():
            drift = {"value": value, "low": value * 0.9, "high": value * 1.1}
            groups[rank.removeprefix("r")] = {"games": 9, "moves": 900, "drift": drift}
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mistakes.json").write_text(json.dumps({"groups": groups}))

    write("people", r3k=2.0, r1k=1.8, r2d=1.6)
    write("human-T0.7", r3k=1.5, r2d=1.2, r6k=2.0)
    write("human-T1", r3k=2.5, r2d=2.0, r6k=3.0)
    write("human-8-T0.7", r3k=0.7, r2d=0.5)
    folders = [str(tmp_path / name) for name in ("human-T0.7", "human-T1", "human-8-T0.7")]
    table = tmp_path / "table" / "go.toml"
    fit = ["go-fit", str(tmp_path / "people" / "mistakes.json"), *folders, "--ranks", "6k,3k,2d"]
    main([*fit, "--out", str(table)])
    rows = {row.level: row for row in read_level_table(table).levels}
    assert list(rows) == [-6, -3, 2]
    assert [row.extrapolated for row in rows.values()] == [True, False, False]
    assert rows[-3].people == 2.0
    assert 0.7 < rows[-3].temperature < 1
    assert all(row.loss is not None for row in rows.values())

    main(["go-own", str(table), "--games", "1", "--size", "5", "--out", str(tmp_path / "own")])
    records = [*read_sgf([(tmp_path / "own" / "own.sgf").read_bytes()])]
    assert {entry.record.first_rank for entry in records if entry.record} == {"6k", "3k", "2d"}

    matches = tmp_path / "matches"
    main(["go-matches", str(table), "--apart", "4", "--games", "2", "--size", "5", "--out", str(matches)])
    scores = match_scores(matches / "3k-2d.sgf")
    assert (scores["weaker"], scores["stronger"], scores["games"]) == ("3k", "2d", 2)


def test_the_network_of_ranks_tells_ranks_apart_and_leads() -> None:
    network = load_network("human", game="go")
    state, random = Go().initial(), np.random.default_rng(0)
    for _ in range(40):
        state = state.play(int(random.choice(state.legal_moves())))
    weak, strong = (network.predict([Position(state, rating)])[0] for rating in (-5, 9))
    assert np.abs(weak.probabilities - strong.probabilities).sum() > 0.05
    assert weak.lead is not None
    assert "not stated" in network.card.licence
