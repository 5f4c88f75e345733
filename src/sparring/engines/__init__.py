"""Engines: a player behind the protocols that GUIs speak."""

from sparring.engines.option import BadOption
from sparring.engines.options import PROTOCOLS, options_of
from sparring.engines.serving import serve
from sparring.engines.settings import Settings

__all__ = ["PROTOCOLS", "BadOption", "Settings", "options_of", "serve"]
