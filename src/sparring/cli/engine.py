"""`sparring engine`: a player as an engine for a GUI, over UCI, USI or GTP."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Annotated

import typer

from sparring.cli.commands import ENGINE
from sparring.cli.errors import UserError
from sparring.cli.interrupts import INTERRUPTED
from sparring.engines import PROTOCOLS, BadOption, EngineSettings, options_of, serve
from sparring.engines.option import OptionKind
from sparring.engines.stdio import take_stdio


def _command(protocol: str, game: str) -> Callable[..., None]:
    """The command that serves a protocol. Its flags are the engine's options."""
    options = [option for option in options_of(protocol) if option.kind is not OptionKind.BUTTON]

    def run(**texts: str | None) -> None:
        settings = EngineSettings.of(game)
        try:
            for option in options:
                if (text := texts[option.flag.replace("-", "_")]) is not None:
                    settings = option.apply(settings, text)
        except BadOption as error:
            raise UserError(str(error)) from None
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
    summary = ENGINE.commands[protocol].summary
    run.__doc__ = f"{summary}\n\nA GUI starts this command. Every flag is also an option of the protocol."
    return run


uci, usi, gtp = (_command(protocol, PROTOCOLS[protocol]) for protocol in ENGINE.commands)
