"""Serving a protocol over standard input and output."""

from __future__ import annotations

from typing import BinaryIO

from sparring.engines.gtp import GtpServer
from sparring.engines.protocols import PROTOCOL_SPECS
from sparring.engines.settings import EngineSettings
from sparring.engines.stdio import StdinReader, StdoutWriter
from sparring.engines.uci import UciServer


def serve(protocol: str, settings: EngineSettings, lines: BinaryIO, answers: BinaryIO) -> None:
    """Answers a GUI until it says `quit` or hangs up."""
    reader, send_line = StdinReader(lines), StdoutWriter(answers)
    if protocol == "gtp":
        GtpServer(settings, send_line, reader).run()
    else:
        UciServer(PROTOCOL_SPECS[protocol], settings, send_line).run(reader)
