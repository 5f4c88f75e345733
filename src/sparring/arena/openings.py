"""Openings: the positions in which games begin, from files of games or positions."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from sparring.arena.tournament import OpeningSuite
from sparring.base.errors import BadConfig, BadFile
from sparring.games import Game, describe
from sparring.records.readers import format_of, formats, reader_of
from sparring.records.sources import open_chunks

_MOST_BYTES = 1 << 28
_MOST = 1_000_000


@dataclass(frozen=True)
class Opening:
    """A position with the moves that lead to it, packed so that a million fit in memory."""

    start: str | None
    """The text of the first position; None for the initial position."""
    moves: bytes
    """Packed moves, as in records."""

    def state(self, game: Game[Any]) -> Any:
        """The position with its history."""
        start = game.initial() if self.start is None else game.parse(self.start)
        width = describe(game.spec.name).packed_move_bytes
        return start.unpack_moves(self.moves, width) if self.moves else start


def read_openings(openings: OpeningSuite | None, game: Game[Any]) -> list[Opening]:
    """Every opening once, in the order of the file; without a file, the initial position. Raises
    BadConfig."""
    if openings is None:
        return [Opening(None, b"")]
    path = openings.file
    try:
        unique = list(dict.fromkeys(_read(path, openings, game)))
    except (OSError, BadFile, zipfile.BadZipFile) as error:
        raise BadConfig(f"openings {path}: {error}") from None
    if not unique:
        raise BadConfig(f"openings {path}: there is none in it")
    return unique


def _read(path: Path, openings: OpeningSuite, game: Game[Any]) -> Iterator[Opening]:
    count = 0
    for name, chunks in _members(path):
        ending = format_of(Path(name))
        positions, games = describe(game.spec.name).openings.suffixes, formats(game.spec.name)
        if ending in (*positions, "txt"):
            entries = _positions(chunks, name, game)
        elif ending in games:
            entries = _games(chunks, name, reader_of(game.spec.name, ending), openings, game)
        else:
            endings = [*positions, *games]
            raise BadFile(f"{name} holds no {game.spec.name}; such files end in {', '.join(endings)} or txt")
        for opening in entries:
            count += 1
            if count > _MOST:
                raise BadConfig(f"openings {path}: more than {_MOST:,}")
            if game.outcome(opening.state(game)) is None:
                yield opening


def _members(path: Path) -> Iterator[tuple[str, Iterable[bytes]]]:
    """The files inside an archive, with their content."""
    if path.suffix.lower() != ".zip":
        yield path.name, open_chunks(path)
        return
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if not member.is_dir() and not PurePosixPath(member.filename).name.startswith((".", "_")):
                if member.file_size > _MOST_BYTES:
                    raise BadConfig(f"openings {path}: {member.filename} is too large")
                yield member.filename, [archive.read(member)]


def _games(
    chunks: Iterable[bytes],
    name: str,
    reader: Callable[[Iterable[bytes], int], Iterable[Any]],
    openings: OpeningSuite,
    game: Game[Any],
) -> Iterator[Opening]:
    width, plies, every = describe(game.spec.name).packed_move_bytes, openings.plies, openings.every
    for parsed in reader(chunks, 0):
        if parsed.record is None:
            raise BadConfig(f"openings {name}, {parsed.where}: {parsed.error}")
        start, moves = parsed.record.start, parsed.record.moves
        longest = min(plies, len(moves) // width)
        for length in range(every, longest + 1, every) if every else (longest,):
            yield Opening(start, moves[: length * width])


def _positions(chunks: Iterable[bytes], name: str, game: Game[Any]) -> Iterator[Opening]:
    text = b"".join(chunks).decode("utf-8", "replace")
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            try:
                yield _position(line.strip(), game)
            except ValueError as error:
                raise BadConfig(f"openings {name}, line {number}: {error}") from None


def _position(line: str, game: Game[Any]) -> Opening:
    """Parses a position: EPD, FEN, SFEN, or `startpos moves ...`."""
    place, _, moves = line.partition("moves ")
    place = place.strip().removeprefix("position ").removeprefix("sfen ").removeprefix("fen ").strip()
    usual = place == "startpos"
    description = describe(game.spec.name)
    normalise = description.openings.normalise
    start = game.initial() if usual else game.parse(place if normalise is None else normalise(place))
    state = start
    for move in moves.split():
        state = game.play(state, game.parse_move(state, move))
    return Opening(None if usual else game.text(start), state.pack_moves(description.packed_move_bytes))
