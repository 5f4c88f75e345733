"""The opening book of Expendibots: built by search, one entry for all symmetric positions.

Positions that are rotations, reflections or colour swaps of one another share the entry of their canonical
image. A file has two arrays: keys in ascending order, and the moves of the canonical images.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sparring import data
from sparring._core import ExpendibotsState
from sparring.base.errors import BadFile
from sparring.base.storage import atomic_writer, read_npz
from sparring.expendibots.game import Expendibots
from sparring.games import Move, describe
from sparring.games.description import MOVE_NUMBERING
from sparring.search.linear_evaluation import AlphaBetaSearcher

SHIPPED_BOOK = data.path("books", "expendibots")


@dataclass(frozen=True)
class ExpendibotsBook:
    """A book in memory."""

    entries: Mapping[int, Move]
    """Moves by canonical key."""
    origin: Mapping[str, Any]
    """How the book was made."""

    def move(self, state: ExpendibotsState) -> Move | None:
        """The book's move; None if it has none that is legal (two positions may have the same 64-bit key)."""
        stored = self.entries.get(state.canonical_key)
        if stored is None:
            return None
        move = state.from_canonical(stored)
        return move if move in state.legal_moves() else None


def open_expendibots_book(path: Path = SHIPPED_BOOK) -> ExpendibotsBook:
    """The book of a file. Raises BadFile or OSError."""
    try:
        file = read_npz(path)
    except BadFile as error:
        raise BadFile(f"{path} is no book of Expendibots: {error}") from None
    try:
        keys, moves, origin = (file[name] for name in ("keys", "moves", "origin"))
        versions = {MOVE_NUMBERING: int(file[MOVE_NUMBERING])} if MOVE_NUMBERING in file else {}
        describe("expendibots").check_move_numbering(versions)
        entries = dict(zip(keys.tolist(), moves.tolist(), strict=True))
        return ExpendibotsBook(entries, json.loads(str(origin)))
    except BadFile as error:
        raise BadFile(f"{path}: {error}; build the book again") from None
    except (ValueError, KeyError, TypeError) as error:
        raise BadFile(f"{path} is no book of Expendibots: {error}") from None


def write_book(book: ExpendibotsBook, path: Path) -> None:
    """Writes a book atomically."""
    keys = np.array(sorted(book.entries), np.uint64)
    moves = np.array([book.entries[key] for key in keys.tolist()], np.uint16)
    with atomic_writer(path) as part, part.open("wb") as file:
        np.savez_compressed(
            file,
            keys=keys,
            moves=moves,
            origin=np.array(json.dumps(book.origin)),
            move_numbering=np.array(describe("expendibots").move_numbering),
        )


@dataclass(frozen=True)
class BookConfig:
    """Size and search effort of a book."""

    positions: int = 400
    """Positions in which the book has a move."""
    nodes: int = 1_000_000
    """Nodes of the search for each of them."""
    reply_nodes: int = 100_000
    """Nodes of the search that selects the opponent's replies."""
    margin: float = 20.0
    """Replies whose value is further below the best are left out; a win is 100."""
    plies: int = 12


def build_book(
    search: AlphaBetaSearcher, config: BookConfig, known: dict[int, Move]
) -> Iterator[tuple[int, Move]]:
    """Yields entries (canonical key, move) for either side, likeliest first; reuses entries in `known`."""
    waiting: list[tuple[float, int, ExpendibotsState]] = []  # by cost, then in the order of their arrival
    seen: set[int] = set()

    def add(state: ExpendibotsState, cost: float) -> None:
        """`cost` is the value that the opponent has given away, plus 1 for each pair of plies."""
        if state.outcome is None and state.ply < config.plies and state.canonical_key not in seen:
            seen.add(state.canonical_key)
            heapq.heappush(waiting, (cost, len(seen), state))

    start = Expendibots().initial()
    add(start, 0.0)
    for reply, cost in _replies(search, start, config):
        add(start.play(reply), cost)
    for _ in range(config.positions):
        if not waiting:
            return
        cost, _, state = heapq.heappop(waiting)
        key = state.canonical_key
        if key in known:
            move = state.from_canonical(known[key])
        else:
            search.clear()
            move = search.analyse(state, nodes=config.nodes).moves[0][0]
        yield key, state.to_canonical(move)
        after = state.play(move)
        if after.outcome is None:
            for reply, given_away in _replies(search, after, config):
                add(after.play(reply), cost + given_away + 1.0)


def _replies(
    search: AlphaBetaSearcher, state: ExpendibotsState, config: BookConfig
) -> Iterator[tuple[Move, float]]:
    """Replies within the margin, with their distance from the best."""
    search.clear()
    analysis = search.analyse(state, nodes=config.reply_nodes, margin=config.margin)
    for move, value in analysis.moves:
        if value >= analysis.value - config.margin:
            yield move, analysis.value - value
