"""A command that needs an optional library names the extra that installs it, in one line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCKED = """
import sys
sys.modules[{module!r}] = None
sys.argv = ["x", *{arguments!r}]
from {package} import main
main()
"""


@pytest.mark.parametrize(
    ("module", "extra", "package", "arguments"),
    [
        ("torch", "train", "sparring.cli", ["train", "evaluator", "expendibots", "--out", "x"]),
        ("torch", "train", "sparring.cli", ["predict", "chess", "--backend", "torch"]),
        ("pyarrow", "records", "sparring.cli", ["records", "stats", "TABLE"]),
        ("pyarrow", "records", "sparring.cli", ["records", "build", "game.pgn.zst", "--out", "x"]),
        ("openvino", "openvino", "sparring.cli", ["predict", "chess", "--backend", "openvino"]),
        ("matplotlib", "plots", "sparring.cli", ["records", "stats", "TABLE", "--plot", "x.png"]),
        ("reconchess", "rbc", "studies.__main__", ["rbc-matches", "--games", "1", "--out", "x"]),
    ],
)
def test_the_extra_is_named(
    module: str, extra: str, package: str, arguments: list[str], tmp_path: Path
) -> None:
    given = list(arguments)
    if "TABLE" in given:
        from tests.matching.tables import chess_table

        given[given.index("TABLE")] = str(chess_table(tmp_path / "table"))
    (tmp_path / "game.pgn.zst").write_bytes(b"\x28\xb5\x2f\xfd")
    code = BLOCKED.format(module=module, arguments=given, package=package)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2, done
    assert f"pip install 'sparring[{extra}]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr


def test_studies_list_their_commands_without_any_extra(tmp_path: Path) -> None:
    blocked = "".join(
        f"import sys; sys.modules[{each!r}] = None\n"
        for each in ("torch", "reconchess", "matplotlib", "cshogi", "ray", "openvino", "lczero")
    )
    code = f"{blocked}sys.argv = ['x', '--help']\nfrom studies.__main__ import main\nmain()"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "rbc-matches" in done.stdout
