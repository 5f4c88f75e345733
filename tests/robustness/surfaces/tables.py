"""Tables of games: hand-edited manifests and damaged shards end in a clear error or in the right games."""

from __future__ import annotations

import json
import random
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from sparring.base.errors import BadFile
from sparring.records import Batches, build_table, load_preset, open_records
from tests.robustness.game_files import game_texts
from tests.robustness.trials import mutated, run_command, surface

_HOSTILE: list[Any] = [
    None, True, 0, -1, 1, 1.5, 10**30, float("nan"), "", "x", "../x", "/etc/passwd", "\x00", "\ud800",
    "[/bold]", [], [1], [[]], {}, {"a": 1}, {"": {}}, "x" * 5000,
]  # fmt: skip


@cache
def _original() -> tuple[Path, int]:
    """A table in three shards, and the number of its games."""
    folder = Path(tempfile.mkdtemp(prefix="sparring-tables-"))
    (folder / "a.pgn").write_bytes(b"".join(game_texts("chess", "pgn")) * 2)
    report = build_table([folder / "a.pgn"], load_preset("everything"), folder / "table", shard=3)
    return folder / "table", report.kept


@surface("tables", trials=400, few=15)
def trial(rng: random.Random, folder: Path) -> None:
    """One change of the manifest, of its text, or of a shard; then every reader of tables."""
    original, games = _original()
    table = folder / "table"
    shutil.copytree(original, table)
    manifest, shard = table / "manifest.json", table / f"0000{rng.randrange(3)}.parquet"
    damaged = ""
    match rng.randrange(5):
        case 0 | 1:
            content = json.loads(manifest.read_text())
            _edit(rng, content)
            manifest.write_text(json.dumps(content), errors="replace")
        case 2:
            manifest.write_bytes(mutated(rng, manifest.read_bytes()))
        case 3:
            shard.write_bytes(mutated(rng, shard.read_bytes()))
            damaged = shard.name if shard.read_bytes() != (original / shard.name).read_bytes() else ""
        case _:
            other = table / f"0000{rng.randrange(3)}.parquet"
            shard.write_bytes(other.read_bytes())
            if rng.random() < 0.3:
                shard.unlink()
            whole = shard.exists() and shard.read_bytes() == (original / shard.name).read_bytes()
            damaged = "" if whole else shard.name
    _read(table, games, damaged)
    _resume(rng, table, original)


def _edit(rng: random.Random, content: Any) -> None:
    """Replaces, removes or adds an entry somewhere in the manifest."""
    while True:
        keys = list(content) if isinstance(content, dict) else list(range(len(content)))
        if not keys:
            return
        key = rng.choice(keys)
        inner = content[key]
        if isinstance(inner, dict | list) and inner and rng.random() < 0.7:
            content = inner
            continue
        match rng.randrange(3):
            case 0:
                del content[key]
            case 1 if isinstance(content, dict):
                content[rng.choice(["", "x", "shards", "game", "games", "file"])] = rng.choice(_HOSTILE)
            case _:
                content[key] = rng.choice(_HOSTILE)
        return


def _read(table: Path, games: int, damaged: str) -> None:
    message = ""
    try:
        found = sum(len(game.moves) > 0 for game in open_records(table))
        assert not damaged, f"{damaged} is damaged and was read"
        assert found <= games
    except BadFile as error:
        message = str(error)
    assert len(message.splitlines()) <= 1, message
    assert len(message) < 1000, message
    try:
        for _ in Batches((table,), size=8, threads=1):
            pass
        assert not damaged, f"{damaged} is damaged and gave batches"
    except BadFile:
        pass
    for command in (["list"], ["stats", "--json"], ["verify", "--replay"]):
        done = run_command(["records", command[0], str(table), *command[1:]])
        assert done.code in (0, 1, 2), done
        assert done.code or not damaged, f"{command[0]} did not notice that {damaged} is damaged"


def _resume(rng: random.Random, table: Path, original: Path) -> None:
    """A build that goes on in the folder gives a whole table or a clear error."""
    source = original.parent / "a.pgn"
    done = run_command(["records", "build", str(source), "--preset", "everything", "--out", str(table)])
    assert done.code in (0, 1, 2), done
