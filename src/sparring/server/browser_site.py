"""The browser edition: a folder of static files in which the page plays without a server (docs/browser.md).

Its built parts are the core in WebAssembly, the worker, onnxruntime-web and the texts of licences
(`data.browser_parts`). Everything else is of the package: the page, the networks and one file of data. Large
files are packed with gzip, since simple web servers send files as they are.
"""

from __future__ import annotations

import gzip
import hashlib
import html
import json
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from sparring import data
from sparring.base.errors import CannotWrite, NotFound
from sparring.base.sentences import Sentence
from sparring.base.storage import atomic_write, read_npz
from sparring.games import GAMES, describe, load_game
from sparring.networks import load_network
from sparring.networks.conditioned import ConditionedCodec
from sparring.players import DEFAULT_RATING
from sparring.players.behaviour_models import behaviour
from sparring.players.game_players import game_players
from sparring.players.player_config import shipped_levels
from sparring.policies.loading import read_policy_config
from sparring.search.linear_evaluation import SEARCHERS, open_evaluation
from sparring.server.catalogue import catalogue
from sparring.server.messages import text_of
from sparring.server.opponents import Opponents

_MISSING = Sentence("A tab cannot do this: it needs the installed program.")
_NETWORKS = ("human", "strong")
_LICENCES_PAGE = "licences.html"
_SOURCE = "source.tar.gz"
_TITLE = "<title>Sparring: licences</title>"


def build_site(out: Path, source: str | None = None) -> int:
    """Writes the site into a folder that is missing, empty or a site already, and returns its size in bytes.

    `source` is where the licences page offers the source of the site: an address, or an archive, which
    becomes a file of the site. Raises NotFound if this build lacks the parts or the page, CannotWrite if the
    folder has other files, and OSError.
    """
    parts, page = data.browser_parts(), data.page()
    if parts is None or page is None:
        raise NotFound("this build lacks the parts of the browser edition: run `make browser` in a clone")
    if out.exists() and not _may_be_written(out):
        raise CannotWrite(f"{out} is no empty folder and no browser edition: choose another")
    files = site_files(parts, page, source)
    write_site(out, files)
    return sum(map(len, files.values()))


def _may_be_written(out: Path) -> bool:
    if not out.is_dir():
        return False
    mark = out / _LICENCES_PAGE
    return not any(out.iterdir()) or (mark.is_file() and _TITLE.encode() in mark.read_bytes())


def write_site(out: Path, files: Mapping[str, bytes]) -> None:
    """Writes the files of a site; others stay. Raises OSError.

    The first file shows that the folder is a site, and without the last, `index.html`, there is no page: a
    kill leaves a folder that can be written again, and that no visitor takes for whole.
    """
    (out / "index.html").unlink(missing_ok=True)
    order = sorted(files, key=lambda name: (name != _LICENCES_PAGE, name == "index.html", name))
    for name in order:
        atomic_write(out / name, files[name])


def site_files(parts: Path, page: Path, source: str | None = None) -> dict[str, bytes]:
    """The files of the site by their path, from the folders of the built parts and of the page.

    `source` is as in `build_site`. Raises NotFound and OSError if it is neither an address nor an archive.
    """
    written: dict[str, list[str]] = json.loads((parts / "games.json").read_text())
    games = {game: formats for game, formats in written.items() if game in GAMES}
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for folder in (page, parts)
        for path in folder.rglob("*")
        if path.is_file() and path.name not in ("sources.txt", "games.json", "sw.js")
    }
    mark = b'<meta name="sparring-edition" content="tab" />\n    <link rel="icon"'
    assert b'<link rel="icon"' in files["index.html"]
    files["index.html"] = files["index.html"].replace(b'<link rel="icon"', mark, 1)
    files["tab/data.json.gz"] = _pack(json.dumps(tab_data(games), separators=(",", ":")).encode())
    for game in games:
        for name in _network_files(game):
            files[f"tab/{name}.onnx.gz"] = _pack(data.path("networks", name).read_bytes())
        if game in data.names("value_networks"):
            network = b"".join(array.tobytes() for array in _layers(game).values())
            files[f"tab/{game}-network.bin.gz"] = _pack(network)
            files[f"tab/{game}-endgames.bin.gz"] = _pack(b"".join(_tables(game).values()))
        if lines := _lines(game):
            files[f"tab/{game}-lines.bin.gz"] = _pack(b"".join(layer.tobytes() for layer in lines))
    files["files.json"] = _offline_files(files)
    if source is not None and not _is_address(source):
        files[_SOURCE] = _archive(Path(source))
    files[_LICENCES_PAGE] = _licences(games, source).encode()
    files["sw.js"] = _service_worker((parts / "sw.js").read_text(encoding="utf-8"), files).encode()
    return files


def _pack(content: bytes) -> bytes:
    return gzip.compress(content, 9, mtime=0)


def _service_worker(template: str, files: Mapping[str, bytes]) -> str:
    """The service worker, with a version by the content of all files: another content is another version."""
    digest = hashlib.sha256()
    for name in sorted(files, key=PurePosixPath):
        digest.update(name.encode() + files[name])
    top = [name for name in sorted(files) if "/" not in name and not name.endswith((".txt", ".gz"))]
    shell = ["./", *(f"./{name}" for name in top)]
    text = template.replace("sparring-VERSION", f"sparring-{digest.hexdigest()[:12]}")
    return text.replace('["SHELL"]', json.dumps(shell))


def _offline_files(files: Mapping[str, bytes]) -> bytes:
    """The files that all games need without a network, by their path, with their sizes in bytes."""
    sizes = {name: len(content) for name, content in sorted(files.items()) if name.startswith("tab/")}
    return json.dumps(sizes).encode()


def _is_address(source: str) -> bool:
    return source.startswith(("https://", "http://"))


def _archive(path: Path) -> bytes:
    """The content of an archive of the source. Raises NotFound and OSError."""
    if not path.is_file() or not path.name.endswith(".tar.gz"):
        raise NotFound(f"{path} is no archive of the source: give an address, or a .tar.gz file")
    return path.read_bytes()


def _network_files(game: str) -> list[str]:
    """The names of the networks of a game that this package has."""
    return [name for kind in _NETWORKS if (name := f"{kind}-{game}") in data.names("networks")]


def _networks(game: str) -> dict[str, dict[str, Any]]:
    """What the tab has to know of the networks of a game."""
    networks = {}
    for name in _network_files(game):
        codec = load_network(str(data.path("networks", name))).codec
        assert isinstance(codec, ConditionedCodec)
        spec = codec.input_spec
        layout = describe(game).layout
        points = layout(spec.history).points if spec.facts and layout is not None else None
        networks[name.removesuffix(f"-{game}")] = {
            "game": game, "file": f"{name}.onnx", "encoding": spec.encoding, "history": spec.history,
            "lowest": spec.lowest, "highest": spec.highest, "servers": len(spec.server_names),
            "komi": None if points is None else {"encoding": points.encoding, "column": points.column},
        }  # fmt: skip
    return networks


def _policies(game: str) -> dict[str, dict[str, Any]]:
    """The pools of a game by name, of networks that the tab has."""
    pools = {}
    for file in data.names("policies"):
        name, _, of = file.rpartition("-")
        if of != game:
            continue
        config = read_policy_config(data.path("policies", file))
        if not {member.use for member in config.members} <= {*_NETWORKS}:
            continue
        assert config.kind == "geometric"
        assert config.temperature is None
        members = [
            {"use": member.use, "weight": member.weight.knots, "by": member.by} for member in config.members
        ]
        scale = config.scale and {"means": config.scale.means, "stds": config.scale.stds}
        pools[name] = {"members": members, "scale": scale}
    return pools


def _levels(game: str) -> dict[str, Any] | None:
    table = shipped_levels(game)
    if table is None:
        return None
    assert table.rule == "regularised" or not any(row.nodes for row in table.levels)
    keys = ("level", "rating", "temperature", "nodes", "cpuct", "policy_temperature", "policy")
    rows = [{key: getattr(row, key) for key in keys} for row in table.levels]
    return {"policy": table.policy, "default": table.default_level, "rows": rows}


def game_data(game: str, opponents: Opponents) -> dict[str, Any]:
    """What the package has of a game for its players: `GameData` of web/src/tab/players.ts."""
    system, models = describe(game).ratings, behaviour(game)
    return {
        "networks": _networks(game),
        "policies": _policies(game),
        "levels": _levels(game),
        "behaviour": {name: models[name] for name in ("resignation", "draws") if name in models},
        "rating": system.number(DEFAULT_RATING.get(game)),
        "ranks": system.word == "rank",
        "accepted": opponents.ratings(game),
        "evaluation": open_evaluation(game).weights.ravel().tolist() if game in SEARCHERS else None,
        "parts": _parts(game),
        "lines": [layer.size for layer in _lines(game)] or None,
        "openings": _openings(game),
        "bots": _bots(game),
    }


def _lines(game: str) -> list[np.ndarray[Any, np.dtype[Any]]]:
    """The layers of the value network of a game's line search, in the order of their file; none without."""
    if game not in data.names("line_search"):
        return []
    arrays = read_npz(data.path("line_search", game))
    first, first_bias, last = (arrays[name].astype("<i2") for name in ("first", "first_bias", "last"))
    return [first, first_bias, last, arrays["last_bias"].astype("<i4")]


def _openings(game: str) -> list[str]:
    """The moves of each named opening of a game, as engines write them."""
    if game not in data.names("opening_names"):
        return []
    lines = []
    for line in data.path("opening_names", game).read_text(encoding="utf-8").splitlines():
        state, moves = load_game(game).initial(), []
        for word in line.split("\t")[2].split():
            move = load_game(game).parse_move(state, word)
            moves.append(state.move_text(move))
            state = state.play(move)
        lines.append(" ".join(moves))
    return lines


def _bots(game: str) -> dict[str, Any] | None:
    """The bots that the page offers and that need no clock, with the numbers and texts of their
    configurations."""
    bots = game_players(game).bots
    if bots is None:
        return None
    configs = {
        name: {
            key: value
            for key, value in vars(bots.configs[name]).items()
            if isinstance(value, int | float | str)
        }
        for name in bots.for_people
        if name not in bots.budgets
    }
    return {"default": bots.for_beginners, "configs": configs}


def _parts(game: str) -> dict[str, Any] | None:
    """The layers of a value network and the endgame tables: their sizes, in the order of their files."""
    if game not in data.names("value_networks"):
        return None
    tables = [(*map(int, name.split("v")), len(content)) for name, content in _tables(game).items()]
    return {"layers": [(name, array.size) for name, array in _layers(game).items()], "tables": tables}


def _layers(game: str) -> dict[str, Any]:
    arrays = read_npz(data.path("value_networks", game))
    return {name: array.astype(np.float32) for name, array in arrays.items() if array.dtype.kind == "f"}


def _tables(game: str) -> dict[str, bytes]:
    """The endgame tables by their material, such as 2v1."""
    with zipfile.ZipFile(data.path("endgames", game)) as archive:
        return {name: archive.read(name) for name in archive.namelist() if re.fullmatch(r"\d+v\d+", name)}


def tab_data(games: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """All data of the tab, `TabData` of web/src/tab/server.ts. `games` has the formats that it writes, by
    game."""
    opponents = Opponents()
    offers = {offer.name: offer for offer in catalogue(opponents)}
    own = {"adapts": False, "can_make_persons": text_of(_MISSING), "persons": [], "reads": []}
    shown = [
        offers[game].model_copy(
            update=own | {"writes": formats, "bots": [bot for bot in offers[game].bots if not bot.budgets]}
        )
        for game, formats in games.items()
    ]
    return {
        "offers": [offer.model_dump(mode="json") for offer in shown],
        "games": {game: game_data(game, opponents) for game in games},
        "thinkTime": behaviour("think-time"),
    }


def _licences(games: Iterable[str], source: str | None) -> str:
    """The page about licences: of this program, of the networks, and of what others wrote; and its source."""
    cards = [
        load_network(str(data.path("networks", name))).card for game in games for name in _network_files(game)
    ]
    rows = "".join(
        f"<tr><td>{html.escape(card.name)}</td><td>{html.escape(card.licence)}</td>"
        f"<td>{html.escape(card.teachers or '')}</td></tr>"
        for card in cards
    )
    others = (
        "onnxruntime-web (MIT), emscripten (MIT), Preact (MIT), chessground and shogiground "
        "(GPL-3.0-or-later), Inter (SIL Open Font License 1.1)"
    )
    offer = _NO_SOURCE
    if source is not None:
        offer = _LINKED.format(html.escape(source if _is_address(source) else _SOURCE, quote=True))
    return _LICENCES.format(title=_TITLE, source=offer, others=others, rows=rows)


_LINKED = '<a href="{}">Here is the source</a> of this page, of its core and of its data'
_NO_SOURCE = """The source of this page, of its core and of its data is
the repository of Sparring of the same version"""


_LICENCES = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
{title}
<link rel="icon" href="icon.svg">
<h1>Licences and source</h1>
<p>Sparring is free software under the GNU General Public License, version 3 or later
(<a href="LICENSE.txt">text</a>). {source}, in which <code>make browser</code> builds it. Who carries
this page offers that source too.</p>
<p>Written by others: {others}.</p>
<table><tr><th>Network</th><th>Licence</th><th>Teachers</th></tr>{rows}</table>
<p>The texts of all licences are in the folder <code>licences</code> beside this page.</p>
<p><a href="./">Back</a></p>
</html>
"""
