"""Examples of games: synopses, actions, results, and what is left out."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import zstandard

from sparring.base.errors import BadConfig
from sparring.rbc.history import to_history
from sparring.rbc.synopsis import PASS_ACTION, PLANES
from sparring.rbc.training.config import ExampleConfig
from sparring.rbc.training.examples import (
    JOURNAL,
    NO_ACTION,
    UNKNOWN_RESULT,
    build_examples,
    make_examples,
    read_examples,
)
from tests.belief.games import random_game
from tests.training.rbc.rbc_factories import played, record_of

NUMBER = {plane.name: number for number, plane in enumerate(PLANES)}
OPENING = ("sense e7", "e2e4", "sense e2", "e7e5", "sense d7", "f1c4", "sense d3", "b8c6")


def test_every_decision_of_both_players_has_examples_with_new_samples() -> None:
    found = make_examples(record_of(played(*OPENING), 1.0), ExampleConfig(draws=3, sampled=4))
    assert found is not None
    assert len(found) == 3 * len(OPENING)
    assert found.actions[:9:3].tolist() == [52, 64 + 64 * 12 + 28, 51]
    white = found.players == b"anna"
    assert found.results[white].tolist() == [1] * 12
    assert found.results[~white].tolist() == [-1] * 12
    assert found.pieces[0].tolist() == [8, 2, 2, 2, 1, 1]
    different = [len(np.unique(found.synopses[row : row + 3], axis=0)) for row in range(0, 24, 3)]
    assert different[0] == 1, "there is one board"
    assert max(different) > 1


def test_previous_planes_are_those_of_the_players_last_move() -> None:
    found = make_examples(record_of(played(*OPENING), 1.0), ExampleConfig(draws=2))
    assert found is not None
    first = NUMBER["Definitely not opposing pieces"]
    previous = found.synopses[:, NUMBER["Previous definitely not opp. pieces"] :]
    own = found.synopses[:, first : first + previous.shape[1]]
    assert not previous[:4].any(), "a first turn has no previous one"
    for row in (4, 5, 6, 7):  # White's second sense and second move, two draws each
        assert (previous[row] == own[2 + row % 2]).all()


def test_a_win_and_a_loss_are_soon_within_five_actions() -> None:
    mate = (*OPENING, "sense none", "d1f3", "sense none", "a7a6", "sense none", "f3f7", "sense none", "a6a5",
            "sense none", "f7e8")  # fmt: skip
    found = make_examples(record_of(played(*mate), 1.0), ExampleConfig(draws=1, clean=False))
    assert found is not None
    white = found.players == b"anna"
    assert np.flatnonzero(found.soon[white, 0]).tolist() == [7, 8, 9]
    assert np.flatnonzero(found.soon[~white, 1]).tolist() == [6, 7]
    assert not found.soon[white, 1].any()
    assert found.actions[white].tolist().count(NO_ACTION) == 3, "no sense is no action"


def test_a_game_ends_where_its_loser_overlooked_a_certain_win() -> None:
    """Black leaves its king in reach of the queen on f7, sees it, and White captures something else."""
    overlooked = (*OPENING, "sense none", "d1f3", "sense none", "a7a6", "sense none", "f3f7", "sense none",
                  "a6a5", "sense e7", "f7g7", "sense none", "a5a4")  # fmt: skip
    record = record_of(played(*overlooked), 0.0)
    found = make_examples(record, ExampleConfig(draws=1, boards=100_000))
    assert found is not None
    white = found.players == b"anna"
    assert set(found.results[white].tolist()) == {1}
    assert set(found.results[~white].tolist()) == {-1}
    assert found.actions[white][-1] == NO_ACTION
    everything = make_examples(record, ExampleConfig(draws=1, clean=False))
    assert everything is not None
    assert len(everything) == len(overlooked) > len(found)
    assert set(everything.results[everything.players == b"anna"].tolist()) == {-1}


def test_a_bot_that_died_ends_the_game_without_a_result() -> None:
    passes = [
        text for _ in range(4) for text in ("sense e7", "a2a3" if _ == 0 else "pass", "sense none", "pass")
    ]
    found = make_examples(record_of(played(*OPENING, *passes), 1.0), ExampleConfig(draws=1))
    assert found is not None
    assert set(found.results.tolist()) == {UNKNOWN_RESULT}
    assert PASS_ACTION not in found.actions


def test_random_turns_of_a_generator_are_no_targets() -> None:
    found = make_examples(record_of(played(*OPENING), 1.0), ExampleConfig(draws=1), random_turns=1)
    assert found is not None
    assert (found.actions == NO_ACTION).tolist() == [True, True, False, False] * 2


def test_a_truncated_file_counts_up_to_the_damage(tmp_path: Path) -> None:
    lines = [to_history(record_of(random_game(n, 2), 1.0, site=str(n))).encode() + b"\n" for n in range(3)]
    packed = b"".join(zstandard.compress(line) for line in lines)
    (tmp_path / "games.jsonl.zst").write_bytes(packed[:-20])
    blocks = build_examples([tmp_path], tmp_path / "examples", ExampleConfig(boards=20, draws=1), 1)
    assert [(block.games, block.broken) for block in blocks] == [(2, 0)]


def test_files_of_examples_are_resumed_and_belong_to_their_records(tmp_path: Path) -> None:
    games, folder = tmp_path / "games", tmp_path / "examples"
    games.mkdir()
    lines = [to_history(record_of(random_game(n, 3), 1.0, site=str(n))) for n in range(20)]
    (games / "histories.jsonl").write_text("\n".join([*lines, "{broken"]) + "\n")
    (games / "index.ndjson").write_text(json.dumps({"number": 0, "random_turns": 3}) + "\n")
    config = ExampleConfig(boards=20, draws=1)
    blocks = build_examples([games], folder, config, 1)
    assert [(block.games, block.broken) for block in blocks] == [(16, 0), (5, 1)]
    whole = read_examples(folder)
    first = whole.games == whole.games[0]
    assert (whole.actions[first] == NO_ACTION).all()
    assert (whole.actions[~first] != NO_ACTION).any()

    journal = (folder / JOURNAL).read_text().splitlines(keepends=True)
    (folder / JOURNAL).write_text("".join(journal[:-1]))
    assert build_examples([games], folder, config, 1) == blocks
    assert (read_examples(folder).synopses == whole.synopses).all()
    with pytest.raises(BadConfig, match="another --out"):
        build_examples([games], folder, ExampleConfig(boards=21, draws=1), 1)
    with pytest.raises(BadConfig, match="no reconchess histories"):
        build_examples([folder], tmp_path / "others", config, 1)
    with pytest.raises(BadConfig, match="there are no records"):
        build_examples([tmp_path / "nowhere"], tmp_path / "others", config, 1)
