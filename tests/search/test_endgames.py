from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

from sparring import games
from sparring._core import ExpendibotsEndgameTables, ExpendibotsState, ParseError
from sparring.base.errors import BadFile
from sparring.expendibots import tables as endgame_tables
from sparring.expendibots.tables import MATERIALS, SHIPPED_TABLES, about_tables, open_tables, shipped_tables

EXPENDIBOTS = games.load_game("expendibots")


def scattered(tokens: tuple[int, int], rng: np.random.Generator) -> ExpendibotsState:
    """A random position with these numbers of tokens, either side to move."""
    heights = np.zeros(64, int)
    for sign, count in zip((1, -1), tokens, strict=True):
        free = np.flatnonzero(heights * sign >= 0)
        for square in rng.choice(free, count):
            heights[square] += sign
    return position(heights, "wb"[int(rng.integers(2))])


def position(heights: np.ndarray, turn: str) -> ExpendibotsState:
    """The state of 64 signed heights, a1 first."""
    rows = []
    for y in reversed(range(8)):
        row = ""
        for height in heights[8 * y : 8 * y + 8]:
            letter = chr(ord("A" if height > 0 else "a") + abs(int(height)) - 1)
            row += letter if height else "1"
        for run in range(8, 1, -1):
            row = row.replace("1" * run, str(run))
        rows.append(row)
    state: ExpendibotsState = EXPENDIBOTS.parse(f"{'/'.join(rows)} {turn}")
    return state


def value_of(state: ExpendibotsState, tables: ExpendibotsEndgameTables) -> int:
    """The table value of a state for its side to move; also for finished games."""
    if state.outcome is not None:
        winner = state.outcome.winner
        return 0 if winner is None else 1000 if winner == state.to_move else -1000
    value = tables.probe(state)
    assert value is not None
    return value


def forced(state: ExpendibotsState, actions: int) -> int:
    """Brute force: 1 if the side to move wins within `actions`, -1 if it loses, else 0."""
    if state.outcome is not None:
        winner = state.outcome.winner
        return 0 if winner is None else 1 if winner == state.to_move else -1
    if actions == 0:
        return 0
    return max(-forced(state.play(move), actions - 1) for move in state.legal_moves())


@pytest.mark.parametrize("tokens", [(2, 1), (1, 2), (2, 2), (3, 1), (1, 3), (3, 2), (2, 3), (4, 1), (1, 4)])
def test_values_are_those_of_brute_force(tokens: tuple[int, int]) -> None:
    rng = np.random.default_rng(sum(tokens))
    horizon = 3 if sum(tokens) < 5 else 2
    tables = shipped_tables()
    for _ in range(60):
        state = scattered(tokens, rng)
        value = tables.probe(state)
        assert value is not None
        for actions in range(1, horizon + 1):
            expected = 0 if abs(value) > actions else int(np.sign(value))
            assert forced(state, actions) == expected, state.text()


@pytest.mark.parametrize("material", MATERIALS[:4])  # `sparring expendibots tables build` checks all
def test_every_value_follows_from_its_successors(material: tuple[int, int]) -> None:
    assert shipped_tables().count_errors(*material) == 0


def test_building_gives_what_is_shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endgame_tables, "MATERIALS", MATERIALS[:4])
    heard: list[str] = []
    endgame_tables.build_tables(tmp_path / "tables.zip", heard.append, {"command": "test"})
    assert heard == ["1 v 1", "2 v 1", "2 v 2", "3 v 1"]
    assert about_tables(tmp_path / "tables.zip")["command"] == "test"
    with zipfile.ZipFile(SHIPPED_TABLES) as shipped, zipfile.ZipFile(tmp_path / "tables.zip") as built:
        for strong, weak in MATERIALS[:4]:
            assert built.read(f"{strong}v{weak}") == shipped.read(f"{strong}v{weak}")


def test_turned_and_mirrored_positions_and_exchanged_sides_have_the_same_value() -> None:
    rng = np.random.default_rng(5)
    tables = shipped_tables()
    for _ in range(100):
        state = scattered((3, 2), rng)
        board = np.array(state.heights)
        turn = "wb"[state.to_move]
        other = "wb"[1 - state.to_move]
        for turns in range(4):
            turned = np.rot90(board, turns)
            for image in (turned, turned[:, ::-1]):
                assert tables.probe(position(image.reshape(64), turn)) == tables.probe(state)
                assert tables.probe(position(-image.reshape(64), other)) == tables.probe(state)


def test_perfect_play_ends_when_the_table_says() -> None:
    rng = np.random.default_rng(8)
    tables = shipped_tables()
    for _ in range(20):
        state = scattered((3, 2), rng)
        value = tables.probe(state)
        assert value is not None
        if value == 0:
            continue
        winner = state.to_move if value > 0 else 1 - state.to_move
        for left in range(abs(value), 0, -1):
            assert abs(value_of(state, tables)) == left
            replies = [state.play(move) for move in state.legal_moves()]
            # The winner hurries and the loser lasts; a finished game comes first or last.
            state = min(replies, key=lambda reply: _order(-value_of(reply, tables)))
        assert state.outcome is not None
        assert state.outcome.winner == winner


def _order(value: int) -> float:
    """Sort key: quick wins first, quick losses last."""
    if abs(value) == 1000:
        return -2.0 if value > 0 else 2.0
    return -1 / value if value else 0.0


def test_there_is_no_table_of_more_tokens() -> None:
    assert shipped_tables().probe(scattered((3, 3), np.random.default_rng(0))) is None
    assert shipped_tables().probe(EXPENDIBOTS.initial()) is None


def test_a_finished_game_has_no_value() -> None:
    assert shipped_tables().probe(EXPENDIBOTS.parse("8/8/8/8/8/8/8/A7 w")) is None


@pytest.mark.parametrize(
    ("material", "values", "message"),
    [((5, 1), b"", "no endgame table of 5 v 1"), ((2, 1), b"abc", "has 36864 values, not 3")],
)
def test_wrong_tables_are_refused(material: tuple[int, int], values: bytes, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        ExpendibotsEndgameTables().add(*material, values)


def test_a_table_needs_those_that_booms_lead_to() -> None:
    with pytest.raises(ParseError, match="1 v 1 tokens is needed first"):
        ExpendibotsEndgameTables().solve(2, 1)


def test_a_file_that_has_no_tables_says_so(tmp_path: Path) -> None:
    path = tmp_path / "tables.zip"
    path.write_bytes(b"PK nothing")
    for read in (open_tables, about_tables):
        with pytest.raises(BadFile, match="has no endgame tables"):
            read(path)
