"""Learning algorithms and agents of Expendibots compared."""
