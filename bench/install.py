"""`python -m bench.install`: a wheel in fresh environments without a compiler, up to the player's tests.

For each interpreter: an environment, the wheel with what it requires, the first move in the terminal, the
page with a move by its API, a move of the UCI engine, the browser edition, and the tests that need no extra.
Then `pipx run` and `uvx` start the page, and `make play` does in a clean clone of what is committed, with a
compiler. Times are seconds on the clock and processor seconds of all processes, since other work on the
machine delays the former. Sizes are bytes of files, in MB of 10^6 bytes. Names on the command line choose
what is measured; results/install/install.json keeps the rows of the others.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
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
TRIALS = {
    "3.11": ("python3.11", True),
    "3.12": ("python3.12", True),
    "3.13": ("python3.13", True),
    "3.13, --no-compile": ("python3.13", False),
}
"""Interpreters, and whether pip compiles what it installs to bytecode, as it does by default."""
LAUNCHERS = {
    "pipx": ("run", "--spec", "WHEEL", "sparring", "serve"),
    "uvx": ("--from", "WHEEL", "sparring", "serve"),
}
"""Programs that run a wheel without an installation, with their arguments, as the README has them."""
CLONE = "make play"
"""The row of a clean clone."""
_ROOT = Path(__file__).parent.parent
_TOOLS = ("pip", "setuptools", "wheel", "_distutils_hack", "pkg_resources")
"""Packages of the environment itself, which do not count."""
_SHELL = ("sh", "dirname", "ps", "realpath", "true")
"""Programs of the system in the path: scripts of uv and tests start them. Compilers stay out."""
_LARGEST = 8
"""How many packages are listed with their sizes."""
_SECONDS = 3600


class Environment:
    """A fresh environment in a folder of its own, whose PATH has no compiler."""

    def __init__(self, interpreter: str, folder: Path) -> None:
        self.interpreter, self.folder = interpreter, folder
        self.programs = folder / "venv" / "bin"
        for name in ("path", "home", "work"):
            (folder / name).mkdir(parents=True)
        for program in _SHELL:
            (folder / "path" / program).symlink_to(shutil.which(program) or program)
        given = ("PIP_", "UV_", "SSL_", "HTTP_", "HTTPS_")
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

    def run(self, *command: str | Path, typed: str = "", cwd: Path | None = None) -> str:
        """What a command prints; it is one of the environment's programs. Raises CalledProcessError."""
        done = subprocess.run(
            [str(word) for word in command],
            cwd=cwd or self.folder / "work",
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

    def wheel(self, wheels: Path) -> Path:
        """The wheel of the folder that fits the interpreter."""
        (wheel,) = wheels.glob("*-cp311-*.whl" if self.interpreter == "python3.11" else "*-abi3-*.whl")
        return wheel

    def pip_install(self, *what: str | Path) -> None:
        """Installs something by pip."""
        self.run(self.programs / "python", "-m", "pip", "install", "-q", *what)

    def package_sizes(self) -> dict[str, tuple[int, int]]:
        """Bytes of the files of each installed package, without bytecode and of bytecode."""
        (site,) = (self.folder / "venv" / "lib").glob("python*/site-packages")
        sizes: dict[str, tuple[int, int]] = {}
        for path in site.rglob("*"):
            name = path.relative_to(site).parts[0].partition("-")[0].partition(".")[0]
            if name not in _TOOLS and path.is_file():
                rest, bytecode = sizes.get(name, (0, 0))
                size = path.stat().st_size
                is_bytecode = path.suffix == ".pyc"
                sizes[name] = (rest + size * (not is_bytecode), bytecode + size * is_bytecode)
        return sizes

    def megabytes(self) -> dict[str, float]:
        """The size of what is installed, without bytecode and with it."""
        rest, bytecode = (sum(size) for size in zip(*self.package_sizes().values(), strict=True))
        return {
            "installed": round(rest / 1e6, 1),
            "installed_with_bytecode": round((rest + bytecode) / 1e6, 1),
        }

    def largest(self) -> dict[str, list[float]]:
        """The largest packages, each with its MB without bytecode and of bytecode."""
        sizes = sorted(self.package_sizes().items(), key=lambda package: -sum(package[1]))
        return {name: [round(size / 1e6, 1) for size in pair] for name, pair in sizes[:_LARGEST]}


def terminal(environment: Environment) -> str:
    """The opponent's answer to the first move of a game of chess in the terminal."""
    command = (environment.programs / "sparring", "play", "chess", "--level", "1500", "--seed", "1")
    shown = environment.run(*command, typed="e4\nresign\nquit\n")
    match = re.search(r"1\.\.\.? ?\S+|Black plays \S+|\be[4-7]\b.*", shown)
    assert match is not None, shown
    return match[0].strip()


def page(environment: Environment) -> str:
    """The opponent's answer to a move on the page, by its API."""
    return played_on_page(environment, environment.programs / "sparring", "serve")


def played_on_page(environment: Environment, *serve: str | Path) -> str:
    """The opponent's answer to a move on the page that a command serves."""
    options = ("--port", "0", "--no-browser", "--folder", environment.folder / "games")
    with environment.start(*serve, *options) as server:
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

            with client.open(address, timeout=_SECONDS) as shown:
                assert b"<title>Sparring" in shown.read()
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


def browser(environment: Environment) -> str:
    """What `sparring browser` says of the folder of files that it writes."""
    site = environment.folder / "site"
    said = environment.run(environment.programs / "sparring", "browser", "--out", site)
    assert (site / "index.html").exists()
    return said.partition(":")[0]


def player_tests(environment: Environment) -> dict[str, int]:
    """How many tests that need no extra pass, are skipped and fail (tests/packaging/players_set.py)."""
    environment.pip_install("pytest", "pytest-xdist", "httpx")
    python = environment.programs / "python"
    own = environment.run(python, "-c", "import sparring; print(sparring.__file__)")
    assert environment.folder in Path(own.strip()).parents
    arguments = environment.run(python, "-m", "tests.packaging.players_set", cwd=_ROOT).split()
    options = ("-q", "-n", "2", "--dist", "worksteal", "-p", "no:cacheprovider")
    try:
        said = environment.run(python, "-m", "pytest", *options, *arguments, cwd=_ROOT)
    except subprocess.CalledProcessError as error:
        said = error.stdout
        print(said[-6000:], file=sys.stderr)
    counts = re.findall(r"(\d+) (passed|skipped|failed|errors?|deselected|xfailed)", said.splitlines()[-1])
    return {name: int(count) for count, name in counts}


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


def trial(name: str, wheels: Path, *, with_tests: bool) -> dict[str, Any]:
    """The row of one interpreter."""
    interpreter, bytecode = TRIALS[name]
    with tempfile.TemporaryDirectory() as folder:
        environment = Environment(interpreter, Path(folder))
        row: dict[str, Any] = {"name": name, "load_before": round(os.getloadavg()[0], 1)}
        timed(row, "environment", environment.create)
        options = [] if bytecode else ["--no-compile"]
        timed(row, "install", lambda: environment.pip_install(*options, environment.wheel(wheels)))
        row |= {**environment.megabytes(), "largest": environment.largest()}
        row["python"] = environment.run(environment.programs / "python", "-V").split()[1]
        row["packages"] = len(list((environment.folder / "venv" / "lib").glob("*/site-packages/*.dist-info")))
        for step, work in (("terminal", terminal), ("page", page), ("engine", engine), ("browser", browser)):
            timed(row, step, partial(work, environment))
        row |= {f"{key}_after_playing": size for key, size in environment.megabytes().items()}
        for kind in ("seconds", "processor_seconds"):
            steps = ("environment", "install", "terminal")
            row[f"first_move_{kind}"] = round(sum(row[f"{step}_{kind}"] for step in steps), 1)
        if with_tests and bytecode:
            timed(row, "tests", partial(player_tests, environment))
        return row


def launcher_row(launcher: str, wheels: Path) -> dict[str, Any]:
    """A program that runs the wheel without an installation, from an empty cache to a move on the page."""
    with tempfile.TemporaryDirectory() as folder:
        environment = Environment("python3.12", Path(folder))
        environment.create()
        # uv uses no interpreter of a virtual environment.
        python = environment.run(
            environment.programs / "python", "-c", "import sys; print(sys._base_executable)"
        )
        (environment.folder / "path" / "python3").symlink_to(python.strip())
        environment.pip_install("uv" if launcher == "uvx" else launcher)
        wheel = str(environment.wheel(wheels))
        arguments = [wheel if word == "WHEEL" else word for word in LAUNCHERS[launcher]]
        version = environment.run(environment.programs / launcher, "--version").split()
        row: dict[str, Any] = {"name": launcher, "version": version[-1 if launcher == "pipx" else 1]}
        row["load_before"] = round(os.getloadavg()[0], 1)
        play = partial(played_on_page, environment, environment.programs / launcher, *arguments)
        timed(row, "page", play)
        timed(row, "page_again", play)
        files = [path.stat() for path in (environment.folder / "home").rglob("*") if path.is_file()]
        kept = {file.st_ino: file.st_size for file in files}  # uv links files of its cache
        return {**row, "megabytes_kept": round(sum(kept.values()) / 1e6, 1)}


def clone_row() -> dict[str, Any]:
    """A clean clone of what is committed, from `make play` to the page."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "sparring"
        subprocess.run(["git", "clone", "-q", str(_ROOT), str(clone)], check=True)
        row: dict[str, Any] = {"name": CLONE, "load_before": round(os.getloadavg()[0], 1)}
        timed(row, "page", partial(_served_by_make, clone, Path(folder)))
        files = [path for path in (clone / ".venv").rglob("*") if path.is_file() and not path.is_symlink()]
        row["venv_megabytes"] = round(sum(path.stat().st_size for path in files) / 1e6, 1)
        asked = [str(clone / ".venv" / "bin" / "python"), "-V"]
        row["python"] = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.split()[1]
        return row


def _served_by_make(clone: Path, home: Path) -> None:
    left_out = ("PYTHON", "DISPLAY", "WAYLAND", "VIRTUAL_ENV", "MAKE", "SPARRING")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(left_out)}
    variables = {**kept, "HOME": str(home), "SPARRING_HOME": str(home / "data"), "PIP_NO_CACHE_DIR": "1"}
    with subprocess.Popen(
        ["make", "play"],
        cwd=clone,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as make:
        try:
            assert make.stdout is not None
            shown = next(line for line in make.stdout if line.startswith("The page is at "))
            with urllib.request.urlopen(shown.split()[4], timeout=_SECONDS) as page_of_clone:
                assert b"<title>Sparring" in page_of_clone.read()
        finally:
            os.killpg(make.pid, signal.SIGTERM)


def main(arguments: Sequence[str] | None = None) -> None:
    """Tries the wheels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "names", nargs="*", help=f"what to measure: {', '.join((*TRIALS, *LAUNCHERS, CLONE))}"
    )
    parser.add_argument("--wheels", type=Path, default=Path("dist"), help="folder of the wheels")
    parser.add_argument("--no-tests", action="store_true", help="leave out the player's tests")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args(arguments)
    wheels, usual = options.wheels.resolve(), (*TRIALS, *LAUNCHERS, CLONE)
    for name in options.names or usual:
        head = provenance("python -m bench.install")
        if name == CLONE:
            row = clone_row()
        elif name in LAUNCHERS:
            row = launcher_row(name, wheels)
        else:
            row = trial(name, wheels, with_tests=not options.no_tests)
        print(json.dumps(row), flush=True)
        # Read anew: another process may have measured another row.
        kept = json.loads(options.out.read_text()) if options.out.exists() else {"rows": [], "wheels": {}}
        rows = {entry["name"]: entry for entry in kept["rows"]} | {name: {**row, "commit": head["commit"]}}
        sizes = {path.name: path.stat().st_size for path in sorted(wheels.glob("*.whl"))} or kept["wheels"]
        write_json(
            {**head, "wheels": sizes, "rows": [rows[key] for key in usual if key in rows]}, options.out
        )


if __name__ == "__main__":
    main()
