"""`sparring engine`: a player as an engine for a GUI, over UCI, USI or GTP."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Annotated

import typer

from sparring.cli.commands import Group, all_commands
from sparring.cli.console import INTERRUPTED
from sparring.engines import PROTOCOLS, EngineSettings, options_of, serve
from sparring.engines.options import OptionKind
from sparring.engines.server import take_stdio


def _command(protocol: str, game: str) -> Callable[..., None]:
    """The command that serves a protocol. Its flags are the engine's options."""
    options = [option for option in options_of(protocol) if option.kind is not OptionKind.BUTTON]

    def run(**texts: str | None) -> None:
        settings = EngineSettings.of(game)
        for option in options:
            if (text := texts[option.flag.replace("-", "_")]) is not None:
                settings = option.apply(settings, text)
        try:
            serve(protocol, settings, *take_stdio())
        except KeyboardInterrupt:
            os._exit(INTERRUPTED)
        os._exit(0)  # does not wait for threads that load or search

    flags = {}
    for option in options:
        bounds = option.range_text().partition(", ")[2]
        help_text = f"{option.help} [{bounds}]" if bounds else option.help
        given = typer.Option(f"--{option.flag}", metavar=option.kind.metavar, help=help_text)
        flags[option.flag.replace("-", "_")] = Annotated[str | None, given]
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # typer reads the flags from here
        [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
            for name, kind in flags.items()
        ]
    )
    run.__annotations__ = flags
    group = all_commands()["engine"]
    assert isinstance(group, Group)
    summary = group.commands[protocol].summary
    run.__doc__ = f"{summary}\n\nA GUI starts this command. Every flag is also an option of the protocol."
    return run


def __getattr__(protocol: str) -> Callable[..., None]:
    """The command of a protocol that a game speaks, such as `uci`."""
    if protocol not in PROTOCOLS:
        raise AttributeError(f"module {__name__!r} has no attribute {protocol!r}")
    return _command(protocol, PROTOCOLS[protocol])
