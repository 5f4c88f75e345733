"""Features of Lichess's puzzles, written part by part: a run that was stopped continues."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from sparring.base.storage import atomic_writer
from sparring.chess.game import Chess
from sparring.chess.puzzle_features import problem_features
from sparring.chess.puzzle_files import ProblemRecord, lichess_puzzle, text_lines
from sparring.policies import Policy, load_policy

PART = 250
"""Puzzles of a part."""


def place_of(identity: str) -> float:
    """A number from 0 to 1 that depends on a puzzle's id alone: the order in which puzzles are taken."""
    return int.from_bytes(hashlib.sha256(f"problems {identity}".encode()).digest()[:8], "big") / 2**64


def split_of(identity: str) -> str:
    """train, valid or test: 80, 8 and 12 of a hundred puzzles, by another hash of the id."""
    share = hashlib.sha256(f"split {identity}".encode()).digest()[0] / 256
    return "test" if share < 0.12 else "valid" if share < 0.2 else "train"


def write_features(
    puzzles: Path, folder: Path, most: int, worker: int = 0, workers: int = 1, *, bare: bool = False
) -> None:
    """Writes the features of the first `most` puzzles of a file, in the order of `place_of`, to `folder`.

    This process does every `workers`-th part. `bare` problems are as a FEN gives them, without the opponent's
    move before, which the networks see otherwise.
    """
    lines = text_lines(puzzles)
    columns = next(lines).strip().split(",")
    rows = sorted((line for line in lines if line.strip()), key=lambda line: place_of(line.partition(",")[0]))
    human, strong = load_policy("human", "chess"), load_policy("strong", "chess")
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(worker, -(-min(most, len(rows)) // PART), workers):
        target = folder / f"part-{number:05}.npz"
        if not target.exists():
            part = rows[number * PART : min((number + 1) * PART, most)]
            records = [lichess_puzzle(line.strip(), columns) for line in part]
            _write_part([_bare(record) for record in records] if bare else records, target, human, strong)


def _bare(record: ProblemRecord) -> ProblemRecord:
    problem = record.problem
    return replace(record, problem=replace(problem, state=Chess().parse(problem.state.text())))


def _write_part(rows: Sequence[ProblemRecord], target: Path, human: Policy, strong: Policy) -> None:
    names, values = problem_features([row.problem for row in rows], human, strong)
    with atomic_writer(target) as temporary, temporary.open("wb") as file:
        np.savez(
            file,
            names=np.array(names),
            features=values,
            ids=np.array([row.name for row in rows]),
            ratings=np.array([row.rating for row in rows]),
            deviations=np.array([row.deviation for row in rows]),
            themes=np.array([" ".join(row.themes) for row in rows]),
        )
