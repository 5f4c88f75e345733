"""Runs a typer application; errors that a user can make end in one line and a non-zero exit code."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import typer

from sparring.base.errors import SparringError
from sparring.cli.console import INTERRUPTED, exit_now


def run_app(app: Callable[..., Any], program: str, arguments: Sequence[str] | None = None) -> None:
    """Runs `app`, a typer application or command, with `arguments` (default: `sys.argv[1:]`).

    A user's error prints `program: message` on the error output and exits with code 2, or with the code that
    typer gives; Ctrl-C exits with 130. Other exceptions pass.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # not every terminal has every character
    if os.environ.get("NO_COLOR"):
        from typer import rich_utils  # the pages of --help

        rich_utils.COLOR_SYSTEM = None
    try:
        code = app(args=None if arguments is None else list(arguments), standalone_mode=False)
    except typer.TyperException as error:
        _fail(program, error.format_message(), error.exit_code)
    except (typer.Abort, KeyboardInterrupt):
        _fail(program, "interrupted", INTERRUPTED)
    except ModuleNotFoundError as error:
        module = (error.name or "").partition(".")[0]
        if (extra := _extra_of(module)) is None:
            raise
        _fail(program, f"this needs {module}: pip install 'sparring[{extra}]'", 2)
    except (SparringError, OSError) as error:
        _fail(program, str(error), getattr(error, "code", 2))
    if code:  # the code of a `typer.Exit`
        sys.exit(code)


def _extra_of(module: str) -> str | None:
    """The extra of this package that installs a module, such as "train" for torch."""
    from importlib.metadata import requires

    for line in requires("sparring") or ():
        match = re.match(r"([\w.-]+).*extra == ['\"](\w+)['\"]", line)
        if match and match[1] == module and match[2] != "dev":
            return match[2]
    return None


def _fail(program: str, message: str, code: int) -> NoReturn:
    if message:
        from sparring.cli.console import visible

        # An OSError's text begins with an error number.
        words = re.sub(r"^\[Errno \d+\] ", "", " ".join(message.split()))
        print(f"{program}: {visible(words)}", file=sys.stderr)
    exit_now(code)
