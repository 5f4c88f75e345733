"""Puts the browser edition together: `python -m tests.browser.site [OUT]`; `make browser` builds its parts.

The site is the page of the package, the worker and the core in WebAssembly (build/browser), the runtime of
networks (onnxruntime-web), the shipped networks and one file of data. Large files are packed with gzip, since
simple web servers send them as they are.
"""

from __future__ import annotations

import gzip
import hashlib
import html
import json
import shutil
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from sparring import data
from sparring.base.sentences import Sentence
from sparring.base.storage import read_npz
from sparring.expendibots.tables import MATERIALS
from sparring.expendibots.value_network import LAYERS
from sparring.games import describe
from sparring.networks import load_network
from sparring.networks.card import ModelCard
from sparring.networks.conditioned import ConditionedCodec
from sparring.players import DEFAULT_RATING
from sparring.players.behaviour_models import behaviour
from sparring.players.levels import shipped_levels
from sparring.policies.loading import read_policy_config
from sparring.search.linear_evaluation import SEARCHERS, open_evaluation
from sparring.server.catalogue import catalogue
from sparring.server.messages import text_of
from sparring.server.opponents import Opponents

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "browser"
PAGE = ROOT / "src" / "sparring" / "data" / "page"
RUNTIME = BUILD / "tools" / "node_modules" / "onnxruntime-web"

GAMES = ("chess", "shogi", "go", "breakthrough", "expendibots")
"""The games of a tab, in the order of the page."""
_MISSING = Sentence("A tab cannot do this: it needs the installed program.")
_NETWORKS = ("human", "strong")


def _card(name: str) -> ModelCard:
    return load_network(str(data.path("networks", name))).card


def _networks(game: str) -> dict[str, dict[str, Any]]:
    """What the tab has to know of the networks of a game."""
    found = {}
    for name in _NETWORKS:
        if f"{name}-{game}" not in data.names("networks"):
            continue
        network = load_network(str(data.path("networks", f"{name}-{game}")))
        codec = network.codec
        assert isinstance(codec, ConditionedCodec)
        spec = codec.input_spec
        assert spec.context_width == 6, "the tab knows networks without komi and servers"
        found[name] = {
            "game": game, "file": f"{name}-{game}.onnx", "encoding": spec.encoding, "history": spec.history,
            "lowest": spec.lowest, "highest": spec.highest,
        }  # fmt: skip
    return found


def _policies(game: str) -> dict[str, dict[str, Any]]:
    """The pools of a game by name."""
    pools = {}
    for file in data.names("policies"):
        name, _, of = file.rpartition("-")
        if of != game:
            continue
        config = read_policy_config(data.path("policies", file))
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
    }


def _parts(game: str) -> dict[str, Any] | None:
    """The layers of a value network and the endgame tables: their sizes, in the order of `_write_parts`."""
    if game not in data.names("value_networks"):
        return None
    layers = [(name, array.size) for name, array in _layers(game).items()]
    with zipfile.ZipFile(data.path("endgames", game)) as archive:
        tables = [(*material, archive.getinfo("{}v{}".format(*material)).file_size) for material in MATERIALS]
    return {"layers": layers, "tables": tables}


def _layers(game: str) -> dict[str, Any]:
    arrays = read_npz(data.path("value_networks", game))
    return {name: arrays[name].astype(np.float32) for name in LAYERS}


def _write_parts(game: str, folder: Path) -> None:
    """The files that `_parts` describes."""
    network = b"".join(array.tobytes() for array in _layers(game).values())
    with zipfile.ZipFile(data.path("endgames", game)) as archive:
        tables = b"".join(archive.read("{}v{}".format(*material)) for material in MATERIALS)
    for name, content in (("network", network), ("endgames", tables)):
        (folder / f"{game}-{name}.bin.gz").write_bytes(gzip.compress(content, 9, mtime=0))


def tab_data() -> dict[str, Any]:
    """All data of the tab: `TabData` of web/src/tab/server.ts."""
    opponents = Opponents()
    offers = {offer.name: offer for offer in catalogue(opponents)}
    own = {"adapts": False, "can_make_persons": text_of(_MISSING), "persons": [], "reads": []}
    shown = [
        offers[game].model_copy(update=own | {"writes": ["pgn"] if game == "chess" else []}) for game in GAMES
    ]
    return {
        "offers": [offer.model_dump(mode="json") for offer in shown],
        "games": {game: game_data(game, opponents) for game in GAMES},
        "thinkTime": behaviour("think-time"),
    }


def _licences() -> str:
    """The page about licences: of this program, of the networks, and of what others wrote."""
    rows = "".join(
        f"<tr><td>{html.escape(card.name)}</td><td>{html.escape(card.licence)}</td>"
        f"<td>{html.escape(card.teachers or '')}</td></tr>"
        for game in GAMES
        for name in _NETWORKS
        if f"{name}-{game}" in data.names("networks")
        for card in (_card(f"{name}-{game}"),)
    )
    others = (
        "onnxruntime-web (MIT), Preact (MIT), chessground and shogiground (GPL-3.0-or-later), "
        "Inter (SIL Open Font License 1.1)"
    )
    return _LICENCES.format(others=others, rows=rows)


_LICENCES = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sparring: licences</title>
<link rel="icon" href="icon.svg">
<h1>Licences and source</h1>
<p>Sparring is free software under the GNU General Public License, version 3 or later
(<a href="LICENSE.txt">text</a>). The source of this page, of its core and of its data is
the repository of Sparring of the same version, in which <code>make browser</code> builds it. Who carries
this page offers that source too.</p>
<p>Written by others: {others}.</p>
<table><tr><th>Network</th><th>Licence</th><th>Teachers</th></tr>{rows}</table>
<p>The texts of all licences are in the folder <code>licences</code> beside this page.</p>
<p><a href="./">Back</a></p>
</html>
"""


def _pack(source: Path, target: Path) -> None:
    target.write_bytes(gzip.compress(source.read_bytes(), 9, mtime=0))


def build_site(out: Path) -> None:
    """Writes the site."""
    shutil.rmtree(out, ignore_errors=True)
    tab = out / "tab"
    shutil.copytree(PAGE, out, ignore=shutil.ignore_patterns("sources.txt"))
    tab.mkdir()
    head = (PAGE / "index.html").read_text(encoding="utf-8")
    mark = '<meta name="sparring-edition" content="tab" />\n    <link rel="icon"'
    assert '<link rel="icon"' in head
    (out / "index.html").write_text(head.replace('<link rel="icon"', mark, 1), encoding="utf-8")
    for file in (BUILD / "worker").glob("*.js"):
        if file.name != "parts.js":
            shutil.copy(file, tab / file.name)
    shutil.copy(BUILD / "core" / "core.mjs", tab)
    shutil.copy(RUNTIME / "dist" / "ort.wasm.min.mjs", tab / "ort.mjs")
    shutil.copy(RUNTIME / "dist" / "ort-wasm-simd-threaded.mjs", tab)
    _pack(BUILD / "core" / "core.wasm", tab / "core.wasm.gz")
    _pack(RUNTIME / "dist" / "ort-wasm-simd-threaded.wasm", tab / "ort.wasm.gz")
    content = json.dumps(tab_data(), separators=(",", ":"))
    (tab / "data.json.gz").write_bytes(gzip.compress(content.encode(), 9, mtime=0))
    for game in GAMES:
        for name in _NETWORKS:
            if f"{name}-{game}" in data.names("networks"):
                _pack(data.path("networks", f"{name}-{game}"), tab / f"{name}-{game}.onnx.gz")
        if game in data.names("value_networks"):
            _write_parts(game, tab)
    shutil.copy(ROOT / "LICENSE", out / "LICENSE.txt")
    shutil.copytree(ROOT / "LICENSES", out / "licences")
    (out / "licences.html").write_text(_licences(), encoding="utf-8")
    _write_keeper(out)


def _write_keeper(out: Path) -> None:
    """The service worker, with a version by the content of all files: another content is another version."""
    digest = hashlib.sha256()
    for file in sorted(path for path in out.rglob("*") if path.is_file()):
        digest.update(file.relative_to(out).as_posix().encode() + file.read_bytes())
    shell = [
        "./",
        *(f"./{file.name}" for file in sorted(out.iterdir()) if file.is_file() and file.suffix != ".txt"),
    ]
    text = (ROOT / "web" / "src" / "tab" / "sw.js").read_text(encoding="utf-8")
    text = text.replace("sparring-VERSION", f"sparring-{digest.hexdigest()[:12]}")
    (out / "sw.js").write_text(text.replace('["SHELL"]', json.dumps(shell)), encoding="utf-8")


if __name__ == "__main__":
    build_site(Path(sys.argv[1]) if len(sys.argv) > 1 else BUILD / "site")
