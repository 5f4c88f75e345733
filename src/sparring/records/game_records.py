"""`open_records`: recorded games of a table, a file or a folder of files, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sparring.base.errors import BadFile, TruncatedFile
from sparring.games import GAMES
from sparring.records.presets import Preset, default_preset
from sparring.records.readers import RecordedGame, RecordedPosition, format_of, formats, reader_for
from sparring.records.record import GameRecord, Reader, Split, record_formats
from sparring.records.sources import open_chunks

_MANIFEST = "manifest.json"


@dataclass(frozen=True)
class GameRecords:
    """A read-only collection of recorded games. Each iteration reads them again, one after the other."""

    game: str
    """Name of the game, such as `chess`."""
    source: Path
    """The folder or the file."""
    skip_plies: int
    """The number of plies at the start that the table's preset leaves out; 0 for files."""
    min_clock: float
    """The least number of seconds left, by the table's preset; 0 for files."""
    _read: Callable[[], Iterator[GameRecord]] = field(repr=False)
    _count: int | None = field(repr=False)

    def __iter__(self) -> Iterator[RecordedGame]:
        return (RecordedGame(self.game, record) for record in self._read())

    def __len__(self) -> int:
        """The number of games of a table. Raises TypeError for files, which must be read to be counted."""
        if self._count is None:
            raise TypeError(f"{self.source} is not a table: count its games with sum(1 for _ in records)")
        return self._count

    def positions(
        self,
        split: Split | str | None = None,
        *,
        seed: int = 0,
        ratings: tuple[int, int] | None = None,
        skip_plies: int | None = None,
        min_clock: float | None = None,
    ) -> Iterator[RecordedPosition]:
        """The positions in which people moved, game after game.

        `split` takes the games of one split only: "train", "validation" or "test"; `seed` is the seed of the
        split. `ratings` takes the positions whose mover has a rating from the first number to below the
        second. `skip_plies` and `min_clock` are those of `RecordedGame.positions`; by default the preset of
        the table says them.

        Raises ValueError for an unknown split, BadFile for a broken table.
        """
        wanted = None if split is None else Split(split)
        skip = self.skip_plies if skip_plies is None else skip_plies
        clock = self.min_clock if min_clock is None else min_clock
        return (
            position
            for game in self
            if wanted is None or game.split(seed) is wanted
            for position in game.positions(skip_plies=skip, min_clock=clock)
            if ratings is None or _rated_within(position, ratings)
        )


def open_records(
    source: str | Path, game: str | None = None, *, on_error: Callable[[str], None] | None = None
) -> GameRecords:
    """Opens recorded games.

    `source` is the folder of a table (`sparring records build`), a game file such as `.pgn`, `.sgf`, `.kif`
    or `.csa`, plain or compressed (.gz, .bz2, .zst), or a folder of such files. `game` is the name of the
    game; it is needed only if the suffix of the file does not say it. Broken games of a file are skipped;
    `on_error` is called with the file, the place and the reason of each.

    Raises BadFile or ValueError for an unknown game, or OSError.
    """
    path = Path(source)
    if (path / _MANIFEST).is_file():
        return _open_table(path, game)
    if not path.exists():
        raise FileNotFoundError(f"no such file or folder: {path}")
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    name = game or _game_of(path, files)
    if name not in GAMES:
        raise ValueError(f"unknown game {name!r}; there are {', '.join(GAMES)}")
    if path.is_dir():
        files = [file for file in files if format_of(file) in formats(name)]
    readers = [(file, reader_for(file, name)) for file in files]

    def read() -> Iterator[GameRecord]:
        for file, reader in readers:
            yield from _read_file(file, reader, on_error or (lambda _: None))

    return GameRecords(name, path, 0, 0, read, None)


def preset_for(paths: Sequence[Path]) -> Preset:
    """The preset that keeps every game of the files and folders. Raises BadFile."""
    files = [file for path in paths for file in ([path] if not path.is_dir() else sorted(path.rglob("*")))]
    return default_preset(_game_of(paths[0] if len(paths) == 1 else Path("the files"), files))


def _open_table(folder: Path, game: str | None) -> GameRecords:
    from sparring.records.table import (  # they import pyarrow
        position_filter,
        read_manifest,
        read_shards,
        records_of,
    )

    manifest = read_manifest(folder)
    if game not in (None, manifest["game"]):
        raise BadFile(f"{folder} holds games of {manifest['game']}, not of {game}")
    kept = position_filter(manifest)

    def read() -> Iterator[GameRecord]:
        for shard in read_shards(folder):
            yield from records_of(shard)

    count = sum(shard["games"] for shard in manifest["shards"])
    return GameRecords(manifest["game"], folder, kept.skip_plies, kept.min_clock, read, count)


def _read_file(path: Path, reader: Reader, on_error: Callable[[str], None]) -> Iterator[GameRecord]:
    try:
        for parsed in reader(open_chunks(path), 0):
            if parsed.record is None or parsed.defect:
                on_error(f"{path}, {parsed.where}: {parsed.error or parsed.defect}")
            else:
                yield parsed.record
    except TruncatedFile as error:
        on_error(f"{path}: {error}")


def _game_of(path: Path, files: list[Path]) -> str:
    """The game whose files have these suffixes. Raises BadFile."""
    suffixes = {format_of(file) for file in files}
    games = [game for game in GAMES if suffixes & set(record_formats(game).readers)]
    if len(games) == 1:
        return games[0]
    if games:
        raise BadFile(f"{path} has files of several games: pass game, one of {', '.join(games)}")
    all_suffixes = sorted({suffix for game in GAMES for suffix in record_formats(game).readers})
    raise BadFile(f"{path}: no game file; game files end in {', '.join(all_suffixes)} (and .gz, .bz2, .zst)")


def _rated_within(recorded: RecordedPosition, ratings: tuple[int, int]) -> bool:
    rating = recorded.position.rating
    return rating is not None and ratings[0] <= rating < ratings[1]
