"""Reference implementations in plain Python, for tests and benchmarks of the native core and the networks."""
