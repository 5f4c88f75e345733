"""TreeStrap runs: resuming, parallel games, books, and an increase in strength."""

from __future__ import annotations

import dataclasses
import json
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparring.base.errors import BadFile
from sparring.base.workers import SerialWorkerPool
from sparring.games import Move, load_game
from sparring.search.linear_evaluation import open_evaluation, random_start
from sparring.training import TrainingDiverged
from sparring.training.treestrap.algorithms import ALGORITHMS
from sparring.training.treestrap.run import (
    EVALUATION,
    JOURNAL,
    SETTINGS,
    SelfPlayWorker,
    TreeStrapRun,
    TreeStrapRunConfig,
    play,
    worker_pool,
)
from studies.expendibots.evaluation_matches import play_evaluation_match
from tests.waiting import wait_for_lines
from tests.workers.pickled_pool import PickledPool

SMALL: dict[str, Any] = {"depth": 2, "games": 12, "block": 3, "warmup_games": 4, "max_plies": 40}


def settings_of(game: str = "expendibots", **changes: Any) -> TreeStrapRunConfig:
    return TreeStrapRunConfig(game, **{**SMALL, **changes})


def trained(config: TreeStrapRunConfig, folder: Path) -> TreeStrapRun:
    run = TreeStrapRun(config, folder)
    with worker_pool(config) as players:
        assert run.train(players)
    return run


SCRIPT = """
import sys
from functools import partial
from pathlib import Path
from sparring.training.treestrap.run import TreeStrapRun, TreeStrapRunConfig
from sparring.training.treestrap.run import SelfPlayWorker
from sparring.base.workers import SerialWorkerPool

settings = TreeStrapRunConfig("expendibots", depth=2, games=12, block=3, warmup_games=4, max_plies=40)
TreeStrapRun(settings, Path(sys.argv[1])).train(SerialWorkerPool(partial(SelfPlayWorker, settings, None)))
"""


def test_killed_again_and_again_a_run_ends_as_an_unbroken_one(tmp_path: Path) -> None:
    whole = trained(settings_of(), tmp_path / "whole")
    journal = tmp_path / "killed" / JOURNAL
    for blocks in (1, 2, 3):
        run = subprocess.Popen([sys.executable, "-c", SCRIPT, str(tmp_path / "killed")])
        wait_for_lines(journal, blocks)
        run.send_signal(signal.SIGKILL)
        assert run.wait() == -signal.SIGKILL, "it ended before it could be killed"
        with journal.open("a") as file:
            file.write('{"games": 99, "wins"')  # as if it had been killed in the middle of a line
    again = trained(settings_of(), tmp_path / "killed")
    assert again.weights.tolist() == whole.weights.tolist()
    assert [b.weights for b in again.blocks] == [b.weights for b in whole.blocks]
    assert [b.reasons for b in again.blocks] == [b.reasons for b in whole.blocks]
    written = open_evaluation("expendibots", tmp_path / "killed" / EVALUATION)
    np.testing.assert_allclose(written.weights, whole.evaluation().weights, atol=1e-6)


def test_the_seed_decides_and_weights_move(tmp_path: Path) -> None:
    one, same = (trained(settings_of(), tmp_path / name).weights for name in ("one", "same"))
    other = trained(settings_of(seed=1), tmp_path / "other").weights
    assert one.tolist() == same.tolist()
    assert one.tolist() != other.tolist()
    assert np.any(one != open_evaluation("expendibots", "start").weights)


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
@pytest.mark.parametrize("game", ["expendibots", "breakthrough"])
def test_every_algorithm_learns_every_game(game: str, algorithm: str, tmp_path: Path) -> None:
    run = trained(settings_of(game, algorithm=algorithm, games=3, warmup_games=0), tmp_path)
    (block,) = run.blocks
    assert block.games == 3
    assert sum(block.reasons.values()) == 3
    assert block.positions > 0
    assert block.error > 0
    assert np.isfinite(run.weights).all()
    assert np.any(run.weights != open_evaluation(game, "start").weights)


def test_parallel_games_add_up_in_any_order(tmp_path: Path) -> None:
    config = settings_of(games=4, block=4, workers=2)
    side_by_side = trained(config, tmp_path / "two")
    alone = TreeStrapRun(config, tmp_path / "one")
    alone.train(SerialWorkerPool(partial(SelfPlayWorker, config, None)))
    assert side_by_side.weights.tolist() == alone.weights.tolist()


def test_ray_plays_the_same_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sparring.base.workers.RayWorkerPool", PickledPool)
    PickledPool.made.clear()
    config = settings_of(games=2, block=2, workers=2)
    run = TreeStrapRun(config, tmp_path / "ray")
    with worker_pool(config, ray="local") as players:
        run.train(players)
    assert PickledPool.made == [(2, "local")]
    alone = TreeStrapRun(config, tmp_path / "one")
    alone.train(SerialWorkerPool(partial(SelfPlayWorker, config, None)))
    assert run.weights.tolist() == alone.weights.tolist()


def test_a_stopped_run_goes_on(tmp_path: Path) -> None:
    config = settings_of()
    run = TreeStrapRun(config, tmp_path / "stopped")
    heard: list[int] = []

    def on_progress(played: Any) -> None:
        heard.append(played.number)
        if played.number == 4:
            run.stop()

    assert not run.train(SerialWorkerPool(partial(SelfPlayWorker, config, None)), on_progress)
    assert heard == [0, 1, 2, 3, 4]
    assert run.games == 3
    again = trained(config, tmp_path / "stopped")
    assert again.weights.tolist() == trained(config, tmp_path / "whole").weights.tolist()


def test_another_run_does_not_go_on_in_its_folder(tmp_path: Path) -> None:
    trained(settings_of(games=3), tmp_path)
    with pytest.raises(BadFile, match="decay"):
        TreeStrapRun(settings_of(games=3, decay=0.9), tmp_path)
    more = trained(settings_of(games=6), tmp_path)
    assert more.games == 6


def test_a_run_of_another_version_is_refused(tmp_path: Path) -> None:
    trained(settings_of(games=3), tmp_path)
    options = json.loads((tmp_path / SETTINGS).read_text())
    options["rate"] = options.pop("learning_rate")
    (tmp_path / SETTINGS).write_text(json.dumps(options))
    with pytest.raises(BadFile, match="another version"):
        TreeStrapRun(settings_of(games=3), tmp_path)


@pytest.mark.parametrize("content", ["{", "[]", "1", "\xff", "[" * 100_000])
def test_corrupt_settings_are_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "settings.json").write_text(content, encoding="latin-1")
    with pytest.raises(BadFile, match=r"settings.json is damaged"):
        TreeStrapRun(TreeStrapRunConfig("breakthrough", games=1), tmp_path)


@pytest.mark.parametrize("line", ["{", "{}", "[]", '{"games": "x"}'])
def test_a_foreign_line_of_the_journal_is_refused(line: str, tmp_path: Path) -> None:
    (tmp_path / "blocks.jsonl").write_text(line + "\n")
    with pytest.raises(BadFile, match=r"blocks.jsonl, line 1 is"):
        TreeStrapRun(TreeStrapRunConfig("breakthrough", games=1), tmp_path)


def test_games_begin_with_the_reports_random_plies() -> None:
    game, searcher = load_game("expendibots"), open_evaluation("expendibots", "start").searcher(1)
    rng = np.random.default_rng(1)
    plies = [random_start(game, searcher, 32, rng).ply for _ in range(400)]
    assert set(plies) == {32, 16, 8, 4, 2, 1, 0}
    shares = {count: plies.count(count) / 400 for count in (32, 16, 8)}
    assert shares == pytest.approx({32: 0.5, 16: 0.25, 8: 0.125}, abs=0.08)
    assert random_start(game, searcher, 0, rng).ply == 0


class OneMove:
    """A book with one first move."""

    def __init__(self) -> None:
        self.asked = 0

    def moves(self, state: Any) -> dict[Move, float]:
        self.asked += 1
        return {state.parse_move("1d1-d2"): 1.0} if state.ply == 0 else {}


def test_each_side_opens_from_the_book_with_the_configured_probability() -> None:
    game, evaluation = load_game("expendibots"), open_evaluation("expendibots", "start")
    searcher = evaluation.searcher(1)
    asked = []
    for number in range(30):
        book = OneMove()
        config = settings_of(random_plies=0, max_plies=2)
        play(game, searcher, evaluation.weights, config, number, book)
        asked.append(book.asked)
    assert 0 < sum(count > 0 for count in asked) < 25
    silent = OneMove()
    play(
        game,
        searcher,
        evaluation.weights,
        settings_of(random_plies=0, max_plies=2, book_probability=0),
        0,
        silent,
    )
    assert silent.asked == 0


def test_learned_weights_beat_the_starting_ones_at_breakthrough(tmp_path: Path) -> None:
    """TreeStrap works on a second game, given only its features."""
    config = TreeStrapRunConfig(
        "breakthrough", algorithm="treestrap-ab", depth=3, games=60, warmup_games=10, block=20, seed=3
    )
    run = trained(config, tmp_path)
    learned, start = run.evaluation(), open_evaluation("breakthrough", "start")
    results = list(play_evaluation_match(("learned", learned), ("start", start), games=40, depth=2, seed=1))
    points = sum(r.result if r.first == "learned" else 1 - r.result for r in results if r.result is not None)
    assert points >= 28, points
    journal = [json.loads(line) for line in (tmp_path / JOURNAL).read_text().splitlines()]
    assert [block["games"] for block in journal] == [20, 40, 60]


def test_weights_that_turn_to_nan_stop_the_run(tmp_path: Path) -> None:
    config = settings_of(games=3)

    class Poisoned(SelfPlayWorker):
        def work(self, task: Any) -> Any:
            played = super().work(task)
            return dataclasses.replace(played, update=played.update * np.nan)

    run = TreeStrapRun(config, tmp_path)
    with pytest.raises(TrainingDiverged, match="weights are no finite numbers after game 0"):
        run.train(SerialWorkerPool(partial(Poisoned, config, None)))
    assert not (tmp_path / EVALUATION).exists()
