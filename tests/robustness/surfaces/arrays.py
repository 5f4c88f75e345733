"""Files of arrays: persons, style networks, value networks and books, with changed bytes or entries."""

from __future__ import annotations

import contextlib
import io
import os
import random
import zipfile
from functools import cache
from pathlib import Path
from unittest import mock

import numpy as np

from sparring import data
from sparring.base.errors import BadConfig, BadFile
from sparring.expendibots.agent import open_network
from sparring.expendibots.book import SHIPPED_BOOK, open_expendibots_book
from sparring.networks.style import read_style
from sparring.players.persons import find_person, person_file, stored_persons
from sparring.policies.person import write_person
from sparring.search.value_network import origin_of
from tests.policies.test_person_policy import person_model
from tests.robustness.trials import mutated, run_command, surface


@surface("person-files", trials=460)
def person(rng: random.Random, folder: Path) -> None:
    """A person's file, changed. It is listed, found and played with."""
    _play_person(folder, _changed(rng, "person"))


@surface("array-files", trials=60)
def arrays(rng: random.Random, folder: Path) -> None:
    """A book, a style or a value network, changed. It is opened."""
    kind = rng.choice([kind for kind in _files() if kind != "person"])
    file = folder / f"x.{kind}"
    file.write_bytes(_changed(rng, kind))
    with contextlib.suppress(BadFile):
        match kind:
            case "book":
                open_expendibots_book(file)
            case "style":
                read_style(file)
            case "value":
                open_network(file)
                origin_of(file)


def _changed(rng: random.Random, kind: str) -> bytes:
    return _changed_entry(rng, _files()[kind]) if rng.random() < 0.5 else mutated(rng, _files()[kind])


def _play_person(folder: Path, content: bytes) -> None:
    with mock.patch.dict(os.environ, {"SPARRING_HOME": str(folder / "home")}):
        path = person_file("Eve", "chess")
        path.parent.mkdir(parents=True)
        path.write_text("")
        path.with_suffix(".person").write_bytes(content)
        names = [person.name for person in stored_persons("chess")]
        with contextlib.suppress(BadConfig):
            for name in names:
                find_person(name, "chess")
        done = run_command(["play", "chess", "--person", "Eve"], "quit\n")
        assert done.code in (0, 2), done


@cache
def _files() -> dict[str, bytes]:
    """Sound files by kind."""
    folder = Path(data.__file__).parent
    return {
        "person": _person(),
        "book": SHIPPED_BOOK.read_bytes()[:],
        "style": next(iter(sorted((folder / "styles").glob("*.npz")))).read_bytes(),
        "value": next(iter(sorted((folder / "value_networks").glob("*.npz")))).read_bytes(),
    }


def _person() -> bytes:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.person"
        write_person(path, person_model())
        return path.read_bytes()


def _changed_entry(rng: random.Random, content: bytes) -> bytes:
    """The archive with one entry that lies: another shape, type or compression, doubled, or left out."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(list(entries))
    stream, header = io.BytesIO(), io.BytesIO()
    shape = rng.choice([(), (0,), (1 << 42,), (3, 3), (-1,), (2**62, 4)])
    kind = rng.choice(["<f8", "|u1", "<U10", "|b1", "<M8[s]", "<c16", "|S3", "|O", "<i8"])
    np.lib.format.write_array_header_1_0(header, {"descr": kind, "fortran_order": False, "shape": shape})
    changes = [
        header.getvalue() + bytes(rng.choice([0, 8, 72])),
        b"",
        b"\x93NUMPY\x03\x00" + entries[name][8:],
        entries[name][: rng.randrange(len(entries[name]) + 1)],
        np.lib.format.magic(1, 0) + b"\xff\xff" + b"{" * 65535,
    ]
    methods = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2]
    with zipfile.ZipFile(stream, "w") as archive:
        for entry, text in entries.items():
            if entry != name:
                archive.writestr(entry, text)
            elif rng.random() < 0.9:
                archive.writestr(entry, rng.choice(changes), rng.choice(methods))
    return stream.getvalue()
