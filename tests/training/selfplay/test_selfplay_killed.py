"""Self-play in several processes, and on Ray: killed workers and learners lose no game and double none."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sparring.training.selfplay.games import read_block
from sparring.training.selfplay.task import GenerationProgress, SelfPlayTraining, Workers
from sparring.training.trainer import Trainer
from tests.training.selfplay.selfplay_factories import contents, run, tiny_config
from tests.waiting import wait_until


def games_of(folder: Path) -> Counter[tuple[int, int]]:
    """(generation, number) of each game in the files of a run."""
    found: Counter[tuple[int, int]] = Counter()
    for path in folder.glob("games/*.npz"):
        block = read_block(path)
        first = block.about["first"]
        found.update((block.about["generation"], number) for number in range(first, first + len(block)))
    return found


EVERY_GAME = Counter((generation, number) for generation in range(2) for number in range(4))


def test_killed_workers_lose_no_game_and_double_none(undisturbed: Path, tmp_path: Path) -> None:
    """After each block a process is killed, idle or at work; another takes its place."""
    killed: set[int] = set()

    def on_games(progress: GenerationProgress) -> None:
        pool: Any = task._pool
        victims = [process.pid for process in pool._processes.values() if process.pid not in killed]
        if len(killed) < 3 and victims:
            os.kill(victims[0], signal.SIGKILL)
            killed.add(victims[0])

    task = SelfPlayTraining(tiny_config(), tmp_path, Workers(2), on_games=on_games)
    try:
        Trainer(task, tmp_path, device="cpu").train()
    finally:
        task.close()
    assert len(killed) == 3
    assert games_of(tmp_path) == EVERY_GAME
    assert contents(tmp_path) == contents(undisturbed), "the games do not depend on who plays them"


LEARNER = """
import sys
from pathlib import Path
from tests.training.selfplay.selfplay_factories import run, tiny_config
run(tiny_config(), Path(sys.argv[1]))
"""


def test_a_learner_that_is_killed_by_the_system_goes_on(undisturbed: Path, tmp_path: Path) -> None:
    root = Path(__file__).parents[3]
    learner = subprocess.Popen(
        [sys.executable, "-c", LEARNER, str(tmp_path)], env={**os.environ, "PYTHONPATH": str(root)}
    )
    wait_until(lambda: any(tmp_path.glob("games/*.npz")))
    learner.kill()
    learner.wait()
    run(tiny_config(), tmp_path)
    assert games_of(tmp_path) == EVERY_GAME
    assert contents(tmp_path) == contents(undisturbed)


def test_actors_of_ray_play_the_same_games(undisturbed: Path, tmp_path: Path) -> None:
    pytest.importorskip("ray")
    killed: list[Any] = []

    def on_games(progress: GenerationProgress) -> None:
        if not killed:
            pool: Any = task._pool
            killed.append(pool._actors[0])
            pool._ray.kill(killed[0])

    task = SelfPlayTraining(tiny_config(), tmp_path, Workers(2, ray="local"), on_games=on_games)
    try:
        Trainer(task, tmp_path, device="cpu").train()
    finally:
        task.close()
    assert killed
    assert contents(tmp_path) == contents(undisturbed)
