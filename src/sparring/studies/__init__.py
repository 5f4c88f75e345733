"""Studies: what the program must show, measured with real networks and games."""
