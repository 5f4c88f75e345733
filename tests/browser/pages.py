"""The built site behind Python's own web server, and what a test does on it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar


class Counting(SimpleHTTPRequestHandler):
    """`python -m http.server`, which counts what it sends."""

    sent: ClassVar[list[tuple[str, int]]]
    headers_besides: ClassVar[dict[str, str]]

    def log_message(self, *_: object) -> None:
        """Says nothing."""

    def send_header(self, keyword: str, value: str) -> None:
        """Counts the bytes of each file."""
        if keyword.lower() == "content-length":
            self.sent.append((self.path, int(value)))
        super().send_header(keyword, value)

    def end_headers(self) -> None:
        """Adds the headers of this server."""
        for keyword, value in self.headers_besides.items():
            super().send_header(keyword, value)
        super().end_headers()


@contextmanager
def served(
    folder: Path, headers: dict[str, str] | None = None
) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """The address of a server of a folder, and the files that it sent with their bytes. `headers` are sent
    with each file."""
    sent: list[tuple[str, int]] = []
    handler = type("Handler", (Counting,), {"sent": sent, "headers_besides": headers or {}})
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/", sent
        finally:
            server.shutdown()
