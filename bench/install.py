"""`python -m bench.install`: a wheel in fresh environments without a compiler, up to the first moves.

For each interpreter: an environment, the wheel with what it requires, then the first move in the terminal,
the page with a move by its API, and a move of the UCI engine. Times are seconds on the clock and processor
seconds of all processes, since other work on the machine delays the former. Writes
results/install/install.json.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Sequence
from functools import partial
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

from sparring.base.provenance import provenance
from sparring.measure.reports import write_json

RESULTS = Path(__file__).parent.parent / "results" / "install" / "install.json"
TRIALS = (("python3.11", True), ("python3.12", True), ("python3.13", True), ("python3.13", False))
"""Interpreters, and whether pip compiles what it installs to bytecode, as it does by default."""
_TOOLS = ("pip", "setuptools", "wheel", "_distutils_hack", "pkg_resources")
"""Packages of the environment itself, which do not count."""
_SECONDS = 600


class Environment:
    """A fresh environment in a folder of its own, whose PATH has no compiler."""

    def __init__(self, interpreter: str, folder: Path) -> None:
        self.interpreter, self.folder = interpreter, folder
        self.programs = folder / "venv" / "bin"
        for name in ("path", "home", "work"):
            (folder / name).mkdir(parents=True)
        given = ("PIP_", "SSL_", "HTTP_", "HTTPS_")
        kept = {key: value for key, value in os.environ.items() if key.upper().startswith(given)}
        self.variables = {
            **kept,
            "PATH": f"{self.programs}{os.pathsep}{folder / 'path'}",
            "HOME": str(folder / "home"),
            "PIP_NO_CACHE_DIR": "1",
            "LANG": "C.UTF-8",
        }
        for compiler in ("c++", "g++", "cc", "clang"):
            assert shutil.which(compiler, path=self.variables["PATH"]) is None

    def run(self, *command: str | Path, typed: str = "") -> str:
        """What a command prints; it is one of the environment's programs. Raises CalledProcessError."""
        done = subprocess.run(
            [str(word) for word in command],
            cwd=self.folder / "work",
            env=self.variables,
            input=typed,
            capture_output=True,
            text=True,
            check=True,
            timeout=_SECONDS,
        )
        return done.stdout

    def start(self, *command: str | Path) -> subprocess.Popen[str]:
        """A running command."""
        return subprocess.Popen(
            [str(word) for word in command],
            cwd=self.folder / "work",
            env=self.variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def create(self) -> None:
        """Makes it."""
        # The program itself: what stands in the path may be a script of a manager of interpreters.
        asked = [self.interpreter, "-c", "import sys; print(sys.executable)"]
        interpreter = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
        self.run(interpreter, "-m", "venv", self.folder / "venv")

    def install(self, wheels: Path, *, bytecode: bool) -> None:
        """Installs the wheel with what it requires."""
        options = [] if bytecode else ["--no-compile"]
        (wheel,) = wheels.glob("*-cp311-*.whl" if self.interpreter == "python3.11" else "*-abi3-*.whl")
        self.run(self.programs / "python", "-m", "pip", "install", "-q", *options, wheel)

    def megabytes(self) -> dict[str, int]:
        """The size of what is installed, as `du -sm` counts, with compiled files and without."""
        (site,) = (self.folder / "venv" / "lib").glob("python*/site-packages")
        blocks = {True: 0, False: 0}
        for path in site.rglob("*"):
            if path.relative_to(site).parts[0].partition("-")[0] not in _TOOLS:
                blocks["__pycache__" in path.parts] += path.lstat().st_blocks
        compiled, rest = (blocks[key] * 512 / 2**20 for key in (True, False))
        return {"installed": round(rest), "installed_with_bytecode": round(rest + compiled)}


def terminal(environment: Environment) -> str:
    """The opponent's answer to the first move of a game of chess in the terminal."""
    command = (environment.programs / "sparring", "play", "chess", "--level", "1500", "--seed", "1")
    shown = environment.run(*command, typed="e4\nresign\nquit\n")
    match = re.search(r"1\.\.\.? ?\S+|Black plays \S+|\be[4-7]\b.*", shown)
    assert match is not None, shown
    return match[0].strip()


def page(environment: Environment) -> str:
    """The opponent's answer to a move on the page, by its API."""
    command = ("serve", "--port", "0", "--no-browser", "--folder", environment.folder / "games")
    with environment.start(environment.programs / "sparring", *command) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split()[4].rstrip("/")
            client = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))

            def ask(path: str, body: dict[str, Any] | None = None) -> Any:
                content = None if body is None else json.dumps(body).encode()
                request = urllib.request.Request(
                    f"{address}{path}", content, {"Content-Type": "application/json"}
                )
                with client.open(request, timeout=_SECONDS) as answer:
                    return json.load(answer)

            assert {offer["name"] for offer in ask("/api/catalogue")} >= {"chess", "go", "shogi"}
            opponent = {"level": 1500, "think_time": "none"}
            game = ask("/api/games", {"game": "chess", "opponent": opponent, "seed": 1})
            game = ask(f"/api/games/{game['id']}/moves?wait=60", {"move": "e4", "ply": 0})
            assert game["ply"] == 2, game
            record = client.open(f"{address}/api/games/{game['id']}/record?format=pgn", timeout=_SECONDS)
            return str(record.read().decode()).split()[-2]
        finally:
            server.terminate()


def engine(environment: Environment) -> str:
    """The move of the UCI engine after 1. e4."""
    with environment.start(environment.programs / "sparring", "engine", "uci") as program:
        assert program.stdin is not None
        assert program.stdout is not None
        program.stdin.write("uci\nisready\nposition startpos moves e2e4\ngo movetime 200\n")
        program.stdin.flush()
        move = next(line.split()[1] for line in program.stdout if line.startswith("bestmove"))
        program.stdin.write("quit\n")
        program.stdin.flush()
        return move


def timed(row: dict[str, Any], name: str, work: Callable[[], object]) -> None:
    """Does a step; the row gets its seconds, its processor seconds and its answer."""
    began, before = time.monotonic(), _processor_seconds()
    answer = work()
    row[f"{name}_seconds"] = round(time.monotonic() - began, 1)
    row[f"{name}_processor_seconds"] = round(_processor_seconds() - before, 1)
    if answer is not None:
        row[name] = answer


def _processor_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def trial(interpreter: str, wheels: Path, *, bytecode: bool) -> dict[str, Any]:
    """The row of one interpreter."""
    with tempfile.TemporaryDirectory() as folder:
        environment = Environment(interpreter, Path(folder))
        row: dict[str, Any] = {"bytecode": bytecode, "load_before": round(os.getloadavg()[0], 1)}
        timed(row, "environment", environment.create)
        timed(row, "install", lambda: environment.install(wheels, bytecode=bytecode))
        row |= environment.megabytes()
        row["python"] = environment.run(environment.programs / "python", "-V").split()[1]
        row["packages"] = len(list((environment.folder / "venv" / "lib").glob("*/site-packages/*.dist-info")))
        for name, work in (("terminal", terminal), ("page", page), ("engine", engine)):
            timed(row, name, partial(work, environment))
        row |= {f"{key}_after_playing": size for key, size in environment.megabytes().items()}
        for kind in ("seconds", "processor_seconds"):
            steps = ("environment", "install", "terminal")
            row[f"first_move_{kind}"] = round(sum(row[f"{step}_{kind}"] for step in steps), 1)
        return row


def main(arguments: Sequence[str] | None = None) -> None:
    """Tries the wheels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheels", type=Path, default=Path("dist"), help="folder of the wheels")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    rows = []
    for interpreter, bytecode in TRIALS:
        rows.append(trial(interpreter, options.wheels.resolve(), bytecode=bytecode))
        print(json.dumps(rows[-1]), flush=True)
    sizes = {path.name: path.stat().st_size for path in sorted(options.wheels.glob("*.whl"))}
    write_json({**provenance("python -m bench.install"), "wheels": sizes, "rows": rows}, options.out)


if __name__ == "__main__":
    main()
