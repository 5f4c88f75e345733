"""A server with the built page, and Debian's Chromium.

A page that logs an error, or asks another host, fails its test.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, ViewportSize, expect

from tests.page.browser import launched

expect.set_options(timeout=60_000)  # machines may be slow
SCREENS: dict[str, ViewportSize] = {
    "desktop": {"width": 1280, "height": 860},
    "laptop": {"width": 1366, "height": 650},  # 1366x768, less what the browser itself takes
    "phone": {"width": 390, "height": 844},
}
RESULTS = Path(__file__).parents[2] / "results"
_PROGRAM = """
import sys
from sparring.cli import main
from sparring.server import game_host

game_host.LONGEST_PAUSE = game_host.SHORTEST_PAUSE = 0.0
sys.exit(main())
"""
"""A server whose opponents answer at once."""


@contextmanager
def serve(folder: Path, results: Path = RESULTS) -> Iterator[str]:
    """A server with the built page; its games are in a folder. Gives its address."""
    options = ["serve", "--port", "0", "--no-browser", "--folder", str(folder), "--results", str(results)]
    command = [sys.executable, "-c", _PROGRAM, *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=RESULTS.parent) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().split()[4].rstrip("/")
        finally:
            server.terminate()


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    gallery = tmp_path_factory.mktemp("results")
    for name in ("levels", "person"):  # axe takes a second for each report
        (gallery / name).symlink_to(RESULTS / name)
    with serve(tmp_path_factory.mktemp("page"), gallery) as found:
        yield found


@pytest.fixture(scope="session")
def browser() -> Browser:
    return launched()


@pytest.fixture
def page(browser: Browser, address: str, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A tab of a new visitor. `@pytest.mark.parametrize("page", ["phone"], indirect=True)` makes it small."""
    screen = getattr(request, "param", "desktop")
    context = browser.new_context(viewport=SCREENS[screen], has_touch=screen == "phone")
    context.set_default_timeout(60_000)
    found = context.new_page()
    faults: list[str] = []
    watch(found, address, faults)
    found.goto(address)
    yield found
    context.close()
    assert faults == []


def watch(page: Page, address: str, faults: list[str]) -> None:
    """Collects errors of a page, and its requests to other hosts."""

    def console(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and "status of 4" not in message.text:
            faults.append(message.text)

    def asked(request: Request) -> None:
        if not request.url.startswith((address, "data:", "blob:")):
            faults.append(f"request to {request.url}")

    page.on("console", console)
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", asked)
