"""Folders with all that a machine without a network needs: one trains the Go network that knows ranks, one
plays games of ranks and judges what they and people lose.

Both hold the sources of the package and of the core, and the Python packages that such a machine lacks. The
first has the packed tables of Fox and KGS, the network to begin with, KataGo's network as a teacher of facts,
and `train.py`; the second the network of ranks, people's games, KataGo's network as the judge, and the
studies. `run.sh` builds the core and does the work. Machines that are lent for minutes take at most 64 MiB:
the fewest bytes are lost by leaving out a part of the many KGS games of strong players.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sparring import data
from sparring.base.errors import BadConfig
from sparring.records.build import build_table
from sparring.records.presets import load_preset
from sparring.records.sources import open_chunks

MOST_BYTES = 64 << 20
"""What a machine that is lent takes, in bytes."""
_ROOT = Path(__file__).parents[2]
_SOURCES = ("src/sparring", "core", "CMakeLists.txt", "pyproject.toml")
_LARGE = ("*.onnx", "*.zip", "*.npz", "*.so", "page", "turing", "__pycache__", "*.pyi")
"""What of the package a training does not need."""
_LOW = re.compile(rb"[BW]R\[(?:\d+k|[1-5]d)")
"""A game of KGS with a player below 6d."""
TABLES = {
    "fox": "fox-5k-9d-by-player.sgf.zst",
    "fox-9d": "fox-9d-2018-2019.sgf.zst",
    "kgs": "kgs-2001-2018.sgf.zst",
}
"""The tables by name with their files: a game is of the server that its source's name begins with."""
_TEACHER = "g170e-b15c192"
_BUILD = r"""set -euo pipefail
cd "$(dirname "$0")"
seconds=$1 out=$2
export PYTHONPATH=$PWD/src:$PWD:$PWD/packages PYTHONUNBUFFERED=1
python=${PYTHON:-python3}
if ! ls src/sparring/_core*.so >/dev/null 2>&1; then
  cmake -G Ninja -S . -B build -DPython_EXECUTABLE="$(command -v $python)" \
    -Dnanobind_DIR="$PWD/packages/nanobind/cmake" >build.log
  ninja -C build >>build.log && cp build/_core*.so src/sparring/
fi
"""
_RUN_TRAINING = r"""#!/usr/bin/env bash
# Builds the core and trains: bash KIT/run.sh SECONDS OUT. The same line resumes. The result: OUT/model.onnx
${BUILD}$python train.py --seconds "$seconds" --compiled --out "$out"
"""
_RUN_JUDGING = r"""#!/usr/bin/env bash
# Builds the core, plays games of each rank, and judges people's games and ours until the time is over:
# bash KIT/run.sh SECONDS OUT. The same line goes on. The results: OUT/games, OUT/judged
${BUILD}begun=$SECONDS
judge() {  # SECONDS FILES: no part is begun after that time
  $python -m studies go-judge "${@:2}" --judge judge.bin.gz --visits "${VISITS:-16}" --seconds "$1" \
    --backend "${JUDGE_BACKEND:-torch-compiled}" --batch "${BATCH:-1024}" --threads "${THREADS:-6}" \
    --out "$out/judged"
}
nvidia-cuda-mps-control -d 2>/dev/null || true
played() { ls "$out/games/"*.sgf 2>/dev/null | wc -l; }
temperatures=${TEMPERATURES:-0.65,0.8,1}
wanted=$(tr ',' '\n' <<<"$temperatures" | wc -l)
players=
if [ "$(played)" -lt "$wanted" ]; then
  $python -m studies go-games -m ranks.onnx --temperatures "$temperatures" --games "${GAMES:-60}" \
    ${RANKS:+--ranks "$RANKS"} --together "${GAMES:-60}" --processes "${PROCESSES:-14}" \
    --backend "${BACKEND:-torch}" --size "${SIZE:-19}" --out "$out/games" & players=$!
fi
judge $((seconds / 4)) people.sgf
[ -z "$players" ] || wait $players
judge $((seconds - (SECONDS - begun))) people.sgf "$out/games/"*.sgf
"""
_TRAIN = '''\
"""Trains human-go-ranks from the files of this folder. With --steps a trial: few steps with small batches."""

import argparse
import dataclasses
import time
from pathlib import Path

from sparring.training.config import load_training_config
from sparring.training.people import PeopleTask
from sparring.training.trainer import Trainer

HERE = Path(__file__).parent
parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--seconds", type=float, default=0.0, help="time of training")
parser.add_argument("--steps", type=int, help="steps in place of a time")
parser.add_argument("--batch", type=int, help="positions a step")
parser.add_argument("--device", default="", help="cpu or cuda; the fastest if left out")
parser.add_argument("--compiled", action="store_true")
parser.add_argument("--out", type=Path, required=True)
given = parser.parse_args()

config = load_training_config("human-go-ranks")
model = str(HERE / "teacher.bin.gz")
teachers = tuple(dataclasses.replace(teacher, model=model) for teacher in config.teachers)
training = config.training
if given.batch:
    training = dataclasses.replace(
        training, batch=given.batch, validation_positions=4 * given.batch, validate_every=given.steps or 1
    )
config = dataclasses.replace(config, teachers=teachers, training=training).changed(steps=given.steps)
tables = [HERE / "tables" / name for name in ("fox", "fox-9d", "kgs")]
task = PeopleTask(config, tables, init=HERE / "human-dan-go.onnx")
run = Trainer(task, given.out, device=given.device, compiled=given.compiled, seconds=given.seconds)


def report(progress):
    print(f"{time.strftime('%H:%M:%S')} {progress}", flush=True)


run.train(report, stop_at=time.monotonic() + given.seconds + 120 if given.seconds else None)
print(run.metrics, flush=True)
'''


_WHEELS = ("msgspec",)
_WHEELS_FOR_STUDIES = (
    "typer", "annotated-doc", "shellingham", "filelock",
    "pydantic", "pydantic-core", "annotated-types", "typing-inspection", "typing-extensions",
)  # fmt: skip
"""What `python -m studies` imports besides; such a machine has NumPy, PyTorch, ONNX and rich."""


@dataclass(frozen=True)
class KitPart:
    """A part of the folder."""

    name: str
    bytes: int


def make_kit(
    games: Path,
    nets: Path,
    out: Path,
    kgs_share: float,
    on_part: Callable[[KitPart], None] = lambda part: None,
) -> list[KitPart]:
    """Writes the folder that trains; tables that are there are not built again. Returns its parts.

    `games` has the files of `TABLES`, `nets` the teacher. `kgs_share` is the share of KGS games between
    players of 6d and above that are kept. Raises BadConfig if the folder is larger than `MOST_BYTES`.
    """
    steps: dict[str, Callable[[], object]] = {
        **{name: partial(_copy_source, name, out) for name in _SOURCES},
        "packages": lambda: _copy_packages(out / "packages", _WHEELS),
        "tables": lambda: _build_tables(games, out, kgs_share),
        "human-dan-go.onnx": lambda: shutil.copy(
            data.path("networks", "human-dan-go"), out / "human-dan-go.onnx"
        ),
        "teacher.bin.gz": lambda: shutil.copy(_teacher(nets), out / "teacher.bin.gz"),
        "run.sh": lambda: (out / "run.sh").write_text(_RUN_TRAINING.replace("${BUILD}", _BUILD)),
        "train.py": lambda: (out / "train.py").write_text(_TRAIN),
    }
    return _write_parts(steps, out, "choose a smaller --kgs-share", on_part)


def make_judging_kit(
    network: Path,
    people: Path,
    nets: Path,
    out: Path,
    on_part: Callable[[KitPart], None] = lambda part: None,
) -> list[KitPart]:
    """Writes the folder that plays and judges. Returns its parts.

    `network` knows ranks, `people` are games of `go-people`, `nets` has the judge. Raises BadConfig if the
    folder is larger than `MOST_BYTES`.
    """
    steps: dict[str, Callable[[], object]] = {
        **{name: partial(_copy_source, name, out) for name in (*_SOURCES, "studies")},
        "packages": lambda: _copy_packages(out / "packages", (*_WHEELS, *_WHEELS_FOR_STUDIES)),
        "ranks.onnx": lambda: shutil.copy(network, out / "ranks.onnx"),
        "people.sgf": lambda: shutil.copy(people, out / "people.sgf"),
        "judge.bin.gz": lambda: shutil.copy(_teacher(nets), out / "judge.bin.gz"),
        "run.sh": lambda: (out / "run.sh").write_text(_RUN_JUDGING.replace("${BUILD}", _BUILD)),
    }
    return _write_parts(steps, out, "choose fewer games of people", on_part)


def _write_parts(
    steps: Mapping[str, Callable[[], object]], out: Path, advice: str, on_part: Callable[[KitPart], None]
) -> list[KitPart]:
    out.mkdir(parents=True, exist_ok=True)
    parts = []
    for name, step in steps.items():
        step()
        parts.append(KitPart(name, _size(out / name)))
        on_part(parts[-1])
    if (total := _size(out)) > MOST_BYTES:
        raise BadConfig(f"{out} has {total:,} bytes, more than {MOST_BYTES:,}: {advice}")
    return parts


def few_strong_games(chunks: Iterable[bytes], share: float) -> Iterator[bytes]:
    """The lines of an SGF file of KGS: all games with a player below 6d, and this share of the others (by a
    hash)."""
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        yield from (line + b"\n" for line in lines if _kept(line, share))
    if rest and _kept(rest, share):
        yield rest + b"\n"


def _kept(line: bytes, share: float) -> bool:
    return _LOW.search(line) is not None or zlib.crc32(line) < share * 2**32


def _copy_source(name: str, out: Path) -> None:
    source = _ROOT / name
    if source.is_dir():
        shutil.copytree(source, out / name, ignore=shutil.ignore_patterns(*_LARGE), dirs_exist_ok=True)
    else:
        shutil.copy(source, out / name)


def _copy_packages(out: Path, wheels: Sequence[str]) -> None:
    """nanobind and python-chess as they are installed, and wheels for the other machine's Python."""
    for name in ("nanobind", "chess"):
        spec = importlib.util.find_spec(name)
        assert spec is not None, "the developers' set has it"
        assert spec.origin is not None, "it is a package"
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(Path(spec.origin).parent, out / name, ignore=ignored, dirs_exist_ok=True)
    if not (out / "msgspec").exists():
        wanted = ("--python-version", "3.12", "--only-binary", ":all:", "--no-deps", "--target", str(out))
        pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "-q")
        subprocess.run((*pip, *wanted, *wheels), check=True)


def _build_tables(games: Path, out: Path, kgs_share: float) -> None:
    preset = load_preset("go-everything")
    for name, file in TABLES.items():
        source = games / file
        if name == "kgs" and kgs_share < 1:
            source = out.parent / f"{out.name}-kgs.sgf"
            with source.open("wb") as fewer:
                fewer.writelines(few_strong_games(open_chunks(games / file), kgs_share))
        if not (out / "tables" / name / "manifest.json").exists():
            build_table([source], preset, out / "tables" / name)


def _teacher(nets: Path) -> Path:
    found = sorted(nets.rglob(f"{_TEACHER}*.bin.gz"))
    if not found:
        raise BadConfig(f"{nets} has no {_TEACHER}*.bin.gz")
    return found[0]


def _size(path: Path) -> int:
    files = [path] if path.is_file() else [file for file in path.rglob("*") if file.is_file()]
    return sum(file.stat().st_size for file in files)
