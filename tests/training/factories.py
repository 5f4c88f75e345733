"""Small training configurations, tables and trainers for tests."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

import torch

from sparring.games import describe, load_game
from sparring.records import GameRecord, Split, Termination, split_of
from sparring.training.config import TrainingConfig, parse_training_config
from sparring.training.people import PeopleTask
from sparring.training.trainer import Trainer
from tests.matching.tables import rated, write_table
from tests.networks.maia3_files import maia3_model


def small_config(game: str = "chess", **parts: dict[str, Any]) -> TrainingConfig:
    """A small network and few steps; `parts` change single keys."""
    entries: dict[str, Any] = {
        "network": {"blocks": 1, "width": 8, "heads": 2, "smolgen_size": 2},
        "data": {},
        "training": {
            "steps": 8,
            "batch": 32,
            "validate_every": 4,
            "validation_positions": 64,
            "ema_decay": 0.9,
        },
    }
    for name, changes in parts.items():
        entries[name] = {**entries[name], **changes} if isinstance(changes, dict) else changes
    return parse_training_config("small", {"game": game, **entries})


def chess_games(folder: Path, count: int = 80, plies: int = 20) -> Path:
    """Writes a table of `count` random games in each of two rating groups."""
    rng = random.Random(6)
    return write_table(
        folder, "chess", rated(count, rng, 1100, plies=plies) + rated(count, rng, 1900, plies=plies)
    )


def line_record(game: str, moves: Sequence[str], site: str, **facts: Any) -> GameRecord:
    """A game of these moves; another site makes another identity."""
    state = load_game(game).initial()
    start = state.text() if game == "go" else None
    for move in moves:
        state = state.play(state.parse_move(move))
    packed = state.pack_moves(describe(game).packed_move_bytes)
    return GameRecord(moves=packed, result=1.0, start=start, ending=Termination.NORMAL, site=site, **facts)


def repeated_games(
    game: str, moves: Sequence[str], split: Split, wanted: int, **facts: Any
) -> list[GameRecord]:
    """Copies of one game, with sites that put them into the split."""
    records = (line_record(game, moves, f"{split} {number}", **facts) for number in count())
    found: list[GameRecord] = []
    for record in records:
        if split_of(record.identity(game)) is split:
            found.append(record)
        if len(found) == wanted:
            break
    return found


def write_maia3_network(folder: Path) -> Path:
    """A network with Maia-3's inputs and random weights."""
    path = folder / "tiny-maia3.onnx"
    path.write_bytes(maia3_model().SerializeToString())
    return path


def make_trainer(config: TrainingConfig, tables: Path | Sequence[Path], folder: Path) -> Trainer:
    listed = [tables] if isinstance(tables, Path) else tables
    return Trainer(PeopleTask(config, listed, threads=1), folder, device="cpu")


def same_weights(one: Trainer, other: Trainer) -> bool:
    """True if weights, averages and optimiser states are bit-identical."""
    pairs = [
        (one.model.state_dict(), other.model.state_dict()),
        (one.average.state, other.average.state),
    ]
    moments = [run.optimiser.state_dict()["state"] for run in (one, other)]
    pairs += [(moments[0][index], moments[1][index]) for index in moments[0]]
    return all(torch.equal(a[name], b[name]) for a, b in pairs for name in a)
