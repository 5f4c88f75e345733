"""How often a network's likeliest move solves puzzles, and its mean grade on graded positions; no search.

    python -m studies.student.puzzles old.onnx new.onnx --puzzles lichess.csv --graded sts.epd --out FILE.json

Puzzles are Lichess's CSV; the first of two networks is the baseline of the paired differences (95 %).
"""

from __future__ import annotations

import argparse
import csv
import json
import random
from pathlib import Path
from typing import Any

import chess
import numpy as np
from numpy.typing import NDArray

from sparring.chess.game import Chess
from sparring.networks import Position, load_network
from studies.options import write_measurement

_BATCH = 64


def read_puzzles(path: Path, count: int) -> tuple[list[Any], list[dict[str, float]]]:
    """Positions after the opponent's move, and 1 for the move that solves the puzzle."""
    with path.open() as file:
        rows = list(csv.DictReader(file))
    states, grades = [], []
    for row in random.Random(1).sample(rows, min(count, len(rows))):
        board, moves = chess.Board(row["FEN"]), row["Moves"].split()
        board.push_uci(moves[0])
        states.append(Chess().parse(board.fen()))
        grades.append({moves[1]: 1.0})
    return states, grades


def read_graded(path: Path, count: int) -> tuple[list[Any], list[dict[str, float]]]:
    """Positions, and the grades of their moves (from 0 to 100; 0 for moves without one)."""
    states, grades = [], []
    for line in path.read_text().splitlines():
        board = chess.Board()
        content = board.set_epd(line)
        pairs = [pair.strip().split("=") for pair in str(content.get("c0", "")).split(",") if "=" in pair]
        states.append(Chess().parse(board.fen()))
        grades.append({board.parse_san(move).uci(): float(grade) for move, grade in pairs})
    chosen = random.Random(1).sample(range(len(states)), min(count, len(states)))
    return [states[i] for i in chosen], [grades[i] for i in chosen]


def score(network: Any, states: list[Any], grades: list[dict[str, float]]) -> NDArray[np.float64]:
    """The grade of the likeliest move in each position."""
    found = []
    for begin in range(0, len(states), _BATCH):
        part = states[begin : begin + _BATCH]
        for state, grade, answer in zip(
            part,
            grades[begin : begin + _BATCH],
            network.predict([Position(state) for state in part]),
            strict=True,
        ):
            best = answer.moves[int(np.argmax(answer.probabilities))]
            found.append(grade.get(state.move_text(best), 0.0))
    return np.array(found)


def interval(values: NDArray[np.float64]) -> list[float]:
    """Mean, and half of its 95 % interval."""
    return [round(float(values.mean()), 4), round(float(1.96 * values.std() / len(values) ** 0.5), 4)]


def main() -> None:
    """Runs the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("networks", nargs="+")
    parser.add_argument("--puzzles", type=Path, required=True)
    parser.add_argument("--graded", type=Path, required=True)
    parser.add_argument("--positions", type=int, default=1200, help="the most of each kind")
    parser.add_argument("--out", type=Path, required=True)
    o = parser.parse_args()
    kinds = {
        "puzzles": read_puzzles(o.puzzles, o.positions),
        "graded": read_graded(o.graded, o.positions // 2),
    }
    result: dict[str, Any] = {kind: {"positions": len(states)} for kind, (states, _) in kinds.items()}
    scores: dict[str, list[NDArray[np.float64]]] = {kind: [] for kind in kinds}
    for path in o.networks:
        network = load_network(path, game="chess")
        for kind, (states, grades) in kinds.items():
            scores[kind].append(score(network, states, grades))
            result[kind][Path(path).stem] = interval(scores[kind][-1])
    for kind, values in scores.items():
        result[kind]["differences"] = [interval(value - values[0]) for value in values[1:]]
    write_measurement(result, o.out, "studies.student.puzzles")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
