"""Threads of a configuration: no more are started than there are cores."""

from __future__ import annotations

import os

import onnx
import pytest

from sparring.base.config import usable_threads
from sparring.networks import network
from tests.networks.tiny_networks import tiny_network


@pytest.mark.parametrize(
    ("wanted", "cores", "used"), [(1, 4, 1), (4, 4, 4), (1024, 4, 4), (0, 4, 4), (2, 1, 1)]
)
def test_there_is_at_most_one_thread_a_core(
    wanted: int, cores: int, used: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)), raising=False)
    assert usable_threads(wanted) == used


def test_a_session_of_a_network_starts_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    started: list[int] = []

    def record(model: onnx.ModelProto, threads: int) -> network.Session:
        started.append(threads)
        return network.OnnxRuntimeSession(model, 1)

    monkeypatch.setitem(network.BACKENDS, "onnxruntime", record)
    network.open_session(tiny_network("chess"), threads=1024)
    assert started == [2]
