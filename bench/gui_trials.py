"""`python -m bench.gui_trials`: programs of other people play with our launchers, on a screen in memory.

Each program gets a home of its own, the launchers and the list of engines that `sparring engine install`
writes for it, and the keys and clicks of a person. A trial ends well when the engine has answered with some
moves; then the screen is stored. Rows go into results/engines/guis.json; those of other programs stay.

It needs Debian's packages of the programs and xvfb, openbox, xdotool, wmctrl, x11-utils and imagemagick.
Programs of the package index are installed into environments of their own, in a temporary folder.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self

from PIL import Image

from sparring.base.errors import UserError
from sparring.base.provenance import provenance
from sparring.engines.guis import GUIS, install
from sparring.engines.options import PROTOCOLS
from sparring.measure.reports import write_json
from tests.engines.fake_lichess import TOKEN, FakeLichess, Faults, random_mover

_ROOT = Path(__file__).parent.parent
RESULTS = _ROOT / "results" / "engines" / "guis.json"
PICTURES = _ROOT / "docs" / "screenshots" / "guis"
_SECONDS = 300.0
"""Seconds after which a program that does not go on has failed."""
_RECORDER = """#!/bin/sh
tee -a "$0.in" | "$0.real" "$@" | tee -a "$0.out"
"""
"""Script in place of a launcher: it writes down what both sides say."""


class Desk:
    """A screen in memory, a home and the launchers of one program; a context manager."""

    def __init__(self, size: tuple[int, int], environments: Path) -> None:
        self.size, self.environments = size, environments
        self.protocol = ""
        """The protocol of the installed launchers."""
        self._stack = ExitStack()
        self.launchers: dict[str, Path] = {}
        """Launchers by the names of their levels."""
        self.program: subprocess.Popen[bytes] | None = None
        """The program that is tried."""

    def __enter__(self) -> Self:
        self.folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="sparring-gui-")))
        self.home = self.folder / "home"
        self.home.mkdir()
        read, write = os.pipe()
        size = f"{self.size[0]}x{self.size[1]}x24"
        self._keep(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", size, "-nolisten", "tcp"], pass_fds=[write]
        )
        os.close(write)
        with os.fdopen(read) as numbers:
            display = numbers.readline().strip()
        if not display:
            raise UserError("Xvfb does not start")
        self.variables = {
            **{key: value for key, value in os.environ.items() if not key.startswith("XDG_")},
            "HOME": str(self.home),
            "DISPLAY": f":{display}",
            "LANG": "C.UTF-8",
            "LIBGL_ALWAYS_SOFTWARE": "1",
            "PATH": f"{os.environ['PATH']}{os.pathsep}/usr/games",
        }
        self.variables.pop("XAUTHORITY", None)
        self._keep(["openbox"], env=self.variables)
        self.until(self._has_window_manager, "openbox")
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _keep(self, command: Sequence[str | Path], **options: Any) -> None:
        """Starts a process that ends with the desk."""
        process = subprocess.Popen(
            [str(word) for word in command],
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **options,
        )
        self._stack.callback(_end, process)

    def start(self, *command: str | Path) -> None:
        """Starts a program; what it prints is in the file `log`."""
        log = self._stack.enter_context((self.folder / "log").open("ab"))
        process = subprocess.Popen(
            [str(word) for word in command],
            start_new_session=True, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            env=self.variables, cwd=self.home,
        )  # fmt: skip
        self._stack.callback(_end, process)
        self.program = process

    def run(self, *command: str | Path) -> str:
        """What a program prints. Raises CalledProcessError."""
        done = subprocess.run(
            [str(word) for word in command],
            env=self.variables, cwd=self.home, capture_output=True, text=True,
            timeout=_SECONDS, check=True,
        )  # fmt: skip
        return done.stdout

    def _has_window_manager(self) -> bool:
        return "window id" in self.run("xprop", "-root", "_NET_SUPPORTING_WM_CHECK")

    def environment(self, name: str) -> Path:
        """The programs of an environment of the package index; makes it where it is not kept."""
        folder = self.environments / name
        if not (folder / "bin" / name).exists():
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
            for packages in ENVIRONMENTS[name]:
                subprocess.run([folder / "bin" / "pip", "install", "-q", *packages], check=True)
        return folder / "bin"

    def install(self, gui: str, protocol: str, levels: Sequence[int], own: Path | None = None) -> None:
        """Writes the files of `sparring engine install`, with launchers that write down both sides.

        The GUI's list is copied to `own`, where the program keeps it.
        """
        self.protocol = protocol
        installed = install(
            GUIS[gui], protocol, levels, self.folder / "engines", own_place=False, force=False
        )
        for launcher in installed.launchers:
            self.launchers[launcher.name] = launcher.path
            self._record(launcher.path)
        for stem in GUIS[gui].scripts or ():
            self._record(self.folder / "engines" / stem)
        for file in installed.files:
            text = file.read_text()
            for launcher in installed.launchers:  # PyChess starts a file only with its checksum
                text = text.replace(launcher.checksum, _checksum(launcher.path))
            file.write_text(text)
            if own is not None:
                own.parent.mkdir(parents=True, exist_ok=True)
                own.write_text(text)

    def _record(self, launcher: Path) -> None:
        """Lets a launcher write down what both sides say."""
        launcher.rename(f"{launcher}.real")
        launcher.write_text(_RECORDER)
        launcher.chmod(0o755)

    def said(self, side: str = "out") -> str:
        """All that the engines have said, or have heard (`in`)."""
        files = sorted((self.folder / "engines").glob(f"*.{side}"))
        return "\n".join(file.read_text(errors="replace") for file in files)

    def wait(self, pattern: str, count: int = 1) -> list[str]:
        """What the engines said that matches a pattern, when there are so many matches."""
        expression = re.compile(pattern, re.M)
        self.until(lambda: len(expression.findall(self.said())) >= count, f"{count} times {pattern}")
        return expression.findall(self.said())

    def until(self, what: Callable[[], Any], name: str) -> Any:
        """The first result that counts as true. Raises UserError when the time is over."""
        end = time.monotonic() + _SECONDS
        while time.monotonic() < end and (self.program is None or self.program.poll() is None):
            if result := what():
                return result
            time.sleep(0.5)
        kept = Path(tempfile.gettempdir()) / f"{self.folder.name}.webp"
        self.picture(kept)
        log = self.folder / "log"
        text = log.read_text(errors="replace")[-3000:] if log.exists() else ""
        raise UserError(
            f"{name}: nothing after {_SECONDS:.0f} s; the screen is in {kept}\n{text}\n{self.said()[-2000:]}"
        )

    def window(self, title: str, *, fill: bool = False) -> None:
        """Waits for a window whose title has a text, and puts it in front, into the corner of the screen.

        It gets all of the screen if `fill` is set.
        """

        def search() -> str | None:
            try:
                rows = [line.split(None, 3) for line in self.run("wmctrl", "-l").splitlines()]
            except subprocess.CalledProcessError:  # no window has been opened
                return None
            return next((row[0] for row in rows if len(row) > 3 and title in row[3]), None)

        number = str(self.until(search, f"a window {title}"))
        size = f"{self.size[0] - 2},{self.size[1] - 24}" if fill else "-1,-1"
        self.run("wmctrl", "-i", "-r", number, "-e", f"0,0,0,{size}")
        self.run("wmctrl", "-i", "-a", number)
        time.sleep(1)

    def keys(self, *names: str) -> None:
        """Presses keys, such as Return or ctrl+n."""
        for name in names:
            self.run("xdotool", "key", "--clearmodifiers", name)
            time.sleep(0.3)

    def type(self, text: str) -> None:
        """Types a text."""
        self.run("xdotool", "type", "--clearmodifiers", text)

    def click(self, x: int, y: int) -> None:
        """Clicks on a place of the screen."""
        self.run("xdotool", "mousemove", str(x), str(y), "click", "1")
        time.sleep(0.5)

    def picture(self, path: Path) -> None:
        """Stores the screen without its empty margins."""
        png = self.folder / "screen.png"
        self.run("import", "-window", "root", png)
        with Image.open(png) as image:
            shown = image.convert("RGB")
        shown.crop(shown.getbbox()).save(path, quality=60, method=6)  # the empty screen is black


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends a process and those that it started."""
    for ending in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, ending)
        with suppress(subprocess.TimeoutExpired):
            process.wait(10)


def _checksum(path: Path) -> str:
    return hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()


# The programs.


def xboard(desk: Desk) -> list[str]:
    """Two levels play chess, the first from its list, the second by its command; through polyglot."""
    file = desk.home / ".xboardrc"
    desk.install("xboard", "uci", (1000, 1200), file)
    # XBoard looks for ~ in the list of users, not in HOME.
    settings = ["-settingsFile", str(file), "-saveSettingsFile", str(file)]
    second = str(desk.launchers["Sparring 1200"])
    return _two_machines(desk, *settings, "-fe", "Sparring 1000", "-scp", second, "-sUCI")


def xboard_shogi(desk: Desk) -> list[str]:
    """Two levels play shogi by their commands, through uci2wb."""
    desk.install("xboard", "usi", (120, 480))
    first, second = (f"uci2wb -s {launcher}" for launcher in desk.launchers.values())
    return _two_machines(desk, "-variant", "shogi", "-fcp", first, "-scp", second)


def _two_machines(desk: Desk, *options: str) -> list[str]:
    clock = ("-tc", "5", "-inc", "2")
    desk.start("xboard", *options, *clock, "-mode", "TwoMachines", "-boardSize", "49")
    moves = desk.wait(r"^bestmove (\S+)", 10)
    desk.window("Sparring")
    return moves


def pychess(desk: Desk) -> list[str]:
    """A person's moves against a level that is chosen in its list."""
    desk.install("pychess", "uci", (1000, 1200), desk.home / ".config" / "pychess" / "engines.json")
    lines = "".join(f"{key} = {value}\n" for key, value in _PYCHESS.items())
    (desk.home / ".config" / "pychess" / "config").write_text(f"[General]\n{lines}")
    desk.start("pychess")
    desk.window("PyChess")
    desk.wait("^uciok", 2)
    time.sleep(20)  # then its own engine is asked
    desk.click(195, 283)  # Start Game
    desk.window("Sparring 1200", fill=True)
    time.sleep(10)
    for number, move in enumerate(("e2e4", "g1f3", "b1c3"), 1):
        desk.until(partial(_pychess_move, desk, move, number), move)
    return desk.wait(r"^bestmove (\S+)", 3)


def _pychess_move(desk: Desk, move: str, number: int) -> bool:
    """Clicks on the squares of a move. Returns whether the engine has given so many answers then."""
    for square in (move[:2], move[2:]):
        file, rank = ord(square[0]) - ord("a"), int(square[1]) - 1
        desk.click(198 + round(32.3 * file), 420 - round(32.3 * rank))
    time.sleep(6)  # clicks count only when pieces have moved
    return desk.said().count("bestmove") >= number


_PYCHESS = {
    "show_tip_at_startup": False,
    "dont_show_externals_at_startup": True,
    "newgametasker_playercombo": 3,  # after a person, its own engine and level 1000
    "taskerSkillSlider": 20,
    "book_depth_max": 0,  # else its own book answers in the first 13 plies
}


def scid(desk: Desk) -> list[str]:
    """Its analysis of a game by a level of its list."""
    desk.install("scid", "uci", (1000, 1200), desk.home / ".scid4.7" / "config" / "engines.dat")
    desk.start("scid")
    desk.window("Tip of the Day")
    desk.keys("Escape")
    desk.window("Scid - ", fill=True)
    time.sleep(3)
    desk.click(516, 63)
    time.sleep(8)
    for _ in range(3):
        desk.click(619, 354)  # four lines
    desk.click(424, 359)
    time.sleep(10)
    desk.click(216, 397)
    desk.click(216, 307)  # e4
    time.sleep(10)
    return desk.wait(r"^info .*multipv 4 .* pv (\S+)")


def qgo(desk: Desk) -> list[str]:
    """A level plays Go against itself; it is the first engine of qGo's settings."""
    desk.install("qgo", "gtp", (1550,))
    (launcher,) = desk.launchers.values()
    settings = desk.home / ".config" / "qGo" / "qGo.conf"
    settings.parent.mkdir(parents=True)
    settings.write_text(f"[General]\nDEFAULT_ENGINE=0\n\n[ENGINES]\n1\\path={launcher}\n1\\args=\nsize=1\n")
    desk.start("qgo")
    desk.window("qGo")
    desk.keys("ctrl+n")
    desk.window("Dialog")
    for y in (23, 83):  # Black, White
        desk.click(161, y)
        desk.keys("ctrl+a")
        desk.type("Sparring 1550")
        desk.click(87, y + 30)
    desk.click(116, 284)
    return desk.wait(r"^=\d* ?([A-T]\d+)", 12)


def katrain(desk: Desk) -> list[str]:
    """Moves of its own player with our engine, and its analysis of them."""
    environment = desk.environment("katrain")
    package = subprocess.run(
        [environment / "python", "-c", "import importlib.util as u; print(u.find_spec('katrain').origin)"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    settings = json.loads((Path(package).parent / "config.json").read_text())
    settings["engine"]["max_visits"] = 50
    settings["game"]["size"] = "9"
    (desk.folder / "engines").mkdir()
    (desk.folder / "engines" / "katrain.json").write_text(json.dumps(settings))
    desk.install("katrain", "gtp", (), desk.home / ".katrain" / "config.json")
    desk.start(environment / "katrain")
    desk.wait(_KATRAIN_MOVE)  # the analysis of the empty board
    desk.window("KaTrain")
    desk.keys("e")  # top moves
    for number in range(2, 8):
        desk.keys("Return")  # a move of the strategy that is set
        desk.wait(_KATRAIN_MOVE, number)
        time.sleep(2)
    return desk.wait(_KATRAIN_MOVE, 7)


_KATRAIN_MOVE = r'"moveInfos": ?\[\{.*?"move": ?"(\w+)"'


def shogiarena(desk: Desk) -> list[str]:
    """Two games between two levels."""
    environment = desk.environment("shogiarena")
    desk.install("other", "usi", (120, 480))
    for name, launcher in desk.launchers.items():
        engine = {"name": name, "engine_path": str(launcher), "working_directory": str(launcher.parent)}
        (desk.home / f"{name}.yaml").write_text(json.dumps(engine))  # JSON is YAML
    tournament = {
        "experiment_name": "sparring",
        "engines": [{"engine_path": f"{name}.yaml"} for name in desk.launchers],
        "tournament": {"scheduler": "round_robin", "games_per_pair": 2, "num_parallel": 1},
        "rules": {
            "time_control": {"time_ms": 0, "byoyomi_ms": 1000},
            "adjudication": {"sync_max_plies_with_engine": False},
        },
        "dashboard": {"enabled": False},
    }
    (desk.home / "tournament.yaml").write_text(json.dumps(tournament))
    desk.run(environment / "shogiarena", "run", "tournament", "tournament.yaml", "--run-dir", "run")
    text = desk.run(environment / "shogiarena", "results", "summary", "run", "--format", "json")
    summary = json.loads(text[text.index("{") :])
    assert sum(summary["raw_result_counts"].values()) == 2, summary
    assert not summary["failures"], summary
    return re.findall(r"^bestmove (\S+)", desk.said(), re.M)


def lichess_bot(desk: Desk) -> list[str]:
    """A whole game on the server of tests/engines/fake_lichess.py, with slow answers."""
    environment = desk.environment("lichessbot")
    desk.install("lichess-bot", "uci", (1200,))
    show = "from lichessbot.resources import DEFAULT_CONFIG; print(DEFAULT_CONFIG)"
    usual = desk.run(environment / "python", "-c", show)
    ours = (desk.folder / "engines" / "lichess-bot-1200.yml").read_text()
    with FakeLichess(random_mover(1, plies=120), Faults(late={7: 1.5, 8: 1.5})) as site:
        text = re.sub(r"^engine:.*?(?=^abort_time)", lambda _: ours, usual, flags=re.M | re.S)
        text = text.replace("xxxxxxxxxxxxxxxx", TOKEN).replace("https://lichess.org/", site.address)
        (desk.home / "config.yml").write_text(text)
        site.challenge("trial", bot_is_white=False, seconds=60)
        desk.start(environment / "lichessbot", "-u")
        game = desk.until(
            lambda: site.game if site.game and site.game.status != "started" else None, "a game"
        )
        time.sleep(3)
        assert game.winner == "black", game.pgn
        assert set(site.statuses(".*/move/.*")) == {200}
        return [move.uci() for move in game.board.move_stack[1::2]]


@dataclass(frozen=True)
class Trial:
    """A program and what is done with it."""

    title: str
    gui: str
    """Its name for `sparring engine install`."""
    play: Callable[[Desk], list[str]]
    """Lets it play, and returns the engines' moves. Its docstring says what is done."""
    package: str
    """Debian's package, or the name in `ENVIRONMENTS`."""
    size: tuple[int, int] = (1000, 700)
    picture: bool = True


TRIALS = {
    "xboard": Trial("XBoard", "xboard", xboard, "xboard"),
    "xboard-shogi": Trial("XBoard", "xboard", xboard_shogi, "xboard"),
    "pychess": Trial("PyChess", "pychess", pychess, "pychess"),
    "scid": Trial("Scid", "scid", scid, "scid"),
    "qgo": Trial("qGo", "qgo", qgo, "qgo", (900, 800)),
    "katrain": Trial("KaTrain", "katrain", katrain, "katrain"),
    "shogiarena": Trial("ShogiArena", "other", shogiarena, "shogiarena", picture=False),
    "lichess-bot": Trial("lichess-bot", "lichess-bot", lichess_bot, "lichessbot", picture=False),
}
ENVIRONMENTS = {
    "katrain": (["katrain==1.20.0"],),
    "shogiarena": (["shogiarena==1.3.2"],),
    # The one version of lichess-bot in the package index is of 2018; its own pins do not build today.
    "lichessbot": (
        ["setuptools<70", "wheel"],
        ["--no-build-isolation", "python-chess==0.23.11", "PyYAML==5.3.1", "future", "backoff", "requests"],
        ["--no-deps", "lichessbot==1.1.0"],
    ),
}
"""Arguments of `pip install`, one command each, by the program."""


def version(package: str) -> str:
    """The version of a program: Debian's, or of the package index."""
    if package in ENVIRONMENTS:
        return ENVIRONMENTS[package][-1][-1].partition("==")[2]
    command = ["dpkg-query", "-W", "-f", "${Version}", package]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        raise UserError(f"{package} is not installed: apt-get install {package}") from None


def row_of(name: str, environments: Path) -> dict[str, Any]:
    """Tries a program, and stores its screen."""
    trial = TRIALS[name]
    row: dict[str, Any] = {"name": name, "program": trial.title, "version": version(trial.package)}
    with Desk(trial.size, environments) as desk:
        moves = trial.play(desk)
        row |= {
            "gui": trial.gui,
            "game": PROTOCOLS[desk.protocol],
            "tried": " ".join((trial.play.__doc__ or "").split()),
            "engines": sorted(desk.launchers),
            "moves": len(moves),
            "first_engine_moves": moves[:8],
        }
        if trial.picture:
            row["screenshot"] = f"{name}.webp"
            desk.picture(PICTURES / f"{name}.webp")
    return row


def main(arguments: Sequence[str] | None = None) -> None:
    """Tries programs, and writes their rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=f"what to try: {', '.join(TRIALS)}")
    parser.add_argument(
        "--environments", type=Path, help="folder that keeps what comes from the package index"
    )
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        for name in options.names or TRIALS:
            head = provenance("python -m bench.gui_trials")
            row = row_of(name, (options.environments or Path(folder)).resolve())
            print(json.dumps(row), flush=True)
            kept = json.loads(RESULTS.read_text())["rows"] if RESULTS.exists() else []
            rows = {entry["name"]: entry for entry in kept} | {name: {**row, "commit": head["commit"]}}
            write_json({**head, "rows": [rows[key] for key in TRIALS if key in rows]}, RESULTS)


if __name__ == "__main__":
    main()
