"""Counts the files that one follows on three ways through the program: `python tests/journeys.py [--list]`.

1. `sparring play chess --level 1500`, from the command line until the opponent's first move is shown;
2. a move on the page, from the click until the opponent's answer is sent;
3. a turn of reconnaissance blind chess for reconchess, from the opponent's move to ours.

A Python file of the package is on the way if one of its functions runs. What runs while a module is imported
does not count, and files of which only methods of value types run (dataclasses, protocols, models of
messages) are counted apart. The page's files are those that the click passes. Of the native core, a turn
counts the binding of its planner and the files of `core/rbc` and `core/search` that it includes, a header
and its source as one. The script uses only the program's outer interfaces, so that it can run
with the environment of an older version.
"""

from __future__ import annotations

import ast
import io
import os
import re
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CLICK = ("boards/chess-board.tsx", "boards/board.tsx", "pages/game.tsx", "api.ts")
"""The page's files from a click on the board to the request."""
_VALUE_BASES = {"Protocol", "NamedTuple", "BaseModel", "TypedDict", "Enum", "StrEnum", "Frozen"}


class Trace:
    """The functions of the package that run while it records, by file."""

    def __init__(self, source: Path) -> None:
        self.recording = False
        self.functions: dict[Path, set[str]] = {}
        self._prefix = f"{source}{os.sep}"
        self._importing = threading.local()

    def install(self) -> None:
        """Watches this thread and those that begin later."""
        threading.setprofile(self._event)
        sys.setprofile(self._event)

    def _event(self, frame: Any, event: str, argument: object) -> None:
        code, depth = frame.f_code, int(getattr(self._importing, "depth", 0))
        if code.co_name == "<module>" and event in ("call", "return"):
            self._importing.depth = max(depth + (1 if event == "call" else -1), 0)
        elif not self.recording or event != "call" or depth:
            return
        elif code.co_filename.startswith(self._prefix):
            self.functions.setdefault(Path(code.co_filename), set()).add(code.co_qualname)

    @contextmanager
    def on(self) -> Iterator[None]:
        """Records what runs in the block."""
        self.recording = True
        try:
            yield
        finally:
            self.recording = False

    def files(self) -> tuple[list[Path], list[Path]]:
        """The files on the way, and those of which only value types ran."""
        ways = {path: _only_values(path, names) for path, names in sorted(self.functions.items())}
        return [path for path in ways if not ways[path]], [path for path in ways if ways[path]]


def _only_values(path: Path, names: set[str]) -> bool:
    values = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ClassDef):
            marks = [ast.unparse(mark) for mark in (*node.decorator_list, *node.bases)]
            if any("dataclass" in mark or re.split(r"[\[.]", mark)[0] in _VALUE_BASES for mark in marks):
                values.add(node.name)
    return all(name.partition(".")[0] in values for name in names)


class _Screen(io.StringIO):
    """Standard output that ends the recording when the opponent's move is shown."""

    def __init__(self, trace: Trace) -> None:
        super().__init__()
        self._trace = trace

    def write(self, text: str) -> int:
        if re.search(r"\bplays\b.*\(", text):
            self._trace.recording = False
        return super().write(text)


def command_line(trace: Trace, folder: Path) -> None:
    """`sparring play`, from the command line to a move."""
    from sparring.cli import main

    before, screen = (sys.stdin, sys.stdout), _Screen(trace)
    sys.stdin, sys.stdout = io.StringIO("quit\n"), screen
    try:
        with trace.on():
            main(["play", "chess", "--level", "1500", "--side", "black", "--seed", "1"])
    except SystemExit:
        pass
    finally:
        sys.stdin, sys.stdout = before
    assert "plays" in screen.getvalue(), screen.getvalue()


def click(trace: Trace, folder: Path) -> None:
    """A move on the page, from the request to the opponent's answer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from fastapi.testclient import TestClient
    from sparring.server.app import create_app
    from sparring.server.security import Access

    with TestClient(create_app(folder / "page.sqlite", Access(hosts=("testserver",)), None)) as client:
        game = {"game": "chess", "seed": 1, "opponent": {"kind": "level", "level": 1500}}
        view = client.post("/api/games", json=game).json()
        address = f"/api/games/{view['id']}/moves?wait=60"
        with trace.on():
            view = client.post(address, json={"move": "e4", "ply": view["ply"]}).json()
    assert view["ply"] == 2, view


def blind_turn(trace: Trace, folder: Path) -> None:
    """A turn of blind chess: what was seen, a sense and a move."""
    from importlib import import_module
    from importlib.util import find_spec

    from reconchess import LocalGame, play_turn
    from reconchess.bots.random_bot import RandomBot

    os.environ["SPARRING_RBC_SEED"] = "1"
    name = "sparring.rbc.reconchess" if find_spec("sparring.rbc") else "sparring.engines.reconchess"
    game, theirs, ours = LocalGame(seconds_per_player=60), RandomBot(), import_module(name).SparringBot()
    for player, color in ((theirs, True), (ours, False)):
        player.handle_game_start(color, game.board.copy(), "another")
    game.start()
    play_turn(game, theirs, end_turn_last=True)
    with trace.on():
        play_turn(game, ours, end_turn_last=True)
    assert ours.failures == [], ours.failures


def native_files(root: Path) -> list[Path]:
    """The files of `core/rbc` and `core/search` that the binding of the planner of blind chess includes; of a
    header and its source the source."""
    core = root / "core"
    seen: set[Path] = set()
    waiting = [core / "bindings" / "rbc_planner.cpp"]
    while waiting:
        path = waiting.pop()
        if path in seen or not path.is_file():
            continue
        seen.add(path)
        waiting += [
            place
            for name in re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE)
            for place in (core / name, path.parent / name)
        ]
        if path.suffix == ".hpp":
            waiting.append(path.with_suffix(".cpp"))
    binding = core / "bindings" / "rbc_planner.cpp"
    units = {path.with_suffix(""): path for path in sorted(seen, reverse=True)}
    return sorted(path for path in units.values() if path.parent.name in ("rbc", "search") or path == binding)


JOURNEYS: dict[str, tuple[Callable[[Trace, Path], None], Callable[[Path], list[Path]]]] = {
    "command line to a move": (command_line, lambda root: []),
    "click to the answer": (click, lambda root: [root / "web" / "src" / name for name in CLICK]),
    "turn of blind chess": (blind_turn, native_files),
}
"""Each way, and the files of other languages on it."""


def count(name: str, listed: bool = False) -> tuple[int, int, int]:
    """(Python files, files of other languages, files of values alone) of a way."""
    import sparring

    source = Path(sparring.__file__).parent
    walk, others = JOURNEYS[name]
    trace = Trace(source)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SPARRING_HOME"] = folder
        trace.install()
        try:
            walk(trace, Path(folder))
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
    python, values = trace.files()
    other = others(source.parents[1])
    assert all(path.is_file() for path in other), "a file of the way is not there any more"
    if listed:
        for path in (*python, *other):
            functions = sorted(trace.functions.get(path, ()))
            print(f"  {path.relative_to(source.parents[1])}", *functions[:6])
        print("  values:", *(path.relative_to(source) for path in values))
    return len(python), len(other), len(values)


def main() -> None:
    """Prints a row for each way; each has a process of its own."""
    if len(sys.argv) > 2:
        print(*count(sys.argv[2], listed=sys.argv[1] == "--list"))
        return
    import subprocess

    print("| way | files | of them Python | page or native | values apart |\n|---|---|---|---|---|")
    for name in JOURNEYS:
        mode = sys.argv[1] if len(sys.argv) > 1 else "--count"
        command = [sys.executable, __file__, mode, name]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        *lines, numbers = done.stdout.splitlines()
        python, other, values = map(int, numbers.split())
        print(f"| {name} | {python + other} | {python} | {other} | {values} |", *lines, sep="\n")


if __name__ == "__main__":
    main()
