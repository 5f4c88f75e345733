"""A network file is checked against its card before it is used: only BadFile leaves `load_network` and
`predict`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import onnx
import pytest

from sparring.base.errors import BadFile
from sparring.games import load_game
from sparring.networks import load_network
from sparring.networks.network import open_session
from sparring.networks.store import add
from tests.networks import hostile_models
from tests.networks.hostile_models import CARDS, ENTRIES, GRAPHS, chess_model, with_card_text, with_entries
from tests.networks.tiny_networks import write

USED_LATER = {"not_a_number", "infinite_value"}
"""Graphs that are sound until they run."""


@pytest.mark.parametrize("entries", ENTRIES, ids=lambda entries: str(entries)[:60])
def test_a_wrong_card_is_refused_by_load(entries: dict[str, object], tmp_path: Path) -> None:
    path = write(with_entries(chess_model(), **entries), tmp_path / "x.onnx")
    with pytest.raises(BadFile, match=r"x\.onnx") as refused:
        load_network(path)
    assert len(str(refused.value).splitlines()) == 1
    assert len(str(refused.value)) < 1000


@pytest.mark.parametrize("text", CARDS, ids=lambda text: text[:10])
def test_a_card_that_is_none_is_refused_by_load(text: str, tmp_path: Path) -> None:
    path = write(with_card_text(chess_model(), text), tmp_path / "x.onnx")
    with pytest.raises(BadFile, match=r"x\.onnx.*card"):
        load_network(path)


@pytest.mark.parametrize("make", GRAPHS, ids=lambda make: make.__name__)
def test_a_hostile_graph_is_refused(
    make: Callable[[], onnx.ModelProto], tmp_path: Path, model_store: Path
) -> None:
    path = write(make(), tmp_path / "x.onnx")
    if make.__name__ in USED_LATER:
        network = load_network(path)
        with pytest.raises(BadFile, match="is not a finite number"):
            network.predict([load_game("chess").initial()])
    else:
        with pytest.raises(BadFile):
            load_network(path)
    with pytest.raises(BadFile):
        add(path)
    assert not model_store.exists()


@pytest.mark.parametrize("make", [hostile_models.endless_products, hostile_models.wide_convolutions])
def test_a_graph_that_would_take_long_is_refused_for_it(
    make: Callable[[], onnx.ModelProto], tmp_path: Path
) -> None:
    with pytest.raises(BadFile, match=r"would need [\d,]+ multiply-adds, more than 137,438,953,472"):
        load_network(write(make(), tmp_path / "x.onnx"))


@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="sanitizers need memory")
def test_a_graph_that_would_take_gigabytes_takes_none(tmp_path: Path) -> None:
    for make in (
        hostile_models.computed_shape,
        hostile_models.constant_shape,
        hostile_models.repeated_input,
    ):
        path = write(make(), tmp_path / f"{make.__name__}.onnx")
        assert path.stat().st_size < 2_000_000
        code = (
            "import sys\n"
            "from sparring.games import load_game\n"
            "from sparring import BadFile, load_network\n"
            "try: load_network(sys.argv[1]).predict([load_game('chess').initial()])\n"
            "except BadFile: pass\n"
            "else: sys.exit('not refused')\n"
            # The peak of this program; ru_maxrss would be that of the process that started it, if larger.
            "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')).split()[1])"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, path], capture_output=True, text=True, check=True, timeout=300
        )
        assert int(done.stdout) < 1_000_000  # kilobytes


@pytest.mark.parametrize("backend", ["openvino", "torch"])
def test_other_runtimes_refuse_numbers_that_are_not_finite(backend: str, tmp_path: Path) -> None:
    pytest.importorskip(backend)
    path = write(hostile_models.infinite_value(), tmp_path / "x.onnx")
    with pytest.raises(BadFile):
        load_network(path, backend=backend).predict([load_game("chess").initial()])


def test_a_pipe_is_no_network(tmp_path: Path, model_store: Path) -> None:
    os.mkfifo(tmp_path / "x.onnx")
    for read in (load_network, add):
        with pytest.raises(BadFile):
            read(tmp_path / "x.onnx")


@pytest.mark.parametrize("threads", [0, -1, 99_999_999_999, 2**80])
def test_absurd_threads_are_refused(threads: int) -> None:
    with pytest.raises(ValueError, match="threads"):
        open_session(chess_model(), threads=threads)
