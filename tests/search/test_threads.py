"""The native core used by several threads. `make tsan` runs these tests under ThreadSanitizer."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

from sparring._core import PuctConfig
from sparring.chess.game import Chess
from sparring.expendibots.game import Expendibots
from sparring.networks.codec import Prediction
from sparring.rbc.game import Rbc
from sparring.rbc.tracker import Tracker, TrackerOptions
from sparring.search import SearchLimits
from sparring.search.linear_evaluation import open_evaluation
from sparring.search.puct import Puct

_MINUTE = 60.0
"""A search that nothing stops takes this many seconds."""


class Interrupted(Exception):
    """Raised by a signal handler, as KeyboardInterrupt is."""


def together(*works: Callable[[], object]) -> None:
    """Runs functions at the same time and raises the first exception."""
    failures: list[BaseException] = []

    def run(work: Callable[[], object]) -> None:
        try:
            work()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_clearing_the_table_does_not_block_the_interpreter() -> None:
    searcher = open_evaluation("expendibots").searcher(1)
    state, weights = Expendibots().initial(), open_evaluation("expendibots").weights
    found: list[Any] = []
    started = threading.Event()

    def search() -> None:
        started.set()
        found.append(searcher.analyse(state, seconds=_MINUTE))

    def wait_for_it(work: Callable[[], object]) -> None:
        started.wait()
        work()

    def stop() -> None:
        started.wait()
        while not found:  # a request before the search has begun is lost
            searcher.stop()
            threading.Event().wait(0.01)

    together(
        search,
        lambda: wait_for_it(searcher.clear),
        lambda: wait_for_it(lambda: searcher.set_weights(weights)),
        lambda: wait_for_it(lambda: searcher.evaluate(state)),
        stop,
    )
    assert found[0].seconds < _MINUTE


def test_a_signal_ends_a_search() -> None:
    searcher = open_evaluation("expendibots").searcher(1)

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise Interrupted

    began, before = time.monotonic(), signal.signal(signal.SIGUSR1, interrupt)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGUSR1))
    try:
        timer.start()
        with pytest.raises(Interrupted):
            searcher.analyse(Expendibots().initial(), seconds=_MINUTE, threads=2)
    finally:
        timer.join()
        signal.signal(signal.SIGUSR1, before)
    assert time.monotonic() - began < _MINUTE
    assert searcher.analyse(Expendibots().initial(), depth=2).moves


def test_an_evaluation_does_not_depend_on_a_training_search() -> None:
    searcher: Any = open_evaluation("expendibots").searcher(1)
    states = [Expendibots().initial()]
    for _ in range(6):
        states.append(states[-1].play(states[-1].legal_moves()[-1]))
    expected = [searcher.evaluate(state) for state in states]

    def train() -> None:
        for _ in range(10):
            searcher.treestrap(
                states[-1], depth=2, all_nodes=True, minimax=False, min_depth=0, decay=1.0, max_error=1e9,
                skip_draws=False, staged=True,
            )  # fmt: skip

    def evaluate() -> None:
        for _ in range(500):
            assert [searcher.evaluate(state) for state in states] == expected
            searcher.candidate_moves(states[0])

    together(train, evaluate, evaluate)


def test_helper_threads_share_the_table() -> None:
    searcher = open_evaluation("expendibots").searcher(1)
    for _ in range(3):
        found = searcher.analyse(Expendibots().initial(), depth=5, threads=4)
        assert found.depth == 5


FEW_THREADS = """
import resource, threading
from sparring.expendibots.game import Expendibots
from sparring.search.linear_evaluation import open_evaluation
searcher = open_evaluation("expendibots").searcher(1)
state = Expendibots().initial()
searcher.analyse(state, depth=1)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20),) * 2)
print(searcher.analyse(state, depth=4, threads=64).depth)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")
@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="sanitizers need address space")
def test_a_search_goes_on_with_fewer_threads_where_the_system_has_no_more() -> None:
    done = subprocess.run([sys.executable, "-c", FEW_THREADS], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "4\n"), done.stderr


def test_threads_share_and_free_a_line_of_states() -> None:
    """The end of a line is freed by whichever thread lets go of it last: `make sanitize` sees a state that is
    freed twice or used afterwards."""
    for _ in range(20):
        ends: list[tuple[str, int, str]] = []
        state = Chess().initial()
        for _ in range(50):
            for move in ("g1f3", "g8f6", "f3g1", "f6g8"):
                state = state.play_past_end(state.parse_move(move))
        lines = [[state] for _ in range(4)]
        del state

        def walk(line: list[Any], ends: list[tuple[str, int, str]]) -> None:
            head = line.pop()
            moves = head.legal_moves() or [head.parse_move("e2e4")]
            for move in moves * 4:
                branch = head.play_past_end(move)
                branch.playout(1, 4)
                while head.previous is not None and head.ply % 7:
                    head = head.previous
                moves = head.legal_moves() or moves
                if move not in moves:
                    break
            ends.append((head.text(), head.ply, branch.text()))

        together(*(partial(walk, line, ends) for line in lines))
        assert len(ends) == 4
        assert len(set(ends)) == 1, "each thread sees the line as if it were alone"


def test_a_very_long_line_is_freed_without_recursion() -> None:
    state = Chess().initial()
    moves = [state.parse_move(move) for move in ("g1f3", "g8f6", "f3g1", "f6g8")]
    for number in range(200_000):
        state = state.play_past_end(moves[number % 4])
    assert state.ply == 200_000
    del state


def test_a_state_past_a_drawn_end_is_pickled() -> None:
    state = Chess().initial()
    for move in ("g1f3", "g8f6", "f3g1", "f6g8") * 6:
        state = state.play_past_end(state.parse_move(move))
    assert state.outcome is not None
    state = state.play_past_end(state.parse_move("e2e4"))
    copied = pickle.loads(pickle.dumps(state))
    assert (copied.text(), copied.ply, copied.outcome) == (state.text(), 25, state.outcome)


def test_a_tree_that_another_thread_uses_is_refused_or_read_whole() -> None:
    tree = Chess().initial().tree(PuctConfig())
    done = threading.Event()
    refused: list[RuntimeError] = []
    read_whole: list[int] = []

    def search() -> None:
        try:
            while tree_visits(tree) < 400 or len(read_whole) < 50:
                leaves = guarded(lambda: tree.select(16, 16))
                moves = sum(len(leaf.legal_moves()) for leaf in leaves)
                priors, values = np.ones(moves, np.float32), np.zeros(len(leaves), np.float32)
                guarded(lambda: tree.evaluate(priors, values))  # noqa: B023
        finally:
            done.set()

    def guarded(work: Callable[[], Any]) -> Any:
        while True:
            try:
                return work()
            except RuntimeError as error:
                assert "in use by another thread" in str(error)  # noqa: PT017
                refused.append(error)

    def tree_visits(tree: Any) -> int:
        return int(guarded(lambda: tree.visits))

    def read() -> None:
        while not done.is_set():
            moves, *_ = guarded(tree.root_moves)
            assert len(moves) in (0, 20)
            read_whole.append(len(moves))
            guarded(lambda: (tree.value, len(tree), tree.max_depth, tree.bytes, tree.root.ply))
            if len(moves):
                guarded(lambda: tree.pv(int(moves[0])))  # noqa: B023

    together(search, read)
    assert tree.visits >= 400
    assert len(read_whole) >= 50, "the tree was read while it grew"


def test_the_size_of_a_tree_is_known_while_it_is_searched() -> None:
    """The page's server asks for it at any time: neither the question nor the search may fail."""

    def evaluator(states: Sequence[Any]) -> list[Prediction]:
        moves = [state.legal_moves() for state in states]
        return [Prediction(legal, np.full(len(legal), 1 / len(legal), np.float32), 0.0) for legal in moves]

    search, sizes = Puct(evaluator, PuctConfig(batch=16)), list[int]()
    done = threading.Event()

    def play() -> None:
        try:
            for _ in range(20):
                search.search(Chess().initial(), SearchLimits(nodes=200))
        finally:
            done.set()

    def ask() -> None:
        while not done.is_set():
            sizes.append(search.memory_bytes)

    together(play, ask)
    assert len(sizes) > 100
    assert sizes == sorted(sizes)
    assert search.memory_bytes >= sizes[-1] > 0


def test_a_tracker_with_threads_has_the_boards_of_one_thread() -> None:
    rules, state = Rbc(), Rbc().initial()
    trackers = [Tracker(0, TrackerOptions(limit=3_000, threads=threads, seed=1)) for threads in (1, 4)]
    rng = np.random.default_rng(5)
    for _ in range(24):
        moves = state.legal_moves()
        move = int(moves[int(rng.integers(len(moves)))])
        for tracker in trackers:
            tracker.observe(rules.observe(state, 0, move))
        state = state.play(move)
        if state.outcome is not None:
            break
    boards = [sorted(board.text() for board in tracker.boards.sample(10**6, 0)) for tracker in trackers]
    assert len(boards[0]) > 1
    assert boards[0] == boards[1]


FULL_LIST = """
#include <cstdlib>
#include "game/move.hpp"
int main() {
    sparring::MoveList list;
    for (std::size_t i = 0; i < list.capacity; ++i) list.push(static_cast<sparring::Move>(i));
    try { list.push(0); } catch (const std::length_error&) { return 0; }
    return 1;
}
"""


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs a compiler")
def test_a_full_list_of_moves_is_not_overrun(tmp_path: Path) -> None:
    source, program = tmp_path / "full.cpp", tmp_path / "full"
    source.write_text(FULL_LIST)
    core = Path(__file__).parents[2] / "core"
    environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    subprocess.run(["g++", "-std=c++20", f"-I{core}", source, "-o", program], check=True, env=environment)
    assert subprocess.run([program], check=False, env=environment).returncode == 0
