"""Serving a protocol over standard input and output."""

from __future__ import annotations

from typing import BinaryIO

from sparring.engines.settings import EngineSettings
from sparring.engines.stdio import StdinReader, StdoutWriter


def serve(protocol: str, settings: EngineSettings, lines: BinaryIO, answers: BinaryIO) -> None:
    """Serves a GUI until it sends `quit` or closes the pipe."""
    reader, send_line = StdinReader(lines), StdoutWriter(answers)
    try:
        if protocol == "gtp":
            from sparring.engines.gtp import GtpServer

            GtpServer(settings, send_line, reader).run()
        else:
            from sparring.engines.protocols import PROTOCOL_SPECS
            from sparring.engines.uci import UciServer

            UciServer(PROTOCOL_SPECS[protocol], settings, send_line).run(reader)
    finally:
        send_line.close()
