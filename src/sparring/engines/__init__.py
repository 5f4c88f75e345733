"""Engines: a player behind a protocol (UCI, USI, GTP, reconchess, the Expendibots referee)."""

from typing import TYPE_CHECKING

from sparring._lazy import attach

if TYPE_CHECKING:
    from sparring.engines.option import BadOption as BadOption
    from sparring.engines.options import PROTOCOLS as PROTOCOLS
    from sparring.engines.options import options_of as options_of
    from sparring.engines.server import serve as serve
    from sparring.engines.settings import EngineSettings as EngineSettings

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "option": ("BadOption",),
        "options": ("PROTOCOLS", "options_of"),
        "server": ("serve",),
        "settings": ("EngineSettings",),
    },
)
