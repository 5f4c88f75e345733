"""Benchmarks, each against a baseline in the same run."""
