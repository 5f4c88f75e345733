"""Recorded games: readers and writers by game and file suffix, a game with its rules, and `open_records`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from sparring.base.errors import BadFile, TruncatedFile, unknown_word
from sparring.games import GAMES, Move, describe, move_name
from sparring.games.game import Position
from sparring.records.pgn_tags import variant_reader, variant_writer
from sparring.records.presets import Preset, default_preset
from sparring.records.record import GameRecord, Reader, Split, Writer, record_formats, split_of
from sparring.records.sources import open_chunks

_COMPRESSED = (".gz", ".bz2", ".zst")


def format_of(path: Path) -> str:
    """The suffix of a file's format in lower case: `pgn` for games.pgn.zst."""
    name = path.name.lower()
    for ending in _COMPRESSED:
        name = name.removesuffix(ending)
    return name.rpartition(".")[2]


def stem_of(path: Path) -> str:
    """A file's name without the suffixes of its format and compression: `games` for games.pgn.zst."""
    name = path.name
    for ending in _COMPRESSED:
        name = name[: -len(ending)] if name.lower().endswith(ending) else name
    return name.rpartition(".")[0] or name


def formats(game: str) -> list[str]:
    """The suffixes of the files that hold a game. Raises BadConfig for an unknown game."""
    records = record_formats(game)
    return list(records.readers) or [records.suffix]


def reader_for(path: Path, game: str) -> Reader:
    """The reader of a file. Raises BadFile."""
    suffix = format_of(path)
    if suffix in formats(game):
        return reader_of(game, suffix)
    if others := [other for other in GAMES if suffix in record_formats(other).readers]:
        raise BadFile(f"{path} holds {others[0]}, but the preset is for {game}")
    raise BadFile(f"{path}: files of {game} end in {', '.join(formats(game))} (and .gz, .bz2 or .zst)")


def reader_of(game: str, suffix: str) -> Reader:
    """The reader of a game's files with this suffix, one of `formats(game)`."""
    readers = record_formats(game).readers
    return readers[suffix] if readers else variant_reader(game)


def writer_of(game: str, suffix: str | None = None) -> Writer:
    """The function that writes a record in the game's notation, or in that of a suffix.

    Raises BadConfig for an unknown game, BadFile for a suffix that is not in
    `written_formats(game)`.
    """
    records = record_formats(game)
    if suffix is not None and suffix not in written_formats(game):
        raise BadFile(f"games of {game} are written as {', '.join(written_formats(game))}")
    return records.writers.get(suffix or "", records.writer) or variant_writer(game)


def written_formats(game: str) -> list[str]:
    """The suffixes of the files that a game can be written to; the first is what people use."""
    records = record_formats(game)
    return [*records.writers, records.suffix]


# A recorded game with its rules: moves as text, states, ratings, clocks, and the positions played in.


@dataclass(frozen=True)
class RecordedGame:
    """A game of a table or of a file. `str(game)` is the game in its notation, such as PGN or SGF."""

    game: str
    """Name of the game, such as `chess`."""
    record: GameRecord
    """The stored facts: players, result, date, time control and so on. Moves and clocks are packed."""

    def __repr__(self) -> str:
        return f"<RecordedGame {self.id} ({self.game}): {' - '.join(name or '?' for name in self.players)}>"

    @cached_property
    def identity(self) -> int:
        """A 63-bit hash of the content, which decides the split and identifies duplicates."""
        return self.record.identity(self.game)

    @property
    def id(self) -> str:
        """The identity as 16 hexadecimal digits, as `sparring records list` prints it."""
        return f"{self.identity:016x}"

    @property
    def players(self) -> tuple[str | None, str | None]:
        """Names of the first and the second player; None where unknown."""
        return self.record.first, self.record.second

    @property
    def ratings(self) -> tuple[int | None, int | None]:
        """Ratings of the first and the second player; None where unknown. Ranks are numbers: 1 is 1d."""
        return self.record.ratings(describe(self.game).ratings)

    @property
    def result(self) -> float | None:
        """Score of the first player: 1, 0.5 or 0; None where unknown."""
        return self.record.result

    @property
    def clocks(self) -> list[float | None]:
        """Seconds that the mover had left after each move, [plies]; None where unknown."""
        values = islice(self.record.numbers("clocks"), len(self))
        return [None if tenths is None else tenths / 10 for tenths in values]

    @cached_property
    def states(self) -> list[Any]:
        """All states, [plies + 1], the initial state first. Raises BadFile if a move is not legal."""
        try:
            return self.record.states(self.game)
        except ValueError as error:
            raise BadFile(f"game {self.id} cannot be unpacked: {error}") from None

    @property
    def moves(self) -> list[str]:
        """The moves as text, [plies], such as `e2e4` or `D4`. Raises BadFile if a move is not legal."""
        return [before.move_text(after.last_move) for before, after in pairwise(self.states)]

    def __len__(self) -> int:
        """The number of plies."""
        return self.record.plies(self.game)

    def __str__(self) -> str:
        return writer_of(self.game)(self.record)

    def split(self, seed: int = 0) -> Split:
        """The split that the game belongs to. Another seed gives another division of the games."""
        return split_of(self.identity, seed)

    def positions(self, *, skip_plies: int = 0, min_clock: float = 0) -> Iterator[RecordedPosition]:
        """The positions with the moves played in them, in order.

        The first `skip_plies` positions are left out, and moves after which the mover had less than
        `min_clock` seconds left. Raises BadFile if a move is not legal.
        """
        clocks, ratings = self.clocks, self.ratings
        for ply, (state, after) in enumerate(pairwise(self.states)):
            left = clocks[ply]
            if ply < skip_plies or (left is not None and left < min_clock) or state.outcome is not None:
                continue  # some records go on after the end by the rules
            mover = state.to_move
            clock = clocks[ply - 2] if ply >= 2 else None
            position = Position(state, ratings[mover], ratings[1 - mover], clock)
            yield RecordedPosition(position, after.last_move, ply, self)


@dataclass(frozen=True)
class RecordedPosition:
    """A position in which a person moved, and the move."""

    position: Position
    """State, ratings and clock before the move: an argument of `Policy.predict`."""
    move: Move
    """The code of the move played."""
    ply: int
    """Number of moves played before."""
    game: RecordedGame

    @property
    def state(self) -> Any:
        """The state in which the move was played."""
        return self.position.state

    @property
    def move_text(self) -> str:
        """The move played, in the notation of `state.parse_move`, such as `g1f3`."""
        return str(self.state.move_text(self.move))

    @property
    def name(self) -> str:
        """The move played, as people write it, such as `Nf3`."""
        return move_name(self.state, self.move)

    @property
    def result(self) -> float | None:
        """Score of the mover at the end of the game: 1, 0.5 or 0; None where unknown."""
        score = self.game.result
        return score if score is None or self.state.to_move == 0 else 1 - score


# `open_records`: recorded games of a table, a file or a folder of files, one after the other.


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

    Raises BadFile, BadConfig for an unknown game, or OSError.
    """
    path = Path(source)
    if (path / _MANIFEST).is_file():
        return _open_table(path, game)
    if not path.exists():
        raise FileNotFoundError(f"no such file or folder: {path}")
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    name = game or _game_of(path, files)
    if name not in GAMES:
        raise unknown_word("game", name, GAMES)
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
