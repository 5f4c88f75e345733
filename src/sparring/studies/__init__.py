"""Studies: measurements whose results are kept with the command that made them."""
