"""Reports: what every report is made of. The machine and the date, the look of figures, one HTML page."""

from sparring.reports.machine import describe_machine, today

__all__ = ["describe_machine", "today"]
