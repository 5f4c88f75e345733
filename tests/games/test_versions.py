"""Files of another move numbering or encoding are refused with a clear line; those without are version 1."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import onnx
import pytest

from sparring import data
from sparring.base.errors import BadConfig, BadFile
from sparring.expendibots.book import ExpendibotsBook, open_expendibots_book, write_book
from sparring.games import GAMES, describe
from sparring.measure.blending import curves_text
from sparring.networks.card import ModelCard, read_card_from_file, write_card
from sparring.policies import Curve
from sparring.policies.loading import read_policy_config
from sparring.records import Batches, GameRecord, read_shards
from sparring.records.table import TableShard, TableWriter, digest_of, read_manifest, read_shard
from sparring.training.people import PeopleTask
from sparring.training.trainer import load_checkpoint, save_checkpoint
from tests.training.factories import small_config

GAME = "breakthrough"
CARD = ModelCard("tiny", GAME, "people", "none", 1, "a test", settings={"encoding": "boards"})


@pytest.fixture
def next_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Breakthrough as a later Sparring might have it: other move codes, another encoding."""
    changed = dataclasses.replace(describe(GAME), move_numbering=2, encodings={"boards": 3, "planes": 1})
    monkeypatch.setitem(GAMES._loaded, GAME, changed)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    writer = TableWriter(tmp_path / "table", GAME, {})
    writer.add(GameRecord(bytes(4), 1.0), "a.pgn")
    writer.commit({})
    return tmp_path / "table"


def write_model(path: Path, card: ModelCard) -> Path:
    model = onnx.ModelProto()
    write_card(model, card)
    path.write_bytes(model.SerializeToString())
    return path


def test_a_table_says_how_its_moves_are_numbered(table: Path) -> None:
    assert read_manifest(table)["move_numbering"] == 1
    assert len(list(read_shards(table))) == 1


@pytest.mark.usefixtures("next_version")
class TestLaterSparring:
    """What version 2 makes of files of version 1, and of files without a version."""

    def test_refuses_the_table(self, tmp_path: Path) -> None:
        folder = tmp_path / "old"
        folder.mkdir()
        manifest = {"version": 1, "game": GAME, "preset": {}, "shards": [], "progress": {}}
        for entries in (manifest, {**manifest, "move_numbering": 1}):
            (folder / "manifest.json").write_text(json.dumps(entries))
            message = r"old: found version 1 of the move numbering of breakthrough, expected version 2"
            with pytest.raises(BadFile, match=message):
                read_manifest(folder)
            with pytest.raises(BadFile, match=message):
                next(iter(Batches([folder])))
            with pytest.raises(BadFile, match=message):
                TableWriter(folder, GAME, {})

    def test_refuses_the_network(self, tmp_path: Path) -> None:
        path = write_model(tmp_path / "new.onnx", CARD)
        assert read_card_from_file(path) == CARD
        model = onnx.load_model(path, load_external_data=False)
        entries = json.loads(model.metadata_props[0].value)
        assert (entries.pop("encoding_version"), entries.pop("move_numbering")) == (3, 2)
        for card in (entries, {**entries, "encoding_version": 2}):
            model.metadata_props[0].value = json.dumps(card)
            path.write_bytes(model.SerializeToString())
            found = card.get("encoding_version", 1)
            message = rf"new.onnx: found version {found} of the encoding 'boards' .*, expected version 3"
            with pytest.raises(BadFile, match=message):
                read_card_from_file(path)

    def test_refuses_a_network_that_names_moves_by_their_codes(self, tmp_path: Path) -> None:
        path = write_model(tmp_path / "plain.onnx", dataclasses.replace(CARD, codec="plain", settings={}))
        model = onnx.load_model(path, load_external_data=False)
        entries = json.loads(model.metadata_props[0].value)
        model.metadata_props[0].value = json.dumps({**entries, "move_numbering": 1})
        path.write_bytes(model.SerializeToString())
        with pytest.raises(BadFile, match=r"found version 1 of the move numbering .*, expected version 2"):
            read_card_from_file(path)

    def test_refuses_the_blend(self, tmp_path: Path) -> None:
        path = tmp_path / "blend.toml"
        text = curves_text(GAME, ["a", "b"], [Curve.constant(0.5)] * 2, "A note.")
        path.write_text(text)
        read_policy_config(path)
        for old in ("", "move_numbering = 1\n"):
            path.write_text(text.replace("move_numbering = 2\n", old))
            with pytest.raises(BadConfig, match=r"blend.toml: move_numbering = 1: expected 2"):
                read_policy_config(path)

    def test_refuses_the_checkpoint(self, tmp_path: Path) -> None:
        task = PeopleTask(small_config(GAME), [])
        save_checkpoint(tmp_path, task, {})
        assert load_checkpoint(tmp_path, task) is not None
        save_checkpoint(tmp_path, task, {"encoding_version": 1})
        with pytest.raises(BadConfig, match=r"checkpoint.pt: found version 1 .*, expected version 3"):
            load_checkpoint(tmp_path, task)

    def test_computes_scores_anew(self) -> None:
        assert describe(GAME).numbering_tag
        assert not describe("chess").numbering_tag


def test_a_shard_of_another_numbering_is_refused(table: Path, next_version: None) -> None:
    path = table / "00000.parquet"
    with pytest.raises(BadFile, match=r"00000.parquet: found version 1 of the move numbering"):
        read_shard(TableShard(path, 1, digest_of(path.read_bytes())))


def test_a_book_of_another_numbering_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_book(ExpendibotsBook({1: 2}, {}), tmp_path / "book.npz")
    assert open_expendibots_book(tmp_path / "book.npz").entries == {1: 2}
    changed = dataclasses.replace(describe("expendibots"), move_numbering=2)
    monkeypatch.setitem(GAMES._loaded, "expendibots", changed)
    for path in (tmp_path / "book.npz", data.path("books", "expendibots")):  # the shipped one has no version
        with pytest.raises(BadFile, match=r"found version 1 of the move numbering .*, expected version 2"):
            open_expendibots_book(path)


def test_shipped_files_without_versions_are_read() -> None:
    open_expendibots_book()
    for name in data.names("networks"):
        read_card_from_file(data.path("networks", name))
    for name in data.names("policies"):
        read_policy_config(data.path("policies", name))
