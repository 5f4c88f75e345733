"""Reports: provenance, the style of figures, and HTML pages that are rendered from JSON and figures."""

from sparring.reports.machine import describe_machine, provenance, today

__all__ = ["describe_machine", "provenance", "today"]
