"""Training of style networks: people who differ are told apart by what others taught."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from sparring.training.trainer import read_metrics  # noqa: E402
from studies.person.style_training import (  # noqa: E402
    StyleModel,
    StyleOptions,
    StyleTask,
    fit_vectors,
    train_style,
    validate,
)
from studies.person.trunk_features import DevicePositions  # noqa: E402
from tests.training.person.synthetic import synthetic_person  # noqa: E402

PEOPLE, ROWS, MOVES, CHANNELS = 30, 40, 5, 6
OPTIONS = StyleOptions(hidden=8, dimensions=2, people=8, support=24, query=8, rate=0.01, dropout=0.0)


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Threads of tiny tensors only wait for one another."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


class Reader:
    """What `train_style` asks of a reader."""

    class layout:  # noqa: N801
        head = "points"


def positions(strength: float) -> DevicePositions:
    """People who like or dislike the first channel of a move's features."""
    random = np.random.default_rng(0)
    n = PEOPLE * ROWS
    person = np.repeat(np.arange(PEOPLE), ROWS)
    cells = random.normal(0, 1, (n, MOVES, CHANNELS))
    taste = np.where(person % 2, strength, -strength)
    logits = cells[:, :, 0] * taste[:, None]
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    chosen = np.array([random.choice(MOVES, p=share) for share in shares])
    order = np.tile(np.arange(MOVES), (n, 1))
    order[np.arange(n), chosen], order[:, 0] = 0, chosen
    cells = np.take_along_axis(cells, order[:, :, None], axis=1)
    return DevicePositions(
        torch.from_numpy(person),
        torch.zeros(n, dtype=torch.int64),
        torch.arange(MOVES, dtype=torch.int16).repeat(n, 1),
        torch.full((n, MOVES), -np.log(MOVES), dtype=torch.float16),
        torch.from_numpy(cells).half(),
        torch.zeros(n, CHANNELS, dtype=torch.float16),
    )


def test_vectors_are_fitted_as_in_numpy() -> None:
    from sparring.training.person.fitting import minimise

    choices = synthetic_person(np.array([1.0, 1.5, -1.0]), 20)
    features = torch.from_numpy(choices.features)[None]
    logs = torch.from_numpy(choices.logs)[None]
    found = fit_vectors(features, logs, torch.ones(1, len(choices)), steps=6)[0].numpy()
    assert np.abs(found - minimise([choices], 1.0, np.zeros(choices.features.shape[2]))[0]).max() < 1e-3


def test_the_validation_is_always_the_same_and_fair() -> None:
    at = positions(2.0)
    torch.manual_seed(0)
    model = StyleModel(CHANNELS, "points", OPTIONS, torch.device("cpu"))
    persons = [(i * ROWS, (i + 1) * ROWS) for i in range(0, PEOPLE, 10)]
    assert validate(model, at, persons, OPTIONS) == validate(model, at, persons, OPTIONS)


def test_the_best_network_on_unseen_people_is_exported(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("studies.person.style_training._CHECK_EVERY", 20)
    monkeypatch.setattr(StyleTask, "export", lambda task, model, metrics, step: f"step {step}".encode())
    at = positions(2.0)
    options = replace(OPTIONS, rate=0.03, steps=80)
    gain = train_style(Reader(), at, options, tmp_path, lambda _: None)  # type: ignore[arg-type]
    gains = {entry["step"]: entry["gain"] for entry in read_metrics(tmp_path)}
    assert list(gains) == [20, 40, 60, 80]
    assert gain == max(gains.values()) > 0.1
    best = max(gains, key=lambda step: (gains[step], step))
    assert (tmp_path / "style.npz").read_bytes() == f"step {best}".encode()
