"""Training batches: fresh positions from the pool, recorded positions, and their targets."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from studies.student.options import Options
from studies.student.positions import END_GAME, Pool, Positions, Records, join
from studies.student.teacher import Teacher

_RESIGNATIONS = 0.1
"""Share of lost fresh positions that end the game."""


class Batch(NamedTuple):
    """Positions and their targets."""

    positions: Positions
    policy: Tensor
    """[n, 1858]: target probabilities."""
    value: Tensor
    """[n, 3]: target probabilities of win, draw and loss."""


def next_moves(
    log_probabilities: Tensor, legal: Tensor, value: Tensor, ply: Tensor, random_moves: float
) -> Tensor:
    """Labels of moves sampled from a policy; a share is random, and lost games end."""
    n, device = len(ply), ply.device
    noise = torch.rand_like(log_probabilities).clamp_(1e-9, 1 - 1e-7)
    chosen = (log_probabilities - (-noise.log()).log()).argmax(1)  # Gumbel-max sampling
    anything = noise.masked_fill(~legal, -1).argmax(1)
    chosen = torch.where(torch.rand(n, device=device) < random_moves, anything, chosen)
    lost = (value[:, 2] > 0.9) & (ply > 20) & (torch.rand(n, device=device) < _RESIGNATIONS)
    return torch.where(lost, END_GAME, chosen).to(torch.int32)


class BatchSource:
    """Makes batches: fresh positions of one group of the pool, then recorded ones.

    The pool plays the moves of a group in a separate thread while the other groups train.
    """

    def __init__(
        self,
        options: Options,
        records: Records,
        pool: Pool,
        teacher: Teacher,
        player: Teacher | None = None,
    ) -> None:
        self._options, self._records, self._pool = options, records, pool
        self._teacher, self._player = teacher, player
        self._device = records.train.device
        self._threads = ThreadPoolExecutor(options.groups)
        self._moving: list[Future[None] | None] = [None] * options.groups

    def batch(self, group: int, finishing: bool) -> Batch:
        """The next batch with positions of a group of the pool."""
        o = self._options
        fresh = round(o.batch * (o.finish_fresh if finishing else o.fresh))
        indices = self._records.train[
            torch.randint(len(self._records.train), (o.batch - fresh,), device=self._device)
        ]
        recorded, shown = self._recorded(indices, 0.0 if finishing else o.random_ratings)
        if not fresh:
            log_probabilities, value, _ = self._answers(recorded)
            return self._targets(recorded, log_probabilities, value, indices, shown, finishing)
        if (moving := self._moving[group]) is not None:
            moving.result()
        positions, ply = self._pool.positions(group)
        both = join(positions.first(fresh), recorded)
        log_probabilities, value, player = self._answers(both)
        played = self._played(group, positions.first(fresh), log_probabilities[:fresh], player)
        labels = next_moves(played, both.legal[:fresh], value[:fresh], ply[:fresh], o.random_moves)
        self._moving[group] = self._play(group, labels)
        return self._targets(both, log_probabilities, value, indices, shown, finishing)

    def _answers(self, positions: Positions) -> tuple[Tensor, Tensor, Tensor | None]:
        """Target log-probabilities and values, and the second network's policy where it is a teacher too."""
        log_probabilities, value = self._teacher(positions)
        weight = self._options.player_weight
        if self._player is None or not weight:
            return log_probabilities, value, None
        player, player_value = self._player(positions)
        mixed = torch.lerp(log_probabilities.exp(), player.exp(), weight)
        return mixed.clamp(min=1e-30).log(), torch.lerp(value, player_value, weight), player

    def _played(self, group: int, positions: Positions, teacher: Tensor, player: Tensor | None) -> Tensor:
        """The policy that plays in a group: the teacher's, the second player's, or for each move either."""
        if self._player is None or group % 3 == 0:
            return teacher
        player = self._player(positions)[0] if player is None else player[: len(teacher)]
        if group % 3 == 1:
            return player
        chosen = torch.rand((len(player), 1), device=self._device) < 0.5
        return torch.where(chosen, player, teacher)

    def _recorded(self, indices: Tensor, random_ratings: float) -> tuple[Positions, Tensor]:
        """Recorded positions, and whether they are shown with their own ratings."""
        n, positions = len(indices), self._records.positions(indices)
        unknown = (positions.ratings < 0).any(1)
        replaced = (torch.rand(n, device=self._device) < random_ratings) | unknown
        mover = torch.rand(n, device=self._device) * 2000 + 600
        ratings = torch.stack([mover, (mover + 100 * torch.randn_like(mover)).clamp(600, 2600)], 1)
        ratings = torch.where(replaced[:, None], ratings, positions.ratings)
        return positions._replace(ratings=ratings), ~replaced

    def _targets(
        self,
        positions: Positions,
        log_probabilities: Tensor,
        value: Tensor,
        indices: Tensor,
        shown: Tensor,
        finishing: bool,
    ) -> Batch:
        """Mixes moves played and results into the targets of the recorded positions, which come last."""
        begin = len(value) - len(indices)
        weight = shown * (self._options.finish_people if finishing else self._options.people)
        policy = log_probabilities.exp()
        policy[begin:] *= 1 - weight[:, None]
        policy[begin:] = policy[begin:].scatter_add(
            1, self._records.played(indices)[:, None], weight[:, None]
        )
        result = self._records.results[indices]
        known = ((result >= 0) & shown)[:, None]
        ended = functional.one_hot(result.clamp(min=0), 3).float()
        share = self._options.result_weight
        mixed = (1 - share) * value[begin:] + share * ended
        value = torch.cat([value[:begin], torch.where(known, mixed, value[begin:])])
        return Batch(positions, policy, value)

    def _play(self, group: int, labels: Tensor) -> Future[None]:
        """Starts playing moves in the first games of a group; the others stand still."""
        host = self._pool.labels[group][: len(labels)]
        host.copy_(labels, non_blocking=True)
        copied = torch.cuda.current_stream().record_event() if self._device.type == "cuda" else None

        def play() -> None:
            if copied is not None:
                copied.synchronize()
            self._pool.step(group, np.ascontiguousarray(host.numpy().astype(np.uint16)))

        return self._threads.submit(play)
