"""Positions on small boards of Go: the mixture of two teachers, and the training's batches."""

from __future__ import annotations

import numpy as np

from studies.small_boards.targets import mixtures
from studies.small_boards.training import Positions, make_batch, turned

RNG = np.random.default_rng(3)


def test_a_stronger_rank_is_nearer_to_katago_and_illegal_moves_have_no_share() -> None:
    people, katago = (RNG.dirichlet(np.ones(6), 2).astype(np.float16) for _ in range(2))
    people[1], katago[1] = people[0], katago[0]
    legal = np.ones((2, 6), bool)
    legal[:, 5] = False
    weak, strong = mixtures(people, katago, legal, [-10, 9])
    assert weak.sum() == np.float32(1) or abs(weak.sum() - 1) < 1e-6
    assert weak[5] == strong[5] == 0
    wanted = katago[0, :5].astype(float) / katago[0, :5].sum()
    far, near = (-(wanted * np.log(np.maximum(shares[:5], 1e-9))).sum() for shares in (weak, strong))
    assert strong.argmax() == wanted.argmax()
    assert near != far


def test_a_batch_turns_boards_policies_and_owners_alike() -> None:
    size, n = 5, 8
    marks = RNG.permutation(size * size).astype(np.float32)
    planes = np.repeat((marks[None, None] > 12).reshape(1, 1, size, size), n, axis=0).astype(np.uint8)
    policy = np.repeat(np.append(marks, 99)[None], n, axis=0).astype(np.float32)
    at = Positions(
        planes,
        np.zeros((n, 9), np.float32),
        np.ones((n, size * size + 1), bool),
        policy,
        np.ones((n, 3), np.float32),
        policy[:, :-1].copy(),
        np.zeros(n, np.float32),
    )
    batch = make_batch(at, np.arange(n), np.arange(n))
    boards = batch.teacher_policy.numpy()[:, :-1].reshape(n, size, size)
    assert (batch.teacher_policy.numpy()[:, -1] == 99).all(), "a pass stays"
    assert (batch.planes.numpy()[:, 0] == (boards > 12)).all()
    assert (batch.ownership.numpy().reshape(n, size, size) == boards).all()
    assert len({board.tobytes() for board in boards}) == 8
    assert (boards[5] == turned(marks.reshape(size, size), 5)).all()
