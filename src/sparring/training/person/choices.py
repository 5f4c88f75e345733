"""A person's games, found by name in recorded games, and their choices: for each position in which they
moved, the likeliest moves with their features.
"""

from __future__ import annotations

import datetime
import difflib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring.base.errors import BadFile, NotFound
from sparring.games import describe, load_game
from sparring.measure.samples import game_phase
from sparring.networks.codec import Codec
from sparring.networks.conditioned import ConditionedCodec
from sparring.networks.network import open_session
from sparring.networks.style import FEATURES, move_features, with_features
from sparring.policies.person import graph_digest, read_styled, style_digest
from sparring.policies.repertoire import MAX_PLY, canonical
from sparring.records import GameRecord, open_records
from sparring.records.readers import RecordedGame

_SHOWN = 5


@dataclass(frozen=True)
class PersonGames:
    """The games of one person, earliest first. Games of one day are in the order of the file."""

    name: str
    game: str
    records: tuple[GameRecord, ...]
    sides: tuple[int, ...]
    """[games]: the player, 0 or 1, that the person was."""

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, which: slice) -> PersonGames:
        return PersonGames(self.name, self.game, self.records[which], self.sides[which])

    def take(self, which: Sequence[int] | NDArray[np.integer]) -> PersonGames:
        """The games with these indices."""
        rows = [int(i) for i in which]
        return PersonGames(
            self.name, self.game, tuple(self.records[i] for i in rows), tuple(self.sides[i] for i in rows)
        )

    @property
    def identities(self) -> NDArray[np.uint64]:
        """[games]: hashes of the games."""
        return np.array([record.identity(self.game) for record in self.records], np.uint64)

    @property
    def dates(self) -> tuple[str, str]:
        """The first and the last date; empty if unknown."""
        known = sorted(record.date for record in self.records if record.date is not None)
        return (known[0].isoformat(), known[-1].isoformat()) if known else ("", "")

    def ratings(self) -> NDArray[np.float64]:
        """[games, 2]: recorded ratings of the person and of the opponent; NaN if unknown."""
        system = describe(self.game).ratings
        pairs = [record.ratings(system) for record in self.records]
        rows = [pair if side == 0 else pair[::-1] for pair, side in zip(pairs, self.sides, strict=True)]
        return np.array(rows, np.float64).reshape(-1, 2)


def read_person_games(paths: Sequence[Path], game: str, name: str) -> PersonGames:
    """All games of a person in files and tables. Letters of either case are the same if only one name
    matches.

    Raises NotFound, BadFile or OSError."""
    records = [recorded.record for path in paths for recorded in open_records(path, game)]
    names = Counter(player for record in records for player in (record.first, record.second) if player)
    if name not in names:
        same = [other for other in names if other.casefold() == name.casefold()]
        if len(same) != 1:
            raise NotFound(_complaint(name, names, len(records)))
        name = same[0]
    return person_games(records, game, name)


def person_games(records: Iterable[GameRecord], game: str, name: str) -> PersonGames:
    """The games of a name, each once, earliest first. Games against oneself are left out."""
    rows: list[tuple[datetime.date, int, GameRecord, int]] = []
    seen: set[int] = set()
    for number, record in enumerate(records):
        if (name == record.first) == (name == record.second):
            continue
        identity = record.identity(game)
        if identity not in seen and record.plies(game):
            seen.add(identity)
            side = 0 if record.first == name else 1
            rows.append((record.date or datetime.date.min, number, record, side))
    rows.sort(key=lambda row: row[:2])
    return PersonGames(name, game, tuple(row[2] for row in rows), tuple(row[3] for row in rows))


def _complaint(name: str, names: Counter[str], games: int) -> str:
    if not names:
        return f"there is no game of '{name}': no player has a name in {games:,} games"
    folded = {other.casefold(): other for other in names}
    near = [folded[other] for other in difflib.get_close_matches(name.casefold(), folded, _SHOWN, 0.5)]
    if near:
        listed = ", ".join(f"{other} ({names[other]:,})" for other in near)
        return f"there is no game of '{name}'; the nearest names are {listed}"
    most = ", ".join(f"{other} ({count:,})" for other, count in names.most_common(_SHOWN))
    return f"there is no game of '{name}'; the names with the most games are {most}"


Array = NDArray[np.float64]
LegalMoves: TypeAlias = tuple[NDArray[np.uint16], NDArray[np.uint16], NDArray[np.int64], NDArray[np.int32]]
"""Legal moves of positions, their labels, their offsets, and the index of the move played."""
CANDIDATES = 24
"""Moves of a position that are kept: the move played first, then the likeliest. One more stands for all
others."""
_LEAST = -40.0
"""Log-probability of an empty place."""
_NO_LABEL = 0xFFFF
_SHARPNESS = 0.1
"""Prior standard deviation of the sharpness if there is no style network, which has its own."""


@dataclass(frozen=True)
class PersonChoices:
    """Positions [n] of one person's games, game after game, with m = CANDIDATES + 1 candidates each."""

    logs: NDArray[np.float32]
    """[n, m]: log-probabilities of the base. The move played is the first, all other moves together the
    last."""
    features: NDArray[np.float32]
    """[n, m, 1 + d]: the scaled log-probability (sharpness), then the style features; 0 for the last."""
    game: NDArray[np.int64]
    """[n]: index of the game."""
    ply: NDArray[np.int64]
    phase: NDArray[np.int64]
    keys: NDArray[np.uint64]
    """[n]: canonical key of the position, 0 from `MAX_PLY` on."""
    images: NDArray[np.int64]
    """[n, m]: images of the moves in the canonical position, -1 for none."""

    def __len__(self) -> int:
        return len(self.logs)

    def take(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> PersonChoices:
        """The positions with these indices."""
        return PersonChoices(*(column[rows] for column in vars(self).values()))

    @staticmethod
    def join(parts: list[PersonChoices]) -> PersonChoices:
        """The positions of all parts, in order."""
        columns = zip(*(vars(part).values() for part in parts), strict=True)
        return PersonChoices(*map(np.concatenate, columns))


class ChoiceReader:
    """Runs a base network over a person's positions, once. Raises BadFile or OSError."""

    def __init__(
        self, base: str, game: str, *, backend: str = "onnxruntime", threads: int = 1, batch: int = 64
    ) -> None:
        from sparring.networks.formats import make_codec

        graph, card, style = read_styled(base, game)
        codec: Codec = make_codec(card)
        if not isinstance(codec, ConditionedCodec):
            raise BadFile(f"{base} is not a network of people's moves")
        self.base, self.game, self.style = base, game, style
        """`style` is None if the base has no style network: people then differ in sharpness and
        repertoire."""
        self.sharpness = _SHARPNESS if style is None else float(style.sharpness[0])
        self.codec = codec
        self.digests = ("", "") if style is None else (graph_digest(graph), style_digest(style))
        self._batch = batch
        self._session = open_session(
            graph if style is None else with_features(graph, style), backend, threads
        )

    def read(
        self,
        games: PersonGames,
        *,
        every: int = 1,
        offset: float = 0.0,
        on_progress: Callable[[int], None] = lambda _: None,
    ) -> PersonChoices:
        """The choices of all games, one position in `every`. `offset` is added to the person's recorded
        ratings."""
        parts = []
        for part in self._batches(games, every, offset):
            parts.append(part)
            on_progress(int(part.game[-1]) + 1 if len(part) else 0)
        return PersonChoices.join(parts)

    def _batches(self, games: PersonGames, every: int, offset: float) -> Iterator[PersonChoices]:
        samples = unpack(self.codec, games)
        mine = np.flatnonzero(samples.movers == np.array(games.sides)[samples.games])
        mine = mine[(samples.plies[mine] // 2 + samples.games[mine]) % every == 0]
        ratings = games.ratings()
        own = ratings[:, 0] + offset
        spec = self.codec.input_spec
        states: dict[int, list[Any]] = {}
        for begin in range(0, len(mine), self._batch):
            which = mine[begin : begin + self._batch]
            planes, moves, labels, offsets, _, played, _ = samples.encode(
                which, spec.encoding, spec.history, None
            )
            numbers = samples.games[which]
            other = np.where(np.isnan(ratings[numbers, 1]), own[numbers], ratings[numbers, 1])
            komi = self.codec.komi(partial(plain, samples, which))
            context = spec.context(own[numbers], other, np.full(len(which), np.nan), komi)
            outputs = self._session.run({"planes": planes, "context": context})
            states = {  # games come one after the other: those of the last batch are enough
                number: states.get(number) or RecordedGame(self.game, games.records[number]).states
                for number in sorted(set(numbers.tolist()))
            }
            places = zip(numbers.tolist(), samples.plies[which].tolist(), strict=True)
            here = [states[number][ply] for number, ply in places]
            yield self._choices(outputs, here, numbers, (moves, labels, offsets, played))

    def _choices(
        self,
        outputs: dict[str, NDArray[np.float32]],
        states: list[Any],
        games: NDArray[np.int64],
        legal: LegalMoves,
    ) -> PersonChoices:
        """The choices in some positions."""
        logs, table, codes = _likeliest(outputs["policy"], legal)
        real = table >= 0
        rest = 1 - np.exp(logs).sum(axis=1, where=real)
        logs = np.column_stack([logs, np.log(np.maximum(rest, np.exp(_LEAST)))])
        d = 0 if self.style is None else self.style.dimensions
        features = np.zeros((*logs.shape, 1 + d), np.float32)
        features[:, :, 0] = np.maximum(logs, -12) * self.sharpness
        if self.style is not None:
            rows, places = np.nonzero(real)
            moved = table[rows, places]
            features[rows, places, 1:] = move_features(self.style, outputs[FEATURES], rows, moved)
        keys, images = _images(states, codes)
        plies = np.array([state.ply for state in states], np.int64)
        phases = np.array([game_phase(self.game, state, state.ply) for state in states], np.int64)
        choices = PersonChoices(logs.astype(np.float32), features, games, plies, phases, keys, images)
        return choices.take(np.flatnonzero(real[:, 0]))  # a move without a label cannot be predicted


def plain(samples: Any, which: NDArray[np.int64], encoding: str) -> NDArray[Any]:
    """Positions in an encoding, [n, ...]."""
    planes: NDArray[Any] = samples.encode(which, encoding, 1, None)[0]
    return planes


def _likeliest(
    policy: NDArray[np.float32], legal: LegalMoves
) -> tuple[Array, NDArray[np.int64], NDArray[np.int64]]:
    """Log-probabilities, labels and codes of the candidates, [n, CANDIDATES] each; labels are -1 for none."""
    moves, labels, offsets, played = legal
    table, codes = _table(labels, offsets), _table(moves, offsets)
    table[table == _NO_LABEL] = -1
    logits = np.take_along_axis(policy, np.clip(table, 0, policy.shape[1] - 1), axis=1).astype(np.float64)
    logits[table < 0] = -np.inf
    logs = logits - logits.max(axis=1, keepdims=True)
    logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
    order = logs.copy()
    order[np.arange(len(order)), played] = np.inf  # the move played is the first
    places = np.argsort(-order, axis=1, kind="stable")[:, :CANDIDATES]
    logs, table, codes = (np.take_along_axis(column, places, axis=1) for column in (logs, table, codes))
    wide = ((0, 0), (0, CANDIDATES - places.shape[1]))
    logs = np.pad(np.maximum(logs, _LEAST), wide, constant_values=_LEAST)
    table, codes = (np.pad(column, wide, constant_values=-1) for column in (table, codes))
    return logs, table, codes


def unpack(codec: ConditionedCodec, games: PersonGames) -> Any:
    """The native samples of all positions of some games."""
    usual = load_game(games.game).initial().text()
    return codec.samples_class.unpack(
        [usual if record.start is None else record.start for record in games.records],
        [record.moves for record in games.records],
        [None] * len(games),
        np.zeros((len(games), 2), np.int64),
        describe(games.game).packed_move_bytes,
    )


def _images(states: list[Any], codes: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Canonical keys [n], and the images [n, m] of moves [n, m - 1]."""
    keys = np.zeros(len(states), np.uint64)
    images = np.full((len(states), codes.shape[1] + 1), -1, np.int64)
    for row, state in enumerate(states):
        if state.ply < MAX_PLY:
            key, turned = canonical(state)
            keys[row] = key
            place = dict(zip(state.legal_moves(), turned.tolist(), strict=True))
            images[row, :-1] = [place.get(code, -1) for code in codes[row].tolist()]
    return keys, images


def _table(values: NDArray[np.generic], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Segments as rows [n, longest], -1 beyond their ends."""
    sizes = np.diff(offsets)
    table = np.full((len(sizes), int(sizes.max())), -1, np.int64)
    table[np.arange(table.shape[1]) < sizes[:, None]] = values
    return table
