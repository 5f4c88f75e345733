"""One module a surface; see `tests/robustness/trials.py`."""
