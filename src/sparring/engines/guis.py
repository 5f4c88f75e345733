"""Launchers of levels for GUIs: a small script a level, and the GUI's own list of engines where its format is
known.

`GUIS` is the table: a row a GUI, with the protocols that it speaks, its file and the function that adds
engines to that file. A new GUI is a row, and a function if its format is new.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from sparring.base.errors import BadConfig, BadFile, UserError
from sparring.base.storage import atomic_write
from sparring.engines.options import PROTOCOLS
from sparring.players.player_config import shipped_levels

# Launchers.


@dataclass(frozen=True)
class Launcher:
    """A script that starts an engine of a level, for GUIs that take no arguments."""

    name: str
    """Name in the GUI's list, such as "Sparring 1200"."""
    path: Path
    protocol: str
    level: int

    @property
    def game(self) -> str:
        """The game that its protocol is for."""
        return PROTOCOLS[self.protocol]

    @property
    def script(self) -> str:
        """Content of the script."""
        return script(("engine", self.protocol, "--level", str(self.level)))

    @property
    def checksum(self) -> str:
        """MD5 of the script, by which PyChess notices a change."""
        return hashlib.md5(self.script.encode(), usedforsecurity=False).hexdigest()


def script(arguments: Sequence[str]) -> str:
    """A script that runs `sparring` with arguments, in the interpreter that runs now."""
    # -P: a file sparring.py in the folder where the GUI runs is not imported.
    command = [sys.executable, "-P", "-m", "sparring", *arguments]
    if sys.platform == "win32":
        return f"@{subprocess.list2cmdline(command)} %*\r\n"
    return f'#!/bin/sh\n# Written by `sparring engine install`.\nexec {shlex.join(command)} "$@"\n'


def script_path(folder: Path, stem: str) -> Path:
    """Path of a script."""
    return folder / (f"{stem}.bat" if sys.platform == "win32" else stem)


def launchers_of(protocol: str, levels: Sequence[int], folder: Path, ending: str = "") -> list[Launcher]:
    """The launchers of levels; without levels, of the measured rows of the game's table. Raises BadConfig."""
    game = PROTOCOLS[protocol]
    table = shipped_levels(game, "engine")
    if table is None:
        raise BadConfig(f"{game} has no levels")
    for level in levels:
        table.row(level)
    return [
        Launcher(
            f"Sparring {level}", script_path(folder, f"sparring-{game}-{level}{ending}"), protocol, level
        )
        for level in levels or [row.level for row in table.levels if row.measured is not None]
    ]


# The GUIs' lists of engines.


class Merged(NamedTuple):
    """A GUI's file with our engines."""

    text: str
    kept: tuple[str, ...] = ()
    """Entries with our names but edited content; left as they are."""


Writer: TypeAlias = Callable[[str | None, Sequence[Launcher], bool], Merged]
"""Adds engines to a file: its text, None if there is no file yet; the launchers; whether entries of the same
names are replaced. Everything else in the file stays. Raises ValueError for a file of another kind."""

_Entry: TypeAlias = dict[str, Any]


def _json_list(entry_of: Callable[[Launcher], _Entry], key: str | None = None) -> Writer:
    """A writer of a JSON list of engines with names; `key` is its place if the file is an object."""

    def write(old: str | None, launchers: Sequence[Launcher], replace: bool) -> Merged:
        empty: Any = [] if key is None else {}
        table = empty if old is None else json.loads(old)
        if not isinstance(table, type(empty)):
            raise ValueError(f"a JSON {'list' if key is None else 'object'} expected")
        entries = table if key is None else table.setdefault(key, [])
        if not isinstance(entries, list):
            raise ValueError(f"{key} is not a list")
        kept = []
        for launcher in launchers:
            entry = entry_of(launcher)
            at = next((i for i, old in enumerate(entries) if _named(old, launcher.name)), None)
            if at is None:
                entries.append(entry)
            elif replace:
                entries[at] = entry
            elif str(launcher.path) not in entries[at].values():  # the GUI may have added what it learned
                kept.append(launcher.name)
        return Merged(_json(table), tuple(kept))

    return write


def _named(entry: object, name: str) -> bool:
    return isinstance(entry, dict) and entry.get("name") == name


def _json(table: Any) -> str:
    return json.dumps(table, indent=2, ensure_ascii=False) + "\n"


def _cute_chess_entry(launcher: Launcher) -> _Entry:
    return {
        "name": launcher.name,
        "command": str(launcher.path),
        "workingDirectory": str(launcher.path.parent),
        "protocol": launcher.protocol,
    }


def _en_croissant_entry(launcher: Launcher) -> _Entry:
    return {
        "type": "local",
        "id": f"sparring-{launcher.level}",
        "name": launcher.name,
        "version": "",
        "path": str(launcher.path),
        "elo": launcher.level,
        "loaded": True,
        "settings": [{"name": "MultiPV", "value": 3}],
    }


def _pychess_entry(launcher: Launcher) -> _Entry:
    # Without md5 PyChess 1.0.3 cannot start the engine. Level 20 is its own: no handicap.
    return {
        "name": launcher.name,
        "protocol": launcher.protocol,
        "command": str(launcher.path),
        "workingDirectory": str(launcher.path.parent),
        "md5": launcher.checksum,
        "country": "unknown",
        "comment": "",
        "level": 20,
        "analyze": True,
        "recheck": True,
    }


def _sabaki_entry(launcher: Launcher) -> _Entry:
    return {"name": launcher.name, "path": str(launcher.path), "args": "", "commands": ""}


def _shogihome(old: str | None, launchers: Sequence[Launcher], replace: bool) -> Merged:
    """usi_engine.json of ShogiHome: engines by their URI."""
    table = {} if old is None else json.loads(old)
    engines = table.setdefault("engines", {}) if isinstance(table, dict) else None
    if not isinstance(engines, dict):
        raise ValueError("a JSON object with `engines` expected")
    kept = []
    for launcher in launchers:
        uri = f"es://usi-engine/sparring-{launcher.level}"
        entry = {
            "uri": uri,
            "name": launcher.name,
            "defaultName": launcher.name,
            "author": "the Sparring developers",
            "path": str(launcher.path),
            "options": {},
            "labels": {"game": True, "research": True, "mate": False},
            "enableEarlyPonder": False,
        }
        if uri not in engines or replace:
            engines[uri] = entry
        elif engines[uri].get("path") != entry["path"]:
            kept.append(launcher.name)
    return Merged(_json(table), tuple(kept))


_SCID_ENGINE = re.compile(
    r"^engine \{\n(?:(?!\}).*\n)*?\s*Name\s+\{?(?P<name>.*?)\}?\n(?:(?!\}).*\n)*\}\n?", re.M
)


def _scid(old: str | None, launchers: Sequence[Launcher], replace: bool) -> Merged:
    """engines.dat of Scid: calls of its Tcl procedure `engine`."""
    text, kept = old or "# Analysis engines list file for Scid with UCI support\n", []
    for launcher in launchers:
        block = _scid_engine(launcher)
        entry = next((match for match in _SCID_ENGINE.finditer(text) if match["name"] == launcher.name), None)
        if entry is None:
            text = f"{text.rstrip()}\n\n{block}"
        elif replace:
            text = text[: entry.start()] + block + text[entry.end() :]
        elif _tcl(str(launcher.path)) not in entry[0]:
            kept.append(launcher.name)
    return Merged(text, tuple(kept))


def _scid_engine(launcher: Launcher) -> str:
    values = {
        "Name": launcher.name,
        "Cmd": str(launcher.path),
        "Args": "",
        "Dir": str(launcher.path.parent),
        "Elo": str(launcher.level),
        "Time": "0",
        "URL": "",
        "UCI": "1",
        "UCIoptions": "",
    }
    return "".join(["engine {\n", *(f"  {key} {_tcl(value)}\n" for key, value in values.items()), "}\n"])


def _tcl(text: str) -> str:
    """A word of Tcl."""
    if re.fullmatch(r"[\w./:-]+", text):
        return text
    return re.sub(r'([\\{}\[\]$" ;])', r"\\\1", text) if re.search(r"[\\{}]", text) else f"{{{text}}}"


_XBOARD_LIST = re.compile(r"^-firstChessProgramNames \{(?P<engines>[^}]*)\}", re.M)


def _xboard(old: str | None, launchers: Sequence[Launcher], replace: bool) -> Merged:
    """The list of engines in XBoard's settings, which Engine, Load New 1st Engine shows."""
    entries = _XBOARD_LIST.search(old or "")
    lines = entries["engines"].splitlines() if entries else []
    kept = []
    for launcher in launchers:
        if launcher.protocol == "usi":  # uci2wb of Debian translates it
            line = f'"{launcher.name}" -fcp "uci2wb -s {launcher.path}" -variant shogi'
        else:
            line = f'"{launcher.name}" -fcp "{launcher.path}" -fd "{launcher.path.parent}" -fUCI'
        at = next((i for i, text in enumerate(lines) if text.startswith(f'"{launcher.name}" ')), None)
        if at is None:
            lines.append(line)
        elif replace:
            lines[at] = line
        elif str(launcher.path) not in lines[at]:
            kept.append(launcher.name)
    entry = "-firstChessProgramNames {" + "\n".join(lines) + "\n}"
    if entries and old:
        return Merged(old[: entries.start()] + entry + old[entries.end() :], tuple(kept))
    return Merged(f"{old.rstrip()}\n{entry}\n" if old else f"{entry}\n", tuple(kept))


def _q5go(old: str | None, launchers: Sequence[Launcher], replace: bool) -> Merged:
    """The engines in q5Go's settings: lines `ENGINE<number><letter> [text]`, numbered from 1 without gaps."""
    lines = [] if old is None else old.splitlines()
    names = {
        match[2]: int(match[1]) for line in lines if (match := re.match(r"ENGINE(\d+)a \[(.*)\]$", line))
    }
    kept = []
    for launcher in launchers:
        number = names.setdefault(launcher.name, max(names.values(), default=0) + 1)
        fields = {"a": launcher.name, "b": str(launcher.path), "c": "", "d": "", "e": "0", "f": ""}
        own = [f"ENGINE{number}{letter} [{text}]" for letter, text in fields.items() if text]
        before = [line for line in lines if re.match(rf"ENGINE{number}[a-f] ", line)]
        if before and not replace:
            kept += [launcher.name] * (own[1] not in before)
            continue
        lines = [line for line in lines if line not in before] + own
    return Merged("".join(f"{line}\n" for line in lines), tuple(kept))


def _katrain(old: str | None, launchers: Sequence[Launcher], replace: bool) -> Merged:
    """The keys of KaTrain's engine, which replace KataGo. All other keys stay."""
    table = {} if old is None else json.loads(old)
    command = shlex.quote(str(script_path(launchers[0].path.parent, KATAGO_LAUNCHER)))  # for a shell
    engine = table.setdefault("engine", {})
    if engine.get("altcommand") not in (None, "", command) and not replace:
        return Merged(_json(table), ("engine.altcommand",))
    engine.update(backend="custom", altcommand=command)
    return Merged(_json(table))


KATAGO_LAUNCHER = "sparring-katago"
"""Script that starts `sparring engine katago-analysis`."""


def _lichess_bot(launcher: Launcher) -> str:
    """The keys of lichess-bot's config.yml that differ from config.yml.default."""
    return (
        f"# {launcher.name}: these keys in place of those of config.yml; all others stay as they are.\n"
        "engine:\n"
        f"  dir: {json.dumps(str(launcher.path.parent))}\n"
        f"  name: {json.dumps(launcher.path.name)}\n"
        '  protocol: "uci"\n'
        "  ponder: false             # people's moves need no search on your time\n"
        "  polyglot:\n"
        "    enabled: false          # the level has its own openings\n"
        "  uci_options:\n"
        "    Move Overhead: 1000     # milliseconds lost between Lichess and the engine\n"
        "    ThinkTime: true         # takes the time that people take\n"
    )


# The table of the GUIs.


@dataclass(frozen=True)
class Gui:
    """A program that plays with engines."""

    title: str
    protocols: tuple[str, ...]
    """The protocols that it speaks and ours do; its first is the default."""
    steps: str
    """What to click; `{file}` is the written file and `{launcher}` one of the launchers."""
    file: str = ""
    """Name of the file with its engines; empty if engines are added by hand."""
    writer: Writer | None = None
    places: tuple[str, ...] = ()
    """Where the program keeps that file, with `{config}` and `{data}` for the user's folders. Empty if it is
    unknown, or not ours to change."""
    level_file: Callable[[Launcher], str] | None = None
    """Writes a file a level, for programs with one engine; `file` has `{level}`."""
    scripts: Mapping[str, tuple[str, ...]] | None = None
    """Scripts in place of the launchers: arguments of `sparring` by name."""
    ending: str = ""
    """Ending of the launchers' names."""


_BY_HAND = "add an engine and choose the file {launcher}; one a level"

GUIS: dict[str, Gui] = {
    "arena": Gui("Arena", ("uci",), f"Engines, Install New Engine: {_BY_HAND}; type UCI"),
    "banksia": Gui("BanksiaGUI", ("uci",), f"Settings, Engines: {_BY_HAND}"),
    "cute-chess": Gui(
        "Cute Chess", ("uci",), "Game, New, CPU: the levels are in the list (its engines are in {file})",
        "engines.json", _json_list(_cute_chess_entry), ("{config}/cutechess/engines.json",),
    ),
    "en-croissant": Gui(
        "En Croissant", ("uci",),
        "Engines lists the levels (from {file}). By hand: Engines, Add New, Local, Binary file: {launcher}",
        "engines.json", _json_list(_en_croissant_entry),
        ("{data}/org.encroissant.app/engines/engines.json",),
    ),
    "gogui": Gui("GoGui", ("gtp",), "Program, New Program: the command is {launcher}; one a level"),
    "katrain": Gui(
        "KaTrain", ("gtp",),
        "General & Engine Settings, Engine, Custom command: the altcommand in {file}. Its own AIs choose the "
        "strength, so it gets no levels",
        "katrain.json", _katrain, scripts={KATAGO_LAUNCHER: ("engine", "katago-analysis")},
    ),
    "lichess-bot": Gui(
        "lichess-bot", ("uci",),
        "in config.yml, put the keys of one of the files, such as {file}, in place of its own",
        "lichess-bot-{level}.yml", level_file=_lichess_bot,
    ),
    "nibbler": Gui("Nibbler", ("uci",), f"Engine, Choose engine: {_BY_HAND}"),
    "pychess": Gui(
        "PyChess", ("uci",),
        "New Game, opponent: the levels are in the list (from {file}); leave its own slider at 20, and set "
        "Book depth max to 0 in its preferences, or its book plays the opening",
        "engines.json", _json_list(_pychess_entry), ("{config}/pychess/engines.json",),
    ),
    "q5go": Gui(
        "q5Go", ("gtp",),
        "add the lines of {file} to its settings, q5gorc, while it is closed. By hand: Preferences, Computer "
        "Go, New: {launcher}",
        "q5gorc", _q5go,
    ),
    # qGo numbers its commands, and finds moves by these numbers, only if the program's name ends in gnugo.
    "qgo": Gui(
        "qGo", ("gtp",),
        "Preferences, Computer engine: {launcher} in place of the first engine, without arguments; qGo plays "
        "with the first one only",
        ending="-gnugo",
    ),
    "sabaki": Gui(
        "Sabaki", ("gtp",), "Engines, Show Engines Sidebar, Attach: the levels are in the list (from {file})",
        "settings.json", _json_list(_sabaki_entry, "engines.list"), ("{config}/Sabaki/settings.json",),
    ),
    "scid": Gui(
        "Scid", ("uci",),
        "Tools, Analysis Engines, and Play, Computer: the levels are in the list (from {file})",
        "engines.dat", _scid, ("~/.scid*/config/engines.dat",),
    ),
    "shogidokoro": Gui("Shogidokoro", ("usi",), f"the menu for engines, add: {_BY_HAND}"),
    "shogigui": Gui("ShogiGUI", ("usi",), f"the menu for engines, add: {_BY_HAND}"),
    "shogihome": Gui(
        "ShogiHome", ("usi",),
        "Game, Player: the levels are in the list (from {file}). By hand: Settings, Manage engines, Add: "
        "{launcher}",
        "usi_engine.json", _shogihome, ("{config}/electron-shogi/usi_engine.json",),
    ),
    "xboard": Gui(
        "XBoard", ("uci", "usi"),
        "Engine, Load New 1st Engine: the levels are in the list (from {file}); chess at once: xboard -fUCI "
        "-fcp {launcher}. Chess needs polyglot, shogi uci2wb",
        "xboardrc", _xboard, ("~/.xboardrc",),
    ),
    "other": Gui("another program", ("uci", "usi", "gtp"), _BY_HAND),
}  # fmt: skip
"""The GUIs by the names of `--gui`."""


# Installing.


@dataclass(frozen=True)
class Installed:
    """What an installation wrote."""

    launchers: tuple[Launcher, ...]
    """Empty for a GUI that knows no levels."""
    files: tuple[Path, ...] = ()
    """The GUI's files; empty if engines are added by hand."""
    merged: bool = False
    """Whether the engines are in the GUI's own file."""
    kept: tuple[str, ...] = ()
    """Engines of our names that the GUI had with other content, and has still."""


def install(
    gui: Gui, protocol: str, levels: Sequence[int], folder: Path, *, own_place: bool, force: bool
) -> Installed:
    """Writes the launchers of levels into a folder, and adds them to the GUI's list of engines.

    That is the GUI's own file if `own_place` is set and the GUI has run here, else a file in the folder.
    Nothing is written if something is in the way. Raises BadConfig, BadFile, UserError or OSError.
    """
    folder = folder.absolute()
    launchers = launchers_of(protocol, levels, folder, gui.ending)
    scripts = {launcher.path: launcher.script for launcher in launchers}
    if gui.scripts is not None:
        scripts = {script_path(folder, stem): script(words) for stem, words in gui.scripts.items()}
    texts: dict[Path, str] = {}
    if gui.level_file is not None:
        texts = {
            folder / gui.file.format(level=launcher.level): gui.level_file(launcher) for launcher in launchers
        }
    _refuse_others({**scripts, **texts}, force)
    own: Path | None = None
    kept: tuple[str, ...] = ()
    if gui.writer is not None:
        own = _own_file(gui) if own_place else None
        path = folder / gui.file if own is None else own.resolve()
        texts[path], kept = _merged(gui, path, launchers, force)
    for path, text in scripts.items():
        atomic_write(path, text)
        path.chmod(0o755)
    for path, text in texts.items():
        atomic_write(path, text)
    return Installed(tuple(launchers) if gui.scripts is None else (), tuple(texts), own is not None, kept)


def _own_file(gui: Gui) -> Path | None:
    """The file in which the GUI keeps its engines, if the GUI has run here."""
    for place in gui.places:
        path = Path(place.format(config=user_folder("config"), data=user_folder("data"))).expanduser()
        pattern = path.parent.relative_to(path.anchor).as_posix()
        folders = [folder for folder in sorted(Path(path.anchor).glob(pattern)) if folder.is_dir()]
        # A folder that every user has says nothing: there the file itself must exist.
        folders = [folder for folder in folders if folder != Path.home() or (folder / path.name).exists()]
        if folders:
            return folders[-1] / path.name
    return None


def user_folder(kind: str) -> str:
    """The folder in which programs keep the `config` or the `data` of this user."""
    if sys.platform == "win32":
        return os.environ.get("APPDATA") or str(Path.home() / "AppData" / "Roaming")
    if sys.platform == "darwin":
        return str(Path.home() / "Library" / "Application Support")
    usual = {"config": ".config", "data": ".local/share"}[kind]
    return os.environ.get(f"XDG_{kind.upper()}_HOME") or str(Path.home() / usual)


def _merged(gui: Gui, path: Path, launchers: Sequence[Launcher], force: bool) -> Merged:
    assert gui.writer is not None
    try:
        return gui.writer(path.read_text(encoding="utf-8") if path.exists() else None, launchers, force)
    except (ValueError, AttributeError) as error:
        raise BadFile(
            f"{path} is not a file of {gui.title} as we know it ({error}); it was left alone"
        ) from None


def _refuse_others(contents: Mapping[Path, str], force: bool) -> None:
    """Raises UserError if a file has other content than the one that is to be written."""
    for path, content in contents.items():
        if not force and path.exists() and path.read_bytes() != content.encode():
            raise UserError(f"{path} is there already with other content: --force replaces it")
