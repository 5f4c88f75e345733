"""Engines: a player behind the protocols that GUIs speak."""

from sparring.engines.option import BadOption
from sparring.engines.options import PROTOCOLS, options_of
from sparring.engines.server import serve
from sparring.engines.settings import EngineSettings

__all__ = ["PROTOCOLS", "BadOption", "EngineSettings", "options_of", "serve"]
