"""The task `student`: teachers label positions of games that they play themselves, beside recorded positions.

A batch has fresh and recorded positions. In fresh positions the teachers' policy is the target, and the next
move is drawn from it: fresh games cost nothing but their rules, because the teachers' answer is needed
anyway. In recorded positions the target is a mixture of the teachers' policy and the move played, as in
`people`. Towards the end (`[finish]`) the moves played count for more, and the layers of the network may
train in 8 bits.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sparring.base.errors import BadConfig
from sparring.games import describe
from sparring.networks.conditioned import ConditionedCodec
from sparring.networks.formats import make_codec, read_network
from sparring.networks.store import find
from sparring.records import Batch, PositionFilter, Split
from sparring.records.batches import EncodedPositions, GameRows, read_rows
from sparring.records.table import table_shards
from sparring.training.batches import (
    Conditioning,
    TrainingBatch,
    make_training_batch,
    masked,
    randomised,
    rating_numbers,
    recorded_conditioning,
)
from sparring.training.config import StudentConfig, TeacherConfig
from sparring.training.loader import Cursor, prefetched
from sparring.training.model import GeometricNetwork, layout_of
from sparring.training.people import PeopleTask
from sparring.training.task import TaskBatch
from sparring.training.teachers import Teacher

_SHORTEST = 20
"""Plies of a recorded game that fresh games may begin with."""
_LOST, _LOST_AFTER = 0.9, 20
"""Probability of a loss from which on a game may be resigned, and the ply."""
_RATING_DIFFERENCE_STD = 100.0
_END_GAME = -1
"""In place of a move: the game ends."""
_ENCODED_TOGETHER = 256
"""States that a thread encodes at a time."""
_CALIBRATION = 2048
"""Positions that give the ranges of 8-bit layers."""


@dataclass(frozen=True)
class ChosenMoves:
    """Moves that were chosen on the device for n games, and are read when they are played."""

    labels: Tensor
    """[n]: labels of the moves in host memory; negative to end the game."""
    copied: Any
    """CUDA event after which `labels` may be read; None on a CPU."""
    batch: Batch
    """The positions, for the moves of the labels."""

    @cached_property
    def moves(self) -> NDArray[np.int64]:
        """[n]: move codes; `_END_GAME` to end the game."""
        if self.copied is not None:
            self.copied.synchronize()
        chosen, offsets = self.labels.numpy(), self.batch.offsets
        rows = np.repeat(np.arange(len(chosen)), np.diff(offsets))
        played = self.batch.labels == chosen[rows]
        moves = np.full(len(chosen), _END_GAME, np.int64)
        moves[rows[played]] = self.batch.legal[played]
        return moves


@dataclass(frozen=True)
class SettledMoves:
    """Moves of a checkpoint."""

    moves: NDArray[np.int64]


@dataclass(frozen=True)
class GameGroup:
    """Fresh games in progress. Values are never changed, so that a cursor can hold them."""

    states: tuple[Any, ...]
    starts: tuple[str | None, ...]
    """Text of each game's first position; None for the usual one."""
    ratings: NDArray[np.float64]
    """[games, 2]: of the first and the second player."""
    choices: ChosenMoves | SettledMoves | None = None
    """The next moves of the first games; the others stand still."""


@dataclass(frozen=True)
class StudentCursor:
    """Position in the training data: recorded positions, and the fresh games."""

    records: Cursor = dataclasses.field(default_factory=Cursor)
    number: int = 0
    """Batches made."""
    stage: int = 0
    groups: tuple[GameGroup, ...] = ()
    """Empty before the first batch."""


class GameStarts:
    """Recorded training games, with whose first moves fresh games begin. Raises BadFile or
    BadConfig."""

    def __init__(self, config: StudentConfig, tables: Sequence[Path]) -> None:
        self._fresh, self._game = config.fresh, describe(config.game)
        shards = (shard for table in tables for shard in table_shards(table))
        trial, every = config.data.trial, PositionFilter()
        rows = GameRows.join([read_rows(shard, config.game, Split.TRAIN, trial, every) for shard in shards])
        lengths = np.array([len(moves) // self._game.packed_move_bytes for moves in rows.moves])
        self._rows = rows.take(np.flatnonzero(lengths >= _SHORTEST))
        if not len(self._rows):
            raise BadConfig(f"the records have no training game of {_SHORTEST} plies or more")
        columns = (rating_numbers(self._rows.ratings[:, i], self._rows.ranks[:, i]) for i in (0, 1))
        self._ratings = np.stack(list(columns), axis=1)
        known = self._ratings[~np.isnan(self._ratings)]
        ends = (known.min(), known.max()) if len(known) else (1500.0, 1500.0)
        self._range = config.network.rating_range or ends
        rules = self._game.rules()
        self._initial, self._parse = rules.initial(), rules.parse

    def begin(self, random: np.random.Generator) -> tuple[Any, str | None, tuple[float, float]]:
        """Returns the state of a new game, the text of its first position, and both ratings."""
        fresh, width = self._fresh, self._game.packed_move_bytes
        while True:
            row = int(random.integers(len(self._rows)))
            start, moves = self._rows.starts[row], self._rows.moves[row]
            length, (low, high) = len(moves) // width, fresh.opening_plies
            deep = random.random() < fresh.deep
            plies = int(random.integers(length) if deep else random.integers(low, high + 1))
            state = self.replay(start, moves[: min(plies, length - 1) * width])
            if state.outcome is None and state.ply < fresh.max_plies:
                return state, start, self._draw_ratings(row, random)

    def replay(self, start: str | None, moves: bytes) -> Any:
        """Returns the state after packed moves."""
        first = self._initial if start is None else self._parse(start)
        return first.unpack_moves(moves, self._game.packed_move_bytes)

    def _draw_ratings(self, row: int, random: np.random.Generator) -> tuple[float, float]:
        first, second = self._ratings[row]
        if not np.isnan(self._ratings[row]).any() and random.random() >= self._fresh.random_ratings:
            return float(first), float(second)
        low, high = self._range
        mover = random.uniform(low, high)
        return mover, float(np.clip(mover + random.normal(0, _RATING_DIFFERENCE_STD), low, high))


class StudentTask(PeopleTask):
    """Training on fresh games of the teachers and on recorded games."""

    name: ClassVar[str] = "student"
    config: StudentConfig

    def __init__(
        self, config: StudentConfig, tables: Sequence[Path], *, threads: int = 0, init: Path | None = None
    ) -> None:
        super().__init__(config, tables, threads=threads, init=init)
        self._now, self._stage = config, 0
        self._player: Teacher | None = None
        self._encoders = ThreadPoolExecutor(threads or None)

    def open(self, model: nn.Module, device: torch.device, replica: tuple[int, int]) -> None:
        """Opens teachers, tables and the beginnings of fresh games."""
        if replica[1] > 1:
            raise BadConfig("a student trains in one process")
        super().open(model, device, replica)
        self._model, self._device = model, device
        self._starts = GameStarts(self.config, self.tables)

    def stage(self, done: float) -> int:
        """1 in the finish, else 0."""
        return int(self.config.finish.share > 0 and done >= 1 - self.config.finish.share)

    def enter(self, stage: int, cursor: Any) -> None:
        """Sets shares and targets; the finish begins with the quantisation of the layers."""
        self._now = self.config.finishing() if stage else self.config
        self._stage = stage
        for teacher, part in zip(self.teachers, self._now.teachers, strict=True):
            teacher.weight = part.policy_weight
        size = self.config.training.batch - self._count
        self.loader = dataclasses.replace(self.loader, config=self._now, size=size)
        if self._now.fresh.player:
            self._player, self._player_config = _open_player(self._now, self._device)
        if stage and self.config.finish.quantised:
            assert isinstance(self._model, GeometricNetwork)
            if not self._model.input_ranges():
                example = TrainingBatch(*self.example(cursor).tensors)
                with torch.autocast("cuda", torch.bfloat16, enabled=self._device.type == "cuda"):
                    self._model.quantise(example.planes[-_CALIBRATION:], example.context[-_CALIBRATION:])

    @property
    def first_cursor(self) -> Any:
        """New games, and the first recorded batch."""
        return StudentCursor()

    def batches(self, begin: Any) -> Generator[TaskBatch]:
        """Yields batches, made ahead by another thread."""
        return prefetched(self._batches(begin), self._device)

    def example(self, begin: Any) -> TaskBatch:
        """Returns the batch after a cursor. Every network is asked, so that it is compiled in this thread."""
        return next(self._batches(begin, ask_all=True))

    def state(self) -> dict[str, Any]:
        """Returns the input ranges of layers in 8 bits."""
        ranges = self._model.input_ranges() if isinstance(self._model, GeometricNetwork) else {}
        return {"ranges": ranges}

    def load_state(self, state: dict[str, Any], model: nn.Module) -> None:
        """Switches the layers of a run in its finish to 8 bits."""
        if state["ranges"]:
            assert isinstance(model, GeometricNetwork)
            model.use_ranges(state["ranges"])

    def save_cursor(self, cursor: Any, processes: int) -> Any:
        """Returns the recorded position, and the moves of all fresh games."""
        width = describe(self.config.game).packed_move_bytes
        groups = []
        for group in cursor.groups:
            moves = [state.pack_moves(width) for state in group.states]
            groups.append(
                {
                    "starts": list(group.starts),
                    "lengths": torch.tensor([len(packed) for packed in moves]),
                    "moves": torch.frombuffer(bytearray(b"".join(moves) or b"\0"), dtype=torch.uint8),
                    "ratings": torch.from_numpy(group.ratings),
                    "choices": None if group.choices is None else torch.from_numpy(group.choices.moves),
                }
            )
        records = cursor.records.epoch, cursor.records.batch
        return {"records": records, "number": cursor.number, "stage": cursor.stage, "groups": groups}

    def load_cursor(self, saved: Any, processes: int) -> Any:
        """Returns the cursor with all fresh games replayed."""
        groups = []
        width, rules = describe(self.config.game).packed_move_bytes, describe(self.config.game).rules()
        for entry in saved["groups"]:
            ends = np.cumsum(entry["lengths"].numpy())
            data = entry["moves"].numpy().tobytes()
            parts = [data[end - n : end] for end, n in zip(ends, entry["lengths"].tolist(), strict=True)]
            firsts = [rules.initial() if start is None else rules.parse(start) for start in entry["starts"]]
            states = tuple(f.unpack_moves(moves, width) for f, moves in zip(firsts, parts, strict=True))
            choices = None if entry["choices"] is None else SettledMoves(entry["choices"].numpy())
            groups.append(GameGroup(states, tuple(entry["starts"]), entry["ratings"].numpy(), choices))
        return StudentCursor(Cursor(*saved["records"]), saved["number"], saved["stage"], tuple(groups))

    @property
    def _count(self) -> int:
        """Fresh positions of a batch."""
        batch = self.config.training.batch
        return min(max(round(batch * self._now.fresh.share), 1), batch - 1)

    @property
    def _group_size(self) -> int:
        """Games of a group: as many as the stage with most fresh positions needs."""
        share = max(self.config.fresh.share, self.config.finish.fresh if self.config.finish.share else 0)
        batch = self.config.training.batch
        return min(max(round(batch * share), 1), batch - 1)

    def _random(self, number: int, purpose: int) -> np.random.Generator:
        return np.random.default_rng([self.config.training.seed, number, purpose])

    def _batches(self, begin: StudentCursor, *, ask_all: bool = False) -> Generator[TaskBatch]:
        if not begin.groups:
            groups = tuple(self._new_group(index) for index in range(self.config.fresh.groups))
            begin = dataclasses.replace(begin, groups=groups)
        if begin.stage != self._stage:  # batches of another size
            begin = dataclasses.replace(begin, records=Cursor(begin.records.epoch + 1), stage=self._stage)
        cursor, records = begin, self.loader.records(begin.records)
        try:
            for recorded, position in records:
                batch = self._batch(recorded, dataclasses.replace(cursor, records=position), ask_all)
                cursor = batch.cursor
                yield batch
        finally:
            records.close()

    def _new_group(self, index: int) -> GameGroup:
        random = self._random(index, 0)
        begun = [self._starts.begin(random) for _ in range(self._group_size)]
        states, starts, ratings = zip(*begun, strict=True)
        return GameGroup(states, starts, np.array(ratings))

    def _batch(self, recorded: Batch, cursor: StudentCursor, ask_all: bool) -> TaskBatch:
        """Makes the batch of `recorded` and of the positions of one group, and chooses the group's next
        moves."""
        now, index = self._now, cursor.number % len(cursor.groups)
        group = self._played(cursor.groups[index], cursor.number)
        fresh, shown = self._encoded(group)
        random = self.loader.random(cursor.records)
        unmasked = shown.join(randomised(recorded_conditioning(recorded), now, random))
        both = join_batches(fresh, recorded)
        minibatch = make_training_batch(
            both, masked(unmasked, now, random), now, self.teachers, self._device, unmasked=unmasked
        )
        policy = minibatch.teacher_policy[: self._count]
        if self._player is not None and (ask_all or index % 3):
            asked = make_training_batch(fresh, shown, self._player_config, [self._player], self._device)
            policy = self._mixed(policy, asked.teacher_policy, index % 3, cursor.number)
        choices = self._choose(policy, minibatch, fresh, cursor.number)
        groups = list(cursor.groups)
        groups[index] = dataclasses.replace(group, choices=choices)
        after = StudentCursor(cursor.records, cursor.number + 1, cursor.stage, tuple(groups))
        return TaskBatch(minibatch, after)

    def _played(self, group: GameGroup, number: int) -> GameGroup:
        """The group after its chosen moves; games that end are replaced by new ones."""
        if group.choices is None:
            return group
        random, limit = self._random(number, 1), self.config.fresh.max_plies
        states, starts, ratings = list(group.states), list(group.starts), group.ratings.copy()
        for i, move in enumerate(group.choices.moves.tolist()):
            if move != _END_GAME:
                states[i] = state = states[i].play(move)
                if state.outcome is None and state.ply < limit:
                    continue
            states[i], starts[i], ratings[i] = self._starts.begin(random)
        return GameGroup(tuple(states), tuple(starts), ratings)

    def _encoded(self, group: GameGroup) -> tuple[Batch, Conditioning]:
        """The positions of a group that are trained on, and what the teachers are conditioned on."""
        count = self._count
        states = group.states[:count]
        parts = [states[i : i + _ENCODED_TOGETHER] for i in range(0, count, _ENCODED_TOGETHER)]
        batches = list(self._encoders.map(self._encode, parts))
        batch = batches[0]
        for other in batches[1:]:
            batch = join_batches(batch, other)
        ratings = np.where(batch.mover[:, None] == 0, group.ratings[:count], group.ratings[:count, ::-1])
        unknown = np.full(count, np.nan)
        return batch, Conditioning(ratings, unknown, np.zeros(count, bool), np.ones(count, bool))

    def _encode(self, states: Sequence[Any]) -> Batch:
        return encode_states(self.config, states, self.loader.extra_encodings)

    def _mixed(self, teachers: Tensor, player: Tensor, turn: int, number: int) -> Tensor:
        """The policy that plays: the teachers', the second player's, or for each move either."""
        if turn < 2:
            return player if turn else teachers
        generator = torch.Generator(self._device).manual_seed(_seed(self._random(number, 2)))
        chosen = torch.rand((len(player), 1), generator=generator, device=self._device) < 0.5
        return torch.where(chosen, player, teachers)

    def _choose(self, policy: Tensor, minibatch: TrainingBatch, fresh: Batch, number: int) -> ChosenMoves:
        """Draws the next moves of fresh games from a policy [count, moves]."""
        part, count, device = self._now.fresh, self._count, self._device
        generator = torch.Generator(device).manual_seed(_seed(self._random(number, 3)))
        noise = torch.rand(policy.shape, generator=generator, device=device).clamp_(1e-9, 1 - 1e-7)
        chosen = (policy.clamp(min=1e-30).log() - (-noise.log()).log()).argmax(1)  # Gumbel-max sampling
        anything = noise.masked_fill(~minibatch.legal[:count], -1).argmax(1)
        random, resigning = torch.rand((2, count), generator=generator, device=device)
        chosen = torch.where(random < part.random_moves, anything, chosen)
        if minibatch.teacher_wdl.shape[1]:
            late = torch.from_numpy(fresh.ply > _LOST_AFTER).to(device)
            lost = late & (minibatch.teacher_wdl[:count, 2] > _LOST) & (resigning < part.resignations)
            chosen = torch.where(lost, _END_GAME, chosen)
        if device.type != "cuda":
            return ChosenMoves(chosen, None, fresh)
        host = torch.empty(count, dtype=chosen.dtype, pin_memory=True)
        host.copy_(chosen, non_blocking=True)
        return ChosenMoves(host, torch.cuda.current_stream(device).record_event(), fresh)


def _seed(random: np.random.Generator) -> int:
    return int(random.integers(2**62))


def _open_player(config: StudentConfig, device: torch.device) -> tuple[Teacher, StudentConfig]:
    """Opens the second network, with a configuration of its inputs. Raises BadFile or
    BadConfig."""
    codec = make_codec(read_network(find(config.fresh.player, config.game))[1])
    network = config.network
    if isinstance(codec, ConditionedCodec):
        spec = codec.input_spec
        network = dataclasses.replace(network, rating_range=spec.ratings, history=spec.history)
    asked = dataclasses.replace(config, network=network)
    return Teacher(TeacherConfig(config.fresh.player, 1.0), asked, device), asked


def encode_states(config: StudentConfig, states: Sequence[Any], extra_encodings: Sequence[str]) -> Batch:
    """Encodes states of games in progress: positions without a move played, result, ratings and clocks."""
    samples = describe(config.game).samples_class.of_states(list(states))
    rows = np.arange(len(samples))
    views = {
        name: EncodedPositions(*_packed(samples.encode(rows, name, 1, None, samples.packable(name)))[::3])
        for name in extra_encodings
    }
    encoded = samples.encode(rows, layout_of(config).encoding, config.network.history, None, True)
    (planes, counts), legal, labels, offsets, move, index, symmetry = encoded
    n = len(rows)
    unknown, nobody = np.full(n, np.nan, np.float32), np.full(n, "", "U8")
    return Batch(
        planes=planes, legal=legal, labels=labels, offsets=offsets, move=move, index=np.full_like(index, -1),
        symmetry=symmetry, counts=counts, extra_encodings=views, result=unknown,
        rating=np.full(n, -1, np.int16), opponent_rating=np.full(n, -1, np.int16), rank=nobody,
        opponent_rank=nobody, clock=unknown, clock_before=unknown, ply=samples.plies, mover=samples.movers,
        game=np.zeros(n, np.int64), server=np.zeros(n, np.int8),
    )  # fmt: skip


def _packed(encoded: tuple[Any, ...]) -> tuple[Any, ...]:
    """Planes, legal moves, their labels and more, of packed or plain planes."""
    planes, legal, labels, *_ = encoded
    return (planes[0] if isinstance(planes, tuple) else planes), legal, None, labels


def join_batches(one: Batch, other: Batch) -> Batch:
    """Returns the positions of both batches."""
    columns = {
        column.name: np.concatenate([getattr(one, column.name), getattr(other, column.name)])
        for column in dataclasses.fields(Batch)
        if column.name not in ("offsets", "extra_encodings")
    }
    views = {
        name: EncodedPositions(
            np.concatenate([view.planes, other.extra_encodings[name].planes]),
            np.concatenate([view.labels, other.extra_encodings[name].labels]),
        )
        for name, view in one.extra_encodings.items()
    }
    offsets = np.concatenate([one.offsets, one.offsets[-1] + other.offsets[1:]])
    return Batch(**columns, offsets=offsets, extra_encodings=views)
