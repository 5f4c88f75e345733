"""Whole tournaments: killed and resumed, side by side, stopped by a test."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from sparring.arena.results import RESULTS, GameResult, read_results
from sparring.arena.run_tournament import PentanomialTest, run_tournament
from sparring.arena.sprt import Sprt
from sparring.arena.tournament import BadTournament, Tournament
from sparring.arena.workers import LocalWorkers
from tests.arena.tournaments import fake, small, tournament

SCRIPT = """
import sys
from pathlib import Path
from sparring.arena import LocalWorkers, read_tournament, run_tournament

if __name__ == "__main__":
    tournament = read_tournament(Path(sys.argv[1]), int(sys.argv[2]))
    with LocalWorkers(tournament, 2) as workers:
        run_tournament(tournament, Path(sys.argv[3]), workers)
"""
"""What `sparring arena run` does, without the time that the other commands take to import."""
COMMAND = [sys.executable, "-c", "from sparring.cli import main; main()", "arena", "run"]


def facts(results: list[GameResult]) -> list[tuple[object, ...]]:
    """What does not depend on time."""
    return sorted((each.number, each.first, each.result, each.reason, each.plies) for each in results)


def test_killed_ten_times_a_tournament_has_exactly_its_games(tmp_path: Path) -> None:
    players = "".join(f'[[player]]\nname = "p{number}"\nstrength = 1\n' for number in range(8))
    file = tmp_path / "eight.toml"
    file.write_text(f'game = "expendibots"\nseed = 5\n{players}')
    out = tmp_path / "out"
    command = [sys.executable, "-c", SCRIPT, str(file), "112", str(out)]
    rng = np.random.default_rng(2)
    for _ in range(10):
        before = lines(out)
        run = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
        target = before + int(rng.integers(1, 8))
        while run.poll() is None and lines(out) < target:
            time.sleep(0.005)
        time.sleep(float(rng.uniform(0, 0.05)))
        run.send_signal(signal.SIGKILL)
        run.wait()
    assert 0 < lines(out) < 112
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    results = read_results([out])
    assert sorted(each.number for each in results) == list(range(112))
    assert (out / "games.log").read_text().count("[game ]") == 112


def lines(folder: Path) -> int:
    path = folder / RESULTS
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_the_same_seed_gives_the_same_games_for_any_concurrency(tmp_path: Path) -> None:
    entry = tournament(*small(1, 1, 2), games=12, game="expendibots", rules={}, seed=9)
    found = []
    for concurrency in (1, 3):
        with LocalWorkers(entry, concurrency) as workers:
            done = run_tournament(entry, tmp_path / str(concurrency), workers)
        found.append(facts(done.results))
    assert found[0] == found[1]
    other = tournament(*small(1, 1, 2), games=12, game="expendibots", rules={}, seed=10)
    with LocalWorkers(other, 1) as workers:
        assert facts(run_tournament(other, tmp_path / "other", workers).results) != found[0]


def test_a_worker_that_dies_is_replaced_and_its_game_played(tmp_path: Path) -> None:
    entry = tournament(*small(1, 1), games=4, game="expendibots", rules={})
    with LocalWorkers(entry, 1) as workers:

        def kill_once(results: Sequence[GameResult]) -> None:
            if len(results) == 1:
                for process in workers._processes.values():
                    os.kill(process.pid or 0, signal.SIGKILL)

        done = run_tournament(entry, tmp_path, workers, kill_once)
    assert sorted(each.number for each in done.results) == [0, 1, 2, 3]


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks into /proc")
def test_engines_end_with_a_run_that_is_killed(tmp_path: Path) -> None:
    entry = fake("uci", "ignore-stop")
    file = tmp_path / "t.toml"
    players = "".join(
        f'[[player]]\nname = "{name}"\nprotocol = "uci"\nnodes = 1\nenv = {{ MARK = "{tmp_path}" }}\n'
        f"command = {json.dumps(list(entry.command))}\n"
        for name in "ab"
    )
    file.write_text(f'game = "chess"\ngames = 2\n{players}')
    run = subprocess.Popen([*COMMAND, str(file), "--out", str(tmp_path / "out")], start_new_session=True)
    wait_until(lambda: len(marked(tmp_path)) == 2)
    run.send_signal(signal.SIGKILL)
    run.wait()
    wait_until(lambda: not marked(tmp_path))


def marked(folder: Path) -> list[str]:
    """The engines of a test that run, told by their environment."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"MARK={folder}".encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append(process.name)
        except OSError:
            continue
    return found


def wait_until(condition: Callable[[], bool]) -> None:
    for _ in range(600):
        if condition():
            return
        time.sleep(0.05)
    pytest.fail("it did not come to pass in 30 seconds")


def result(number: int, score: float) -> GameResult:
    first, second = ("a", "b") if number % 2 == 0 else ("b", "a")
    return GameResult(number, first, second, 0, score if number % 2 == 0 else 1 - score, "x", "", 1, 0.0)


def test_pairs_count_in_the_order_of_their_numbers() -> None:
    rng = np.random.default_rng(4)
    scores = rng.choice([0.0, 0.5, 1.0], size=400, p=[0.2, 0.3, 0.5]).tolist()
    games = [result(number, score) for number, score in enumerate(scores)]
    in_order, shuffled = PentanomialTest(Sprt(0, 50), "a"), PentanomialTest(Sprt(0, 50), "a")
    for game in games:
        in_order.add_result(game)
    for place in rng.permutation(len(games)):
        shuffled.add_result(games[place])
    assert in_order.test == shuffled.test
    assert in_order.test.status == "elo1"
    assert sum(in_order.test.counts) < 200, "it stops when it is decided"


def test_a_test_stops_the_tournament(tmp_path: Path) -> None:
    entry = tournament(
        fake("uci", "", "good"), fake("uci", "resign"), games=400, sprt=Sprt(0, 200, alpha=0.1, beta=0.1)
    )
    with LocalWorkers(entry, 2) as workers:
        done = run_tournament(entry, tmp_path, workers)
    assert done.test is not None
    assert done.test.status == "elo1"
    assert len(done.results) < entry.games
    with LocalWorkers(entry, 2) as workers:
        again = run_tournament(entry, tmp_path, workers)
    assert len(again.results) == len(done.results), "what is decided is not played on"


def test_ray_plays_the_same_games(tmp_path: Path) -> None:
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'sparring[scale]'")
    from sparring.arena.workers import RayWorkers

    entry = tournament(*small(1, 1), games=4, game="expendibots", rules={})
    with RayWorkers(entry, 2, "local") as remote:
        there = run_tournament(entry, tmp_path / "there", remote)
    assert not ray.is_initialized()
    with LocalWorkers(entry, 1) as workers:
        here = run_tournament(entry, tmp_path / "here", workers)
    assert facts(there.results) == facts(here.results)


def test_without_ray_one_line_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    from sparring.arena.workers import RayWorkers

    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(BadTournament, match=r"sparring\[scale\]"):
        RayWorkers(Tournament("t", "chess", (), 1), 1, "auto")
