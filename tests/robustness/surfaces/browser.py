"""A real browser: hostile names and reports on the page, and pages of other sites that ask the server."""

from __future__ import annotations

import contextlib
import html
import json
import os
import random
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from unittest import mock

import httpx
from fastapi import FastAPI
from playwright.sync_api import Page, expect

from sparring import data
from sparring.players.persons import person_file
from sparring.policies.person import write_person
from sparring.server.app import create_app
from sparring.server.security import Access
from tests.page.browser import launched
from tests.page.conftest import SCREENS, watch
from tests.policies.test_person_policy import person_model
from tests.robustness.page_server import NEW, listening
from tests.robustness.trials import surface
from tests.waiting import wait_until

NAMES = 60
"""Names that one page shows."""
_PERSONS = 8
_PARTS = (
    "<img src=x onerror=window.hit=1>", "</script><script>window.hit=1</script>", "<svg/onload=window.hit=1>",
    "{text}", "{name}", "\u202egnp", "a" * 300, "&lt;b&gt;", "&amp;", "javascript:window.hit=1", "'", '"',
    "`",
    "\\", "${window.hit=1}", "%s", "\u0000", "\ufeff", "名" * 40, "W" * 90, "e\u0301" * 30, "\U0001f600",
    "-->",
    "]]>", "<a href=javascript:window.hit=1>x</a>", "<style>*{width:9999px}</style>", "__proto__",
    "constructor",
    "<b>Bold</b>", "\u2028", "[x](javascript:window.hit=1)",
    "<iframe srcdoc='<script>parent.hit=1</script>'>",
    "﷽" * 20, "Z\u0351\u036b\u0343" * 10, " ", "null", "undefined", "0", "-", "**x**", "#/games", "../..",
)  # fmt: skip
_HOSTILE_REPORT = (
    "<script>window.hit=1</script>", "<img src=x onerror=window.hit=1>", "[x](javascript:window.hit=1)",
    "![x](javascript:window.hit=1)", "![x](x.svg)", "[x](//evil.invalid/x)",
    "![x](http://evil.invalid/x.png)",
    "<svg onload=window.hit=1>", "`<script>window.hit=1</script>`",
    "| <b onclick=window.hit=1> | b |\n|---|---|\n",
    "<a href='data:text/html,<script>window.hit=1</script>'>x</a>", "# <script>window.hit=1</script>",
    "\u202e",
    "```\n<script>window.hit=1</script>\n```", "W" * 400, "> <img src=x onerror=window.hit=1>",
)  # fmt: skip
_SVG = '<svg xmlns="http://www.w3.org/2000/svg" onload="window.hit=1"><script>top.hit=1</script></svg>'
_ROUTES = (
    "#/<img src=x onerror=window.hit=1>", "#/game/%3Cscript%3E", "#/person/__proto__", "#//x",
    "#javascript:window.hit=1", "#/understand?record=<script>window.hit=1</script>", "#/game/" + "x" * 3000,
)  # fmt: skip


@contextlib.contextmanager
def _page(rng: random.Random, app: FastAPI) -> Iterator[tuple[Page, str]]:
    """A tab that fails if the page logs an error or asks another host. The page's own rules may refuse."""
    faults: list[str] = []
    with listening(app) as (host, port):
        address = f"http://{host}:{port}"
        screen = rng.choice(("desktop", "phone"))
        context = launched().new_context(
            viewport=SCREENS[screen], locale=rng.choice(("en-US", "de-DE", "ja-JP"))
        )
        context.set_default_timeout(120_000)
        try:
            page = context.new_page()
            watch(page, address, faults)
            page.goto(address)
            page.evaluate("localStorage.setItem('language', 'en')")
            yield page, address
            others = [fault for fault in faults if "Content Security Policy" not in fault]
            assert others == [], others
        finally:
            context.close()


def _check(page: Page) -> None:
    assert page.evaluate("window.hit === undefined"), "a script of a name ran"
    assert page.evaluate("document.querySelectorAll('img[src=x], iframe, svg[onload]').length") == 0
    width = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width[0] <= width[1], f"the page is {width[0]} pixels wide in a window of {width[1]}: {page.url}"


def _names(rng: random.Random) -> list[str]:
    names = {"".join(rng.choices(_PARTS, k=rng.randint(1, 3))).strip() or "x" for _ in range(2 * NAMES)}
    return sorted(names)[:NAMES]


def _record(names: list[str]) -> str:
    """Short games between neighbours of the list, as PGN."""
    texts = []
    for white, black in zip(names, [*names[1:], names[0]], strict=True):
        tags = [
            name.replace("\\", "\\\\").replace('"', '\\"').replace("\u2028", " ") for name in (white, black)
        ]
        texts.append(f'[White "{tags[0]}"]\n[Black "{tags[1]}"]\n[Result "0-1"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n')
    return "\n".join(texts)


@surface("hostile-names", trials=6, few=1)
def hostile_names(rng: random.Random, folder: Path) -> None:
    """Sixty names in the list of names of a file, in the list of persons, in My games, in the list of games
    to review and in a review: they are text, and no page is wider than its window."""
    names = _names(rng)
    app = create_app(folder / "page.sqlite", Access(hosts=("127.0.0.1",)), data.page())
    with mock.patch.dict(os.environ, {"SPARRING_HOME": str(folder / "home")}):
        stems = _persons(rng.sample(names, _PERSONS))
        with _page(rng, app) as (page, address):
            _play_with(address, stems)
            page.goto(f"{address}/#/games")
            expect(page.locator(".game-cards li")).to_have_count(len(stems))
            _check(page)
            page.goto(f"{address}/#/person")
            page.reload()
            page.locator("input[type=file]").first.set_input_files(
                {"name": f"{names[0][:50]}.pgn", "mimeType": "text/plain", "buffer": _record(names).encode()}
            )
            expect(page.locator(".bot").first).to_be_visible()
            for chosen in rng.sample(range(page.locator(".bot").count()), 3):
                page.locator(".bot input").nth(chosen).check()
                _check(page)
            page.goto(f"{address}/#/")
            page.reload()
            page.get_by_label("Chess", exact=True).check()
            page.get_by_label("A person", exact=True).check()
            expect(page.locator("option").filter(has_text="").first).to_be_attached()
            _check(page)
            for _ in range(2):
                _review(rng, app, page, address, names)


def _persons(names: list[str]) -> list[str]:
    """Makes persons with these names."""
    stems, model = [], person_model()
    for name in names:
        path = person_file(name, "chess")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('game = "chess"\nmodel = "' + path.stem + '.person"\n')
        card = replace(model.card, person=name, measured="")
        write_person(path.with_suffix(".person"), replace(model, card=card))
        stems.append(path.stem)
    return stems


def _play_with(address: str, persons: list[str]) -> None:
    """A move against each person, so that the game is listed."""
    with httpx.Client(base_url=address, timeout=120) as client:
        for person in persons:
            opponent = {"kind": "person", "person": person, "think_time": "none"}
            game = client.post("/api/games", json={"game": "chess", "opponent": opponent})
            assert game.status_code == 201, game.text
            move = {"move": "e4", "ply": 0}
            answer = client.post(f"/api/games/{game.json()['id']}/moves?wait=60", json=move)
            assert answer.status_code == 200, answer.text


def _review(rng: random.Random, app: Any, page: Page, address: str, names: list[str]) -> None:
    """Pastes all games, looks at one, and waits until its review is done."""
    page.goto(f"{address}/#/understand")
    page.reload()
    page.get_by_role("button", name="Paste").click()
    page.get_by_label("A position or a whole game").fill(_record(names))
    expect(page.get_by_label("Which game?")).to_be_visible()
    _check(page)
    page.get_by_label("Which game?").select_option(str(rng.randrange(len(names))))
    page.get_by_role("button", name="Look").click()
    expect(page.get_by_role("region", name="Review")).to_be_visible()
    expect(page.get_by_role("button", name="Final position")).to_be_visible()
    reviews = app.state.reviews._reviews
    wait_until(lambda: all(review.done for review in reviews.values()), "the review ends", 120)
    page.wait_for_timeout(1500)  # the page asks once a second
    _check(page)


@surface("hostile-reports", trials=2, few=1)
def hostile_reports(rng: random.Random, folder: Path) -> None:
    """Markdown, pictures and addresses of others run nothing and ask no other host."""
    for name in range(3):
        report = folder / "results" / f"r{name}"
        report.mkdir(parents=True)
        (report / "x.svg").write_text(_SVG)
        parts = rng.sample(_HOSTILE_REPORT, 8)
        (report / "README.md").write_text(f"# {parts[0]}\n\n{parts[1]}\n\n" + "\n\n".join(parts[2:]))
        (report / "x.json").write_text(json.dumps(parts))
    app = create_app(":memory:", Access(hosts=("127.0.0.1",)), data.page(), folder / "results")
    with _page(rng, app) as (page, address):
        page.goto(f"{address}/#/reports")
        expect(page.locator(".gallery article").first).to_be_visible()
        for summary in page.locator(".gallery summary").all():
            summary.click()
        assert page.evaluate("window.hit === undefined")
        page.goto(f"{address}/api/reports/r0/x.svg")
        assert page.evaluate("window.hit === undefined")
        for route in _ROUTES:
            page.goto(address + "/" + route)
            page.reload()
            _check(page)


_ATTACK = """
const at = "ADDRESS", ended = [], name = {"game":"breakthrough"}, text = JSON.stringify(name);
const tell = (way, result) => ended.push([way, String(result).slice(0, 200)]);
const ask = async (way, path, options) => {
  try { const r = await fetch(at + path, options); tell(way, r.type === "opaque" ? "opaque" : "read " + await r.text()); }
  catch (error) { tell(way, "refused"); }
};
const wait = (way, start) => new Promise((resolve) => {
  const end = (result) => (tell(way, result), resolve());
  setTimeout(() => end("nothing"), 3000); start(end);
});
const add = (tag, keys, end) => {
  const element = Object.assign(document.createElement(tag), keys);
  element.onload = () => end("loaded"); element.onerror = () => end("refused"); document.body.append(element);
};
const form = (type, method, path) => wait(`form ${type} ${method}`, (end) => {
  const frame = Object.assign(document.createElement("iframe"), {name: "f" + Math.random()});
  document.body.append(frame);
  const element = Object.assign(document.createElement("form"), {target: frame.name, method, action: at + path});
  element.enctype = type; element.append(Object.assign(document.createElement("input"), {name: text, value: ""}));
  document.body.append(element); element.submit(); frame.onload = () => end("sent");
});
window.attack = Promise.all([
  ask("fetch list", "/api/games"), ask("fetch with cookies", "/api/games", {credentials: "include"}),
  ask("no-cors", "/api/games", {method: "POST", mode: "no-cors", body: text}),
  ask("json", "/api/games", {method: "POST", headers: {"Content-Type": "application/json"}, body: text}),
  ask("text", "/api/games", {method: "POST", headers: {"Content-Type": "text/plain"}, body: text}),
  ask("delete", "/api/games/GAME", {method: "DELETE"}), ask("no-cors delete", "/api/games/GAME", {method: "DELETE", mode: "no-cors"}),
  ask("blob", "/api/games", {method: "POST", mode: "no-cors", body: new Blob([text])}),
  wait("beacon", (end) => end(navigator.sendBeacon(at + "/api/games", text) ? "sent" : "refused")),
  wait("websocket", (end) => { const s = new WebSocket(at.replace("http", "ws") + "/api/games/GAME/live");
    s.onmessage = (m) => end("read " + m.data); s.onerror = () => end("refused"); }),
  wait("eventsource", (end) => { const s = new EventSource(at + "/api/games"); s.onmessage = (m) => end("read " + m.data); s.onerror = () => end("refused"); }),
  wait("img", (end) => add("img", {src: at + "/api/games"}, end)), wait("script", (end) => add("script", {src: at + "/api/games"}, end)),
  wait("style", (end) => add("link", {rel: "stylesheet", href: at + "/api/games"}, end)),
  wait("iframe", (end) => { const frame = document.createElement("iframe"); frame.src = at + "/";
    frame.onload = () => { try { end("read " + frame.contentDocument.body.innerHTML); } catch (e) { end("refused"); } }; document.body.append(frame); }),
  form("text/plain", "post", "/api/games"), form("application/x-www-form-urlencoded", "post", "/api/games/GAME/resign"),
]).then(() => ended);
"""  # noqa: E501
WAYS = 17


@surface("other-site-in-browser", trials=2, few=1)
def other_site(rng: random.Random, folder: Path) -> None:
    """A page on another port of this machine tries seventeen ways: it reads nothing and changes nothing."""
    app = create_app(folder / "page.sqlite", Access(hosts=("127.0.0.1", "localhost")), data.page())
    with listening(app) as (_, port), httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
        game = client.post("/api/games", json=NEW).json()
        before = client.get(f"/api/games/{game['id']}").json()
        name = rng.choice(("127.0.0.1", "localhost"))
        script = _ATTACK.replace("ADDRESS", f"http://{name}:{port}").replace("GAME", game["id"])
        with _site(
            f"<!doctype html><title>{html.escape(name)}</title><body><script>{script}</script>"
        ) as site:
            context = launched().new_context()
            try:
                page = context.new_page()
                page.goto(site.replace("127.0.0.1", rng.choice(("127.0.0.1", "localhost"))))
                ended = page.evaluate("window.attack")
            finally:
                context.close()
        assert len(ended) >= WAYS, ended
        assert not [entry for entry in ended if entry[1].startswith("read")], ended
        assert client.get(f"/api/games/{game['id']}").json() == before
        assert len(client.get("/api/games").json()) <= 1
        stored = app.state.host.store.unfinished()
        assert stored == 1, "no game was begun"


@contextlib.contextmanager
def _site(text: str) -> Iterator[str]:
    """The address of a site with one page."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
