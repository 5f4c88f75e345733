"""Evidence of people's games for the rating of a player, and the positions that tell most about it."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sparring.base.storage import atomic_write
from sparring.measure.strength import GameEvidence, collect_evidence
from sparring.networks.codec import PositionBatch
from sparring.policies import Policy, load_policy
from sparring.policies.policy import Array, clipped_log, predict_batch, segment_sum
from sparring.records import Split, open_records
from sparring.records.readers import RecordedGame

RATINGS = (600, 950, 1300, 1650, 2000, 2300, 2600)
"""Ratings that the policy is told."""
FEW = 20
"""Players with at least so many games give the errors by number of games."""


def wanted_games(records: Sequence[Path], players: int, games: int) -> list[RecordedGame]:
    """The rated games outside the training split, and up to `games` games of each of up to `players` players
    with at least `FEW`, in the order of a hash."""
    rated = [
        game
        for path in records
        for game in open_records(path)
        if None not in game.ratings and len(game) >= 20
    ]
    often = Counter(name for game in rated for name in game.players if name)
    chosen = sorted((name for name, count in often.items() if count >= FEW), key=_hash)[:players]
    taken = dict.fromkeys(chosen, 0)
    found = []
    for game in sorted(rated, key=lambda each: _hash(each.id)):
        of_players = [name for name in game.players if name in taken and taken[name] < games]
        if game.split() is Split.TRAIN and not of_players:
            continue
        for name in of_players:
            taken[name] += 1
        found.append(game)
    return found


def evidence_rows(
    games: Sequence[RecordedGame], backend: str, batch: int, on_done: Callable[[int], None]
) -> Iterator[dict[str, Any]]:
    """A row for each player of each game: id, player, name, rating, opponent's rating, split, evidence."""
    human, strong = (load_policy(name, "chess", backend=backend, batch=batch) for name in ("human", "strong"))
    found = collect_evidence(human, strong, games, RATINGS)
    for done, (game, sides) in enumerate(zip(games, found, strict=True), 1):
        for player, evidence in enumerate(sides):
            if evidence is not None:
                yield _row(game, player, evidence)
        on_done(done)


def _row(game: RecordedGame, player: int, evidence: GameEvidence) -> dict[str, Any]:
    score = game.result if player == 0 or game.result is None else 1 - game.result
    return {
        "id": game.id,
        "player": player,
        "name": game.players[player],
        "rating": game.ratings[player],
        "opponent": game.ratings[1 - player],
        "score": score,
        "speed": game.record.speed,
        "split": str(game.split()),
        "moves": evidence.moves,
        "curve": [round(float(each), 3) for each in evidence.curve],
        "features": [round(float(feature), 3) for feature in evidence.features],
    }


def spread_over_ratings(games: Sequence[RecordedGame], each: int, width: int = 200) -> list[RecordedGame]:
    """At most `each` games of every `width` points of the first player's rating: most people have a few
    ratings."""
    counts: Counter[int] = Counter()
    found = []
    for game in games:
        band = int((game.ratings[0] or 0) // width)
        counts[band] += 1
        if counts[band] <= each:
            found.append(game)
    return found


def informative_positions(
    human: Policy, games: Sequence[RecordedGame], keep: int, every: int = 3
) -> list[dict[str, Any]]:
    """The positions of these games in which people's moves differ most by rating.

    The measure is the mean of KL(p_1000 || p_2200) and KL(p_2200 || p_1000) of the policy's moves. At most
    one position of a game is kept.
    """
    best: list[tuple[float, dict[str, Any]]] = []
    for start in range(0, len(games), 50):
        entries = [
            (game, position)
            for game in games[start : start + 50]
            for position in list(game.positions(skip_plies=8))[::every]
            if len(position.state.legal_moves()) > 1
        ]
        if not entries:
            continue
        states = [each.state for _, each in entries]
        divergence = _divergence(human, states)
        top: dict[str, tuple[float, int]] = {}
        for index, (game, _) in enumerate(entries):
            top[game.id] = max(top.get(game.id, (-1.0, 0)), (float(divergence[index]), index))
        for value, index in top.values():
            game, each = entries[index]
            mover = each.state.to_move
            best.append((value, {
                "game": game.id,
                "start": game.record.start,
                "moves": game.moves[: each.ply],
                "played": each.move_text,
                "rating": game.ratings[mover],
                "divergence": round(value, 4),
            }))  # fmt: skip
    best.sort(key=lambda pair: -pair[0])
    return [facts for _, facts in best[:keep]]


def _divergence(human: Policy, states: list[Any]) -> Array:
    from sparring.games import describe

    batch = describe(human.game).states_class(states)
    unknown = np.full(len(states), np.nan)
    logs, offsets = [], None
    for rating in (1000, 2200):
        found = predict_batch(human, PositionBatch(batch, np.full((len(states), 2), rating), unknown))
        logs.append(clipped_log(found.probabilities))
        offsets = found.offsets
    assert offsets is not None
    found_both: Array = segment_sum((np.exp(logs[0]) - np.exp(logs[1])) * (logs[0] - logs[1]), offsets) / 2
    return found_both


def write_lines(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Writes rows as gzipped lines of JSON."""
    text = "".join(json.dumps(row) + "\n" for row in rows)
    atomic_write(path, gzip.compress(text.encode(), mtime=0))


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Reads a file of `write_lines`."""
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=8).digest()
