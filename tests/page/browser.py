"""The browser of a process of tests: the page's tests and those of robustness share it."""

from __future__ import annotations

import atexit
import os
import shutil
from functools import cache

import pytest
from playwright.sync_api import Browser, sync_playwright

CHROMIUM = shutil.which("chromium")


@cache
def launched() -> Browser:
    """Debian's Chromium. It is started once: Playwright cannot be started a second time in a thread."""
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail("CI needs chromium: `make test` installs it")
        pytest.skip("chromium is missing. On Debian: apt-get install chromium")
    playwright = sync_playwright().start()
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
    atexit.register(playwright.stop)
    atexit.register(browser.close)
    return browser
