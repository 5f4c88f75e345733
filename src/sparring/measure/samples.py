"""Samples: positions of recorded games, by group, phase and kind."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.base.errors import BadFile, NotFound, TruncatedFile
from sparring.games import describe, load_game
from sparring.networks import Position
from sparring.records import GameRecord, PositionFilter, Split, split_of
from sparring.records.presets import default_preset
from sparring.records.readers import RecordedGame, reader_for, stem_of
from sparring.records.record import NO_CLOCK, NO_EVAL
from sparring.records.sources import open_chunks
from sparring.records.statistics import group_name, group_order, rating_bounds

PHASES = ("opening", "middle game", "endgame")


def game_phase(game: str, state: Any, ply: int) -> int:
    """The index in `PHASES` of a state that is so many plies into its game."""
    return describe(game).phases.index(state, ply)


# Selects the games to measure on: of one split, by group, in the order of a hash.


@dataclass(frozen=True)
class PlayedGame:
    """A recorded game, and the plies of it that are measured."""

    record: GameRecord
    identity: int
    group: str
    filter: PositionFilter
    only_player: int | None = None
    """The player whose moves are measured, 0 or 1; None for both."""
    every: int = 1
    """One ply in `every` is measured; the game's hash decides the first."""
    max_plies: int | None = None
    """Maximal number of measured plies, evenly spread over the game."""

    def plies(self, game: str) -> NDArray[np.int64]:
        """The measured plies [n]: without the first ones and those with little time left, by the filter."""
        plies = np.arange(self.record.plies(game))
        counted = plies >= self.filter.skip_plies
        if self.record.clocks is not None:
            clocks = np.frombuffer(self.record.clocks, np.int32)[: len(plies)]
            hurried = (clocks != NO_CLOCK) & (clocks < round(self.filter.min_clock * 10))
            counted[: len(clocks)] &= ~hurried
        if self.every > 1:
            counted &= (plies + self.identity) % self.every == 0
        if self.only_player is not None:
            rules, text = load_game(game), self.record.start
            start = rules.initial() if text is None else rules.parse(text)
            counted &= (plies + start.to_move) % 2 == self.only_player
        chosen = plies[counted]
        if self.max_plies is None or len(chosen) <= self.max_plies:
            return chosen
        return chosen[np.arange(self.max_plies) * len(chosen) // self.max_plies]


@dataclass(frozen=True)
class GameSelection:
    """Which games and positions to select."""

    game: str
    records: tuple[Path, ...]
    """Folders of tables, or files of games."""
    split: Split | None = Split.TEST
    """Split; None for all games."""
    trial: int = 0
    """Seed of the split and of the order of games."""
    groups: tuple[str, ...] = ()
    """Names of the groups; empty for all."""
    positions: int | None = None
    """Maximal positions per group. Games are taken whole; only the first is cut if it is too long."""
    every: int = 1
    """One position in `every` of each game. A larger value gives more games and less correlated positions."""
    player: str | None = None
    """Name of the only player whose moves are measured; None for all players."""
    filter: PositionFilter | None = None
    """Which positions of a game count; None: as the table's preset says, or all of a file."""
    mover_rating: tuple[float, float] | None = None
    """Measures only moves of players whose rating is in this range, both ends included, whoever the opponent
    is; None for all players."""
    by_mover: bool = False
    """Groups moves by the rating of who made them, whoever the opponent is, and not games by both."""


def select(selection: GameSelection) -> list[PlayedGame]:
    """The selected games, group by group. Raises NotFound, BadFile or OSError."""
    inside: dict[tuple[int, int | None], PlayedGame] = {}
    seen = mixed = 0
    for played in _of_movers(selection):
        if played.group == "mixed":
            mixed += 1
            continue
        seen += 1
        if selection.split in (None, split_of(played.identity, selection.trial)):
            # A game may be in two tables.
            inside.setdefault((played.identity, played.only_player), replace(played, every=selection.every))
    where = ", ".join(path.name for path in selection.records)
    if not seen:
        missing = "games of one group to measure on"
        missing += f" ({mixed:,} are between players of different groups)" if mixed else ""
        if selection.player is not None:
            missing = f"games of {selection.player}"
        elif selection.mover_rating is not None:
            missing = "moves of players of {:g} to {:g}".format(*selection.mover_rating)
        raise NotFound(f"{where}: there are no {missing}")
    if not inside:
        raise NotFound(
            f"{where}: none of {seen:,} games is in the {selection.split} split of trial {selection.trial}; "
            "--split all takes every game"
        )
    groups: dict[str, list[PlayedGame]] = {}
    for played in sorted(inside.values(), key=lambda game: _order(game.identity, selection.trial)):
        groups.setdefault(played.group, []).append(played)
    for wanted in selection.groups:
        if wanted not in groups:
            there = ", ".join(sorted(groups, key=group_order))
            raise NotFound(f"{where}: there are no games of group {wanted}; there are {there}")
    names = sorted(selection.groups or groups, key=group_order)
    return [played for name in names for played in _capped(groups[name], selection)]


def _of_movers(selection: GameSelection) -> Iterator[PlayedGame]:
    """The games with a wanted mover, in one group; the moves of the others are not measured."""
    system, name = describe(selection.game).ratings, selection.player
    for played in _read(selection):
        if selection.by_mover:
            for player, rating in enumerate(played.record.ratings(system)):
                if rating is not None:
                    yield replace(played, group=system.format(rating), only_player=player)
            continue
        if name is not None:
            group, wanted = f"player {name}", [played.record.first == name, played.record.second == name]
        elif selection.mover_rating is not None:
            low, high = selection.mover_rating
            ratings = played.record.ratings(system)
            group = f"{low:g}-{high:g}"
            wanted = [rating is not None and low <= rating <= high for rating in ratings]
        else:
            yield played
            continue
        if any(wanted):
            both = all(wanted) and name is None
            yield replace(played, group=group, only_player=None if both else wanted.index(True))


def _capped(games: list[PlayedGame], selection: GameSelection) -> list[PlayedGame]:
    if selection.positions is None:
        return games
    taken: list[PlayedGame] = []
    total = 0
    for played in games:
        total += len(played.plies(selection.game))
        if total > selection.positions:
            break
        taken.append(played)
    return taken or [replace(games[0], max_plies=selection.positions)]


def _order(identity: int, trial: int) -> bytes:
    """The sort key of a game; independent of the hash of the split."""
    digest = hashlib.blake2b(
        identity.to_bytes(8, "little"), digest_size=8, salt=trial.to_bytes(16, "little"), person=b"matching"
    )
    return digest.digest()


def _read(selection: GameSelection) -> Iterator[PlayedGame]:
    for path in selection.records:
        read = _read_table if path.is_dir() else _read_file
        for played in read(path, selection.game):
            yield played if selection.filter is None else replace(played, filter=selection.filter)


def _read_table(folder: Path, game: str) -> Iterator[PlayedGame]:
    from sparring.records.table import (  # they import pyarrow
        equal_groups,
        position_filter,
        read_manifest,
        read_shards,
        records_of,
    )

    manifest = read_manifest(folder)
    if manifest["game"] != game:
        raise BadFile(f"{folder} holds games of {manifest['game']}, not of {game}")
    counted, equal = position_filter(manifest), equal_groups(manifest)
    bounds = rating_bounds(folder, equal) if equal else []
    for shard in read_shards(folder):
        for record, source in zip(records_of(shard), shard["source"].to_pylist(), strict=True):
            yield _played(game, record, source or "", counted, bounds)


def _read_file(path: Path, game: str) -> Iterator[PlayedGame]:
    """The games of a file; broken games are left out, as in a table."""
    preset = default_preset(game)
    read = reader_for(path, game)
    try:
        for parsed in read(open_chunks(path), 0):
            if parsed.record is not None and not parsed.defect and not preset.rejection_reason(parsed.record):
                yield _played(game, parsed.record, path.name, preset.positions, [])
    except TruncatedFile as error:
        raise NotFound(f"{path}: {error}") from None


def _played(
    game: str, record: GameRecord, source: str, counted: PositionFilter, bounds: list[float]
) -> PlayedGame:
    group = group_name(
        record.first_rating, record.second_rating, record.first_rank, record.second_rank, bounds=bounds
    )
    if group == "unknown":
        group = stem_of(Path(source)) if source else "all"
    return PlayedGame(record, record.identity(game), group, counted)


# Samples: positions of people's games with metadata.


METADATA_DTYPE = np.dtype(
    [
        ("game", np.int32),  # index of the game
        ("ply", np.int32),
        ("mover", np.int8),
        ("phase", np.int8),
        ("legal", np.int16),  # number of legal moves
        ("played", np.int16),  # index of the move played among them
        ("rating", np.float32),  # of the mover; NaN where unknown, here and below
        ("clock", np.float32),  # the mover's seconds before the move
        ("evaluation", np.float32),  # centipawns for the mover before the move
        ("swing", np.float32),  # change of the evaluation by the move
    ]
)
_MOST_CENTIPAWNS = 1000
"""Evaluations are clipped to this: larger ones say little about a person's move."""


@dataclass(frozen=True)
class Sample:
    """Positions in which people moved. Metadata are in memory; positions are made on demand."""

    game: str
    games: tuple[PlayedGame, ...]
    metadata: NDArray[np.void]
    """[positions] of `METADATA_DTYPE`, game after game."""

    def __len__(self) -> int:
        return len(self.metadata)

    @property
    def groups(self) -> list[str]:
        """The names of the groups in order."""
        return list(dict.fromkeys(played.group for played in self.games))

    @property
    def group_of_game(self) -> NDArray[np.int64]:
        """[games]: index of each game's group."""
        place = {name: i for i, name in enumerate(self.groups)}
        return np.array([place[played.group] for played in self.games])

    def batches(self, begin: int, size: int) -> Iterator[tuple[int, list[Position]]]:
        """Yields (index of the first, positions): the positions from `begin` on, `size` at a time."""
        begins = np.searchsorted(self.metadata["game"], np.arange(len(self.games)))
        first = int(np.searchsorted(begins, begin, side="right")) - 1
        waiting: list[Position] = []
        for number in range(first, len(self.games)):
            skipped = begin - int(begins[first]) if number == first else 0
            waiting += extract_positions(self.game, self.games[number], number)[0][skipped:]
            while len(waiting) >= size:
                yield begin, waiting[:size]
                begin, waiting = begin + size, waiting[size:]
        if waiting:
            yield begin, waiting

    def digest(self) -> str:
        """A hash of the games, groups and measured positions."""
        hashed = hashlib.sha256(self.metadata.tobytes() + describe(self.game).numbering_tag)
        for played in self.games:
            hashed.update(played.identity.to_bytes(8, "little") + played.group.encode())
        return hashed.hexdigest()


def read_sample(selection: GameSelection) -> Sample:
    """The sample of a selection. Raises NotFound, BadFile or OSError."""
    games = select(selection)
    parts = [extract_positions(selection.game, played, number)[1] for number, played in enumerate(games)]
    metadata = np.concatenate(parts)
    if not len(metadata):
        raise NotFound(
            f"none of the positions of {len(games):,} games counts: games are too short or clocks too low"
        )
    # Games without measured positions must not take part in resampling.
    kept, renumbered = np.unique(metadata["game"], return_inverse=True)
    metadata["game"] = renumbered
    return Sample(selection.game, tuple(games[i] for i in kept), metadata)


def extract_positions(game: str, played: PlayedGame, number: int) -> tuple[list[Position], NDArray[np.void]]:
    """The measured positions of a game, and their metadata [positions] of `METADATA_DTYPE`.

    Positions in which the rules had ended the game are left out. Raises BadFile.
    """
    record = played.record
    states = RecordedGame(game, record).states
    clocks = None if record.clocks is None else np.frombuffer(record.clocks, np.int32)
    evals = None if record.evals is None else np.frombuffer(record.evals, np.int16)
    strengths = record.ratings(describe(game).ratings)
    positions, rows = [], []
    for ply in played.plies(game).tolist():
        state = states[ply]
        legal = state.legal_moves()
        move = states[ply + 1].last_move
        if move not in legal:  # the rules had ended the game by then, but people played on
            continue
        mover = state.to_move
        clock = None if clocks is None or ply < 2 or clocks[ply - 2] < 0 else float(clocks[ply - 2]) / 10
        positions.append(Position(state, strengths[mover], strengths[1 - mover], clock))
        before, after = _seen(evals, ply - 1, mover), _seen(evals, ply, mover)
        rating, seconds = (np.nan if value is None else value for value in (strengths[mover], clock))
        phase, played_index = game_phase(game, state, ply), legal.index(move)
        rows.append(
            (number, ply, mover, phase, len(legal), played_index, rating, seconds, before, after - before)
        )
    return positions, np.array(rows, METADATA_DTYPE)


def _seen(evals: NDArray[np.int16] | None, ply: int, mover: int) -> float:
    """The evaluation after a ply in centipawns for the mover; 0 before the first ply, NaN if unknown."""
    if evals is None or ply >= len(evals):
        return np.nan
    if ply < 0:
        return 0.0
    if evals[ply] == NO_EVAL:
        return np.nan
    value = float(np.clip(evals[ply], -_MOST_CENTIPAWNS, _MOST_CENTIPAWNS))
    return value if mover == 0 else -value
