"""Serving a protocol over standard input and output."""

from __future__ import annotations

from typing import BinaryIO

from sparring.engines.dialects import DIALECTS
from sparring.engines.gtp import GtpEngine
from sparring.engines.pipes import Inbox, Speaker
from sparring.engines.settings import Settings
from sparring.engines.universal import UniversalEngine


def serve(protocol: str, settings: Settings, lines: BinaryIO, answers: BinaryIO) -> None:
    """Answers a GUI until it says `quit` or hangs up."""
    inbox, say = Inbox(lines), Speaker(answers)
    if protocol == "gtp":
        GtpEngine(settings, say, inbox).run()
    else:
        UniversalEngine(DIALECTS[protocol], settings, say).run(inbox)
