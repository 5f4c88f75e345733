"""Switches off the telemetry of the libraries that Sparring uses: nothing leaves the machine."""

from __future__ import annotations

import os
import sys
from typing import Any, cast


def disable_telemetry() -> None:
    """Must run before these libraries are imported; child processes inherit it.

    ONNX Runtime reads its variable while it is imported: `disable_telemetry_events` is too late for its
    device id and its database. OpenVINO reports every import unless its telemetry package is missing.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["FASTAPI_OTEL_AUTO_CONFIGURE"] = "false"
    cast("dict[str, Any]", sys.modules).setdefault("openvino_telemetry", None)  # `import` raises ImportError
