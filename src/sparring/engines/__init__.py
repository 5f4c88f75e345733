"""Engines: a player behind a protocol (UCI, USI, GTP, reconchess, the Expendibots referee)."""

from typing import TYPE_CHECKING

from sparring.base.lazy import attach

if TYPE_CHECKING:
    from sparring.engines.options import PROTOCOLS as PROTOCOLS
    from sparring.engines.options import EngineSettings as EngineSettings
    from sparring.engines.options import options_of as options_of
    from sparring.engines.server import serve as serve

__getattr__, __dir__, __all__ = attach(__name__)
