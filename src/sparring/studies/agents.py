"""Matches between evaluations at equal depth: what the arena's statistics are asked about."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from sparring.arena import Result
from sparring.games import load
from sparring.players import Agent
from sparring.search.evaluations import Evaluation


def opening(evaluation: Evaluation, plies: int, rng: np.random.Generator) -> Any:
    """A state after random moves that a search would try."""
    searcher = evaluation.searcher(megabytes=1)
    while True:
        state = load(evaluation.game).initial()
        for _ in range(plies):
            moves = searcher.plausible(state)
            state = state.play(moves[int(rng.integers(len(moves)))])
            if state.outcome is not None:
                break
        if state.outcome is None:
            return state


def play_match(
    first: tuple[str, Evaluation],
    second: tuple[str, Evaluation],
    *,
    games: int,
    depth: int,
    plies: int = 8,
    seed: int = 0,
) -> Iterator[Result]:
    """Games in pairs, each pair from one random opening with colours changed."""
    players = {
        name: Agent(each, np.random.default_rng(seed), depth=depth, margin=0.0, megabytes=4)
        for name, each in (first, second)
    }
    for number in range(games):
        names = (first[0], second[0]) if number % 2 == 0 else (second[0], first[0])
        began = time.monotonic()
        state = opening(first[1], plies, np.random.default_rng([seed, number // 2]))
        for player in players.values():
            player.searcher.forget()
        while (outcome := state.outcome) is None:
            state = state.play(players[names[state.to_move]].choose(state).move)
        score = 0.5 if outcome.winner is None else float(outcome.winner == 0)
        yield Result(
            number=number,
            first=names[0],
            second=names[1],
            opening=number // 2,
            result=score,
            reason=outcome.reason,
            detail="",
            plies=state.ply,
            seconds=round(time.monotonic() - began, 3),
        )


def round_robin(entries: Mapping[str, Evaluation], **match: Any) -> Iterator[Result]:
    """Everybody against everybody else."""
    for first, second in combinations(entries.items(), 2):
        yield from play_match(first, second, **match)
