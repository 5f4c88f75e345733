"""Compressed files: bounded memory, skippable frames, and files that are cut off or no files at all."""

from __future__ import annotations

import bz2
import gzip
import os
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import Any

import pytest
import zstandard

from sparring.base.errors import BadFile, TruncatedFile
from sparring.records.sources import fingerprint, open_chunks

MEGABYTES = 200
"""Of memory that a child process may use beyond what it has after its imports."""
BUILD = """
import resource, signal, sys
from pathlib import Path
from typing import Any
from sparring.records import build_table, load_preset
import pyarrow.parquet
pages = int(Path("/proc/self/statm").read_text().split()[0])
limit = pages * resource.getpagesize() + int(sys.argv[3]) * 2**20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
signal.signal(signal.SIGINT, signal.default_int_handler)  # a run in the background ignores it
print("started", flush=True)
print(build_table([Path(sys.argv[1])], load_preset("everything"), Path(sys.argv[2])).seen)
"""
SKIPPABLE = b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"


def bomb(kind: str, megabytes: int) -> bytes:
    """A small file, one frame, that decompresses to megabytes of spaces."""
    packers: dict[str, Any] = {
        "zst": lambda: zstandard.ZstdCompressor().compressobj(),
        "gz": lambda: zlib.compressobj(wbits=31),
        "bz2": bz2.BZ2Compressor,
    }
    packer = packers[kind]()
    piece = b" " * 2**20
    content: bytes = b"".join(packer.compress(piece) for _ in range(megabytes)) + packer.flush()
    return content


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="sanitizers need address space")
@pytest.mark.parametrize(("kind", "megabytes"), [("zst", 400), ("gz", 250), ("bz2", 250)])
def test_a_small_file_that_decompresses_to_much_takes_little_memory(
    kind: str, megabytes: int, tmp_path: Path
) -> None:
    file = tmp_path / f"a.pgn.{kind}"
    file.write_bytes(bomb(kind, megabytes))
    command = [sys.executable, "-c", BUILD, str(file), str(tmp_path / "t"), str(MEGABYTES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["started", "0"], done.stderr


@pytest.mark.parametrize("kind", ["zst", "bz2", "gz"])
def test_no_chunk_is_large(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(bomb(kind, 64))
    assert max(map(len, open_chunks(file))) <= 1 << 17


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_ctrl_c_ends_the_reading_of_an_endless_file(tmp_path: Path) -> None:
    file = tmp_path / "a.pgn.zst"
    file.write_bytes(bomb("zst", 3000) * 50)
    command = [sys.executable, "-c", BUILD, str(file), str(tmp_path / "t"), str(MEGABYTES)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "started\n"
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        try:
            _, errors = child.communicate(timeout=60)
        finally:
            child.kill()
    assert "KeyboardInterrupt" in errors


@pytest.mark.parametrize("content", [SKIPPABLE, b""])
@pytest.mark.parametrize("between", [SKIPPABLE, b""])
def test_skippable_frames_are_skipped(content: bytes, between: bytes, tmp_path: Path) -> None:
    file = tmp_path / "a.zst"
    file.write_bytes(content + zstandard.compress(b"one") + between + zstandard.compress(b"two"))
    assert b"".join(open_chunks(file)) == b"onetwo"


@pytest.mark.parametrize("pack", [zstandard.compress, gzip.compress, bz2.compress])
def test_what_comes_before_the_cut_is_read(pack: object, tmp_path: Path) -> None:
    text = b"".join(b"%07d\n" % number for number in range(300_000))
    packed: bytes = pack(text)  # type: ignore[operator]  # a parameter
    (tmp_path / "a").write_bytes(packed[:-20])
    chunks: list[bytes] = []
    with pytest.raises(TruncatedFile, match="cut off"):
        chunks.extend(open_chunks(tmp_path / "a"))
    assert text.startswith(read := b"".join(chunks))
    assert len(read) > 0


def test_pipes_and_devices_are_no_sources(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.pgn")
    for path in (tmp_path / "a.pgn", Path("/dev/zero")):
        with pytest.raises(BadFile, match="not a regular file"):
            fingerprint(path)
        with pytest.raises(BadFile, match="not a regular file"):
            list(open_chunks(path))
