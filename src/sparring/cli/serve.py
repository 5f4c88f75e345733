"""`sparring serve`: the page to play on, in a browser."""

from __future__ import annotations

import ipaddress
import logging
import os
import re
import secrets
import socket
import sys
import threading
import time
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from sparring import data
from sparring.base.config import user_data_folder
from sparring.base.errors import BadFile, CannotWrite, UserError
from sparring.base.storage import FolderLock, atomic_write, lock_folder
from sparring.cli.console import INTERRUPTED, make_console, visible

PORT = 8642
KEPT_GAMES = 20_000
"""Finished games in the file, about 5 kB each."""
_TRIED_PORTS = 20
GAMES = "page.sqlite"
"""File of games in the data folder."""
PAGE_LOCK = ".page.lock"
ADDRESS = "page.address"
"""File beside the games with the address of the server that uses them."""
_OPEN_FILES = 4096
"""Files that the process may have open, if the system allows it."""
_OTHER_FILES = 200
"""Open files that are not connections."""
_THROTTLE_SECONDS = 10.0
_GRACE_SECONDS = 0.4
"""Time for requests that are being answered when the server ends."""


def serve(
    host: Annotated[
        str,
        typer.Option(help="Address to listen on. Beyond this machine a token is needed, which is printed."),
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help=f"Port; 0 for any that is free ({PORT}, or the next free one)."),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(help="A further name of this machine that browsers may use. Can be repeated."),
    ] = None,
    token: Annotated[
        str | None, typer.Option(help="The token, instead of a random one; for other addresses.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(help="Folder for the file of games (your data folder).")
    ] = None,
    results: Annotated[
        Path | None, typer.Option(help="Folder of measurements for the gallery (results, if it exists here).")
    ] = None,
    keep: Annotated[
        int,
        typer.Option(min=0, max=10_000_000, help="Finished games that are kept; the oldest are deleted."),
    ] = KEPT_GAMES,
    threads: Annotated[int, typer.Option(min=1, max=256, help="Threads of each network.")] = 1,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser, if there is one.")
    ] = True,
) -> None:
    """Open the page to play on.

    The page is served on this machine alone, and nothing leaves it. Ctrl-C ends the server; games are kept.
    """
    import uvicorn  # imports asyncio

    from sparring.server.app import create_app
    from sparring.server.security import LOCAL_HOSTS, Access, TimedProtocol

    local = _is_local(host)
    if token is not None and not re.fullmatch(r"[A-Za-z0-9._~-]+", token):
        raise UserError("--token takes letters, digits and . _ ~ - only: it is a part of the address")
    if not local:
        token = token or secrets.token_urlsafe(16)
    listening = _listen(host, port)
    access = Access(
        hosts=(*LOCAL_HOSTS, host.lower(), *(host_name.lower() for host_name in name or ())), token=token
    )
    place = folder or user_data_folder()
    results = results or Path("results")
    try:
        lock = _lock(place)
        app = create_app(place / GAMES, access, data.page(), results, threads, keep)
    except (BadFile, CannotWrite, OSError) as error:
        listening.close()
        raise UserError(str(error)) from None
    shown = "localhost" if local else host
    address = f"http://{f'[{shown}]' if ':' in shown else shown}:{listening.getsockname()[1]}/"
    address += f"?token={token}" if token else ""
    atomic_write(place / ADDRESS, address.partition("?")[0])
    make_console().print(f"The page is at {visible(address)}  (Ctrl-C ends it)", soft_wrap=True)
    if app.state.adopted:
        games = "1 game" if app.state.adopted == 1 else f"{app.state.adopted:,} games"
        make_console().print(f"Your browsers share one list now, with the {games} of all of them.")
    if browser and _has_display():
        threading.Timer(0.5, webbrowser.open, [address]).start()
    logging.getLogger("asyncio").addFilter(_Throttle())
    logging.getLogger("uvicorn.error").addFilter(_is_no_cut_request)
    config = uvicorn.Config(
        app,
        http=TimedProtocol,
        ws="websockets-sansio",
        lifespan="on",
        log_level="warning",
        limit_concurrency=_most_connections(),
        timeout_graceful_shutdown=_GRACE_SECONDS,  # type: ignore[arg-type]  # asyncio takes parts of a second
    )
    code = 0
    try:
        uvicorn.Server(config).run(sockets=[listening])
    except KeyboardInterrupt:
        code = INTERRUPTED
    (place / ADDRESS).unlink(missing_ok=True)
    lock.release()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # the interpreter's own end takes its time, and waits for a computation that does not stop


def _lock(folder: Path) -> FolderLock:
    """Locks the games of a folder. Raises CannotWrite, which says where the other server is, or OSError."""
    try:
        return lock_folder(folder, PAGE_LOCK)
    except CannotWrite:
        path = folder / ADDRESS
        where = f" at {path.read_text(encoding='utf-8').strip()}" if path.is_file() else ""
        raise CannotWrite(
            f"a server already runs{where} with the games of {folder}: open it, or give another --folder"
        ) from None


def _most_connections() -> int:
    """Raises the soft limit of open files, which may be 256 or 1,024. Returns the connections at once for
    which it suffices; further ones are answered with 503."""
    try:
        import resource
    except ImportError:  # Windows
        return _OPEN_FILES - _OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(_OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    most = _OPEN_FILES if soft == resource.RLIM_INFINITY else min(_OPEN_FILES, soft)
    return max(most - _OTHER_FILES, most // 2)


def _is_no_cut_request(record: logging.LogRecord) -> bool:
    """Whether a message is not about a request that the end of the server cuts off: that is no fault."""
    error = record.exc_info[1] if record.exc_info else ""
    return "timeout graceful shutdown" not in f"{record.getMessage()} {error}"


class _Throttle(logging.Filter):
    """Lets one message about exhausted resources pass in ten seconds: asyncio logs it at every try."""

    def __init__(self) -> None:
        super().__init__()
        self._last = -_THROTTLE_SECONDS

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a message is logged."""
        if "out of system resource" not in record.getMessage():
            return True
        now = time.monotonic()
        passes = now - self._last >= _THROTTLE_SECONDS
        self._last = now if passes else self._last
        return passes


def _is_local(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _listen(host: str, port: int | None) -> socket.socket:
    """A listening socket; without a port the first free one. Raises UserError."""
    ports = [port] if port is not None else list(range(PORT, PORT + _TRIED_PORTS))
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in ports:
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, candidate))
            listening.listen(128)
            return listening
        except OSError as error:
            listening.close()
            reason = error.strerror or str(error)
    tried = f"port {port}" if port is not None else f"ports {ports[0]} to {ports[-1]}"
    raise UserError(f"cannot listen on {host}, {tried}: {reason.lower()}")


def _has_display() -> bool:
    """Whether a browser with windows can be opened."""
    has_server = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return sys.platform in ("darwin", "win32") or bool(has_server)
