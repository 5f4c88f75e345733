"""Who talks to the page's server: names, origins, sites, paths, tokens, cookies, files of reports."""

from __future__ import annotations

import random
from pathlib import Path

import httpx
import pytest
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from sparring.server.app import create_app
from sparring.server.security import TOKEN_COOKIE, VISITOR_COOKIE, Access
from tests.robustness.page_server import NEW, TOKEN, own_cookie, page_client, played, shared_client
from tests.robustness.trials import surface

_HOSTS = (
    "evil.com", "evil.com:80", "evil@testserver", "testserver@evil", "[::1].evil.com", "testserver:x",
    "testserver/evil", "testserver.", "testserver:80:80", "testserver evil", "", "[::1", "::1",
    "127.0.0.1.evil",
    "\u00e4", "testserver#", "testserver?x", "testserver\\evil", "[testserver]", "0x7f.1", "localhost",
    "x" * 3000,
)  # fmt: skip
_ORIGINS = (
    "http://[::1", "http://]", "http://[::g]", "http://[1.2.3]", "null", "", "ftp://testserver", "http://a b",
    "file://", "http://testserver.evil", "http://evil", "http://testserver@evil", "x", "http://testserver:81",
    "chrome-extension://x", "data:", "http://testserver#", "//testserver", "testserver", "\u00e4",
)  # fmt: skip
_OWN_ORIGINS = ("http://testserver", "https://testserver", "HTTP://TESTSERVER")
_PATHS = (
    "..", "%2e%2e", "%2f", "%5c", "\\", "%00", "assets", "api", "//evil.com", "%ff", "etc/passwd", "a:b", "~",
    "%c0%ae", "index.html", ";x", "?a", "con", "%252e%252e", "page.sqlite", "pyproject.toml", "app.py",
)  # fmt: skip
_COOKIES = (
    '{"a":1}', "=", ";", " ", '"', "ä", "\\", ",", "path=/", "Secure", "%00", "\t", "x" * 300, "__Host-a=1",
    'prefs={"theme":"dark"}', "a=b c", "bare", f"{VISITOR_COOKIE}=x", f"{TOKEN_COOKIE}=wrong",
)  # fmt: skip
_NAMES = (
    "a", "..", "--", ".json", "secret", "%2f", "README.md", "..--..--secret.json", "foo--bar.json",
    "\u202e", " ",
)  # fmt: skip


@surface("host-headers", trials=60)
def host_headers(rng: random.Random, folder: Path) -> None:
    """A name that is not the server's is refused, with the headers of security."""
    client, host = shared_client(), rng.choice(_HOSTS)
    if rng.random() < 0.5:
        host = host.upper() + rng.choice(("", ":80", ":99999999", ".", " ", "@", "/"))
    lines = [(b"Host", host.encode("latin-1"))]
    lines += [(b"X-Forwarded-Host", b"testserver"), (b"Forwarded", b"host=testserver")][: rng.randrange(3)]
    for answer in (client.get("/api/games", headers=lines), client.post("/api/games", headers=lines)):
        assert answer.status_code == 421, (answer.status_code, host)
        assert answer.headers["x-content-type-options"] == "nosniff"


@surface("origins", trials=95)
def origins(rng: random.Random, folder: Path) -> None:
    """Changes that pages of other origins ask for are refused, over HTTP and WebSocket."""
    client = shared_client()
    origin = rng.choice((*_ORIGINS, *_OWN_ORIGINS))
    headers = [(b"Origin", origin.encode("latin-1"))]
    own = origin in _OWN_ORIGINS
    match rng.randrange(3):
        case 0:
            answer = client.post("/api/games", json=NEW, headers=headers)
            assert answer.status_code == (201 if own else 403), (answer.status_code, origin)
            if own:
                client.delete(f"/api/games/{answer.json()['id']}")
        case 1:
            answer = client.delete("/api/games/none", headers=headers)
            assert answer.status_code == (404 if own else 403), (answer.status_code, origin)
        case _ if not own:
            with pytest.raises(WebSocketDisconnect) as refused:
                _follow(client, origin)
            assert refused.value.code == 1008


def _follow(client: TestClient, origin: str) -> None:
    headers = httpx.Headers([(b"Origin", origin.encode("latin-1"))])
    with client.websocket_connect("/api/games/none/live", headers=headers):
        pass


@surface("other-sites", trials=30)
def other_sites(rng: random.Random, folder: Path) -> None:
    """Requests that browsers send for pages of other sites change nothing and are not answered."""
    client = shared_client()
    before = client.get("/api/games").json()
    kinds = ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "")
    body = rng.choice((b'{"game": "chess"}', b"game=chess", b'--x\r\n\r\n{"game":"chess"}\r\n--x--'))
    headers = {"Content-Type": rng.choice(kinds)}
    if rng.random() < 0.6:
        headers |= {
            "Sec-Fetch-Site": rng.choice(("cross-site", "same-site", "x", "")),
            "Content-Type": kinds[0],
        }
        assert client.get("/api/games", headers=headers).status_code == 403
    method = rng.choice(("POST", "PUT", "PATCH", "TRACE", "OPTIONS", "CONNECT", "X" * 200))
    answer = client.request(method, "/api/games", content=body, headers=headers)
    assert answer.status_code in (400, 403, 405, 422), (answer.status_code, method, headers)
    assert "access-control-allow-origin" not in answer.headers
    assert client.get("/api/games").json() == before


@surface("paths", trials=40)
def paths(rng: random.Random, folder: Path) -> None:
    """No path leads out of the folder of the page."""
    (folder / "page" / "assets").mkdir(parents=True)
    (folder / "page" / "index.html").write_text("the page")
    (folder / "page.sqlite").write_text("secret")
    (folder / "page" / "assets" / "link").symlink_to(folder / "page.sqlite")
    app = create_app(":memory:", Access(hosts=("testserver",)), folder / "page")
    with TestClient(app) as client:
        for _ in range(5):
            path = "/".join(
                ("", *rng.choices(_PATHS, k=rng.randint(1, 5)), *["page.sqlite"][: rng.randrange(2)])
            )
            answer = client.request(rng.choice(("GET", "HEAD")), path, follow_redirects=False)
            assert answer.status_code < 500, path
            assert "secret" not in answer.text, path
            location = answer.headers.get("location", "/")
            assert location.startswith(("/", "http://testserver/")), (path, location)
            assert not location.startswith("//"), (path, location)


@surface("tokens", trials=30)
def tokens(rng: random.Random, folder: Path) -> None:
    """Without the token nothing is answered; with it the browser is sent to the page, never elsewhere."""
    given = rng.choice(("", "x", "Secret", "secre", "secrets", "\x00", "ä", TOKEN))
    app = create_app(folder / "page.sqlite", Access(hosts=("testserver",), token=TOKEN), None)
    with TestClient(app) as client:
        prefix = rng.choice(("/", "//evil.com/..", "/\\evil.com", "/api/games", "/%2f%2fevil.com"))
        answer = client.get(f"http://testserver{prefix}", params={"token": given}, follow_redirects=False)
        if given == TOKEN:
            assert (answer.status_code, answer.headers["location"]) == (303, "/")
        else:
            assert answer.status_code == 401, (answer.status_code, given)
        assert answer.headers["referrer-policy"] == "no-referrer"
        client.cookies.clear()
        ways = [{"Authorization": f"Bearer {given}".encode()}, {"Authorization": given.encode()}]
        ways += [{"Cookie": f"{TOKEN_COOKIE}={given}".encode()}, {}]
        headers = rng.choice(ways)
        allowed = given == TOKEN and headers not in (ways[3],)
        page = client.get("/", headers=headers)
        assert page.status_code == (404 if allowed else 401), (page.status_code, headers)  # it has no files
        assert ("set-cookie" in page.headers) == allowed, "a visitor begins with the page"
        code = client.get("/api/games", headers=headers).status_code
        assert code == (200 if allowed and "Cookie" not in headers else 401), (code, headers)


@surface("cookies", trials=60)
def cookies(rng: random.Random, folder: Path) -> None:
    """Cookies of other programs hide neither the visitor's games nor the token."""
    token = rng.choice([None, TOKEN])
    with page_client(folder, token) as client:
        game = played(client)
        own = own_cookie(client)
        if token is not None and rng.random() < 0.5:
            del client.headers["Authorization"]
            own += f"; {TOKEN_COOKIE}={token}"
        before, after = ("; ".join(rng.choices(_COOKIES, k=rng.randint(0, 6))) for _ in range(2))
        line = f"{before}; {own}; {after}"
        answer = client.get(f"/api/games/{game['id']}", headers=[(b"Cookie", line.encode())])
        assert answer.status_code == 200, line
        assert answer.json()["moves"] == game["moves"]
        assert "set-cookie" not in answer.headers, "the visitor is known"


@surface("report-files", trials=10)
def report_files(rng: random.Random, folder: Path) -> None:
    """A folder of reports shows its own files, whatever their names, and no other."""
    report = folder / "results" / "r"
    (report / "sub").mkdir(parents=True)
    (report / "README.md").write_text("# R\n\nFound.\n")
    (folder / "secret.json").write_text("secret")
    (report / "out.json").symlink_to(folder / "secret.json")
    for _ in range(4):
        name = "".join(rng.choices(_NAMES, k=rng.randint(1, 3)))
        if name not in (".", ".."):
            (report / rng.choice((".", "sub")) / name).write_text("own")
    app = create_app(":memory:", Access(hosts=("testserver",)), results=folder / "results")
    with TestClient(app) as client:
        (shown,) = client.get("/api/reports").json()
        for name in (*shown["files"], "..--..--secret.json", "out.json", "../../secret.json", "%2e%2e"):
            answer = client.get(f"/api/reports/r/{name}")
            assert answer.status_code in (200, 404), (name, answer.status_code)
            assert answer.text != "secret", name
