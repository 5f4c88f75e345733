"""`sparring engine install`: the launchers and the files of the GUIs."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sparring.base.errors import BadConfig, BadFile, UserError
from sparring.engines import PROTOCOLS, EngineSettings
from sparring.engines.guis import GUIS, Installed, install
from sparring.engines.options import find_option
from sparring.players.player_config import shipped_levels

PAGE = Path(__file__).parents[2] / "docs" / "engines.md"
WITH_A_LIST = [name for name, gui in GUIS.items() if gui.writer is not None]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folder without any GUI."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    return folder


def put(
    name: str,
    folder: Path,
    levels: tuple[int, ...] = (1000, 1200),
    own_place: bool = False,
    force: bool = False,
) -> Installed:
    """Installs levels for a GUI; levels of chess, or those of its own game."""
    gui = GUIS[name]
    protocol = gui.protocols[0]
    if PROTOCOLS[protocol] != "chess":
        levels = {"go": (950, 1550), "shogi": (120, 480)}[PROTOCOLS[protocol]][: len(levels)]
    return install(gui, protocol, levels, folder, own_place=own_place, force=force)


def started_like(launcher: Path, *lines: str) -> str:
    """The output of a launcher that gets lines."""
    done = subprocess.run(
        [launcher], input="\n".join(lines), capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout


def test_a_launcher_starts_an_engine_with_the_name_of_its_level(tmp_path: Path) -> None:
    (launcher,) = put("other", tmp_path, (1200,)).launchers
    assert launcher.name == "Sparring 1200"
    assert "id name Sparring 1200\n" in started_like(launcher.path, "uci", "quit\n")


@pytest.mark.parametrize(("protocol", "level"), [("uci", 1000), ("usi", 480), ("gtp", 1550)])
def test_a_launcher_names_the_protocol_of_its_game_and_its_level(
    protocol: str, level: int, tmp_path: Path
) -> None:
    (launcher,) = install(GUIS["other"], protocol, [level], tmp_path, own_place=False, force=False).launchers
    assert launcher.path.read_text().splitlines()[-1].endswith(f'engine {protocol} --level {level} "$@"')
    assert os.access(launcher.path, os.X_OK)
    assert launcher.game in launcher.path.name


def test_without_levels_the_measured_ones_are_installed(tmp_path: Path) -> None:
    installed = install(GUIS["other"], "uci", [], tmp_path, own_place=False, force=False)
    table = shipped_levels("chess", "engine")
    assert table is not None
    measured = [row.level for row in table.levels if row.measured is not None]
    assert [launcher.level for launcher in installed.launchers] == measured


def test_a_level_that_does_not_exist_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match="600 to 2600"):
        put("cute-chess", tmp_path / "out", (1200, 3000))
    assert not (tmp_path / "out").exists()


def test_a_path_with_spaces_and_quotes_starts(tmp_path: Path) -> None:
    (launcher,) = put("other", tmp_path / "it's a folder", (1000,)).launchers
    assert "uciok" in started_like(launcher.path, "uci", "quit\n")


def names_in(name: str, text: str) -> list[str]:
    """The engines in a GUI's file, read as the GUI reads it."""
    match name:
        case "cute-chess" | "en-croissant" | "pychess":
            return [engine["name"] for engine in json.loads(text)]
        case "sabaki":
            return [engine["name"] for engine in json.loads(text)["engines.list"]]
        case "shogihome":
            return [engine["name"] for engine in json.loads(text)["engines"].values()]
        case "scid":
            return re.findall(r"^  Name \{?(.*?)\}?$", text, re.M)
        case "xboard":
            return [
                match[1] or match[2]
                for line in text.partition("{")[2].partition("}")[0].splitlines()
                if (match := re.match(r'"(.*?)" |(\S+)', line))
            ]
        case "q5go":
            return re.findall(r"^ENGINE\d+a \[(.*)\]$", text, re.M)
        case "katrain":
            return [json.loads(text)["engine"]["altcommand"]]
    raise AssertionError(f"{name} has a file that is not read here")


FOREIGN = {
    "cute-chess": '[{"name": "Sloppy", "command": "sloppy", "protocol": "xboard", "options": [{"a": 1}]}]',
    "en-croissant": '[{"type": "lichess", "name": "Cloud", "url": "https://lichess.org"}]',
    "pychess": '[{"name": "stockfish", "command": "/usr/games/stockfish", "protocol": "uci"}]',
    "sabaki": '{"app.lang": "de", "engines.list": [{"name": "KataGo", "path": "katago", "args": "gtp"}]}',
    "shogihome": '{"engines": {"es://usi-engine/a": {"uri": "es://usi-engine/a", "name": "A", "path": "a"}},'
    ' "tagColorMapping": {"game": "blue"}}',
    "scid": "# Analysis engines\n\nengine {\n  Name Phalanx\n  Cmd  phalanx\n  Args {}\n  Dir  .\n}\n\n",
    "xboard": "-size 49\n-firstChessProgramNames {fairymax\n"
    '"Fruit 2.1" -fcp fruit -fUCI\n}\n-niceEngines 0\n',
    "q5go": "BOARD_COORDS [1]\nENGINE1a [Leela]\nENGINE1b [/bin/leelaz]\nENGINE1c [--gtp]\nENGINE1e [1]\n",
    "katrain": '{"engine": {"max_visits": 300, "altcommand": ""}, "ui": {"size": 2}}',
}
"""Files of other engines and settings, in the GUIs' own formats."""


@pytest.mark.parametrize("name", WITH_A_LIST)
def test_what_is_in_the_file_of_a_gui_stays(name: str, tmp_path: Path) -> None:
    path = tmp_path / GUIS[name].file
    path.write_text(FOREIGN[name])
    before = [] if name == "katrain" else names_in(name, FOREIGN[name])
    installed = put(name, tmp_path)
    text = path.read_text()
    ours = [launcher.name for launcher in installed.launchers]
    if name == "katrain":
        assert json.loads(text)["ui"] == {"size": 2}
        assert json.loads(text)["engine"]["max_visits"] == 300
    else:
        assert names_in(name, text) == [*before, *ours]
    if name in ("cute-chess", "en-croissant", "pychess"):
        assert json.loads(text)[0] == json.loads(FOREIGN[name])[0]
    elif name in ("scid", "q5go"):
        assert text.startswith(FOREIGN[name].rstrip())
    elif name == "xboard":
        assert set(FOREIGN[name].splitlines()) <= set(text.splitlines())
    elif name in ("sabaki", "shogihome"):
        assert {"app.lang", "tagColorMapping"} & set(json.loads(text))
    assert not installed.kept


@pytest.mark.parametrize("name", WITH_A_LIST)
def test_installing_twice_changes_nothing(name: str, tmp_path: Path) -> None:
    put(name, tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    assert not put(name, tmp_path).kept
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.parametrize("name", [name for name in WITH_A_LIST if name != "katrain"])
def test_an_engine_of_our_name_is_replaced_by_force_only(name: str, tmp_path: Path) -> None:
    """A second installation in another folder: the names are the same, the paths are not."""
    first, second = tmp_path / "first", tmp_path / "second"
    put(name, first)
    second.mkdir()
    file = second / GUIS[name].file
    file.write_text((first / GUIS[name].file).read_text())
    kept = put(name, second)
    assert kept.kept == tuple(launcher.name for launcher in kept.launchers)
    assert str(second) not in file.read_text()
    put(name, second, force=True)
    assert str(first) not in file.read_text()
    assert names_in(name, file.read_text()) == [launcher.name for launcher in kept.launchers]


def test_another_command_of_katrain_is_replaced_by_force_only(tmp_path: Path) -> None:
    file = tmp_path / "katrain.json"
    file.write_text('{"engine": {"backend": "custom", "altcommand": "mine"}}')
    assert put("katrain", tmp_path).kept == ("engine.altcommand",)
    assert names_in("katrain", file.read_text()) == ["mine"]
    put("katrain", tmp_path, force=True)
    assert names_in("katrain", file.read_text()) == [str(tmp_path / "sparring-katago")]


def test_katrain_gets_one_script_and_no_levels(tmp_path: Path) -> None:
    assert not put("katrain", tmp_path).launchers
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == [
        "katrain.json",
        "sparring-katago",
    ]
    assert "engine katago-analysis" in (tmp_path / "sparring-katago").read_text()


def test_a_launcher_with_other_content_is_replaced_by_force_only(tmp_path: Path) -> None:
    mine = tmp_path / "sparring-chess-1200"
    mine.write_text("mine")
    with pytest.raises(UserError, match="sparring-chess-1200 is there already"):
        put("cute-chess", tmp_path)
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == [mine.name]
    put("cute-chess", tmp_path, force=True)
    assert "--level 1200" in mine.read_text()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("cute-chess", "{"),
        ("cute-chess", '{"name": "Sloppy"}'),
        ("sabaki", "[]"),
        ("sabaki", '{"engines.list": 1}'),
        ("shogihome", '{"engines": []}'),
        ("katrain", '{"engine": 1}'),
        ("katrain", "[]"),
    ],
)
def test_a_file_of_another_kind_is_left_alone(name: str, content: str, tmp_path: Path) -> None:
    file = tmp_path / GUIS[name].file
    file.write_text(content)
    with pytest.raises(BadFile, match="it was left alone"):
        put(name, tmp_path)
    assert file.read_text() == content


PLACES = {
    "cute-chess": ".config/cutechess/engines.json",
    "en-croissant": ".local/share/org.encroissant.app/engines/engines.json",
    "pychess": ".config/pychess/engines.json",
    "sabaki": ".config/Sabaki/settings.json",
    "scid": ".scid4.7/config/engines.dat",
    "shogihome": ".config/electron-shogi/usi_engine.json",
}


@pytest.mark.skipif(os.name != "posix" or os.uname().sysname != "Linux", reason="these are Linux's folders")
@pytest.mark.parametrize("name", PLACES)
def test_engines_are_added_to_the_guis_own_file_if_it_has_run_here(
    name: str, home: Path, tmp_path: Path
) -> None:
    own = home / PLACES[name]
    elsewhere = put(name, tmp_path / "out", own_place=True)
    assert not elsewhere.merged
    assert not own.exists()
    own.parent.mkdir(parents=True)
    installed = put(name, tmp_path / "out", own_place=True)
    assert installed.merged
    assert names_in(name, own.read_text()) == [launcher.name for launcher in installed.launchers]


def test_xboards_settings_are_added_to_but_not_made(home: Path, tmp_path: Path) -> None:
    assert not put("xboard", tmp_path, own_place=True).merged
    (home / ".xboardrc").write_text(FOREIGN["xboard"])
    assert put("xboard", tmp_path, own_place=True).merged
    assert "Sparring 1200" in names_in("xboard", (home / ".xboardrc").read_text())


def test_a_linked_settings_file_stays_a_link(home: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.xboardrc"
    real.write_text(FOREIGN["xboard"])
    (home / ".xboardrc").symlink_to(real)
    put("xboard", tmp_path / "out", own_place=True)
    assert (home / ".xboardrc").is_symlink()
    assert "Sparring 1200" in real.read_text()


def entries(name: str, folder: Path) -> Any:
    put(name, folder)
    return json.loads((folder / GUIS[name].file).read_text())


def test_an_entry_has_the_keys_that_its_gui_needs(tmp_path: Path) -> None:
    assert entries("cute-chess", tmp_path / "a")[0] == {
        "name": "Sparring 1000",
        "command": str(tmp_path / "a" / "sparring-chess-1000"),
        "workingDirectory": str(tmp_path / "a"),
        "protocol": "uci",
    }
    pychess = entries("pychess", tmp_path / "b")[0]
    script = Path(pychess["command"]).read_bytes()
    assert pychess["md5"] == hashlib.md5(script, usedforsecurity=False).hexdigest()
    croissant = entries("en-croissant", tmp_path / "c")[0]
    assert {"type", "id", "name", "version", "path"} <= croissant.keys()
    assert croissant["type"] == "local"
    shogihome = entries("shogihome", tmp_path / "d")["engines"]
    assert all(uri.startswith("es://usi-engine/") and uri == shogihome[uri]["uri"] for uri in shogihome)


def test_q5go_numbers_its_engines_without_a_gap(tmp_path: Path) -> None:
    (tmp_path / "q5gorc").write_text(FOREIGN["q5go"])
    put("q5go", tmp_path)
    numbers = re.findall(r"^ENGINE(\d+)a ", (tmp_path / "q5gorc").read_text(), re.M)
    assert numbers == ["1", "2", "3"]


def test_the_launchers_of_qgo_are_called_as_it_needs_them(tmp_path: Path) -> None:
    """qGo 2.1 finds the moves of programs only whose path ends in gnugo."""
    assert all(launcher.path.name.endswith("gnugo") for launcher in put("qgo", tmp_path).launchers)


def test_shogi_in_xboard_goes_through_uci2wb(tmp_path: Path) -> None:
    install(GUIS["xboard"], "usi", [480], tmp_path, own_place=False, force=False)
    line = (tmp_path / "xboardrc").read_text().splitlines()[0]
    assert f'-fcp "uci2wb -s {tmp_path}/sparring-shogi-480" -variant shogi' in line


def test_lichess_bot_gets_a_file_a_level_with_options_that_the_engine_has(tmp_path: Path) -> None:
    files = put("lichess-bot", tmp_path).files
    assert [path.name for path in files] == ["lichess-bot-1000.yml", "lichess-bot-1200.yml"]
    text = files[1].read_text()
    assert f'dir: "{tmp_path}"' in text
    assert 'name: "sparring-chess-1200"' in text
    options = re.findall(r"^    ([A-Z][\w ]*): (\S+)", text, re.M)
    assert {name for name, _ in options} == {"Move Overhead", "ThinkTime"}
    for name, value in options:
        find_option("uci", name).apply(EngineSettings.of("chess"), value)


def test_every_gui_of_the_table_is_on_the_page() -> None:
    page = PAGE.read_text()
    for name, gui in GUIS.items():
        if name != "other":
            assert f"| {gui.title} " in page, f"docs/engines.md has no row for {gui.title}"
            assert f"`{name}`" in page


def command(*arguments: str, home: Path | None = None) -> subprocess.CompletedProcess[str]:
    places = ("HOME", "APPDATA", "LOCALAPPDATA", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "SPARRING_HOME")
    env = None if home is None else {**os.environ, **dict.fromkeys(places, str(home))}
    return subprocess.run(
        [sys.executable, "-m", "sparring", "engine", "install", *arguments],
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_command_names_what_it_wrote_and_what_to_click(tmp_path: Path) -> None:
    done = command("--gui", "scid", "--levels", "1200, 1000", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == f"Sparring 1000  {tmp_path / 'sparring-chess-1000'}"
    assert f"wrote {tmp_path / 'engines.dat'}" in lines
    assert any(line.startswith("In Scid: Tools, Analysis Engines") for line in lines)


def test_a_gui_that_has_not_run_is_to_be_started_first(tmp_path: Path) -> None:
    arguments = ("--gui", "pychess", "--levels", "1200")
    done = command(*arguments, home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "PyChess has not run here yet" in done.stdout
    assert "run this command again" in done.stdout
    assert "the levels are in the list" not in done.stdout
    assert "--out" not in done.stdout
    (tmp_path / "pychess").mkdir()
    again = command(*arguments, home=tmp_path)
    assert again.returncode == 0, again.stderr
    assert f"added to {tmp_path / 'pychess' / 'engines.json'}" in again.stdout
    assert "the levels are in the list" in again.stdout


def test_without_a_gui_the_command_lists_them() -> None:
    done = command()
    assert done.returncode == 2
    assert "--gui NAME is needed: arena," in done.stderr
    assert "pychess" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--gui", "fritz"), "there is no GUI 'fritz' here: arena,"),
        (("--gui", "sabaki", "--game", "chess"), "sabaki plays go, not 'chess'"),
        (("--gui", "scid", "--levels", "strong"), "--levels is a list such as 1000,1200"),
        (("--gui", "scid", "--levels", "5000"), "600 to 2600"),
    ],
)
def test_what_cannot_be_installed_is_explained(
    arguments: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    done = command(*arguments, "--out", str(tmp_path / "out"))
    assert done.returncode == 2
    assert message in done.stderr
    assert not (tmp_path / "out").exists()
