"""Experiments, each one command from data to report: `python -m studies --help`. Not part of the wheel."""

import sparring  # noqa: F401  # switches off the telemetry of libraries that studies import
