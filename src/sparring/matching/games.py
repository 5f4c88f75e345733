"""Selects the games to measure on: of one split, by group, in the order of a hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sparring.games import describe, load_game
from sparring.records import BadTable, GameRecord, PositionFilter, Split, records_of, split_of
from sparring.records.presets import default_preset
from sparring.records.readers import reader_for, stem_of
from sparring.records.statistics import group_name, group_order, rating_bounds
from sparring.records.streams import TruncatedFile, open_chunks
from sparring.records.table import equal_groups, position_filter, read_manifest, read_shards

_NO_CLOCK = -1


class NoGames(Exception):
    """No game was selected; the message says why."""


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
            hurried = (clocks != _NO_CLOCK) & (clocks < round(self.filter.min_clock * 10))
            counted[: len(clocks)] &= ~hurried
        if self.every > 1:
            counted &= (plies + self.identity) % self.every == 0
        if self.only_player is not None:
            start = (
                load_game(game).initial()
                if self.record.start is None
                else load_game(game).parse(self.record.start)
            )
            counted &= (plies + start.to_move) % 2 == self.only_player
        found = plies[counted]
        if self.max_plies is None or len(found) <= self.max_plies:
            return found
        return found[np.arange(self.max_plies) * len(found) // self.max_plies]


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
    mover_rating: tuple[float, float] | None = None
    """Measures only moves of players whose rating is in this range, both ends included, whoever the opponent
    is; None for all players."""


def select(selection: GameSelection) -> list[PlayedGame]:
    """The selected games, group by group. Raises NoGames, BadTable, UnsupportedFormat or OSError."""
    inside: dict[int, PlayedGame] = {}
    seen = mixed = 0
    for played in _of_movers(selection):
        if played.group == "mixed":
            mixed += 1
            continue
        seen += 1
        if selection.split in (None, split_of(played.identity, selection.trial)):
            # A game may be in two tables.
            inside.setdefault(played.identity, replace(played, every=selection.every))
    where = ", ".join(path.name for path in selection.records)
    if not seen and selection.player is not None:
        raise NoGames(f"{where}: there are no games of {selection.player}")
    if not seen and selection.mover_rating is not None:
        low, high = selection.mover_rating
        raise NoGames(f"{where}: there are no moves of players of {low:g} to {high:g}")
    if not seen:
        between = f" ({mixed:,} are between players of different groups)" if mixed else ""
        raise NoGames(f"{where}: there are no games of one group to measure on{between}")
    if not inside:
        raise NoGames(
            f"{where}: none of {seen:,} games is in the {selection.split} split of trial {selection.trial}; "
            "--split all takes every game"
        )
    groups: dict[str, list[PlayedGame]] = {}
    for played in sorted(inside.values(), key=lambda each: _order(each.identity, selection.trial)):
        groups.setdefault(played.group, []).append(played)
    for wanted in selection.groups:
        if wanted not in groups:
            there = ", ".join(sorted(groups, key=group_order))
            raise NoGames(f"{where}: there are no games of group {wanted}; there are {there}")
    names = sorted(selection.groups or groups, key=group_order)
    return [played for name in names for played in _capped(groups[name], selection)]


def _of_movers(selection: GameSelection) -> Iterator[PlayedGame]:
    if selection.player is not None:
        return _of_player(selection, selection.player)
    if selection.mover_rating is not None:
        return _of_class(selection, *selection.mover_rating)
    return _read(selection)


def _of_class(selection: GameSelection, low: float, high: float) -> Iterator[PlayedGame]:
    """The games with a player of the class, in one group; the moves of the others are not measured."""
    system = describe(selection.game).ratings
    for played in _read(selection):
        inside = [rating is not None and low <= rating <= high for rating in played.record.ratings(system)]
        if any(inside):
            only = None if all(inside) else inside.index(True)
            yield replace(played, group=f"{low:g}-{high:g}", only_player=only)


def _of_player(selection: GameSelection, name: str) -> Iterator[PlayedGame]:
    for played in _read(selection):
        names = (played.record.first, played.record.second)
        if name in names:
            yield replace(played, group=f"player {name}", only_player=names.index(name))


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
        yield from _read_table(path, selection.game) if path.is_dir() else _read_file(path, selection.game)


def _read_table(folder: Path, game: str) -> Iterator[PlayedGame]:
    manifest = read_manifest(folder)
    if manifest["game"] != game:
        raise BadTable(f"{folder} holds games of {manifest['game']}, not of {game}")
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
        for found in read(open_chunks(path), 0):
            if found.record is not None and not found.defect and not preset.rejection_reason(found.record):
                yield _played(game, found.record, path.name, preset.positions, [])
    except TruncatedFile as error:
        raise NoGames(f"{path}: {error}") from None


def _played(
    game: str, record: GameRecord, source: str, counted: PositionFilter, bounds: list[float]
) -> PlayedGame:
    group = group_name(
        record.first_rating, record.second_rating, record.first_rank, record.second_rank, bounds=bounds
    )
    if group == "unknown":
        group = stem_of(Path(source)) if source else "all"
    return PlayedGame(record, record.identity(game), group, counted)
