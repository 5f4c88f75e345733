"""Experiment 2: the positions of the test. Three parts: people's positions, puzzles and graded positions."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sparring.games import load_game
from studies.ace.evidence import read_lines

FORM = 76
"""Positions of people's games in the test, as many as the paper's test has."""


@dataclass(frozen=True)
class PeopleItem:
    """A position of a person's game in which people's moves differ by rating."""

    state: Any
    played: int
    """Index of the person's move among the legal moves."""
    rating: float
    """The person's rating."""


@dataclass(frozen=True)
class PuzzleItem:
    """A puzzle: the positions in which the solver moves, and the moves that solve each."""

    states: tuple[Any, ...]
    solutions: tuple[tuple[int, ...], ...]
    """Indices among the legal moves; every mate solves the last position of a mating puzzle."""
    rating: float


@dataclass(frozen=True)
class GradedItem:
    """A position with grades of its moves, from 0 to 1; moves without a grade have 0."""

    state: Any
    grades: tuple[float, ...]


@dataclass(frozen=True)
class PositionTest:
    """All parts of the test."""

    people: tuple[PeopleItem, ...]
    puzzles: tuple[PuzzleItem, ...]
    graded: tuple[GradedItem, ...]

    @property
    def states(self) -> list[Any]:
        """All states in which a move is asked for: people's positions, puzzles, graded positions."""
        found = [item.state for item in self.people]
        found += [state for item in self.puzzles for state in item.states]
        return found + [item.state for item in self.graded]


def read_people(path: Path, limit: int | None = None) -> list[PeopleItem]:
    """The positions of a file of `ace-items`, the most informative first."""
    game, found = load_game("chess"), []
    for row in read_lines(path)[:limit]:
        state = game.initial() if row["start"] is None else game.parse(row["start"])
        for move in row["moves"]:
            state = state.play(state.parse_move(move))
        played = state.legal_moves().index(state.parse_move(row["played"]))
        found.append(PeopleItem(state, played, row["rating"]))
    return found


def read_puzzles(path: Path, number: int, seed: int = 0) -> list[PuzzleItem]:
    """Puzzles of a file in Lichess's format, their ratings spread evenly over its range.

    The first move of a puzzle is the opponent's.
    """
    with path.open() as file:
        rows = list(csv.DictReader(file))
    ratings = np.array([float(row["Rating"]) for row in rows])
    rng = np.random.default_rng(seed)
    chosen: list[int] = []
    for target in np.linspace(np.quantile(ratings, 0.01), np.quantile(ratings, 0.99), number):
        near = [int(each) for each in np.argsort(np.abs(ratings - target))[: 4 + len(chosen)]]
        chosen.append(int(rng.choice([each for each in near if each not in chosen][:4])))
    return [_puzzle(rows[index]) for index in chosen]


def _puzzle(row: dict[str, str]) -> PuzzleItem:
    state = load_game("chess").parse(row["FEN"])
    moves = row["Moves"].split()
    states, solutions = [], []
    for ply, text in enumerate(moves):
        move = state.parse_move(text)
        if ply % 2 == 1:
            legal = state.legal_moves()
            right = [legal.index(move)]
            if ply == len(moves) - 1 and _mates(state, move):
                right = [index for index, each in enumerate(legal) if _mates(state, each)]
            states.append(state)
            solutions.append(tuple(right))
        state = state.play(move)
    return PuzzleItem(tuple(states), tuple(solutions), float(row["Rating"]))


def _mates(state: Any, move: int) -> bool:
    outcome = state.play(move).outcome
    return outcome is not None and outcome.winner is not None


def read_graded(path: Path, number: int) -> list[GradedItem]:
    """Evenly spaced positions of an EPD file: `c9` has moves, `c8` their grades out of 100."""
    game, found = load_game("chess"), []
    lines = [line for line in path.read_text().splitlines() if " c8 " in line and " c9 " in line]
    for index in np.linspace(0, len(lines) - 1, min(number, len(lines))).astype(int):
        line = lines[index]
        board = " ".join(line.split()[:4])
        state = game.parse(f"{board} 0 1")
        legal = state.legal_moves()
        grades = dict.fromkeys(legal, 0.0)
        moves, points = (line.split(f' {key} "')[1].split('"')[0].split() for key in ("c9", "c8"))
        for text, point in zip(moves, points, strict=True):
            grades[state.parse_move(text)] = float(point) / 100
        found.append(GradedItem(state, tuple(grades[move] for move in legal)))
    return found


def read_test(items: Path, positions: Path, puzzles: int = 150, graded: int = 100) -> PositionTest:
    """The test: `items` is a file of `ace-items`, `positions` the folder of puzzles and graded positions."""
    return PositionTest(
        tuple(read_people(items, FORM)),
        tuple(read_puzzles(positions / "lichess-puzzles-3000.csv", puzzles)),
        tuple(read_graded(positions / "sts-graded.epd", graded)),
    )


def chosen_parts(test: PositionTest, answers: Sequence[Any]) -> tuple[list[Any], list[list[Any]], list[Any]]:
    """The answers in all states, cut into the parts of the test; a list for each puzzle."""
    begin = len(test.people)
    people, puzzles = list(answers[:begin]), []
    for item in test.puzzles:
        puzzles.append(list(answers[begin : begin + len(item.states)]))
        begin += len(item.states)
    return people, puzzles, list(answers[begin:])
