"""Experiment 1: games between searches with different Theta, all pairs in lockstep."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sparring.arena.results import ArenaGame
from sparring.base.storage import atomic_write, read_journal
from sparring.games import load_game
from sparring.measure.calibration import PolicyMover
from sparring.play.match import LockstepGame, play_together
from sparring.players.player_config import PlayerConfig
from sparring.policies import Policy

MAX_PLIES = 400
"""A longer game is drawn."""
_CHECKPOINT_PLIES = 8
"""Plies between two checkpoints of the games in progress."""


@dataclass(frozen=True)
class Pairing:
    """A game of a pair that is to be played."""

    first: str
    second: str
    number: int
    """Number among the games of the pair; with an odd number the second player has White."""

    @property
    def sides(self) -> tuple[str, str]:
        """The players of White and Black."""
        return (self.second, self.first) if self.number % 2 else (self.first, self.second)


def play_pairings(
    policies: Mapping[str, Policy],
    players: Mapping[str, PlayerConfig],
    pairings: Sequence[Pairing],
    seed: int,
    *,
    max_plies: int = MAX_PLIES,
    checkpoint: Path | None = None,
) -> Iterator[ArenaGame]:
    """Plays games at the same time and yields results as games end.

    `policies` and `players` are by name. A player's searches of all its games share network batches. Draws by
    repetition and by the 50-move rule end a game. Moves are drawn as `SearchPlayer` draws them. The seed
    makes the same games, whichever are played together.

    `checkpoint` is a file of the games in progress, from which a stopped run goes on. Without it the games
    that a run finishes are the short ones.
    """
    rules = load_game("chess", claim_draws=True)
    places = {name: place for place, name in enumerate(sorted(players))}
    movers = {name: PolicyMover(config, policies[name]) for name, config in players.items()}
    saved = _read_checkpoint(checkpoint)
    running = []
    for index, each in enumerate(pairings):
        rng = np.random.default_rng([seed, places[each.first], places[each.second], each.number])
        white, black = each.sides
        game = LockstepGame(index, (movers[white], movers[black]), rng, rules.initial())
        if each in saved:
            _resume(game, saved[each])
        running.append(game)
    limit = 0
    while running:
        limit = min(limit + _CHECKPOINT_PLIES, max_plies)
        behind = [game for game in running if game.plies < limit]
        for game in play_together(behind, max_plies=limit):
            if game.ended(max_plies):
                pairing, end = pairings[game.number], game.result
                yield ArenaGame(
                    pairing.number, *pairing.sides, 0, end.first_score, end.reason, "", game.plies, 0.0
                )
        running = [game for game in running if not game.ended(max_plies)]
        if checkpoint is not None:
            _write_checkpoint(checkpoint, [(pairings[game.number], game) for game in running])


def _write_checkpoint(path: Path, games: Sequence[tuple[Pairing, LockstepGame]]) -> None:
    lines = [json.dumps({"pairing": asdict(each), **_progress(game)}) for each, game in games]
    atomic_write(path, "".join(f"{line}\n" for line in lines))


def _read_checkpoint(path: Path | None) -> dict[Pairing, dict[str, Any]]:
    return {Pairing(**row["pairing"]): row for row in (read_journal(path) if path is not None else [])}


def _progress(game: LockstepGame) -> dict[str, Any]:
    moves, state = [], game.state
    while state.last_move is not None:
        moves.append(state.last_move)
        state = state.previous
    return {"moves": moves[::-1], "rng": game.rng.bit_generator.state}


def _resume(game: LockstepGame, progress: Mapping[str, Any]) -> None:
    """Plays the moves of a checkpoint, and goes on with its random numbers."""
    for move in progress["moves"]:
        game.play(move)
    game.rng.bit_generator.state = progress["rng"]
