"""Experiments, each one command from data to report: `python -m studies --help`. Not part of the wheel."""
