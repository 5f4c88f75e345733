"""The opening book of Expendibots: built by search, symmetry removed, and read.

Positions that are turned, mirrored or colour-swapped images of one another have one entry, under the key of
the image that stands for all of them. A file is two arrays: keys in ascending order, and those images' moves.
"""

from __future__ import annotations

import heapq
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sparring import data
from sparring._core import ExpendibotsSearch, ExpendibotsState
from sparring.games import Move
from sparring.games.expendibots import Expendibots
from sparring.players.book import BadBook
from sparring.storage import atomic_writer

SHIPPED_BOOK = data.path("books", "expendibots")


class ExpendibotsBook:
    """A book that was read."""

    def __init__(self, entries: Mapping[int, Move], origin: Mapping[str, Any]) -> None:
        self.entries = dict(entries)
        self.origin = dict(origin)

    def move(self, state: ExpendibotsState) -> Move | None:
        """The book's move, where it has one that is legal: keys of 64 bits may meet by chance."""
        stored = self.entries.get(state.canonical_key)
        if stored is None:
            return None
        move = state.from_canonical(stored)
        return move if move in state.legal_moves() else None

    def moves(self, state: ExpendibotsState) -> dict[Move, float]:
        """As `sparring.players.book.Book` has it, for whoever learns with a book."""
        move = self.move(state)
        return {} if move is None else {move: 1.0}


def open_expendibots_book(path: Path = SHIPPED_BOOK) -> ExpendibotsBook:
    """The book of a file. Raises BadBook or OSError."""
    try:
        with np.load(path, allow_pickle=False) as file:
            keys, moves, origin = (file[name] for name in ("keys", "moves", "origin"))
        entries = dict(zip(keys.tolist(), moves.tolist(), strict=True))
        return ExpendibotsBook(entries, json.loads(str(origin)))
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise BadBook(f"{path} is no book of Expendibots: {error}") from None


def write_book(book: ExpendibotsBook, path: Path) -> None:
    """Writes a file that `open_expendibots_book` reads, whole or not at all."""
    keys = np.array(sorted(book.entries), np.uint64)
    moves = np.array([book.entries[key] for key in keys.tolist()], np.uint16)
    with atomic_writer(path) as part, part.open("wb") as file:
        np.savez_compressed(file, keys=keys, moves=moves, origin=np.array(json.dumps(book.origin)))


@dataclass(frozen=True)
class BookConfig:
    """How a book is built."""

    positions: int = 400
    """In which the book moves."""
    nodes: int = 1_000_000
    """Of the search for each of them."""
    reply_nodes: int = 100_000
    """Of the search that says which replies to prepare for."""
    margin: float = 20.0
    """Replies that are worse than the best by more of 100 are not prepared for."""
    plies: int = 12


@dataclass(order=True)
class _Waiting:
    """A position in which the book is to move; the likeliest first."""

    cost: float
    """What the other side has given away on the way here, and a little for each ply."""
    number: int
    state: ExpendibotsState = field(compare=False)


def build_book(
    search: ExpendibotsSearch, config: BookConfig, known: dict[int, Move]
) -> Iterator[tuple[int, Move]]:
    """The entries one by one, likeliest first, for either side; what is known is not searched again."""
    waiting: list[_Waiting] = []
    seen: set[int] = set()

    def add(state: ExpendibotsState, cost: float) -> None:
        if state.outcome is None and state.ply < config.plies and state.canonical_key not in seen:
            seen.add(state.canonical_key)
            heapq.heappush(waiting, _Waiting(cost, len(seen), state))

    start = Expendibots().initial()
    add(start, 0.0)
    for reply, cost in _replies(search, start, config):
        add(start.play(reply), cost)
    for _ in range(config.positions):
        if not waiting:
            return
        at = heapq.heappop(waiting)
        key = at.state.canonical_key
        if key in known:
            move = at.state.from_canonical(known[key])
        else:
            search.clear()
            move = search.analyse(at.state, nodes=config.nodes).moves[0][0]
        yield key, at.state.to_canonical(move)
        after = at.state.play(move)
        if after.outcome is None:
            for reply, cost in _replies(search, after, config):
                add(after.play(reply), at.cost + cost + 1.0)


def _replies(
    search: ExpendibotsSearch, state: ExpendibotsState, config: BookConfig
) -> Iterator[tuple[Move, float]]:
    """Moves worth preparing for, and how much worse than the best they are."""
    search.clear()
    found = search.analyse(state, nodes=config.reply_nodes, margin=config.margin)
    for move, value in found.moves:
        if value >= found.value - config.margin:
            yield move, found.value - value
