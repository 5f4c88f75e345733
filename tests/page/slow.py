"""A browser on a slow machine, to find tests that depend on timing: `pytest -p tests.page.slow tests/page`.

SLOW=frames: animations, and what the page does after the next frame, come a third of a second late.
SLOW=net: each answer of the server comes 0.15 to 0.65 s late.
SLOW=cpu: the processor of the page is five times slower.
Several are separated by commas; without SLOW it is all.
"""

from __future__ import annotations

import os
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

MODES = os.environ.get("SLOW", "frames,net,cpu").split(",")
AFTER_FRAME = 35
"""Milliseconds after which Preact runs effects if no frame comes: `RAF_TIMEOUT` of preact/hooks."""
FRAMES = f"""(() => {{
    const timeout = window.setTimeout.bind(window), frame = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = run => frame(() => timeout(() => run(performance.now()), 300));
    window.setTimeout = (run, after, ...more) => timeout(run, after === {AFTER_FRAME} ? 400 : after, ...more);
}})()"""
NET = """(() => {
    const fetched = window.fetch.bind(window);
    window.fetch = async (...asked) => {
        await new Promise(resolve => setTimeout(resolve, 150 + 500 * Math.random()));
        return fetched(...asked);
    };
})()"""

_new_context, _new_page = Browser.new_context, BrowserContext.new_page


def new_context(self: Browser, **options: Any) -> BrowserContext:
    context = _new_context(self, **options)
    for mode, script in (("frames", FRAMES), ("net", NET)):
        if mode in MODES:
            context.add_init_script(script)
    return context


def new_page(self: BrowserContext) -> Page:
    page = _new_page(self)
    if "cpu" in MODES:
        self.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": 5})
    return page


Browser.new_context = new_context  # type: ignore[method-assign]
BrowserContext.new_page = new_page  # type: ignore[method-assign]
