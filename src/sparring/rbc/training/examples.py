"""Training examples of games: each decision of a player with the synopsis of its possible boards.

A game is replayed to a tracker of each player. Before each sense and each move of the player, `draws`
synopses are computed, each from a new sample of the boards. "Previous" planes are those of the same draw at
the player's last move.

Two things are removed. A bot that died passes to the end: the game is cut where that begins, and its result
is unknown. With `clean`, a game whose loser could have captured the king for certain ends there and is won by
that player (section 5.4).

`build_examples` makes those of many games in parallel and keeps them in files. Records are files of
reconchess histories, or folders of them, as `sparring rbc generate` writes. Games are taken in blocks. The
examples of a block are one file; a line of `examples.ndjson` says that it is complete, so that an interrupted
run resumes with the next block. The index of generated games tells how many turns of a game were random.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial
from itertools import count, islice, pairwise
from pathlib import Path
from typing import Any, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from sparring._core import RbcBoardSet, RbcState
from sparring.base.errors import BadConfig, JournalMismatch, TruncatedFile
from sparring.base.storage import Journal, atomic_writer, read_journal
from sparring.base.workers import Worker, open_pool
from sparring.games.states import states_to
from sparring.rbc.game import PASS, Rbc
from sparring.rbc.history import read_histories
from sparring.rbc.plugin import DESCRIPTION
from sparring.rbc.synopsis import SynopsisWords, action_index, compute_synopsis
from sparring.rbc.tracker import Contradiction, Tracker, TrackerOptions, winning_request, winning_senses
from sparring.rbc.training.config import ExampleConfig
from sparring.records import GameRecord
from sparring.records.readers import format_of
from sparring.records.record import Termination
from sparring.records.sources import open_chunks, read_lines

NO_ACTION = -1
"""The policy has no target: no sense, a random move of a generator, or an overlooked win."""
UNKNOWN_RESULT = 2
PIECE_TYPES = "pnbrqk"
NAME_BYTES = 24
_DEAD_AFTER = 3
"""Passes in a row up to the end of the game by which a bot is known to be dead."""


@dataclass(frozen=True)
class ExampleSet:
    """n examples, one a row."""

    synopses: NDArray[np.uint64]
    """[n, 104]."""
    actions: NDArray[np.int16]
    """[n]: the action taken (`networks.synopsis`), or NO_ACTION."""
    results: NDArray[np.int8]
    """[n]: 1, 0 or -1 for the player to act, or UNKNOWN_RESULT."""
    soon: NDArray[np.bool_]
    """[n, 2]: the player wins soon, loses soon."""
    pieces: NDArray[np.uint8]
    """[n, 6]: numbers of the opponent's pawns, knights, bishops, rooks, queens and kings."""
    boards: NDArray[np.int32]
    """[n]: number of tracked boards."""
    players: NDArray[np.bytes_]
    """[n]: name of the player to act in UTF-8, at most NAME_BYTES bytes of it."""
    games: NDArray[np.uint64]
    """[n]: identity of the game."""

    def __len__(self) -> int:
        return len(self.actions)

    @classmethod
    def concatenate(cls, parts: list[Self]) -> Self:
        """Returns all examples of several sets."""
        columns = {
            column.name: np.concatenate([getattr(p, column.name) for p in parts]) for column in fields(cls)
        }
        return cls(**columns)


@dataclass
class _Decision:
    """A decision of a player before the end of the game is known."""

    player: int
    ply: int
    synopses: list[SynopsisWords]
    action: int
    pieces: tuple[int, ...]
    boards: int


@dataclass(frozen=True)
class _Ending:
    """Where a game ends for training: the first ply that does not count, and who won."""

    plies: int
    winner: int | None
    known: bool
    overlooked: int | None = None
    """The ply at which the winner overlooked its win."""


def make_examples(
    record: GameRecord, config: ExampleConfig, seed: int = 0, random_turns: int = 0
) -> ExampleSet | None:
    """Returns the examples of both players, or None if there are none.

    The first `random_turns` turns of each side were random: they are examples without an action.
    """
    final = RbcState.initial().unpack_moves(record.moves, DESCRIPTION.packed_move_bytes)
    states = states_to(final)
    ending = _recorded_ending(record, states)
    decisions: list[_Decision] = []
    wins: list[tuple[int, int]] = []
    for player in (0, 1):
        player_decisions, win = _follow(states[: ending.plies + 1], player, config, seed)
        decisions += player_decisions
        if win is not None and not (ending.known and ending.winner == player):
            wins.append((win, player))
    if config.clean and wins:
        ply, winner = min(wins)
        ending = _Ending(ply + 1 + states[ply].sensing, winner, known=True, overlooked=ply)
    identity = record.identity(DESCRIPTION.name)
    rows = [
        _rows(decision, ending, record, identity, config, random_turns)
        for decision in decisions
        if decision.ply < ending.plies
        and not (ending.overlooked is not None and decision.ply > ending.overlooked)
    ]
    return ExampleSet.concatenate(rows) if rows else None


def _recorded_ending(record: GameRecord, states: list[RbcState]) -> _Ending:
    """The end as recorded, or the ply where a bot that died began to pass."""
    plies = len(states) - 1
    dead = min(_dead_from(states, player) for player in (0, 1))
    if dead < plies:
        return _Ending(dead, None, known=False)
    has_result = record.result is not None and record.ending is not Termination.TIME
    winner = {1.0: 0, 0.0: 1}.get(-1.0 if record.result is None else record.result)
    return _Ending(plies, winner, has_result)


def _dead_from(states: list[RbcState], player: int) -> int:
    """The ply from which on a player passes, at least three times; the number of plies if it does not."""
    plies = len(states) - 1
    begin, passes = plies, 0
    for before, after in reversed(list(pairwise(states))):
        if before.to_move == player and not before.sensing:
            if after.last_move != PASS:
                break
            passes, begin = passes + 1, before.ply
    return begin if passes >= _DEAD_AFTER else plies


def _follow(
    states: list[RbcState], player: int, config: ExampleConfig, seed: int
) -> tuple[list[_Decision], int | None]:
    """The decisions of a player, and the ply of its first forced win. Ends at a contradiction, which a sample
    of the boards may lead to."""
    tracker = Tracker(player, TrackerOptions(limit=config.boards, threads=1, seed=seed), states[0])
    previous: list[SynopsisWords | None] = [None] * config.draws
    decisions: list[_Decision] = []
    win: int | None = None
    for ply, (before, after) in enumerate(pairwise(states)):
        move = after.last_move
        assert move is not None
        if before.to_move == player:
            boards, context = tracker.boards, tracker.synopsis_context
            first_seed = seed * 1_000_003 + ply * 1009
            synopses = [
                compute_synopsis(boards, context, last, count=config.sampled, seed=draw_seed % 2**64)
                for draw_seed, last in enumerate(previous, first_seed)
            ]
            if not before.sensing:
                previous = list(synopses)
            index = action_index(move, player)
            action = NO_ACTION if index is None else index
            pieces = _opposing_pieces(before, player)
            decisions.append(_Decision(player, ply, synopses, action, pieces, len(boards)))
            if win is None and config.clean and tracker.exact and _wins(boards, before.sensing, config):
                win = ply
        try:
            tracker.observe(Rbc().observe(before, player, move))
        except Contradiction:
            break
    return decisions, win


def _wins(boards: RbcBoardSet, sensing: bool, config: ExampleConfig) -> bool:
    if not sensing:
        return winning_request(boards) is not None
    few = len(boards) <= config.clean_boards
    return few and bool(boards.king_captures()) and bool(winning_senses(boards))


def _opposing_pieces(state: RbcState, player: int) -> tuple[int, ...]:
    placement = state.text().split(" ", 1)[0]
    letters = PIECE_TYPES if player == 0 else PIECE_TYPES.upper()
    return tuple(placement.count(letter) for letter in letters)


def _rows(
    decision: _Decision,
    ending: _Ending,
    record: GameRecord,
    identity: int,
    config: ExampleConfig,
    random_turns: int,
) -> ExampleSet:
    n, player = len(decision.synopses), decision.player
    result = UNKNOWN_RESULT
    if ending.known:
        result = 0 if ending.winner is None else 1 if ending.winner == player else -1
    near = ending.known and ending.plies - decision.ply <= config.soon
    random = decision.ply < 4 * random_turns
    action = NO_ACTION if random or decision.ply == ending.overlooked else decision.action
    name = (record.first, record.second)[player] or ""
    return ExampleSet(
        synopses=np.stack(decision.synopses),
        actions=np.full(n, action, np.int16),
        results=np.full(n, result, np.int8),
        soon=np.tile(np.array([near and result == 1, near and result == -1]), (n, 1)),
        pieces=np.tile(np.array(decision.pieces, np.uint8), (n, 1)),
        boards=np.full(n, decision.boards, np.int32),
        players=np.full(n, name.encode()[:NAME_BYTES], f"S{NAME_BYTES}"),
        games=np.full(n, identity, np.uint64),
    )


# Examples of many games.

JOURNAL = "examples.ndjson"
_INDEX = "index.ndjson"
_LONGEST = 1 << 24
_BLOCK = 16
"""Games of a file."""


@dataclass(frozen=True)
class ExampleBlock:
    """A finished block of games."""

    source: int
    number: int
    games: int
    broken: int
    """Games that cannot be read."""
    examples: int

    @property
    def name(self) -> str:
        """The file of the block; there is none without examples."""
        return f"examples-{self.source:03}-{self.number:05}.npz"


@dataclass(frozen=True)
class _Task:
    source: int
    number: int
    lines: tuple[bytes, ...]


class _Header(msgspec.Struct):
    """The players of a history."""

    white_name: str | None = None
    black_name: str | None = None


def history_files(records: Sequence[Path]) -> list[Path]:
    """Returns the files of histories among the records and in their folders. Raises BadConfig."""
    histories: list[Path] = []
    for path in records:
        if not path.exists():
            raise BadConfig(f"there are no records {path}")
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        files = [file for file in inside if file.is_file() and format_of(file) in ("json", "jsonl")]
        if not files:
            raise BadConfig(f"{path} has no reconchess histories (.jsonl, .json; .zst, .gz or .bz2)")
        histories += files
    return histories


def player_names(records: Sequence[Path]) -> list[str]:
    """Returns the names of all players of the records, sorted; moves are not read. Raises
    BadConfig or OSError."""
    names: set[str] = set()
    for task in _tasks(history_files(records)):
        for line in task.lines:
            try:
                header = msgspec.json.decode(line.removeprefix(codecs.BOM_UTF8), type=_Header)
            except msgspec.MsgspecError:  # counted as broken when examples are made
                continue
            names |= {header.white_name or "", header.black_name or ""}
    return sorted(name.encode()[:NAME_BYTES].decode(errors="replace") for name in names)


def build_examples(
    records: Sequence[Path],
    folder: Path,
    config: ExampleConfig,
    processes: int,
    on_progress: Callable[[Sequence[ExampleBlock]], None] = lambda _: None,
) -> list[ExampleBlock]:
    """Makes the examples that the folder does not have yet, and returns all blocks.

    `on_progress` is called with the finished blocks. Raises BadConfig, WorkerError or OSError.
    """
    files = history_files(records)
    header = {"files": [[path.name, path.stat().st_size] for path in files], **asdict(config)}
    folder.mkdir(parents=True, exist_ok=True)
    try:
        journal = Journal(folder / JOURNAL, header=header, kind=ExampleBlock)
    except JournalMismatch:
        raise BadConfig(
            f"{folder} has examples of other records or of another [data]: give another --out"
        ) from None
    blocks = [ExampleBlock(**entry) for entry in journal.entries]
    done = {(block.source, block.number) for block in blocks}
    spawn = partial(_BlockWorker, folder, config, files)
    with open_pool(spawn, processes, lambda task: f"block {task.number}") as pool:
        tasks = (task for task in _tasks(files) if (task.source, task.number) not in done)
        for block in pool.run(tasks):
            journal.add(asdict(block))
            blocks.append(block)
            on_progress(blocks)
    return blocks


def read_examples(folder: Path) -> ExampleSet:
    """Reads the examples of all finished blocks. Raises BadConfig if there are none."""
    _, *entries = read_journal(folder / JOURNAL) or [None]
    blocks = sorted((ExampleBlock(**entry) for entry in entries), key=lambda block: block.name)
    parts = []
    for block in blocks:
        if block.examples:
            with np.load(folder / block.name) as arrays:
                parts.append(
                    ExampleSet(**{column.name: arrays[column.name] for column in fields(ExampleSet)})
                )
    if not parts:
        raise BadConfig(f"{folder} has no examples")
    return ExampleSet.concatenate(parts)


def _tasks(files: Sequence[Path]) -> Iterator[_Task]:
    for source, path in enumerate(files):
        if format_of(path) == "json":
            yield _Task(source, 0, (b"".join(open_chunks(path)).replace(b"\n", b" "),))
            continue
        lines = _lines(path)
        for number in count():
            block = tuple(islice(lines, _BLOCK))
            if not block:
                break
            yield _Task(source, number, block)


def _lines(path: Path) -> Iterator[bytes]:
    """The histories of a file; of a truncated one, those before the damage."""
    try:
        for line in read_lines(open_chunks(path), 0, _LONGEST):
            if line.text.strip():
                yield line.text
    except TruncatedFile:
        return


class _BlockWorker(Worker[_Task, ExampleBlock]):
    """Makes the examples of blocks and writes their files."""

    def __init__(self, folder: Path, config: ExampleConfig, files: Sequence[Path]) -> None:
        self._folder, self._config = folder, config
        self._random_turns = [random_turns_of(path) for path in files]

    def work(self, task: _Task) -> ExampleBlock:
        """Returns the finished block."""
        parts: list[ExampleSet] = []
        broken = 0
        for parsed in read_histories([line + b"\n" for line in task.lines]):
            record = parsed.record
            if record is None:
                broken += 1
                continue
            turns = self._random_turns[task.source].get(record.site or "", 0)
            seed = record.identity(DESCRIPTION.name) % 2**32
            if (example_set := make_examples(record, self._config, seed, turns)) is not None:
                parts.append(example_set)
        examples = sum(map(len, parts))
        block = ExampleBlock(task.source, task.number, len(task.lines), broken, examples)
        if parts:
            with atomic_writer(self._folder / block.name) as part, part.open("wb") as file:
                np.savez(file, **vars(ExampleSet.concatenate(parts)))
        return block


def random_turns_of(histories: Path) -> dict[str, int]:
    """Returns the random turns of each side by game number, from the index beside generated histories."""
    entries: list[Any] = read_journal(histories.with_name(_INDEX), lenient=True)
    return {str(entry["number"]): entry["random_turns"] for entry in entries if "number" in entry}
