"""Studies: an experiment as one command, data in, report out."""
