"""Matches between linear evaluations at equal search depth."""

from __future__ import annotations

import time
from collections.abc import Container, Iterator, Mapping
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from sparring.arena import ArenaGame
from sparring.games import load_game
from sparring.measure.calibration import EngineMover
from sparring.play.match import MAX_PLIES, LockstepGame, play_together
from sparring.players import LearnedPlayer, SearchLimits
from sparring.search.linear_evaluation import LinearEvaluation, random_opening


def sample_opening(evaluation: LinearEvaluation, plies: int, rng: np.random.Generator) -> Any:
    """A state after `plies` random moves, each of which an alpha-beta search would consider."""
    searcher = evaluation.searcher(megabytes=1)
    start = load_game(evaluation.game).initial()
    while True:
        if (state := random_opening(start, searcher, plies, rng)) is not None:
            return state


def play_evaluation_match(
    first: tuple[str, LinearEvaluation],
    second: tuple[str, LinearEvaluation],
    *,
    games: int,
    depth: int,
    plies: int = 8,
    seed: int = 0,
    skip: Container[int] = (),
) -> Iterator[ArenaGame]:
    """Plays a match of two named evaluations; game numbers in `skip` are left out.

    Games come in pairs: one random opening of `plies` moves, colours exchanged. Both search to `depth`.
    """
    rules = load_game(first[1].game)
    players = {
        name: LearnedPlayer(evaluation, SearchLimits(depth=depth), margin=0.0, megabytes=4)
        for name, evaluation in (first, second)
    }
    movers = {name: EngineMover(partial(dict.__getitem__, players, name), rules, seed) for name in players}
    for number in range(games):
        if number in skip:
            continue
        names = (first[0], second[0]) if number % 2 == 0 else (second[0], first[0])
        began = time.monotonic()
        rng = np.random.default_rng([seed, number // 2])
        state = sample_opening(first[1], plies, rng)
        for player in players.values():
            player.searcher.clear()
        game = LockstepGame(number, (movers[names[0]], movers[names[1]]), rng, state)
        (ended,) = play_together([game], max_plies=MAX_PLIES)
        yield ArenaGame(
            number=number,
            first=names[0],
            second=names[1],
            opening=number // 2,
            result=ended.result.first_score,
            reason=ended.result.reason,
            detail="",
            plies=ended.state.ply,
            seconds=round(time.monotonic() - began, 3),
        )


def round_robin(
    entries: Mapping[str, LinearEvaluation],
    done: Container[tuple[frozenset[str], int]],
    *,
    games: int,
    **match: Any,
) -> Iterator[ArenaGame]:
    """Plays a match of every pair of entries, without the games (pair of names, number) in `done`.

    `match` has the keyword arguments of `play_evaluation_match`.
    """
    for first, second in combinations(entries.items(), 2):
        pair = frozenset((first[0], second[0]))
        skip = {number for number in range(games) if (pair, number) in done}
        yield from play_evaluation_match(first, second, games=games, skip=skip, **match)
