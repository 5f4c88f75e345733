"""The model store: adding, listing and finding networks, and files that are not networks."""

from __future__ import annotations

import gzip
import hashlib
import re
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from sparring.base.errors import BadConfig, BadFile
from sparring.cli import main
from sparring.networks import load_network, store
from sparring.networks.card import read_card_from_file
from sparring.networks.formats import model_name, read_network
from sparring.policies import NetworkPolicy, load_policy
from sparring.policies.loading import fingerprint
from tests.networks.tiny_networks import tiny_network, write


def test_a_network_is_added_listed_loaded_and_removed(model_store: Path, tmp_path: Path) -> None:
    entry = store.add(write(tiny_network("chess"), tmp_path / "my.net.onnx"))
    assert entry.name == "my.net"
    assert [(e.name, e.shipped, e.card.game) for e in store.stored_models() if not e.shipped] == [
        ("my.net", False, "chess")
    ]
    assert load_network("my.net").card == entry.card
    with pytest.raises(BadFile, match="already"):
        store.add(tmp_path / "my.net.onnx")
    store.add(tmp_path / "my.net.onnx", replace=True)
    store.add(tmp_path / "my.net.onnx", "other")
    store.remove("my.net")
    assert [p.name for p in model_store.iterdir()] == ["other.onnx"]


@pytest.mark.parametrize(
    ("file", "name"),
    [("maia-1500.pb.gz", "maia-1500"), ("g170-b6c96.bin.gz", "g170-b6c96"), ("a.onnx", "a"), ("net", "net")],
)
def test_names_come_from_files(file: str, name: str) -> None:
    assert model_name(Path(file)) == name


@pytest.mark.parametrize("name", ["../escape", "a/b", "", " ", "-x", "x" * 200])
def test_invalid_names_are_refused(name: str, model_store: Path, tmp_path: Path) -> None:
    path = write(tiny_network("chess"), tmp_path / "a.onnx")
    if name:
        with pytest.raises(BadFile, match="not a valid model name"):
            store.add(path, name)
    with pytest.raises(BadFile, match="no network"):
        store.find(name or "nothing")
    with pytest.raises(BadFile):
        store.remove(name)


def test_a_name_that_the_user_took_for_one_game_stays_that_of_the_others(
    model_store: Path, tmp_path: Path
) -> None:
    path = write(tiny_network("chess"), tmp_path / "a.onnx")
    store.add(path, "human")
    store.add(path, "blend")
    for name in ("human", "blend"):
        assert (
            fingerprint(name, "chess")
            == hashlib.sha256(
                hashlib.sha256((model_store / f"{name}.onnx").read_bytes()).digest()
            ).hexdigest()
        )
    assert load_policy("human", "go").game == "go"
    assert load_policy("blend", "shogi").game == "shogi"
    assert isinstance(load_policy("blend", "chess"), NetworkPolicy)
    store.add(path, "mine")
    with pytest.raises(BadConfig, match="is a network for chess, not for go"):
        load_policy("mine", "go")


def bomb(path: Path) -> Path:
    with gzip.open(path, "wb", compresslevel=9) as file:
        for _ in range(100):
            file.write(bytes(1 << 20))
    return path


def without_card(path: Path) -> Path:
    model = tiny_network("chess")
    del model.metadata_props[:]
    return write(model, path)


def future_card(path: Path) -> Path:
    model = tiny_network("chess")
    model.metadata_props[0].value = model.metadata_props[0].value.replace('"version": 1', '"version": 99')
    return write(model, path)


def broken_card(path: Path) -> Path:
    model = tiny_network("chess")
    model.metadata_props[0].value = '{"version": 1, "name": "x"}'
    return write(model, path)


def unknown_codec(path: Path) -> Path:
    return write(tiny_network("chess", codec="telepathy"), path)


def not_numbers(path: Path) -> Path:
    model = tiny_network("chess")
    weights = numpy_helper.to_array(model.graph.initializer[1]).copy()
    weights[0, 0] = np.nan
    model.graph.initializer[1].CopyFrom(numpy_helper.from_array(weights, model.graph.initializer[1].name))
    return write(model, path)


def cut_gzip(path: Path) -> Path:
    packed = gzip.compress(tiny_network("chess").SerializeToString())
    path.write_bytes(packed[: len(packed) // 2])
    return path


def plain_bytes(content: bytes) -> object:
    def make(path: Path) -> Path:
        path.write_bytes(content)
        return path

    return make


BAD = {
    "gzip bomb": (bomb, "unpacks to more"),
    "cut gzip": (cut_gzip, "cut off"),
    "no card": (without_card, "without Sparring's model card"),
    "future card": (future_card, "version 99"),
    "broken card": (broken_card, "broken"),
    "unknown codec": (unknown_codec, "telepathy"),
    "not numbers": (not_numbers, "NaN|finite|number"),
    "empty": (plain_bytes(b""), "empty"),
    "prose": (plain_bytes(b"Dear Sir or Madam, this is not a network."), "not an ONNX"),
    "zeros": (plain_bytes(bytes(1000)), "not an ONNX"),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_files_are_named_and_not_remembered(kind: str, model_store: Path, tmp_path: Path) -> None:
    make, complaint = BAD[kind]
    path = make(tmp_path / "bad.onnx")  # type: ignore[operator]  # the table's first column
    with pytest.raises(BadFile, match=complaint) as error:
        store.add(path)
    assert "bad" in str(error.value) or "small-chess" in str(error.value)
    assert not model_store.exists() or not list(model_store.iterdir())


def test_a_network_cut_off_anywhere_is_refused(tmp_path: Path) -> None:
    whole = tiny_network("expendibots").SerializeToString()
    for size in range(0, len(whole) - 1, len(whole) // 40):
        (tmp_path / "cut.onnx").write_bytes(whole[:size])
        with pytest.raises(BadFile, match=r"cut\.onnx"):
            load_network(tmp_path / "cut.onnx")
        with pytest.raises(BadFile):
            read_card_from_file(tmp_path / "cut.onnx")


def test_a_missing_file_says_what_there_is(model_store: Path) -> None:
    with pytest.raises(BadFile, match="no network 'maia'"):
        load_network("maia")


def test_a_card_is_read_without_the_weights(tmp_path: Path) -> None:
    path = write(tiny_network("go"), tmp_path / "a.onnx")
    assert read_card_from_file(path) == read_network(path)[1]
    assert onnx.load(path).producer_name == "sparring"


def test_a_broken_file_in_the_store_is_left_out_and_reported(
    model_store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store.add(write(tiny_network("chess"), tmp_path / "good.onnx"))
    (model_store / "bad.onnx").write_bytes(b"\xff" * 1000)
    (model_store / "folder.onnx").mkdir()
    assert "good" in {entry.name for entry in store.stored_models()}
    main(["models", "list"])
    captured = capsys.readouterr()
    assert "good" in captured.out
    assert set(re.findall(r"(\w+)\.onnx", captured.err)) == {"bad", "folder"}
    with pytest.raises(BadFile, match="expected a file, or one of"):
        store.find("none")
