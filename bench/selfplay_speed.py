"""Self-play on one core: positions that the network evaluates a second, against the network alone.

A block of games of Breakthrough is played in lockstep with the configuration `small` and random weights: 64
games at once, 16 visits a move. The network alone evaluates positions of such games in batches of 64. Times
are processor times of one thread, which a loaded machine changes little.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import process_time

import numpy as np
import torch

from bench.result import BenchmarkResult
from sparring.games import describe, load_game
from sparring.networks.codec import PositionBatch
from sparring.policies import Policy, load_policy
from sparring.policies.policy import predict_batch
from sparring.training.selfplay.config import SelfPlayConfig, load_selfplay_config
from sparring.training.selfplay.games import SelfPlayer
from sparring.training.selfplay.task import SelfPlayTraining

GAME, GAMES, BATCHES = "breakthrough", 128, 100


def measure() -> list[BenchmarkResult]:
    """The rate of self-play against that of the network."""
    config = load_selfplay_config("small", GAME, {})
    with tempfile.TemporaryDirectory() as folder:
        task = SelfPlayTraining(config, Path(folder))
        task.open(task.make_model(), torch.device("cpu"), (0, 1))
        policy = load_policy(str(Path(folder) / "best.onnx"), GAME, batch=config.play.parallel)
    alone, played = _alone(policy, config), _self_play(policy, config)
    what = f"self-play, {config.play.parallel} games at once, {config.play.visits} visits"
    return [
        BenchmarkResult(what, "the network alone", played, alone, "evaluations/s", min_ratio=0.9),
    ]


def _self_play(policy: Policy, config: SelfPlayConfig) -> float:
    """Evaluations a second of a block of games."""
    player = SelfPlayer(config, policy)
    began = process_time()
    player.play_block(0, 0, GAMES)
    return player.evaluations / (process_time() - began)


def _alone(policy: Policy, config: SelfPlayConfig) -> float:
    """Evaluations a second of positions of random games."""
    rng, states = np.random.default_rng(1), list[object]()
    state = load_game(GAME).initial()
    while len(states) < config.play.parallel:
        states.append(state)
        state = state.play(int(rng.choice(state.legal_moves())))
        if state.outcome is not None:
            state = load_game(GAME).initial()
    unknown = np.full(len(states), np.nan)
    batch = PositionBatch(describe(GAME).states_class(states), np.stack([unknown, unknown], axis=1), unknown)
    predict_batch(policy, batch)
    began = process_time()
    for _ in range(BATCHES):
        predict_batch(policy, batch)
    return BATCHES * len(states) / (process_time() - began)
