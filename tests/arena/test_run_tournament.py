"""Whole tournaments: killed and resumed, side by side, stopped by a test."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from sparring.arena.results import RESULTS, ArenaGame, read_results
from sparring.arena.run_tournament import LocalWorkers, PentanomialTest, run_tournament
from sparring.arena.tournament import Tournament, read_tournament
from sparring.base.errors import MissingExtra
from sparring.measure.ratings import Sprt
from tests.arena.tournaments import fake, small, tournament
from tests.waiting import wait_for_lines, wait_until

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


def facts(results: list[ArenaGame]) -> list[tuple[object, ...]]:
    """What does not depend on time."""
    return sorted((each.number, each.first, each.result, each.reason, each.plies) for each in results)


def test_killed_again_and_again_a_tournament_has_the_games_of_an_unbroken_one(tmp_path: Path) -> None:
    players = "".join(f'[[player]]\nname = "p{number}"\nstrength = 1\n' for number in range(4))
    file = tmp_path / "four.toml"
    file.write_text(f'game = "breakthrough"\nseed = 5\n{players}')
    out = tmp_path / "out"
    command = [sys.executable, "-c", SCRIPT, str(file), "36", str(out)]
    rng = np.random.default_rng(2)
    for _ in range(4):
        run = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
        wait_for_lines(out / RESULTS, lines(out) + int(rng.integers(1, 5)))
        time.sleep(float(rng.uniform(0, 0.02)))
        run.send_signal(signal.SIGKILL)
        assert run.wait() == -signal.SIGKILL, "it ended before it could be killed"
    assert 0 < lines(out) < 36
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    results = read_results([out])
    assert [number for number, *_ in facts(results)] == list(range(36))
    assert (out / "games.pgn").read_text().count("[Event ") == 36
    unbroken = read_tournament(file, 36)
    with LocalWorkers(unbroken, 1) as workers:
        run_tournament(unbroken, tmp_path / "unbroken", workers)
    assert facts(results) == facts(read_results([tmp_path / "unbroken"]))


def lines(folder: Path) -> int:
    path = folder / RESULTS
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_the_same_seed_gives_the_same_games_for_any_concurrency(tmp_path: Path) -> None:
    entry = tournament(*small(1, 1, 2), games=6, game="breakthrough", rules={}, seed=9)
    found = []
    for concurrency in (1, 3):
        with LocalWorkers(entry, concurrency) as workers:
            done = run_tournament(entry, tmp_path / str(concurrency), workers)
        found.append(facts(done.results))
    assert found[0] == found[1]
    other = tournament(*small(1, 1, 2), games=6, game="breakthrough", rules={}, seed=10)
    with LocalWorkers(other, 1) as workers:
        assert facts(run_tournament(other, tmp_path / "other", workers).results) != found[0]


def test_a_worker_that_dies_is_replaced_and_its_game_played(tmp_path: Path) -> None:
    entry = tournament(*small(1, 1), games=4, game="breakthrough", rules={})
    with LocalWorkers(entry, 1) as workers:

        def kill_once(results: Sequence[ArenaGame]) -> None:
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


def result(number: int, score: float) -> ArenaGame:
    first, second = ("a", "b") if number % 2 == 0 else ("b", "a")
    return ArenaGame(number, first, second, 0, score if number % 2 == 0 else 1 - score, "x", "", 1, 0.0)


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
    # One worker: of two, one could play all games while the other still starts the engines of the first.
    with LocalWorkers(entry, 1) as workers:
        done = run_tournament(entry, tmp_path, workers)
    assert done.test is not None
    assert done.test.status == "elo1"
    assert len(done.results) < 2 * sum(done.test.counts) + 4, "it ends with the games that were begun"
    with LocalWorkers(entry, 2) as workers:
        again = run_tournament(entry, tmp_path, workers)
    assert len(again.results) == len(done.results), "what is decided is not played on"


def test_ray_plays_the_same_games(tmp_path: Path) -> None:
    ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'sparring[scale]'")
    from sparring.arena.run_tournament import RayWorkers

    entry = tournament(*small(1, 1), games=4, game="breakthrough", rules={})
    with RayWorkers(entry, 2, "local") as remote:
        there = run_tournament(entry, tmp_path / "there", remote)
    assert not ray.is_initialized()
    with LocalWorkers(entry, 1) as workers:
        here = run_tournament(entry, tmp_path / "here", workers)
    assert facts(there.results) == facts(here.results)


def test_without_ray_one_line_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    from sparring.arena.run_tournament import RayWorkers

    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match=r"sparring\[scale\]"):
        RayWorkers(Tournament("t", "chess", (), 1), 1, "auto")
