from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparring import games
from sparring.base.errors import BadFile
from sparring.expendibots.agent import endgame_move, shipped_agent
from sparring.expendibots.book import (
    BookConfig,
    ExpendibotsBook,
    build_book,
    open_expendibots_book,
    write_book,
)
from sparring.expendibots.tables import shipped_tables
from sparring.players import GameStart, SearchLimits, Turn
from studies.expendibots.rungs import LADDER, GreedyPlayer, ladder_player, opening_move

EXPENDIBOTS = games.load_game("expendibots")


def after(*moves: str) -> Any:
    state = EXPENDIBOTS.initial()
    for move in moves:
        state = state.play(EXPENDIBOTS.parse_move(state, move))
    return state


@pytest.mark.parametrize("name", LADDER)
def test_every_rung_plays_legal_moves(name: str) -> None:
    player = ladder_player(name, SearchLimits(nodes=500), megabytes=1)
    player.new_game(GameStart(EXPENDIBOTS, seed=3))
    state = after("1e1-e2", "1d8-d7")
    for _ in range(4):
        choice = player.choose(Turn.of(state))
        assert choice.move in state.legal_moves()
        state = state.play(choice.move)


@pytest.mark.parametrize("name", LADDER)
def test_the_same_seed_gives_the_same_move(name: str) -> None:
    state = after("1e1-e2", "1d8-d7", "1a1-a2")
    moves = set()
    for _ in range(2):
        player = ladder_player(name, SearchLimits(nodes=500), megabytes=1)
        player.new_game(GameStart(EXPENDIBOTS, seed=7))
        moves.add(player.choose(Turn.of(state)).move)
    assert len(moves) == 1


def test_the_greedy_player_takes_tokens() -> None:
    state = EXPENDIBOTS.parse("aa6/8/8/3bb3/3A4/8/8/A6A w")
    choice = GreedyPlayer().choose(Turn.of(state))
    assert state.move_text(choice.move) == "boom d4"


@pytest.mark.parametrize("tokens", ["8/8/8/3a4/8/8/8/AA1A1A1A w", "8/6a1/8/3a4/8/8/8/AA1A3A w"])
def test_hand_made_endings_win_against_the_agent(tokens: str) -> None:
    state = EXPENDIBOTS.parse(tokens)
    defender = ladder_player("tables", SearchLimits(nodes=2000), megabytes=1)
    while state.outcome is None:
        by_hand = endgame_move(state) if state.to_move == 0 else None
        state = state.play(defender.choose(Turn.of(state)).move if by_hand is None else by_hand)
    assert state.outcome.winner == 0


def test_hand_made_endings_are_for_few_enemies_only() -> None:
    assert endgame_move(EXPENDIBOTS.initial()) is None


def test_the_agent_plays_the_tables_endings_perfectly() -> None:
    state = EXPENDIBOTS.parse("a7/8/8/8/8/8/6AA/7A w")
    value = shipped_tables().probe(state)
    assert value is not None
    agent = ladder_player("tables", SearchLimits(nodes=2000), megabytes=1)
    while state.outcome is None:
        state = state.play(agent.choose(Turn.of(state)).move)
    assert state.ply == value


@pytest.mark.parametrize("strong", [4, 5, 6])
@pytest.mark.parametrize("weak", [1, 2, 3])
def test_a_won_ending_beyond_the_tables_is_won(strong: int, weak: int) -> None:
    rng = np.random.default_rng([strong, weak])
    agent = ladder_player("champion", SearchLimits(nodes=5000), megabytes=1)
    for _ in range(3):
        state = random_ending(rng, strong, weak)
        agent.new_game(GameStart(EXPENDIBOTS, state=state))
        while state.outcome is None:
            state = state.play(agent.choose(Turn.of(state)).move)
        assert state.outcome.winner == 0


def random_ending(rng: np.random.Generator, strong: int, weak: int) -> Any:
    """Single tokens on random squares without contact between the sides; the stronger side is to move."""
    while True:
        squares = [divmod(int(square), 8) for square in rng.choice(64, strong + weak, replace=False)]
        own, other = squares[:strong], squares[strong:]
        if all(max(abs(a - c), abs(b - d)) > 2 for a, b in own for c, d in other):
            board = ["".join(_sign((y, x), own, other) for x in range(8)) for y in range(8)]
            rows = [re.sub(" +", lambda run: str(len(run[0])), row) for row in board]
            return EXPENDIBOTS.parse("/".join(rows) + " w")


def _sign(square: tuple[int, int], own: list[tuple[int, int]], other: list[tuple[int, int]]) -> str:
    return "A" if square in own else "a" if square in other else " "


def test_a_hurried_agent_plays_by_rule_of_thumb() -> None:
    agent = shipped_agent(SearchLimits(seconds=0.001), megabytes=1)
    state = EXPENDIBOTS.parse("8/8/8/3a4/8/8/8/AA1A1A1A w")
    assert agent.choose(Turn.of(state)).reason == "by rule of thumb"


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        ((), "1e1-e2"),
        (("1e1-e2",), "1e8-e7"),
        (("1e1-e2", "1a8-a7"), "2e2-e4"),
        (("1a1-a2", "1a8-a7"), None),
    ],
)
def test_the_reports_opening(moves: tuple[str, ...], expected: str | None) -> None:
    state = after(*moves)
    move = opening_move(state)
    assert (None if move is None else state.move_text(move)) == expected


def test_a_book_answers_for_every_image_of_a_position() -> None:
    state = after("1e1-e2")
    move = EXPENDIBOTS.parse_move(state, "1d8-d7")
    book = ExpendibotsBook({state.canonical_key: state.to_canonical(move)}, {})
    mirrored = after("1d1-d2")
    answer = book.move(mirrored)
    assert answer is not None
    assert mirrored.move_text(answer) == "1e8-e7"
    assert book.move(EXPENDIBOTS.initial()) is None


def test_canonical_moves_lead_to_images_of_one_position() -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        state = after("1e1-e2", "1d8-d7")
        for _ in range(6):
            moves = state.legal_moves()
            move = moves[int(rng.integers(len(moves)))]
            assert state.from_canonical(state.to_canonical(move)) == move
            state = state.play(move)
            if state.outcome is not None:
                break


def test_a_book_is_built_written_and_read(tmp_path: Path) -> None:
    plan = BookConfig(positions=6, nodes=300, reply_nodes=300)
    search = shipped_agent(megabytes=1).searcher
    entries = dict(build_book(search, plan, {}))
    assert len(entries) == 6
    assert dict(build_book(search, plan, dict(list(entries.items())[:3]))) == entries
    path = tmp_path / "book.npz"
    write_book(ExpendibotsBook(entries, {"command": "test"}), path)
    assert open_expendibots_book(path).entries == entries
    assert open_expendibots_book(path).move(EXPENDIBOTS.initial()) is not None


def test_a_file_that_is_no_book_says_so(tmp_path: Path) -> None:
    path = tmp_path / "book.npz"
    path.write_bytes(b"nothing")
    with pytest.raises(BadFile, match="is no book of Expendibots"):
        open_expendibots_book(path)


def test_the_shipped_book_has_both_sides_first_moves() -> None:
    book = open_expendibots_book()
    start = EXPENDIBOTS.initial()
    first = book.move(start)
    assert first is not None
    assert book.move(start.play(first)) is not None
