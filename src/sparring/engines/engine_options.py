"""The options that a GUI has set, independent of their order."""

from __future__ import annotations

from sparring.engines.option import Option
from sparring.engines.options import find_option, options_of
from sparring.engines.settings import EngineSettings


class EngineOptions:
    """The options of one engine.

    The option `player` sets most other options, and some GUIs send every option with its default. Therefore
    the player's file applies first and the other options on top of it. A default value has no effect unless
    the option was changed before.
    """

    def __init__(self, protocol: str, declared: EngineSettings) -> None:
        self.settings = self.declared = declared
        self._protocol = protocol
        self._texts: dict[str, str] = {}

    def set(self, name: str, text: str) -> Option:
        """Sets an option by its name in the protocol. Raises BadOption and then changes nothing."""
        option = find_option(self._protocol, name)
        value = option.parse(text)
        if option.flag in self._texts or value != option.parse(option.value(self.declared)):
            texts = {**self._texts, option.flag: text}
            self.settings = self._all(texts)
            self._texts = texts
        return option

    def _all(self, texts: dict[str, str]) -> EngineSettings:
        settings = self.declared
        for option in options_of(self._protocol):  # the player comes first
            if option.flag in texts:
                settings = option.apply(settings, texts[option.flag])
        return settings
